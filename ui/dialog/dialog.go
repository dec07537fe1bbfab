// Package dialog holds the boxes that open over a screen, and the screen that cleans up.
//
// A box implements shell.Dialog: it takes messages until Update reports true, and draws
// itself for the size of the window. A box asks and shows; the root model carries out
// the choice, as a request of package shell.
//
//   - dialog.go: the frame of all boxes, the text to read, the menu
//   - help.go: the keys of a screen; palette.go: all actions by name
//   - menucolumns.go: a menu in columns, one for each group of actions
//   - facets.go: the parts of the list in columns, to switch on and off
//   - inspector.go: everything known about a conversation; inspectorfiles.go: its files
//   - delete.go, segment.go: the question before a deletion
//   - rename.go, export.go, copy.go: titles, files, the clipboard
//   - note.go, savequery.go: notes and tags, named queries
//   - output.go: the output of a command of the user's own
//   - cleanup.go: the screen of conversations that could be deleted
package dialog

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Place returns where a box is on a screen of w by h: in the middle.
func Place(measure cells.Method, box string, w, h int) kit.Area {
	a := kit.Area{}
	for row := range strings.SplitSeq(box, "\n") {
		a.W, a.H = max(a.W, measure.StringWidth(row)), a.H+1
	}
	a.X, a.Y = max(0, (w-a.W)/2), max(0, (h-a.H)/2)
	return a
}

// thinMargin is the greatest number of columns beside a box in which the screen below would
// look like a broken frame. They are blank.
const thinMargin = 5

// Overlay lays a box on the middle of a screen of w by h.
func Overlay(measure cells.Method, screen, box string, w, h int) string {
	lines, a := strings.Split(screen, "\n"), Place(measure, box, w, h)
	lines = kit.FillLines(lines, a.Y+a.H)
	if a.Y+a.H >= h { // what it says would begin and end beside the box
		lines[h-1] = ""
	}
	for i, row := range strings.Split(box, "\n") {
		if a.X <= thinMargin {
			lines[a.Y+i] = strings.Repeat(" ", a.X) + row
			continue
		}
		lines[a.Y+i] = measure.Splice(lines[a.Y+i], a.X, a.W, row, w)
	}
	return strings.Join(lines, "\n")
}

// inside returns the width and height that a frame leaves for text in a window of w by h.
func inside(w, h int) (int, int) {
	if bare(w, h) {
		return w, max(h-1, 1)
	}
	return w - 6, h - 1 - TextTop(w, h)
}

// bare reports whether a window is so small that boxes have no frame.
func bare(w, h int) bool { return w < 24 || h < 6 }

// spaced reports whether a framed box has a blank line below its title.
func spaced(h int) bool { return h >= 10 }

// frame draws a box around a title and lines that fit inside(w, h), with the first form of
// hints that fits in its lower edge.
func frame(s *theme.Styles, w, h int, title string, lines []string, hints ...string) string {
	return framed(s, w, h, s.Accent.Render(title), s.Border, lines, hints...)
}

// dangerFrame draws the box of a question whose answer destroys something.
func dangerFrame(s *theme.Styles, w, h int, title string, lines []string, hints ...string) string {
	return framed(s, w, h, s.Bad.Bold(true).Render(title), s.Bad, lines, hints...)
}

func framed(s *theme.Styles, w, h int, title string, border lipgloss.Style, lines []string, hints ...string) string {
	inner, _ := inside(w, h)
	if all := title + strings.Join(lines, ""); !strings.Contains(all, kit.OnRow) && !strings.Contains(all, kit.InField) {
		title = kit.OnRow + title // there is only text: the cursor is where it begins
	}
	wide := s.Cells.StringWidth(title)
	for _, l := range lines {
		wide = max(wide, s.Cells.StringWidth(l))
	}
	for _, hint := range hints {
		if room := s.Cells.StringWidth(hint) + 1; room <= inner {
			wide = max(wide, room)
			break
		}
	}
	wide = min(wide, inner)
	rows := []string{s.Cells.Pad(title, wide, s.Glyphs.Ellipsis)}
	if !bare(w, h) && spaced(h) && len(lines) > 0 {
		rows = append(rows, strings.Repeat(" ", wide))
	}
	for _, l := range lines {
		rows = append(rows, s.Cells.Pad(l, wide, s.Glyphs.Ellipsis))
	}
	if bare(w, h) {
		return strings.Join(rows[:min(len(rows), h)], "\n")
	}
	return strings.Join(s.Frame(rows[:min(len(rows), h-2)], wide, border, hints...), "\n")
}

// hints are what the lower edge of a box says of its keys, the longest form first: what choosing
// does, other keys, and what closing means.
func hints(k shell.Keys, does, closes string, other ...string) []string {
	closes = k.Find(shell.InDialog, shell.Close).KeyText() + " " + closes
	does = k.Find(shell.InDialog, shell.ChooseEntry).KeyText() + " " + does
	return []string{strings.Join(slices.Concat([]string{does}, other, []string{closes}), " · "), does + " · " + closes, closes}
}

// chooseHints are the hints of a box in which one of several things is chosen.
func chooseHints(k shell.Keys) []string { return hints(k, "choose", "close")[1:] }

// saveHints are the hints of a box in which something is written.
func saveHints(k shell.Keys) []string { return hints(k, "save", "cancel")[1:] }

// notice is a box with a text to read, which scrolls if it does not fit.
type notice struct {
	sh    shell.Shell
	env   *shell.Env
	title string
	text  func(w int) []string // finished lines, at most w columns wide
	hints []string             // forms of what else the lower edge names
	undo  func() tea.Cmd       // nil where there is nothing to undo
	top   int
	tall  int // lines in sight when last drawn
	all   int // lines in all when last drawn
}

// NewNotice makes a box with a title and a text.
func NewNotice(sh shell.Shell, title string, text func(w int) []string) *notice {
	return &notice{sh: sh, env: sh.Env(), title: title, text: text}
}

// Undoing makes the undo key of the transcript close the box and undo what it tells of.
func (n *notice) Undoing(undo func() tea.Cmd) *notice {
	n.undo = undo
	return n
}

// Update scrolls the text and closes the box.
func (n *notice) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		n.scroll(shell.Wheel(msg))
	case tea.KeyPressMsg:
		// It reads like a transcript, so the keys of one hold here as well.
		id, ok := n.env.Keys.Match(shell.InDialog, msg)
		if !ok {
			id, _ = n.env.Keys.Match(shell.InTranscript, msg)
		}
		switch id {
		case shell.Up:
			n.scroll(-1)
		case shell.Down:
			n.scroll(1)
		case shell.HalfUp:
			n.scroll(-n.tall / 2)
		case shell.HalfDown:
			n.scroll(n.tall / 2)
		case shell.PageUp:
			n.scroll(1 - n.tall)
		case shell.PageDown:
			n.scroll(n.tall - 1)
		case shell.First:
			n.top = 0
		case shell.Last:
			n.scroll(n.all)
		case shell.Undo:
			if n.undo != nil {
				return true, n.undo()
			}
		case shell.Close, shell.Back, shell.ChooseEntry, shell.Help:
			return true, nil
		}
	}
	return false, nil
}

func (n *notice) scroll(by int) { n.top = max(0, min(n.top+by, n.all-n.tall)) }

// Box draws the box for a window of w by h.
func (n *notice) Box(w, h int) string {
	inner, tall := inside(w, h)
	lines := n.text(inner)
	n.all, n.tall = len(lines), min(tall, len(lines))
	n.scroll(0)
	title, edge := n.title, chooseHints(n.env.Keys)[1:]
	if n.all > n.tall {
		up, down := n.env.Keys.Find(shell.InDialog, shell.Up), n.env.Keys.Find(shell.InDialog, shell.Down)
		edge = []string{up.KeyText() + down.KeyText() + " scroll · " + edge[0], edge[0]}
		title = scrolled(n.sh.Styles(), title, n.top+n.tall, n.all, inner)
		measure := n.sh.Styles().Cells // the box does not move while it is scrolled
		lines[n.top] = measure.Pad(lines[n.top], Place(measure, strings.Join(lines, "\n"), w, h).W, "")
	}
	return frame(n.sh.Styles(), w, h, title, lines[n.top:n.top+n.tall], slices.Concat(n.hints, edge)...)
}

// scrolled adds to the title of a box which of its lines is the last in sight.
func scrolled(s *theme.Styles, title string, at, of, w int) string {
	tail := s.Faint.Render("  " + kit.Progress(at, of))
	return s.Cells.Truncate(title, max(0, w-s.Cells.StringWidth(tail)), s.Glyphs.Ellipsis) + tail
}

// Menu is a box of actions, each with a letter.
type Menu struct {
	sh      shell.Shell
	env     *shell.Env
	in      shell.Context // of the screen below
	title   string
	text    string // over the entries, "" for none
	entries []shell.Entry
	hidden  []shell.Entry                        // that answer to their letters and are not shown
	hint    string                               // what else can be done there
	again   func() (shown, hidden []shell.Entry) // nil where the entries stay
	Toggle  shell.Action                         // its own key closes it again
	refused bool                                 // by the last key: its own key then starts over, as if the menu had closed
	Sel     int
	pane    choices
	places  []menuPlace // of the entries, where they are in columns
}

// NewMenu makes a menu over a screen with the keys of context in.
func NewMenu(sh shell.Shell, in shell.Context, q shell.OpenMenu) *Menu {
	return &Menu{
		sh: sh, env: sh.Env(), in: in, title: q.Title, text: q.Text, Toggle: q.Toggle,
		entries: q.Entries, hidden: q.Hidden, hint: q.Hint, again: q.Again,
	}
}

// Refill asks for the entries again: an answer that has come may have made some possible. An
// entry that was possible keeps its subject, even if another row has become current, and the
// selection stays on its entry.
func (m *Menu) Refill() {
	if m.again == nil {
		return
	}
	possible := map[string]shell.Entry{}
	for _, e := range slices.Concat(m.entries, m.hidden) {
		if e.Why == "" {
			possible[e.Letter] = e
		}
	}
	letter := ""
	if m.Sel < len(m.entries) {
		letter = m.entries[m.Sel].Letter
	}
	m.entries, m.hidden = m.again()
	for _, entries := range [][]shell.Entry{m.entries, m.hidden} {
		for i, e := range entries {
			if was, ok := possible[e.Letter]; ok {
				entries[i] = was
			}
		}
	}
	m.Sel = max(0, slices.IndexFunc(m.entries, func(e shell.Entry) bool { return e.Letter == letter }))
}

// Update moves in the menu and runs the chosen entry.
func (m *Menu) Update(msg tea.Msg) (bool, tea.Cmd) {
	if turn, ok := msg.(tea.MouseWheelMsg); ok {
		m.Sel = max(0, min(m.Sel+cmp.Compare(shell.Wheel(turn), 0), len(m.entries)-1))
		return false, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false, nil
	}
	anew := m.refused
	m.refused = false
	for i, e := range slices.Concat(m.entries, m.hidden) {
		if e.Letter == key.String() {
			if i < len(m.entries) {
				m.Sel = i
			}
			return m.take(e)
		}
	}
	if id, ok := m.env.Keys.Match(m.in, key); ok && id == m.Toggle && key.Text == "" {
		return !anew, nil
	}
	id, _ := m.env.Keys.Match(shell.InDialog, key)
	n := max(len(m.entries), 1)
	switch id {
	case shell.Up:
		m.Sel = (m.Sel + n - 1) % n
	case shell.Down:
		m.Sel = (m.Sel + 1) % n
	case shell.First, shell.PageUp:
		m.Sel = 0
	case shell.Last, shell.PageDown:
		m.Sel = n - 1
	case shell.ChooseEntry:
		if m.Sel < len(m.entries) {
			return m.take(m.entries[m.Sel])
		}
	case shell.Close:
		return true, nil
	}
	switch key.String() {
	case "left":
		m.turn(-1)
	case "right":
		m.turn(1)
	default:
		if id == "" && key.Text != "" {
			return false, m.sh.Refuse("no entry for " + key.Text + " · " + m.env.Keys.Find(shell.InDialog, shell.Close).KeyText() + " closes")
		}
	}
	return false, nil
}

// The root looks for lines to click on by a type assertion, which nothing else would miss.
var (
	_ shell.Clickable = (*Menu)(nil)
	_ shell.Clickable = (*Facets)(nil)
	_ shell.Clickable = (*Palette)(nil)
	_ shell.Clickable = (*inspector)(nil)
	_ shell.Clickable = (*exportBox)(nil)
	_ shell.Clickable = (*renameBox)(nil)
	_ shell.Clickable = (*saveQueryBox)(nil)
)

// Click runs the entry at a place of the box.
func (m *Menu) Click(x, y int) (bool, tea.Cmd) {
	i := m.at(x, y)
	if i < 0 {
		return false, nil
	}
	m.Sel = i
	return m.take(m.entries[i])
}

// take runs an entry. An entry that is not possible says why and leaves the menu
// open.
func (m *Menu) take(e shell.Entry) (bool, tea.Cmd) {
	if m.refused = e.Why != ""; m.refused {
		return false, m.sh.Refuse(e.Why)
	}
	return true, e.Do()
}

// Box draws the box for a window of w by h.
func (m *Menu) Box(w, h int) string {
	s := m.sh.Styles()
	inner, tall := inside(w, h)
	m.places = nil
	edge := chooseHints(m.env.Keys)
	if m.hint != "" {
		edge = append([]string{m.hint + " · " + edge[0], m.hint + " · " + edge[1]}, edge[1:]...)
	}
	if lines, ok := m.columns(inner, tall); ok {
		return frame(s, w, h, m.title, lines, edge...)
	}
	if lines, ok := m.stacked(inner, tall); ok {
		return frame(s, w, h, m.title, lines, edge...)
	}
	wide := 0
	for _, e := range m.entries {
		wide = max(wide, s.Cells.StringWidth(e.Label))
	}
	wide = min(wide, inner-5)
	notes := 0
	for _, e := range m.entries {
		notes = max(notes, s.Cells.StringWidth(e.Note))
	}
	all := 5 + wide
	if notes = min(notes, inner-all-2); notes < 4 {
		notes = 0 // nothing but an ellipsis
	} else {
		all += 2 + notes
	}
	var lines []string
	for i, e := range m.entries {
		lines = append(lines, m.entry(s, e, i == m.Sel, wide, notes, all))
	}
	var head []string
	if m.text != "" {
		text := s.Cells.Wrap(m.text, min(inner, 72))
		// In a small terminal text and entries share the room.
		if room := max(tall-len(lines), tall/2); len(text) > room {
			text = append(text[:max(room-1, 0)], s.Cells.Truncate(strings.Join(text[max(room-1, 0):], " "), inner, s.Glyphs.Ellipsis))
		} else if len(text) < room {
			text = append(text, "")
		}
		for _, l := range text {
			head = append(head, s.Text.Render(l))
		}
	}
	m.pane.show(len(lines), m.Sel, tall-len(head), len(head))
	title := m.title
	if n := m.pane.top + m.pane.tall; m.pane.tall < len(lines) {
		title = scrolled(s, title, min(n, len(lines)), len(lines), inner)
	}
	return frame(s, w, h, title, append(head, lines[m.pane.top:min(m.pane.top+m.pane.tall, len(lines))]...), edge...)
}

// TextTop is how many lines of a box are above its text.
func TextTop(w, h int) int {
	switch {
	case bare(w, h):
		return 1
	case spaced(h):
		return 3
	}
	return 2
}

// TextLeft is how many columns of a box are left of its text.
func TextLeft(w, h int) int {
	if bare(w, h) {
		return 0
	}
	return 2
}
