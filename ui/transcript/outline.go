package transcript

import (
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
)

// besideFrom is the width from which the prompts may stand beside the text,
// and promptsWide is what they take of it.
const (
	besideFrom  = 120
	promptsWide = 36
	promptText  = 200 // characters of a prompt that are kept
)

// prompts is the outline of a conversation: what the user said, to go to. To
// know it, every message is looked at once, in slices in the background.
type prompts struct {
	of    *pages // that it was read for
	at    []int  // positions
	texts []string
	next  int // position from which it has not been looked at
	busy  bool
	top   int // the first that is shown

	view  promptView // what the lines show
	lines []string   // finished
}

// promptView is all that the drawn prompts depend on.
type promptView struct{ h, here, n, looked, top, styles int }

// promptsRead is what a slice had.
type promptsRead struct {
	of        *Screen
	pages     *pages
	from      int
	skeletons []model.Skeleton
	texts     []string // by message; "" for those that are no prompts
	err       error
}

// outline shows or hides the prompts.
func (t *Screen) outline() tea.Cmd {
	if t.w < besideFrom && !t.outlined {
		return t.sh.Say("the prompts stand beside the text from " + kit.Count(besideFrom) + " columns on")
	}
	t.hold(func() { t.outlined = !t.outlined })
	return tea.Batch(t.readPrompts(), t.moved())
}

// readPrompts looks at the next slice of messages, if that is wanted.
func (t *Screen) readPrompts() tea.Cmd {
	if t.Pages == nil || !t.outlined {
		return nil
	}
	p := &t.prompts
	if p.of != t.Pages {
		*p = prompts{of: t.Pages}
	}
	if p.busy || p.next >= len(t.Pages.Skeletons) {
		return nil
	}
	p.busy = true
	s := promptsRead{of: t, pages: t.Pages, from: p.next}
	ids := t.Pages.Outline.MessageIDs[p.next:min(p.next+sweepSlice, len(t.Pages.Skeletons))]
	ctx, lib := t.env.Context, t.env.Library
	return func() tea.Msg {
		var msgs []model.Message
		if msgs, s.err = readPages(ctx, lib, ids); s.err != nil {
			return s
		}
		s.skeletons, s.texts = make([]model.Skeleton, len(ids)), make([]string, len(ids))
		k := 0
		for i, id := range ids {
			if k == len(msgs) || msgs[k].ID != id {
				continue // it has gone
			}
			s.skeletons[i] = msgs[k].Skeleton()
			if s.skeletons[i].Author == model.AuthorUser {
				_, text, _ := model.SplitSummary(msgs[k].Content.Text)
				s.texts[i] = firstWords(text)
			}
			k++
		}
		return s
	}
}

// firstWords is a text on one line, as much as is ever shown beside another.
func firstWords(text string) string {
	text = kit.CleanLine(text[:min(len(text), 4*promptText)])
	if r := []rune(text); len(r) > promptText {
		text = string(r[:promptText])
	}
	if text == "" {
		text = "(no text)"
	}
	return text
}

// takePrompts takes a slice.
func (t *Screen) takePrompts(msg promptsRead) tea.Cmd {
	p := &t.prompts
	if msg.of != t || msg.pages != t.Pages || p.of != t.Pages || msg.from != p.next {
		return nil
	}
	p.busy = false
	if msg.err != nil {
		t.sh.Fail(msg.err)
		return nil
	}
	for i := range msg.skeletons {
		if msg.texts[i] != "" {
			p.at, p.texts = append(p.at, msg.from+i), append(p.texts, msg.texts[i])
		}
		if g := &t.Pages.Skeletons[msg.from+i]; g.Author == model.NoAuthor {
			*g = msg.skeletons[i]
		}
	}
	if p.next += len(msg.skeletons); p.next >= len(t.Pages.Skeletons) {
		t.hold(t.pairTools) // now all is known
		return t.moved()
	}
	return t.readPrompts()
}

// promptLines draws the prompts for h lines; the one that is read is marked.
func (t *Screen) promptLines(h int) []string {
	s, p := t.sh.Styles(), &t.prompts
	here := sort.SearchInts(p.at, t.Rows.Selected/2+1) - 1
	room := h - 1
	if here < p.top {
		p.top = max(here, 0)
	} else if here >= p.top+room {
		p.top = here - room + 1
	}
	p.top = max(0, min(p.top, len(p.at)-room))
	view := promptView{h, here, len(p.at), p.next, p.top, t.styles}
	if view == p.view {
		return p.lines
	}
	w := promptsWide - 3
	edge := " " + s.Border.Render(s.Glyphs.Divider) + " "
	out := make([]string, 0, h)
	title := kit.Plural(len(p.at), "prompt", "prompts")
	if p.next < len(t.Pages.Skeletons) {
		title += s.Glyphs.Ellipsis
	}
	out = append(out, edge+s.Group.Render(s.Spell(kit.Pad(title, w, s.Glyphs.Ellipsis))))
	for k := p.top; k < len(p.at) && len(out) < h; k++ {
		number := s.Spell(kit.Count(p.at[k] + 1))
		text := kit.Pad(p.texts[k], max(0, w-ansi.StringWidth(number)-3), s.Glyphs.Ellipsis)
		if k == here {
			out = append(out, edge+s.On(true, s.Text).Render(s.Glyphs.Cursor+" "+text+" "+number))
		} else {
			out = append(out, edge+"  "+s.Muted.Render(text)+" "+s.Faint.Render(number))
		}
	}
	for len(out) < h {
		out = append(out, strings.TrimRight(edge, " "))
	}
	p.view, p.lines = view, out
	return out
}

// promptAt goes to the prompt at a place of the window, if one stands there.
func (t *Screen) promptAt(x, y int) (tea.Cmd, bool) {
	if t.aside() == 0 || x < t.w-t.aside() {
		return nil, false
	}
	if k := t.prompts.top + y - 1; y > 0 && k < len(t.prompts.at) {
		i := t.prompts.at[k]
		return t.jump(i, func() { t.show(2*i, 0, min(1, t.Rows.Height/4)) }), true
	}
	return nil, true
}
