package keys

import (
	"embed"
	"fmt"
	"strings"
)

// The code that answers show. Each file is a whole program text that tests
// parse, compile where that is possible, and review with this product's own
// rules; what stands between [name] and [/name] is shown.
//
//go:embed testdata/code testdata/record
var files embed.FS

// Snippet is code in one language.
type Snippet struct {
	What     string `json:"what"`
	Language string `json:"language"`
	Code     string `json:"code"`
}

var codeFiles = map[string]string{"go": "keys.go", "python": "keys.py", "java": "keys.java", "csharp": "keys.cs", "javascript": "keys.js", "typescript": "keys.js"}

// recordFile is the object-relational mapping that a language's people use.
type recordFile struct{ with, file string }

var recordFiles = map[string]recordFile{
	"go": {"gorm", "gorm.go"}, "python": {"SQLAlchemy", "sqlalchemy.py"}, "java": {"JPA", "jpa.java"}, "csharp": {"EF Core", "efcore.cs"},
	"javascript": {"Prisma", "prisma.js"}, "typescript": {"Prisma", "prisma.js"},
}

// Code is the snippet of a part: natural, step, loop, parent, execution_id,
// activity, log, logged. Nil where the language has none, such as an execution
// id in JavaScript.
func Code(language, part string) *Snippet {
	name, ok := codeFiles[language]
	if !ok {
		return nil
	}
	text := region("testdata/code/"+name, part)
	if text == "" {
		return nil
	}
	return &Snippet{What: whats[part], Language: language, Code: text}
}

var whats = map[string]string{
	"natural": "in the workflow: the operation's own id and the effect, passed in the input", "step": "in the workflow: the instance id and a step name, passed in the input",
	"loop": "in the workflow, in a loop", "parent": "in the parent workflow", "execution_id": "in the activity", "activity": "in the activity: send the key that came in",
	"log": "the log line, once per program", "logged": "in the activity: start, effect and end, each with the key",
}

// Fit puts the name of an activity and the suffix of its effect in place of the
// example's. A name that is no plain identifier is left out.
func (s Snippet) Fit(activity, suffix string) Snippet {
	if i := strings.LastIndexAny(activity, ".:"); i >= 0 {
		activity = activity[i+1:]
	}
	w := words(activity)
	if len(w) == 0 || !identifier(activity) {
		return s
	}
	pairs := []string{":charge-card", ":" + kebab(activity)}
	if suffix != "" {
		pairs = append(pairs, ":charge", ":"+suffix)
	}
	pairs = append(pairs, "charge_card", activity, "ChargeCard", activity, "chargeCard", activity)
	s.Code = strings.NewReplacer(pairs...).Replace(s.Code)
	return s
}

func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 60
}

// RecordCode is the table and the conditional write: SQL for PostgreSQL and
// SQLite, and in the mapping that the language's people use.
func RecordCode(language string) []Snippet {
	var out []Snippet
	if f, ok := recordFiles[language]; ok {
		out = append(out, Snippet{What: "table and conditional write with " + f.with, Language: language, Code: whole("testdata/record/" + f.file)})
	}
	for _, db := range [...]struct{ name, file string }{{"PostgreSQL", "postgres.sql"}, {"SQLite", "sqlite.sql"}} {
		out = append(out, Snippet{What: "the same in SQL: " + db.name, Language: "sql", Code: whole("testdata/record/" + db.file)})
	}
	return out
}

// whole is the table and the write of a record file.
func whole(path string) string { return region(path, "table") + "\n\n" + region(path, "write") }

// region is what stands between [name] and [/name], without its indentation.
func region(path, name string) string {
	b, err := files.ReadFile(path)
	if err != nil { // a test reads every file
		return fmt.Sprintf("(%s is not built in)", path)
	}
	var lines []string
	in := false
	for line := range strings.Lines(string(b)) {
		switch t := strings.Trim(line, " \t\r\n/#-"); {
		case t == "["+name+"]":
			in = true
		case in && strings.Trim(t, "[]/") == name && strings.HasPrefix(t, "["):
			in = false
		case in:
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return dedent(lines)
}

func dedent(lines []string) string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	cut := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], cut)
	}
	return strings.Join(lines, "\n")
}
