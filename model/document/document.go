// Package document writes conversations as text, as Markdown, or as one
// self-contained HTML file. As on the screen, all segments of a conversation are one
// text, with a break between them.
//
// A [Writer] is fed with messages in reading order and writes as it goes: only the
// current tool run is buffered, so memory does not grow with the conversation. It
// groups messages into entries and tool runs (writer.go) and passes them to the
// layout of the form (layout.go): text.go, markdown.go or html.go.
//
// The package also finds code fences (fences.go) and links (links.go) in the
// Markdown of messages, for the screens.
package document

import (
	"time"
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
	Zone      *time.Location // of all times; nil is UTC
	Title     string         // of an HTML file with several conversations

	// Strong emphasizes names in the text form; nil leaves them as they are.
	Strong func(string) string
	// Readable formats arguments and results of tools, which are usually JSON;
	// nil indents JSON and leaves other text as it is.
	Readable func(string) string
	// Prose renders the Markdown of a message to HTML that is safe to embed. If
	// it is nil or returns false, HTML shows the Markdown source.
	Prose func(markdown string) (html string, ok bool)
}
