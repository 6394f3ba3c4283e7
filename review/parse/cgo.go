//go:build cgo

package parse

// #include "flatten.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	_ "github.com/tree-sitter/go-tree-sitter" // brings the C library that flatten.c calls
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// BuiltIn reports whether this build can parse.
const BuiltIn = true

type names struct{ symbols, fields []string }

// tables hold the grammars' name lists, each read when it is first needed.
var tables = func() (t [grammarCount]func() names) {
	for g := range grammarCount {
		t[g] = sync.OnceValue(func() names { return readNames((*C.TSLanguage)(language(g))) })
	}
	return t
}()

func language(g Grammar) unsafe.Pointer {
	switch g {
	case Python:
		return python.Language()
	case CSharp:
		return csharp.Language()
	case Java:
		return java.Language()
	case Go:
		return golang.Language()
	case JavaScript:
		return javascript.Language()
	case TypeScript:
		return typescript.LanguageTypescript()
	case TSX:
		return typescript.LanguageTSX()
	}
	return nil
}

func readNames(l *C.TSLanguage) names {
	var n names
	for i := range C.ts_language_symbol_count(l) {
		n.symbols = append(n.symbols, C.GoString(C.ts_language_symbol_name(l, C.uint16_t(i))))
	}
	n.fields = append(n.fields, "")
	for i := range C.ts_language_field_count(l) {
		n.fields = append(n.fields, C.GoString(C.ts_language_field_name_for_id(l, C.uint16_t(i+1))))
	}
	return n
}

// plainMemory is done once, before the first parse.
var plainMemory = sync.OnceFunc(func() { C.idem_plain_memory() })

// Within is [Parse] under other bounds.
func Within(g Grammar, src []byte, l Limits) (*Tree, error) {
	l = l.orDefault()
	if g >= grammarCount {
		return nil, fmt.Errorf("parse: no grammar %d", g)
	}
	if len(src) == 0 {
		return &Tree{}, nil
	}
	plainMemory()
	var count C.uint32_t
	out := C.idem_flatten(language(g), (*C.char)(unsafe.Pointer(&src[0])), C.uint32_t(len(src)), MaxDepth, C.uint32_t(l.Nodes), C.uint64_t(l.Time.Microseconds()), &count)
	if out == nil {
		switch count {
		case 1:
			return nil, ErrTooDeep
		case 2:
			return nil, ErrTooMuch
		}
		return nil, fmt.Errorf("parse: the parser gave no tree")
	}
	defer C.free(unsafe.Pointer(out))
	t := &Tree{text: string(src), nodes: newNodes(int(count))}
	copy(t.nodes, unsafe.Slice((*raw)(unsafe.Pointer(out)), int(count)))
	for i := range t.nodes {
		if t.nodes[i].bad != 0 || t.nodes[i].miss != 0 {
			t.errors++
		}
	}
	n := tables[g]()
	t.symbols, t.fields = n.symbols, n.fields
	return t, nil
}
