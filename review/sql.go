package review

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

var (
	sqlVerb     = regexp.MustCompile(`(?is)^\s*(?:--[^\n]*\n\s*)*(?:WITH\b.*?\)\s*)?(INSERT|UPDATE|DELETE|SELECT|MERGE|REPLACE|UPSERT|CREATE|DROP|ALTER|TRUNCATE|CALL|EXEC|EXECUTE|BEGIN|COMMIT|ROLLBACK|SET|DECLARE|IF|USE)\b`)
	sqlInner    = regexp.MustCompile(`(?is)\b(?:INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|MERGE\s+INTO\s|MERGE\s+\S+\s+(?:AS|USING|WITH)\s|EXEC(?:UTE)?\s|CALL\s)`)
	sqlInsert   = regexp.MustCompile("(?is)INSERT\\s+(OR\\s+\\w+\\s+|IGNORE\\s+)?(?:INTO\\s+)?[`\"\\[]?([\\w.{}]+)[`\"\\]]?\\s*(?:\\(([^)]*)\\))?")
	sqlUpdate   = regexp.MustCompile("(?is)UPDATE\\s+[`\"\\[]?([\\w.{}]+)[`\"\\]]?\\s+(?:AS\\s+\\w+\\s+|\\w+\\s+)?SET\\s+(.*?)(?:\\sWHERE\\s(.*))?$")
	sqlRelative = regexp.MustCompile("(?is)(?:^|[\\s,(.`\"])([\\w]+)[`\"\\]]?\\s*=\\s*(?:COALESCE\\s*\\(\\s*)?(?:\\w+\\.)?[`\"\\[]?([\\w]+)[`\"\\]]?[^,=]*?\\s*(?:[+*/]|-|\\|\\|)")
	sqlDelete   = regexp.MustCompile("(?is)DELETE\\s+FROM\\s+[`\"\\[]?([\\w.]+)")
	sqlFrom     = regexp.MustCompile("(?is)\\bFROM\\s+[`\"\\[]?([\\w.]+)")
	sqlFresh    = regexp.MustCompile(`(?i)\b(gen_random_uuid|uuid_generate_v\d|newid|uuid|random|nextval)\s*\(`)
)

var (
	sqlWhole   = regexp.MustCompile(`(?is)^\s*(?:INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO\s|UPDATE\s+\S+\s+(?:AS\s+)?(?:\w+\s+)?SET\s|DELETE\s+FROM\s|SELECT\s.*\sFROM\s|MERGE\s+INTO\s|REPLACE\s+INTO\s|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX)\s|WITH\s+\w+.*\sAS\s*\()`)
	sqlRunners = regexp.MustCompile(`^(?:execute|exec|query|run|fetch|raw|update|insert|select|prepare|command|perform)`)
)

// runsSQL reports a call that is handed a whole statement: it runs it, whatever
// it is called on and wherever the connection came from.
func runsSQL(c *callee, args []*Value) bool {
	return len(args) > 0 && args[0].HasTxt && sqlWhole.MatchString(args[0].Text) && sqlRunners.MatchString(c.norm)
}

// statement reads SQL in text. What it cannot find in the text is not guessed:
// a statement built elsewhere is an unknown write.
func (t *tracer) statement(eff *Effect, c *callee, e *Expr, args []*Value, s *scope) {
	sql, at := "", -1
	for i, a := range args {
		if a.HasTxt && sqlVerb.MatchString(a.Text) {
			sql, at = a.Text, i
			break
		}
		if a.where != "" && sqlVerb.MatchString(a.where) {
			sql, at = a.where, i
			break
		}
	}
	if sql == "" && c.recv != nil && sqlVerb.MatchString(c.recv.where) {
		sql = c.recv.where
		for _, f := range c.recv.From {
			if f.Statement == sql { // prepared before: counted there
				eff.Class = knowledge.None
				return
			}
		}
	}
	if sql == "" && c.recv != nil {
		if f := c.recv.Fields["CommandText"]; f != nil && sqlVerb.MatchString(f.Text) {
			sql = f.Text
		}
	}
	if sql == "" {
		eff.Class = knowledge.Read
		if c.norm == "update" || c.norm == "insert" { // an object mapper's: the arguments are no statement
			eff.Class = knowledge.Put
			if c.norm == "insert" {
				eff.Class = knowledge.Insert
			}
			if len(args) > 0 {
				eff.Value, eff.Key = args[len(args)-1], args[0]
			}
			eff.Resource = t.resource(eff, c, args)
			return
		}
		for _, a := range args {
			for _, f := range a.From {
				if f.Acts() { // a statement object that already counted
					eff.Class = knowledge.None
				}
			}
		}
		return
	}
	eff.Statement = sql
	params := args[at+1:]
	verb := strings.ToUpper(sqlVerb.FindStringSubmatch(sql)[1])
	up := strings.ToUpper(sql)
	switch verb {
	case "DECLARE", "IF", "USE", "SET", "BEGIN": // a batch: the statement in it that writes
		if at := sqlInner.FindStringIndex(sql); at != nil {
			sql = sql[at[0]:]
			verb = strings.ToUpper(sqlVerb.FindStringSubmatch(sql)[1])
		}
	}
	switch verb {
	case "SELECT":
		eff.Class = knowledge.Read
		eff.Resource = table(sqlFrom, sql)
		if strings.Contains(up, "INSERT INTO") {
			t.insertSQL(eff, sql, up, params)
		}
	case "INSERT", "REPLACE", "UPSERT", "MERGE":
		t.insertSQL(eff, sql, up, params)
		if verb != "INSERT" {
			eff.Class, eff.Conditional = knowledge.Put, verb
		}
	case "UPDATE":
		t.updateSQL(eff, sql, params)
	case "DELETE", "TRUNCATE", "DROP":
		eff.Class, eff.Resource = knowledge.Delete, table(sqlDelete, sql)
		eff.Key = blend(params...)
	case "CREATE", "ALTER":
		eff.Class, eff.Strict = knowledge.None, !strings.Contains(up, "IF NOT EXISTS") && !strings.Contains(up, "OR REPLACE")
	case "CALL", "EXEC", "EXECUTE":
		eff.Class, eff.Question = knowledge.Act, "what does the procedure do when it is called twice"
	default:
		eff.Class = knowledge.None
	}
}

func table(re *regexp.Regexp, sql string) string {
	if m := re.FindStringSubmatch(sql); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

func (t *tracer) insertSQL(eff *Effect, sql, up string, params []*Value) {
	eff.Class = knowledge.Insert
	m := sqlInsert.FindStringSubmatch(sql)
	if m == nil {
		return
	}
	eff.Resource = strings.ToLower(m[2])
	for _, w := range []string{"ON CONFLICT", "ON DUPLICATE KEY", "INSERT IGNORE", "INSERT OR IGNORE", "INSERT OR REPLACE", "WHERE NOT EXISTS", "IF NOT EXISTS"} {
		if strings.Contains(up, w) {
			eff.Conditional = w
		}
	}
	cols := columns(m[3])
	flat := flatten(params)
	if i := strings.Index(up, "DO UPDATE SET"); i >= 0 && changesItself(sql[i+len("DO UPDATE SET"):]) {
		eff.Relative, eff.Class, eff.Conditional = true, knowledge.Increment, "" // the repeat changes the row again
	} else if i := strings.Index(up, "ON DUPLICATE KEY UPDATE"); i >= 0 && changesItself(sql[i+len("ON DUPLICATE KEY UPDATE"):]) {
		eff.Relative, eff.Class, eff.Conditional = true, knowledge.Increment, ""
	}
	want := conflictColumns(sql)
	for i, col := range cols {
		if len(want) > 0 && !contains(want, col) || len(want) == 0 && !idLike(col) {
			continue
		}
		if v := paramFor(col, i, flat, params); v != nil {
			eff.Key, eff.KeyName = blend(eff.Key, v), col
		}
	}
	if eff.Key == nil && sqlFresh.MatchString(sql) && eff.Conditional != "" {
		eff.Key = &Value{Origin: FromGenerate, Sym: "generated in SQL"}
	}
}

// updateSQL reads SET and WHERE: a column changed by its own value is relative,
// unless the WHERE refuses a repeat by comparing a version or the key itself.
func (t *tracer) updateSQL(eff *Effect, sql string, params []*Value) {
	eff.Class = knowledge.Put
	eff.Key = blend(params...)
	if k := whereKey(sql, params); k != nil {
		eff.Key = k
	}
	m := sqlUpdate.FindStringSubmatch(strings.TrimSpace(sql))
	if m == nil {
		return
	}
	eff.Resource = strings.ToLower(m[1])
	if changesItself(m[2]) {
		eff.Class, eff.Relative = knowledge.Increment, true
		w := strings.ToLower(m[3])
		if strings.Contains(w, "not exists") || strings.Contains(w, "last_") || strings.Contains(w, "processed") || strings.Contains(w, "<>") || strings.Contains(w, "!=") || strings.Contains(w, "applied") || strings.Contains(w, "not in") {
			eff.Conditional = "WHERE " + clip(m[3], 60)
		}
	}
	for _, p := range params {
		if len(p.Rel) > 0 {
			eff.Relative, eff.DerivedFrom, eff.Value = true, p.Rel[0], p
		}
		if p.Scaled {
			eff.Value = p
		}
		for _, el := range p.Elems {
			if len(el.Rel) > 0 {
				eff.Relative, eff.DerivedFrom, eff.Value = true, el.Rel[0], el
			}
		}
	}
}

func changesItself(set string) bool {
	for _, m := range sqlRelative.FindAllStringSubmatch(" "+set, -1) {
		if strings.EqualFold(m[1], m[2]) && !strings.EqualFold(m[1], "version") && !strings.EqualFold(m[1], "row_version") {
			return true
		}
	}
	return false
}

func columns(list string) []string {
	var out []string
	for c := range strings.SplitSeq(list, ",") {
		out = append(out, strings.ToLower(strings.Trim(c, " \t\n\r`\"[]")))
	}
	return out
}

var sqlConflict = regexp.MustCompile(`(?is)ON\s+CONFLICT\s*\(([^)]*)\)`)

func conflictColumns(sql string) []string {
	if m := sqlConflict.FindStringSubmatch(sql); m != nil {
		return columns(m[1])
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func idLike(col string) bool {
	n := strings.ToLower(col)
	return n == "id" || n == "_id" || n == "key" || n == "pk" || n == "uuid" || strings.HasSuffix(n, "_id") || strings.HasSuffix(n, "_key") || strings.HasSuffix(n, "reference")
}

// flatten lists the values bound to a statement: arguments, or the elements of
// one tuple or list.
func flatten(params []*Value) []*Value {
	var out []*Value
	for _, p := range params {
		if len(p.Elems) > 0 {
			out = append(out, p.Elems...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

func paramFor(col string, i int, flat, params []*Value) *Value {
	for _, p := range params {
		if v := fieldNorm(p, col); v != nil {
			return v
		}
	}
	if i < len(flat) && len(flat[i].Fields) == 0 {
		return flat[i]
	}
	return nil
}

var (
	sqlPlace  = regexp.MustCompile(`%s|\?`)
	sqlNumber = regexp.MustCompile(`\$(\d+)`)
	sqlNamed  = regexp.MustCompile(`[:@](\w+)`)
)

// whereKey is what the parameters of the WHERE clause are made of, nil if they
// cannot be told from the others.
func whereKey(sql string, params []*Value) *Value {
	up := strings.ToUpper(sql)
	at := strings.LastIndex(up, "WHERE")
	if at < 0 {
		return nil
	}
	set, where := sql[:at], sql[at:]
	flat := flatten(params)
	var vs []*Value
	if nums := sqlNumber.FindAllStringSubmatch(where, -1); len(nums) > 0 {
		for _, m := range nums {
			if i, err := strconv.Atoi(m[1]); err == nil && i >= 1 && i <= len(flat) {
				vs = append(vs, flat[i-1])
			}
		}
	} else if n := len(sqlPlace.FindAllString(where, -1)); n > 0 {
		first := len(sqlPlace.FindAllString(set, -1))
		if first+n != len(flat) {
			return nil
		}
		vs = flat[first:]
	} else {
		for _, m := range sqlNamed.FindAllStringSubmatch(where, -1) {
			for _, p := range params {
				if f := fieldNorm(p, m[1]); f != nil {
					vs = append(vs, f)
				}
			}
		}
	}
	if len(vs) == 0 {
		return nil
	}
	if len(vs) == 1 {
		return vs[0]
	}
	return blend(vs...)
}
