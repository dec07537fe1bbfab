// Package document writes conversations as text, as Markdown, or as one
// self-contained HTML file. As on the screen, all segments of a conversation are one
// text, with a break between them.
//
// A [Writer] is fed with messages in reading order and writes as it goes: only the
// current tool run is buffered, and for HTML the first words of the prompts, so memory
// hardly grows with the conversation. It groups messages into entries and tool runs
// (writer.go) and passes them to the layout of the form (layout.go): text.go,
// markdown.go or html.go.
//
// The package also finds code fences (fences.go), links (links.go) and the parts of
// diffs (diff.go) in messages, for the screens.
package document

import (
	"time"

	"hermes-sessions/model/redact"
)

// Form is the format of a document.
type Form int

// The forms.
const (
	Text     Form = iota // for terminals and pagers
	Markdown             // for editors and other programs
	HTML                 // one file without scripts and external resources
)

// Options are the options of a [Writer].
type Options struct {
	Form      Form
	Tools     bool           // tool calls with arguments and results, else one line per tool run; HTML always has them, collapsed
	Reasoning bool           // with reasoning; HTML always has it, collapsed
	Prompts   bool           // only what the user wrote
	Zone      *time.Location // of all times; nil is UTC
	Pictures  bool           // Markdown shows pictures, which a viewer loads from where they are; else they are links
	Title     string         // of an HTML file with several conversations

	// Redact masks secrets in headings and messages; nil leaves them.
	Redact *redact.Masker
	// Strong emphasizes names in the text form; nil leaves them as they are.
	Strong func(string) string
	// Arguments formats the arguments of a tool call, which are usually JSON, and the
	// change that they make to a file. If it is nil, JSON is indented.
	Arguments func(string) (args string, change Change)
	// Result formats the result of a tool call: its body, and what describes it. If it is
	// nil, JSON is indented.
	Result func(string) (body, rest string)
	// Clean removes terminal sequences from text in the JSON of a tool call; nil leaves
	// it as it is.
	Clean func(string) string
	// Prose renders the Markdown of a message to HTML that is safe to embed. If
	// it is nil or returns false, HTML shows the Markdown source.
	Prose func(markdown string) (html string, ok bool)
}
