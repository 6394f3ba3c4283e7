// Package largepayload reports whole documents returned into history: advice.
//
// # What it does
//
// A result that is the body of a response, the bytes of a file, or every row of
// a query.
//
// # Why is this bad
//
// Inputs and results are kept in the workflow's history and read at every
// replay. Large ones slow the instance and can pass the store's limit, under
// load, where it hurts most.
//
// # When it is fine
//
// An id, a status, a count, one row.
//
// # Use instead
//
// Store the document under a name made of the input and return the name.
package largepayload

import (
	"embed"
	"maps"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM029", Slug: "large-payload", Kind: "big_payload", Since: "unreleased", Severity: review.Advice, Confidence: review.Low, Files: files, Check: check}
}

func check(p *review.Pass) {
	v := p.Activity.Result
	if v == nil {
		return
	}
	if r := whole(v, 3); r != nil {
		p.Report(review.Note{Effect: r, Message: "its whole answer is returned and goes through the workflow's history", Fix: "store it under a name made of the input and return the name"})
	}
}

var bulk = []string{".text", ".content", ".body", ".fetchall", "readall", "read_text", "read_bytes", "readfile", "readalltext", "readallbytes", "readasstring", ".findall", ".tolist", "b64encode", "getobject", ".download"}

func whole(v *review.Value, depth int) *review.Effect {
	if v == nil || depth == 0 {
		return nil
	}
	if r := unwrapped(v); r != nil {
		return r
	}
	last := strings.TrimSuffix(strings.ToLower(uncalled(v.Sym)), "async")
	for _, b := range bulk {
		if strings.HasSuffix(last, b) {
			if len(v.From) > 0 && v.From[len(v.From)-1].Class == knowledge.LLM {
				return nil // text of a model
			}
			if len(v.From) > 0 {
				return v.From[len(v.From)-1]
			}
			if len(v.Reads) > 0 {
				return v.Reads[len(v.Reads)-1]
			}
		}
	}
	for _, f := range v.Elems {
		if r := whole(f, depth-1); r != nil {
			return r
		}
	}
	for _, n := range slices.Sorted(maps.Keys(v.Fields)) {
		if r := whole(v.Fields[n], depth-1); r != nil {
			return r
		}
	}
	return nil
}

// unwrapped is the request whose whole answer v is, where the client was asked
// for it as text or bytes: getForEntity(url, String.class).getBody(),
// GetStringAsync(url), axios.get(url, {responseType: "text"}).data.
func unwrapped(v *review.Value) *review.Effect {
	if len(v.From) == 0 {
		return nil
	}
	e := v.From[len(v.From)-1]
	if e.Verb != "GET" {
		return nil
	}
	name := strings.TrimSuffix(strings.ToLower(uncalled(v.Sym)), "async")
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch last {
	case "getstring", "getbytearray":
		return e
	case "getforobject", "getforentity", "body", "data":
		if slices.ContainsFunc(e.Args, asksWhole) {
			return e
		}
	}
	return nil
}

// asksWhole reports an argument that asks for the answer as text or bytes.
func asksWhole(a *review.Value) bool {
	if a.Origin == review.FromConst && !a.HasTxt && (a.Type == "String" || a.Type == "byte") {
		return true
	}
	kind := a.Fields["responseType"]
	return kind != nil && kind.HasTxt && kind.Text != "json"
}

// uncalled takes the arguments of the last call off.
func uncalled(sym string) string {
	if !strings.HasSuffix(sym, ")") {
		return sym
	}
	depth := 0
	for i := len(sym) - 1; i >= 0; i-- {
		switch sym[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return sym[:i]
			}
		}
	}
	return sym
}
