package model

// Remedy is what helps against a problem: in words, and as data from which a program
// makes a command, a button or a call of its own. The zero value is none.
type Remedy struct {
	Kind RemedyKind
	Text string // what to do, in one line, without a command
	// Object is what the action is about: the path of a database or of a backup, or the
	// id of a session, by Kind.
	Object string
	// Command is a line for the shell of another program, such as SQLite or Hermes itself;
	// only with RemedyRun.
	Command string
}

// RemedyKind says which action a [Remedy] asks for. The values do not change.
type RemedyKind string

// The kinds of a [Remedy].
const (
	RemedyWords   RemedyKind = ""           // the text says all
	RemedyRun     RemedyKind = "run"        // run Command
	RemedyOpen    RemedyKind = "open"       // open another database file; Object is its path, if it is known
	RemedyList    RemedyKind = "list"       // look at the list of all sessions
	RemedyShow    RemedyKind = "show"       // look at session Object
	RemedyRename  RemedyKind = "rename"     // give a session another title
	RemedyMigrate RemedyKind = "migrate"    // upgrade and repair database Object
	RemedySalvage RemedyKind = "salvage"    // save what can be read of database Object
	RemedyCheck   RemedyKind = "check"      // check database Object
	RemedyCompare RemedyKind = "full-check" // compare every text of database Object with its index
	RemedyImport  RemedyKind = "import"     // import backup Object
)

// Advise makes a remedy that is only words.
func Advise(text string) Remedy { return Remedy{Text: text} }

// AdviseToRun makes a remedy with a command of another program.
func AdviseToRun(text, command string) Remedy {
	return Remedy{Kind: RemedyRun, Text: text, Command: command}
}
