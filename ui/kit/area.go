// Package kit holds what several screens are built from. It knows no screen and no
// shell; a part that only one screen needs belongs to that screen.
//
//   - rows.go: Rows, the virtual list that every scrolled screen uses
//   - latest.go: Latest, a request of which only the newest answer is shown
//   - prompt.go: Prompt, the one-line text input
//   - clean.go: Clean and its variants make text of unknown origin safe to draw
//   - markdown.go: Markdown as lines of a given width, without losing characters;
//     markdownlists.go: the lists in it
//   - readable.go: JSON as readable lines
//   - toolwork.go: the arguments and results of tool calls, split for display
//   - format.go, spans.go: numbers, sizes, highlighted matches
//   - hit.go, noted.go: a hit of a search, the user's notes on a conversation
//   - area.go: Area, a rectangle of the window
//   - tabs.go: Tabs, the names of several lists in one line
//   - remedy.go: Remedy, what helps against a problem, and its command
//   - attention.go: where the terminal's cursor goes
package kit

// Area is a rectangle of the window.
type Area struct{ X, Y, W, H int }

// Has reports whether a position is inside the rectangle.
func (a Area) Has(x, y int) bool {
	return x >= a.X && x < a.X+a.W && y >= a.Y && y < a.Y+a.H
}
