package review

// The common form every language is lowered to. It keeps what effects, guards
// and keys need: functions, statements in order, calls with receiver chain and
// named arguments, literals, string building, branches, loops, handlers,
// imports, declared types. Everything else becomes [OpOpaque] with its parts,
// so that a call inside something unknown is still seen.

// File is one lowered source file.
type File struct {
	Path     string
	Language string
	Package  string // Go package name, Java package, C# namespace; "" elsewhere
	Imports  []Import
	Types    []*Type
	Funcs    []*Func  // every named function and method, nested ones included
	Top      *Func    // the statements outside functions, as one body
	Exports  []string // names of variables that other modules can import
	Comments []Comment
	Errors   int // places the grammar could not read

	src    []byte
	lines  []int // offset of each line's start
	routes []*handler
	routed bool
}

// Import is one imported name. `from a.b import c as d` is {Path "a.b", Member
// "c", Name "d"}; `import x "y/z"` is {Path "y/z", Name "x"}; a wildcard has
// Member "*" and no Name.
type Import struct {
	Path, Member, Name string
	Export             bool // handed on: export … from
	Line               int
}

// Comment is a comment without its marker.
type Comment struct {
	Text string
	Line int
}

// Type is a class, record, struct or interface.
type Type struct {
	Name        string
	Interface   bool
	Bases       []string // extended and implemented types, as written, with type arguments
	Fields      []Field  // fields, properties and primary-constructor parameters
	Methods     []*Func
	Annotations []*Expr
	File        *File
	Line        int
	EndLine     int
}

// Field is a field or property of a type, or a variable of a module.
type Field struct {
	Name        string
	Type        string
	Static      bool
	Value       *Expr
	Annotations []*Expr
	Line        int
}

// Func is a function, method or lambda. A lambda has no Name.
type Func struct {
	Name        string
	Owner       *Type  // the type it is a method of
	Receiver    string // the name of the receiver inside the body: self, this, a
	Params      []Param
	Result      string // declared result type, as written
	Annotations []*Expr
	Body        []*Stmt
	Abstract    bool // declared without a body
	Static      bool
	Exported    bool // reachable by name from another module
	Parent      *Func
	File        *File
	Line        int
	EndLine     int
}

// Param is a parameter. Annotations are attributes such as [ActivityTrigger].
type Param struct {
	Name        string
	Type        string
	Default     *Expr
	Annotations []*Expr
	Rest        bool
	Fields      []*Expr // names taken out by a destructuring parameter: {Op: OpName} or {Op: OpMember} for renames
}

// Op is the kind of an [Expr].
type Op uint8

// The kinds of expression and what they use.
const (
	OpOpaque   Op = iota // something else; Args are its parts
	OpName               // Name
	OpMember             // X . Name
	OpIndex              // X [ Y ]; a slice has no Y
	OpCall               // X ( Args ); New for constructors; Name is a cast's or generic's type argument
	OpString             // Name is the value
	OpNumber             // Name is the text
	OpBool               // Name is "true" or "false"
	OpNull               //
	OpTemplate           // Args are its parts, strings and values
	OpBinary             // X Name Y
	OpUnary              // Name X; "&" in Go, "!" for every negation
	OpObject             // Args with Name or Key: object, dict, struct literal; Name is its type if written
	OpList               // Args: list, tuple, array, set
	OpLambda             // Func
	OpCond               // Z ? X : Y
	OpAssign             // X Name= Y, as an expression; Name is "" for plain assignment
	OpCast               // X as the type Name
	OpType               // a type used as a value: typeof(T), T.class, generic argument; Name
	OpAwait              // X
)

// Expr is an expression.
type Expr struct {
	Op      Op
	Name    string
	X, Y, Z *Expr
	Args    []Arg
	Types   []string // explicit type arguments of a call
	Func    *Func
	New     bool
	Line    int
	EndLine int
}

// Arg is an argument, an element, or a pair of an object literal.
type Arg struct {
	Name   string // named argument or literal key
	Key    *Expr  // computed key
	Value  *Expr
	Spread bool
}

// StmtOp is the kind of a [Stmt].
type StmtOp uint8

// The kinds of statement and what they use.
const (
	Do     StmtOp = iota // Value
	Let                  // Targets Name= Value; Type if declared; Name "" for plain assignment
	If                   // Value is the condition; Body, Else
	Loop                 // Targets over Value (for-each) or while Value; Body
	Try                  // Body, Catches, Else (ran when nothing was raised), Finally
	Return               // Value
	Throw                // Value, nil for a re-raise
	With                 // Targets = Value for the length of Body
	Block                // Body
	Switch               // Value; Catches hold the cases: Values, Body
	Jump                 // Name is break or continue
	Define               // Func: a named nested function
	Delete               // Value: del x[k], delete(m, k)
)

// Stmt is a statement.
type Stmt struct {
	Op      StmtOp
	Name    string
	Type    string
	Targets []*Expr
	Value   *Expr
	Body    []*Stmt
	Else    []*Stmt
	Catches []Catch
	Finally []*Stmt
	Func    *Func
	Line    int
	EndLine int
}

// Catch is a handler of a Try (Types, Name, Values holds its filter) or a case
// of a Switch (Values; none for default).
type Catch struct {
	Types  []string
	Name   string
	Values []*Expr
	Body   []*Stmt
	Line   int
}
