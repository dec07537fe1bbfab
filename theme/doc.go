// Package theme is the visual language of the program: what its colors, weights,
// marks and spaces mean. It reads neither the terminal nor the environment; the
// caller says what is known of them in a [Setup].
//
//   - doc.go: the language; palette.go: the roles; palettes.go: the palettes
//   - contrast.go: contrast, palettes fitted to a background and to 256 colors
//   - setup.go: which palette is in force; theme.go: palettes become styles
//   - markdown.go, code.go: styles of prose and code; rails.go: lines of trees
//
// # Roles
//
// A screen never names a color. It takes the style of a role, and each role has one
// meaning everywhere:
//
//	Text           what people came to read: titles, prose
//	Muted          facts about it: counts, ages, hints, notes
//	Faint          what the eye may skip: ids, sources, placeholders
//	Strong         a name or a title, by weight alone
//	Accent, Key    where you are and what you can press
//	Group          a heading over rows or a column
//	Border         rules, frames, bars of quotes and tool output, lines of tables
//	Selected       the row that the next key acts on, over its whole width
//	Hit            a word that was searched for: bold, in its own color, on the ground
//	               of its line
//	CurrentHit     the hit that n and N have gone to: the only filled one
//	Good           running, done, worked
//	Warn           needs attention; nothing is lost
//	Bad            failed, or cannot be done
//	Danger         a choice that destroys, or a change that failed: filled, so that it is
//	               read first
//	User, Agent    who speaks: "you" and "hermes"
//	Summary        the summary that replaced compressed messages
//	Tool           the name of a tool
//	Argument       what a tool was called with: between prose and output
//	Output         what a tool returned: fainter than prose
//	Reasoning      what the model thought, in italics
//	Added, Removed lines of a diff, each on its own ground
//	Chip           a filter in force, the database, the tab in front, the result of an action
//
// Nothing is told by color alone. A state has a mark, the current row a cursor, a hit
// its weight, a line of a diff its sign, and a palette without colors tells all of
// them apart by weight, underline and reverse video.
//
// # Grounds
//
// Text stands on the terminal's own background, or on that of the palette if it has
// one. Selected is the ground of the current row. Surface is the ground of boxes over a
// screen; it is a shade off the background, and unknown (none) until the terminal has
// told its background.
//
// # Weight
//
// Bold is a name: of a speaker, a heading, an unfolded tool call, the title of the current
// row or of the screen; and a hit, which is underlined too where its line is bold. Italic
// is thought. Underline is also a link, or stands in for color. Only the cursor of a field
// blinks.
//
// # Marks and space
//
// Marks ([Glyphs]) take one column and have an ASCII form. A row begins with its mark
// and cursor; text begins in the same column in every row. One space separates a mark
// from its text, two separate columns and hints, three precede the outcome of tool work,
// one blank line separates speakers. Text keeps one column from the edges of the screen
// and of a box. A dot joins facts on one line: 9 messages · $0.14.
//
// What does not fit is left out whole, the least telling first, and counted: 2 more,
// 21 hidden, 4/15. Only a text is cut, with an ellipsis; a number, or a command that is a
// remedy, never is.
//
// # Parts
//
// A box has a title in Accent at its left top, behind it in Faint which of its lines is the
// last in sight, and in its lower edge in Faint the keys. Title and frame are in Bad where an
// answer destroys something. A few columns beside it are blank: pieces of words would look like
// a broken frame. An empty screen says in one line what is missing, and below it in Muted the
// keys that help. The last line of the screen has the hints, a key in Key and its action in
// Muted; for a while the result of the last action stands there instead, as a Chip. A cost is
// Faint in lists and Muted in trees; ~ marks an estimate, ? an unknown cost, ≥ a sum with an
// unknown part.
//
// # Cursor
//
// The terminal's cursor is where the user's attention is: in the field while the user
// writes, else a line below the mark of the current row or choice. Screen readers and
// magnifiers follow it.
//
// # Motion
//
// Nothing moves by itself: no spinner, no fade, no scrolling. What appears stands where
// it stays. Work says so in words after 150 ms; after a second a bar counts it, or a block
// moves in it where nothing is counted. The setting motion takes away the bar, and the
// blinking of the cursor in a field. A key redraws only the cells that change.
//
// # Contrast
//
// Every role has a contrast of at least 4.5:1 with each ground it stands on; Faint and
// Border have at least 3:1. Tests compute it for every palette, for the sixteen colors
// of common terminals, and for backgrounds that a palette is fitted to
// ([Palette.Fit]).
package theme
