package transcript

import (
	"cmp"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/prose"
	"hermes-sessions/ui/kit"
)

// The prompts fit beside the text of a window of besideFrom columns, are there by
// themselves from besideByItself on, and take at least promptsWide of the columns.
const (
	besideFrom     = 120
	besideByItself = 150
	promptsWide    = 36
	promptText     = 200 // characters kept of a prompt
)

// prompts is the outline of a conversation: the messages of the user, listed beside the
// text. They are found by reading every message once, in slices in the background.
type prompts struct {
	t     *Screen
	of    *pages // the pages that the prompts belong to
	at    []int  // positions
	texts []string
	fails []int // failed tool calls in the turn of a prompt
	next  int   // the first position not read yet
	busy  bool
	top   int // index of the first prompt in the window

	view  promptView // what lines was drawn from
	lines []string   // finished
	drawn []int      // the prompt of each line below the title
}

// promptView holds everything that the drawn prompts depend on.
type promptView struct{ h, w, here, n, next, top, styles, noted int }

// promptsRead brings one slice of messages read for the prompts.
type promptsRead struct {
	of        *Screen
	pages     *pages
	from      int
	skeletons []model.Skeleton
	texts     []string // by message; "" for messages that are not prompts
	err       error
}

// toggle shows or hides the prompts beside the text.
func (p *prompts) toggle() tea.Cmd {
	s := p.t
	if s.w < besideFrom {
		return s.sh.Refuse("outline needs " + kit.Count(besideFrom) + " columns")
	}
	wish := outlineShown
	if s.outlined() {
		wish = outlineHidden
	}
	s.hold(func() { s.outline = wish })
	return tea.Batch(p.read(), s.moved())
}

// read reads the next slice of messages if the prompts are shown.
func (p *prompts) read() tea.Cmd {
	t := p.t
	if t.pages == nil || !t.outlined() {
		return nil
	}
	if p.of != t.pages {
		*p = prompts{t: t, of: t.pages}
	}
	if p.busy || p.next >= len(t.pages.skeletons) {
		return nil
	}
	p.busy = true
	s := promptsRead{of: t, pages: t.pages, from: p.next}
	ids := t.pages.outline.MessageIDs[p.next:min(p.next+sweepSlice, len(t.pages.skeletons))]
	ctx := t.env.Context
	lib := t.env.Library
	id := t.pages.outline.Conversation.ID
	return func() tea.Msg {
		var msgs []model.Message
		if msgs, s.err = readPages(ctx, lib, id, ids); s.err != nil {
			return s
		}
		s.skeletons, s.texts = make([]model.Skeleton, len(ids)), make([]string, len(ids))
		k := 0
		for i, id := range ids {
			if k == len(msgs) || msgs[k].ID != id {
				continue // it has been deleted since
			}
			s.skeletons[i] = msgs[k].Skeleton()
			if s.skeletons[i].Author == model.AuthorUser {
				_, text, _ := model.SplitSummary(msgs[k].Content.Text)
				s.texts[i] = firstWords(model.Opening(text))
			}
			k++
		}
		return s
	}
}

// firstWords is the beginning of a text on one line, at most promptText characters.
func firstWords(text string) string {
	text = kit.CleanLine(prose.Line(text[:min(len(text), 8*promptText)]))
	if r := []rune(text); len(r) > promptText {
		text = string(r[:promptText])
	}
	text = cmp.Or(text, "(no text)")
	return text
}

// take adds the prompts of a slice and reads the next one.
func (p *prompts) take(msg promptsRead) tea.Cmd {
	s := p.t
	if msg.of != s || msg.pages != s.pages || p.of != s.pages || msg.from != p.next {
		return nil
	}
	p.busy = false
	if msg.err != nil {
		s.sh.Fail(msg.err)
		return nil
	}
	for i := range msg.skeletons {
		if msg.texts[i] != "" {
			p.at = append(p.at, msg.from+i)
			p.texts = append(p.texts, msg.texts[i])
			p.fails = append(p.fails, 0)
		}
		if n := len(p.fails); n > 0 && msg.skeletons[i].Failure != "" {
			p.fails[n-1]++
		}
		if g := &s.pages.skeletons[msg.from+i]; g.Author == model.NoAuthor {
			*g = msg.skeletons[i]
		}
	}
	if p.next += len(msg.skeletons); p.next >= len(s.pages.skeletons) {
		s.hold(s.pairTools) // every skeleton is known now
		return s.moved()
	}
	return p.read()
}

// draw draws the prompts in h lines; the cursor marks the current one. Where all fit, a long
// one has two lines.
func (p *prompts) draw(h int) []string {
	t, s := p.t, p.t.sh.Styles()
	here := sort.SearchInts(p.at, t.rows.Selected/2+1) - 1
	room := h - 1
	if here < p.top {
		p.top = max(here, 0)
	} else if here >= p.top+room {
		p.top = here - room + 1
	}
	p.top = max(0, min(p.top, len(p.at)-room))
	w := t.aside() - 3
	view := promptView{h, w, here, len(p.at), p.next, p.top, t.styles, t.notedVersion}
	if view == p.view {
		return p.lines
	}
	edge := " " + s.Border.Render(s.Glyphs.Divider) + " "
	out := make([]string, 0, h)
	title := kit.Plural(len(p.at), "prompt", "prompts")
	if p.next < len(t.pages.skeletons) {
		title += s.Glyphs.Ellipsis
	}
	out = append(out, edge+s.Group.Render(s.Spell(s.Cells.Pad(title, w, s.Glyphs.Ellipsis))))
	p.drawn = p.drawn[:0]
	bookmarks, each := t.bookmarked(), 1
	if 2*len(p.at) <= room {
		each = 2
	}
	for k := p.top; k < len(p.at) && len(out) < h; k++ {
		for _, l := range p.prompt(k, w, each, k == here, bookmarks) {
			out, p.drawn = append(out, edge+l), append(p.drawn, k)
		}
	}
	for len(out) < h {
		out = append(out, strings.TrimRight(edge, " "))
	}
	p.view, p.lines = view, out
	return out
}

// prompt draws prompt k in at most most lines of w columns: its beginning, what there is in
// its turn, and its number.
func (p *prompts) prompt(k, w, most int, here bool, bookmarks []int) (lines []string) {
	s := p.t.sh.Styles()
	number := s.Spell(kit.Count(p.at[k] + 1))
	var failed, noted string
	if p.fails[k] > 0 {
		failed = s.Glyphs.Failed + " "
	}
	if p.noted(k, bookmarks) {
		noted = s.Glyphs.Bookmark + " "
	}
	text := s.Muted
	mark := " "
	faint := s.Faint
	if here {
		text = s.Text
		mark = s.Glyphs.Cursor
		faint = s.Text
	}
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(here, st) }
	tail := s.Cells.StringWidth(number + failed + noted)
	room := max(0, w-tail-4)
	parts := []string{p.texts[k]}
	if most > 1 && room > 0 {
		parts = s.Cells.Wrap(p.texts[k], room)
	}
	if len(parts) > most {
		parts[most-1] = strings.Join(parts[most-1:], " ")
	}
	for i, part := range parts[:min(len(parts), most)] {
		line := on(text).Render(mark + " " + s.Cells.Pad(part, room, s.Glyphs.Ellipsis) + " ")
		if i == 0 {
			line += on(s.Accent).Render(noted) + on(s.Bad).Render(failed) + on(faint).Render(number)
		} else {
			line += on(text).Render(strings.Repeat(" ", tail))
		}
		lines, mark = append(lines, line), " "
	}
	return lines
}

// noted reports whether there is a bookmark or a note in the turn of a prompt, given the
// positions of all.
func (p *prompts) noted(k int, bookmarks []int) bool {
	next := len(p.t.pages.skeletons)
	if k+1 < len(p.at) {
		next = p.at[k+1]
	}
	i := sort.SearchInts(bookmarks, p.at[k])
	return i < len(bookmarks) && bookmarks[i] < next
}

// click goes to the prompt at a position of the window. ok is true for every position
// in the pane of the prompts.
func (p *prompts) click(x, y int) (cmd tea.Cmd, ok bool) {
	s := p.t
	if s.aside() == 0 || x < s.w-s.aside() {
		return nil, false
	}
	if y > 0 && y <= len(p.drawn) {
		i := p.at[p.drawn[y-1]]
		return s.jump(i, func() { s.show(2*i, 0, min(1, s.rows.Height/4)) }), true
	}
	return nil, true
}
