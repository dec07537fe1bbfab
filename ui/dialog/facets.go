package dialog

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Facets is a box of columns with the parts that a list can be confined to. A part is
// switched on and off while the box stays open; the list behind it follows.
type Facets struct {
	sh     shell.Shell
	env    *shell.Env
	in     shell.Context // of the screen below
	of     shell.OpenFacets
	all    []shell.FacetColumn
	cols   []shell.FacetColumn // with the values that have the typed text
	col    int                 // the current column
	sel    []int               // the current value of each column
	top    []int               // the first value in sight of each column
	input  kit.Prompt
	labels []int // widths
	counts []int
	placed struct {
		first, bar int   // the first column last drawn, and the width of bars
		rows       int   // of values last drawn
		wide       []int // the widths of the columns last drawn
	}
}

const (
	facetLead       = 3  // the marks before a label
	leastFacet      = 10 // the narrowest and the widest label
	mostFacet       = 24
	shortFacet      = 14 // a longer label is cut to have bars
	mostFacetBar    = 8  // a bar where all columns fit, and the least one
	leastFacetBar   = 4
	facetCountWidth = 5
	facetGap        = 2
	mostFacets      = 24 // values of a column in sight
)

// NewFacets makes the box over a screen with the keys of context in.
func NewFacets(sh shell.Shell, in shell.Context, q shell.OpenFacets) *Facets {
	f := &Facets{sh: sh, env: sh.Env(), in: in, of: q, input: kit.NewPrompt("")}
	f.refill()
	return f
}

// refill asks for the columns again; each keeps its current value.
func (f *Facets) refill() {
	f.all = f.of.Columns()
	if len(f.sel) != len(f.all) {
		f.sel, f.top = make([]int, len(f.all)), make([]int, len(f.all))
		f.col, f.placed.wide = min(f.col, len(f.all)-1), nil // none can be clicked on until they are drawn
	}
	wanted := strings.ToLower(strings.TrimSpace(f.input.Text()))
	f.cols = slices.Clone(f.all)
	for i := range f.cols {
		c := &f.cols[i]
		was := ""
		if f.sel[i] < len(c.Values) && wanted == "" {
			was = c.Values[f.sel[i]].Label
		}
		c.Values = slices.DeleteFunc(slices.Clone(c.Values), func(v shell.Facet) bool {
			return !strings.Contains(strings.ToLower(v.Label+" "+v.Note), wanted)
		})
		if at := slices.IndexFunc(c.Values, func(v shell.Facet) bool { return v.Label == was }); at >= 0 {
			f.sel[i] = at
		}
		f.sel[i] = max(0, min(f.sel[i], len(c.Values)-1))
	}
}

// Update moves in the columns, switches values and narrows them by typing.
func (f *Facets) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case shell.RefillDialogs:
		f.refill()
	case tea.MouseWheelMsg:
		f.move(cmp.Compare(shell.Wheel(msg), 0))
	case tea.PasteMsg:
		f.narrow(msg)
	case tea.KeyPressMsg:
		return f.press(msg)
	}
	return false, nil
}

func (f *Facets) press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if id, ok := f.env.Keys.Match(f.in, msg); ok && id == f.of.Toggle && msg.Text == "" {
		return true, nil
	}
	switch name := shell.KeyName(msg); name {
	case "space":
		return false, f.toggle()
	case "left", "shift+tab":
		f.turn(-1)
		return false, nil
	case "right", "tab":
		f.turn(1)
		return false, nil
	}
	id, ok := f.env.Keys.Match(shell.InDialog, msg)
	if len(msg.Text) > 0 || !ok {
		f.narrow(msg)
		return false, nil
	}
	switch id {
	case shell.Up:
		f.move(-1)
	case shell.Down:
		f.move(1)
	case shell.PageUp, shell.First:
		f.move(-len(f.cols[f.col].Values))
	case shell.PageDown, shell.Last:
		f.move(len(f.cols[f.col].Values))
	case shell.ChooseEntry:
		return false, f.toggle()
	case shell.Close:
		if f.input.Empty() {
			return true, nil
		}
		f.input.Clear()
		f.refill()
	}
	return false, nil
}

// narrow takes typed text; a column without a match is left for one that has some.
func (f *Facets) narrow(msg tea.Msg) {
	if !f.input.Update(msg) {
		return
	}
	f.refill()
	if len(f.cols[f.col].Values) == 0 {
		if i := slices.IndexFunc(f.cols, func(c shell.FacetColumn) bool { return len(c.Values) > 0 }); i >= 0 {
			f.col = i
		}
	}
}

func (f *Facets) move(by int) {
	f.sel[f.col] = max(0, min(f.sel[f.col]+by, len(f.cols[f.col].Values)-1))
}

func (f *Facets) turn(by int) { f.col = (f.col + by + len(f.cols)) % len(f.cols) }

// toggle switches the current value on or off.
func (f *Facets) toggle() tea.Cmd {
	values := f.cols[f.col].Values
	if f.sel[f.col] >= len(values) {
		return nil
	}
	cmd := values[f.sel[f.col]].Toggle()
	f.refill()
	return cmd
}

// Click goes to a column by its title, or switches a value.
func (f *Facets) Click(x, y int) (bool, tea.Cmd) {
	i := f.placed.first
	for _, wide := range f.placed.wide {
		if x < wide+facetGap {
			break
		}
		x -= wide + facetGap
		i++
	}
	if x < 0 || y < 0 || i >= f.placed.first+len(f.placed.wide) {
		return false, nil
	}
	last := f.placed.first + len(f.placed.wide) - 1
	at := f.top[i] + y - 1
	switch {
	case y > f.placed.rows:
		return false, nil
	case y == 0 && i == f.placed.first && x < facetLead: // on the arrow to columns out of sight
		f.col = max(i-1, 0)
		return false, nil
	case y == 0 && i == last && x >= f.placed.wide[i-f.placed.first]-2:
		f.col = min(i+1, len(f.cols)-1)
		return false, nil
	}
	f.col = i
	if y == 0 || at >= len(f.cols[i].Values) {
		return false, nil
	}
	f.sel[i] = at
	return false, f.toggle()
}

// Box draws the box for a window of w by h.
func (f *Facets) Box(w, h int) string {
	s := f.sh.Styles()
	inner, tall := inside(w, h)
	f.place(inner)
	first, count := f.placed.first, len(f.placed.wide)
	rows := 1
	for _, c := range f.all {
		rows = max(rows, len(c.Values))
	}
	foot := 2 // lines below the columns, which a small window does without
	if tall < 6 {
		foot = 0
	}
	rows = max(1, min(rows, mostFacets, tall-1-foot))
	f.placed.rows = rows
	lines := make([]string, rows+1)
	for i := first; i < first+count; i++ {
		gap := strings.Repeat(" ", facetGap)
		if i == first {
			gap = ""
		}
		for y, l := range f.column(i, f.placed.wide[i-first], rows) {
			lines[y] += gap + l
		}
	}
	note := ""
	if v := f.cols[f.col].Values; len(v) > 0 {
		note = v[f.sel[f.col]].Note
	}
	width := -facetGap
	for _, wide := range f.placed.wide {
		width += wide + facetGap
	}
	if foot > 0 {
		below := s.Muted.Render(s.Cells.Pad(note, width, s.Glyphs.Ellipsis))
		if moves := f.of.Moves(); moves > 0 {
			below = kit.Waiting(s, width, "counting", moves)
		}
		lines = append(lines, "", below)
	}
	title := f.of.Title
	if status := f.of.Status(); status != "" {
		if number, _, _ := strings.Cut(status, " "); s.Cells.StringWidth(title+"  "+status) > inner {
			status = number // a noun that is cut says no more
		}
		title += s.Muted.Render("  " + status)
	}
	if !f.input.Empty() {
		title = f.of.Title + s.Text.Render("  "+f.input.Text()) + kit.InField
	}
	closes := chooseHints(f.env.Keys)[1]
	return frame(s, w, h, title, lines,
		"space toggle · ←→ column · type to narrow · "+closes, "space toggle · ←→ column · "+closes, "space toggle · "+closes, closes)
}

// place chooses the columns for a width of inner columns, each as wide as its labels: all of
// them where they fit, if need be with shorter bars, shorter labels or no bars; else as many as
// fit, the current one among them.
func (f *Facets) place(inner int) {
	f.measure()
	longest := mostFacet
	fits := func(first int) (wide []int) {
		room := inner
		for i := first; i < len(f.all); i++ {
			w := facetLead + min(f.labels[i], longest) + 1 + f.placed.bar + 1 + f.counts[i]
			if f.placed.bar == 0 {
				w--
			}
			if w > room && i > first {
				break
			}
			wide, room = append(wide, min(w, inner)), room-w-facetGap
		}
		return wide
	}
	all := func(bar, label int) bool {
		f.placed.bar, longest = bar, label
		wide := fits(0)
		if len(wide) < len(f.all) {
			return false
		}
		f.placed.first, f.placed.wide = 0, wide
		return true
	}
	for label := mostFacet; label >= shortFacet; label-- {
		for bar := mostFacetBar; bar >= leastFacetBar; bar-- {
			if all(bar, label) {
				return
			}
		}
	}
	if all(0, mostFacet) {
		return
	}
	if f.placed.bar = leastFacetBar; facetLead+f.labels[f.col]+2+leastFacetBar+f.counts[f.col] > inner {
		f.placed.bar = 0 // a name goes before its bar
	}
	first := min(f.placed.first, f.col)
	for first+len(fits(first)) <= f.col {
		first++
	}
	for first > 0 && first-1+len(fits(first-1)) == len(f.all) { // no empty space on the right
		first--
	}
	f.placed.first, f.placed.wide = first, fits(first)
}

// measure notes how wide the labels and the numbers of each column are. While the box is
// open no column becomes narrower, so that switching values on and off moves little.
func (f *Facets) measure() {
	s := f.sh.Styles()
	if len(f.labels) != len(f.all) {
		f.labels, f.counts = make([]int, len(f.all)), make([]int, len(f.all))
	}
	for i, c := range f.all {
		f.labels[i] = max(f.labels[i], leastFacet)
		for _, v := range c.Values {
			f.labels[i] = max(f.labels[i], min(s.Cells.StringWidth(v.Label), mostFacet))
			f.counts[i] = max(f.counts[i], 2, len(kit.ShortCount(v.Count, facetCountWidth)))
		}
	}
}

// column draws the title of a column and the values in sight, in exactly wide columns.
func (f *Facets) column(i, wide, rows int) []string {
	s := f.sh.Styles()
	c := f.cols[i]
	current := i == f.col
	title, style := c.Title, s.Group
	if current {
		style = s.Accent
	}
	lead, tail := "   ", ""
	if i == f.placed.first && i > 0 {
		lead = "‹  "
	}
	if i == f.placed.first+len(f.placed.wide)-1 && i < len(f.cols)-1 {
		tail = "›"
	}
	most := 1
	for _, v := range f.all[i].Values {
		most = max(most, v.Count)
	}
	count := f.counts[i]
	label, gap := max(wide-facetLead-f.placed.bar-count-2, 1), " "
	if f.placed.bar == 0 {
		label, gap = label+1, ""
	}
	f.top[i] = max(0, min(f.top[i], f.sel[i], len(c.Values)-rows), f.sel[i]-rows+1)
	heading := style.Render(s.Cells.Truncate(lead+title, wide-1, s.Glyphs.Ellipsis))
	if len(c.Values) > rows {
		heading = scrolled(s, heading, f.top[i]+rows, len(c.Values), wide-1)
	}
	out := []string{s.Cells.Pad(s.Cells.Pad(heading, wide-1, "")+style.Render(tail), wide, "")}
	for y := range rows {
		at := f.top[i] + y
		if at >= len(c.Values) {
			none := ""
			switch {
			case y == 0 && c.Counting:
				none = "   counting" + s.Glyphs.Ellipsis
			case y == 0:
				none = "   none"
			}
			out = append(out, s.Faint.Render(s.Cells.Pad(none, wide, "")))
			continue
		}
		v := c.Values[at]
		selected := current && at == f.sel[i]
		mark := kit.RowMark(s, selected)
		on := " "
		text := s.Text
		if v.On {
			on, text = s.Glyphs.Done, s.Strong
		}
		number := ""
		if v.Count >= 0 {
			number = kit.ShortCount(v.Count, count)
		}
		line := s.On(selected, s.Accent).Render(mark+on+" ") + s.On(selected, text).Render(s.Cells.Pad(v.Label, label, s.Glyphs.Ellipsis)+gap) +
			s.On(selected, s.Accent).Render(s.Cells.Pad(kit.ShareBar(s, float64(v.Count)/float64(most), f.placed.bar), f.placed.bar, "")) + s.On(selected, s.Muted).Render(" "+s.Cells.PadLeft(number, count, ""))
		out = append(out, s.Cells.Truncate(line, wide, ""))
	}
	return out
}
