package list

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"

	tea "charm.land/bubbletea/v2"
)

// completion offers the values of filters and the names of queries in a menu under the query: Tab
// takes the marked one, Shift+Tab marks the next. All other keys keep their meaning, and in prose
// these two select rows.
type completion struct {
	list   *Screen
	read   *kit.Latest[query.Field, []query.FieldValue]
	values map[query.Field][]query.FieldValue // as last read, safe to draw
	asked  map[query.Field]int64              // version of the database they are of

	start, end  int // what an offer replaces, in bytes of the text
	suggestions []suggestion
	waiting     bool     // values are being read
	sel         int      // the marked suggestion
	shut        string   // the text for which the menu was closed
	place       kit.Area // where the menu was last drawn
	top         int      // the first suggestion in sight
}

// suggestion is one way to go on.
type suggestion struct {
	text string // goes into the text
	show string
	note string
}

// maxSuggestions is how many suggestions are shown at once.
const maxSuggestions = 12

func newCompletion(s *Screen) *completion {
	c := &completion{list: s, values: map[query.Field][]query.FieldValue{}, asked: map[query.Field]int64{}}
	lib := s.env.Library
	c.read = kit.NewLatest(s.env.Context, func(ctx context.Context, f query.Field) ([]query.FieldValue, error) {
		all, err := lib.FieldValues(ctx, f)
		if f == query.FieldModel {
			all = countParts(all)
		}
		// What cannot be typed as it is stored would not be found.
		return slices.DeleteFunc(all, func(v query.FieldValue) bool {
			return kit.CleanLine(v.Value) != v.Value || strings.Contains(v.Value, `"`)
		}), err
	})
	return c
}

// countParts counts with each value what contains it, too: a filter finds a model by a part
// of its name.
func countParts(values []query.FieldValue) []query.FieldValue {
	counted := slices.Clone(values)
	for i := range counted {
		part := strings.ToLower(counted[i].Value)
		for j, v := range values {
			if i != j && strings.Contains(strings.ToLower(v.Value), part) {
				counted[i].Conversations += v.Conversations
			}
		}
	}
	mostFirst(counted)
	return counted
}

// offerNames offers the named queries that begin with the typed letters.
func (c *completion) offerNames(typed string, start int) {
	c.start, c.end = start, start+len(typed)
	for _, n := range c.list.named.bar.Queries {
		if name := "@" + n.Name; strings.HasPrefix(name, typed) && name != typed {
			c.suggestions = append(c.suggestions, suggestion{text: name, show: name, note: kit.CleanLine(n.Text)})
		}
	}
	c.suggestions = c.suggestions[:min(len(c.suggestions), maxSuggestions)]
}

// showing reports whether there is a menu.
func (c *completion) showing() bool {
	return (len(c.suggestions) > 0 || c.waiting && c.read.Late) && c.list.prompt.Text() != c.shut && c.list.layout.header && c.list.layout.h >= 6
}

// close takes the offers away until the text changes.
func (c *completion) close() { c.shut = c.list.prompt.Text() }

// suggest finds what could come at the cursor. Values that were never read, or
// have changed since, are asked for.
func (c *completion) suggest() tea.Cmd {
	was := ""
	if c.sel < len(c.suggestions) {
		was = c.suggestions[c.sel].text
	}
	c.suggestions = nil
	c.sel = 0
	c.waiting = false
	if c.shut != c.list.prompt.Text() {
		c.shut = "\x00" // no text
	}
	q, begin := c.list.prompt.Query()
	at := c.list.prompt.CaretByte() - begin
	i := slices.IndexFunc(q.Tokens, func(p query.Token) bool { return p.End == at })
	if i < 0 {
		return nil
	}
	p := q.Tokens[i]
	if strings.HasPrefix(q.Text[p.Start:], "@") {
		c.offerNames(q.Text[p.Start:p.End], begin+p.Start)
		return nil
	}
	if p.Kind != query.TokenFilter && p.Kind != query.TokenIncomplete {
		return nil
	}
	typed := strings.Trim(q.Text[p.ValueStart:p.End], `"`)
	c.start, c.end = begin+p.ValueStart, begin+p.End
	word := query.Fields()[slices.IndexFunc(query.Fields(), func(w query.FieldInfo) bool { return w.Field == p.Field })]
	values, cmd := make([]query.FieldValue, 0, len(word.Values)), tea.Cmd(nil)
	for _, v := range word.Values {
		values = append(values, query.FieldValue{Value: v})
	}
	switch p.Field {
	case query.FieldTag:
		if book := c.list.env.Annotations; book != nil {
			values = book.Tags()
		}
	case query.FieldSource, query.FieldProfile, query.FieldModel, query.FieldTool, query.FieldFailed, query.FieldFile, query.FieldRole, query.FieldCWD, query.FieldBranch:
		known, ok := c.values[p.Field]
		if ok {
			values = known
		}
		if !ok || c.asked[p.Field] != c.list.watch.version {
			c.waiting, cmd = !ok, c.ask(p.Field)
		}
	}
	c.offerValues(typed, values)
	if len(c.suggestions) == 1 && c.suggestions[0].text == typed {
		c.suggestions = nil // there is nothing to add
	}
	if i := slices.IndexFunc(c.suggestions, func(o suggestion) bool { return o.text == was }); i > 0 {
		c.sel = i
	}
	return cmd
}

func (c *completion) ask(f query.Field) tea.Cmd {
	if !c.read.Settled() && c.read.Wanted == f {
		return nil
	}
	c.asked[f] = c.list.watch.version
	return c.read.Ask(f)
}

// take takes values.
func (c *completion) take(m kit.Answer[query.Field, []query.FieldValue]) tea.Cmd {
	ok, next := c.read.Take(m)
	switch {
	case ok && m.Err != nil:
		c.list.sh.Fail(m.Err)
		c.waiting = false
		return next
	case ok:
		c.values[m.Query] = m.Value
	}
	return tea.Batch(next, c.suggest())
}

// offerValues offers the values that begin with the typed letters, then those that
// hold it, each group in its order.
func (c *completion) offerValues(typed string, values []query.FieldValue) {
	low := strings.ToLower(typed)
	add := func(fits func(v string) bool) {
		for _, v := range values {
			if len(c.suggestions) < maxSuggestions && fits(strings.ToLower(v.Value)) {
				o := suggestion{text: v.Value, show: v.Value}
				if strings.Contains(v.Value, " ") {
					o.text = `"` + v.Value + `"`
				}
				if v.Conversations > 0 {
					o.note = kit.Count(v.Conversations)
				}
				c.suggestions = append(c.suggestions, o)
			}
		}
	}
	add(func(v string) bool { return strings.HasPrefix(v, low) })
	add(func(v string) bool { return !strings.HasPrefix(v, low) && strings.Contains(v, low) })
}

// takes reports whether a key is one of the two that mean something here.
func (c *completion) takes(msg tea.KeyPressMsg) bool {
	if name := msg.String(); name != "tab" && name != "shift+tab" {
		return false
	}
	return c.showing() && len(c.suggestions) > 0
}

// press handles a key that takes reported.
func (c *completion) press(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "shift+tab" {
		c.sel = (c.sel + 1) % len(c.suggestions)
		return nil
	}
	return c.accept(c.sel)
}

// at returns the number of the offer at a place of the screen, -1 where there is
// none.
func (c *completion) at(x, y int) int {
	if i := y - c.place.Y + c.top; c.showing() && c.place.Has(x, y) && i < len(c.suggestions) {
		return i
	}
	return -1
}

// accept writes an offer into the text.
func (c *completion) accept(i int) tea.Cmd {
	o, p := c.suggestions[i], &c.list.prompt
	text := o.text
	if !strings.HasPrefix(p.Text()[c.end:], " ") {
		text += " "
	}
	p.Put(c.start, c.end, text)
	return c.list.edited(true)
}

// overlay lays the offers over the lines of a screen, under the query.
func (c *completion) overlay(lines []string) []string {
	if !c.showing() {
		return lines
	}
	l := c.list
	s := l.sh.Styles()
	rows := [][2]string{}
	for i, o := range c.suggestions {
		note := o.note
		if i == c.sel {
			note = strings.TrimSpace(note + "  tab")
		}
		rows = append(rows, [2]string{o.show, note})
	}
	if len(rows) == 0 {
		rows = append(rows, [2]string{s.Spell("reading…"), ""})
	}
	edge := 1 // of the border, where there is room for one
	if l.layout.h < 8 || l.layout.w < 24 {
		edge = 0
	}
	if tall := max(l.layout.h-2-2*edge, 1); tall < len(rows) {
		c.top = max(0, c.sel-tall+1)
		last := &rows[c.top+tall-1][1]
		*last = strings.TrimSpace(*last + "  " + kit.Progress(c.top+tall, len(rows)))
		rows = rows[c.top : c.top+tall]
	} else {
		c.top = 0
	}
	wide, notes := 0, 0
	for _, r := range rows {
		wide, notes = max(wide, s.Cells.StringWidth(r[0])), max(notes, s.Cells.StringWidth(r[1]))
	}
	wide = min(wide, max(l.layout.w-8-notes, 12))
	if notes += 2; wide+notes > l.layout.w-6 {
		notes = max(0, l.layout.w-6-wide)
	}
	inner := wide + notes + 2
	box := inner + 4*edge
	col := newHeadLine(l).cursor
	x := max(0, min(col-s.Cells.StringWidth(l.prompt.Text()[c.start:l.prompt.CaretByte()])-2-2*edge, l.layout.w-box))
	c.place = kit.Area{X: x + edge, Y: 1 + edge, W: inner + 2*edge, H: len(rows)}
	drawn := make([]string, len(rows))
	for i, r := range rows {
		selected := c.top+i == c.sel && len(c.suggestions) > 0
		mark, text := "  ", s.Text
		if selected {
			mark, text = s.Glyphs.Cursor+" ", s.Accent
		}
		on := selected || edge == 0
		drawn[i] = s.On(on, text).Render(mark+s.Cells.Pad(r[0], wide, s.Glyphs.Ellipsis)) + s.On(on, s.Muted).Render(s.Cells.Pad("  "+r[1], notes, s.Glyphs.Ellipsis))
	}
	if edge > 0 {
		drawn = s.Frame(drawn, inner, s.Border)
	}
	out := slices.Clone(lines)
	for i, row := range drawn {
		out = kit.FillLines(out, i+2)
		out[i+1] = s.Cells.Splice(out[i+1], x, box, row, l.layout.w)
	}
	return out
}
