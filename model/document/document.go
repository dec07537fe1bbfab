// Package document writes conversations for reading outside the browser: as
// text, as Markdown, or as one HTML file that needs nothing else. A
// conversation is one document over all its segments, as on the screen. It is
// written message by message: memory does not grow with its length.
package document

import (
	"time"
)

// Form is what a document is written in.
type Form int

// The forms.
const (
	Text     Form = iota // for terminals and pagers
	Markdown             // for editors and other programs
	HTML                 // one file for a browser: no scripts, nothing from elsewhere
)

// Options say how to write.
type Options struct {
	Form      Form
	Tools     bool           // tool calls with arguments and results, else a line that counts them; HTML has them always, folded
	Reasoning bool           // what the agent thought; HTML has it always, folded
	Zone      *time.Location // of all times; nil is UTC
	Title     string         // of an HTML file with several conversations

	// Strong emphasises names in text; nil leaves them.
	Strong func(string) string
	// Readable writes for people what tools are given and answer, which mostly
	// is JSON; nil indents it.
	Readable func(string) string
	// Prose turns the Markdown of a message into HTML that is safe to embed.
	// Where it is nil or gives false, HTML shows text as it stands.
	Prose func(markdown string) (html string, ok bool)
}
