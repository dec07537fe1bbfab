package model

import (
	"slices"

	"hermes-sessions/model/pyjson"
)

// ExportOptions say which sessions to export, and how.
type ExportOptions struct {
	IDs    []string // these sessions, in this order; nil for all
	Source string   // of all, only this source
	// Progress, if not nil, is called with the number of sessions written so far and in all.
	Progress func(done, total int)

	// NullNonFinite writes null for NaN and the infinities, which JSON does not have and
	// Hermes writes as Python does.
	NullNonFinite bool

	// Redact, if not nil, gives the row that is written in place of one that was read.
	Redact func(pyjson.Object) pyjson.Object
}

// ImportOptions change how an import works.
type ImportOptions struct {
	Strict     bool // stop at the first bad line
	DropTitles bool // import a session without its title where another has it
	// Progress is called from time to time with the number of bytes read; nil
	// for none.
	Progress func(read int64)
}

// ImportReport says what an import did.
type ImportReport struct {
	Sessions   int       // new ones
	Messages   int       // new ones
	Skipped    int       // sessions that were already there
	Renumbered int       // messages whose number another message had; their order is kept
	Untitled   int       // sessions that lost their title because another session has it
	Unlinked   int       // sessions whose parent does not exist
	Unknown    []string  // columns ("table.column") and tables that the database does not have
	BadLines   int       // lines of which nothing was imported
	Bad        []BadLine // the first 1,000 of them
}

// maxBad is how many bad lines a report lists.
const maxBad = 1000

// Add adds what a part of the import did.
func (r *ImportReport) Add(more ImportReport) {
	r.Sessions += more.Sessions
	r.Messages += more.Messages
	r.Skipped += more.Skipped
	r.Renumbered += more.Renumbered
	r.Untitled += more.Untitled
	for _, name := range more.Unknown {
		r.AddUnknown(name)
	}
	for _, b := range more.Bad {
		r.AddBad(b.Line, b.Err)
	}
}

// AddUnknown records a column or table that the database does not have.
func (r *ImportReport) AddUnknown(name string) {
	if !slices.Contains(r.Unknown, name) {
		r.Unknown = append(r.Unknown, name)
	}
}

// AddBad records a line of which nothing was imported.
func (r *ImportReport) AddBad(line int, err error) {
	if r.BadLines++; len(r.Bad) < maxBad {
		r.Bad = append(r.Bad, BadLine{line, err})
	}
}

// BadLine is a line of an import that was not imported.
type BadLine struct {
	Line int // counted from one
	Err  error
}

// Migrated says what a migration did to a file.
type Migrated struct {
	Path    string
	From    int      // schema version found; 0 for a new file and where none was stated
	To      int      // 11; for a new file, the schema that was asked for
	Backup  string   // the copy of the file as it was; "" where nothing was changed or none was wanted
	Repairs []string // the problems that were repaired, one sentence each
}

// Progress says how far a long task has come.
type Progress struct {
	Step  string // what is being done: "copying the file"
	Done  int64  // in this step
	Total int64  // 0 where it is not known
	Unit  string // what is counted: "rows", "tables", "statements" or "bytes"; "" where nothing is
}
