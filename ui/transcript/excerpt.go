package transcript

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// excerptBytes is how many bytes of finished lines an excerpt keeps.
const excerptBytes = 256 << 10

// Excerpt is a passage of a conversation, drawn as its transcript draws it, for a pane of another
// screen. Nothing in it can be unfolded. It implements shell.Excerpt.
type Excerpt struct {
	view     textView
	at       int // position of the message that is shown, -1 for the last ones
	match    marker
	scrolled bool
}

// NewExcerpt makes an excerpt.
func NewExcerpt(sh shell.Shell, p shell.Passage) *Excerpt {
	messages := p.Messages
	for len(messages) > 0 && messages[0].Author() == model.AuthorTool {
		messages = messages[1:] // the call is not among them
	}
	outline := model.Outline{SegmentStarts: []int{0}}
	for i := range messages {
		outline.MessageIDs = append(outline.MessageIDs, messages[i].ID)
	}
	e := &Excerpt{match: target{query: p.Query}.marker(), view: textView{
		sh: sh, Conv: p.Of, flush: true, earlier: p.Earlier,
		cache: newRenderCache[itemKey](excerptBytes), folds: map[int]bool{}, wholes: map[int]bool{},
	}}
	v := &e.view
	v.pages = newPages(outline)
	if i, ok := v.pages.index[p.At]; ok {
		e.at = i
	} else {
		e.at = -1
	}
	v.pages.put(positions{0, len(messages)}, messages)
	v.pairTools()
	v.rows.Len = 2 * len(messages)
	v.rows.Lines = func(i int) []string { return v.render(i).lines }
	e.Restyle()
	return e
}

// Restyle draws the text again after a change of the theme.
func (e *Excerpt) Restyle() {
	v := &e.view
	v.styles++
	v.renderer = &renderer{styles: v.sh.Styles(), prose: kit.NewMarkdown(v.sh.Styles()), match: e.match, now: v.sh.Env().Clock()}
	v.renderer.asks, v.renderer.answers = v.Conv.Speakers()
	e.place()
}

// Resize lays the text out for w columns and h lines.
func (e *Excerpt) Resize(w, h int) {
	v := &e.view
	if v.w == w && v.h == h {
		return
	}
	v.w, v.h = w, h
	v.rows.Height = h
	e.place()
}

// place shows the message that is asked for, or the end of the text, unless it has been
// scrolled. At the end, the first line is that of a
// message, under the name of its author, even if that leaves lines below the last message.
func (e *Excerpt) place() {
	v := &e.view
	if v.rows.Len == 0 || v.rows.Height <= 0 {
		return
	}
	if e.scrolled {
		v.rows.Settle()
		return
	}
	if e.at >= 0 {
		v.arrive(e.at, 1)
		return
	}
	v.lead = 0
	v.rows.GoToEnd(true)
	if v.rows.Top == 0 && v.rows.Skip == 0 {
		v.skipBlank()
		return
	}
	first := v.rows.Top / 2
	if v.rows.Skip > 0 || v.rows.Top%2 == 1 && len(v.rows.Lines(v.rows.Top-1)) > 0 {
		first++
	}
	last := v.rows.Len/2 - 1
	for last > 0 && !v.begins(last) {
		last--
	}
	for i := first; ; i++ {
		if i > last {
			i = last
		} else if !v.begins(i) {
			continue
		}
		v.lead = i
		v.rows.Top, v.rows.Skip = 2*i, 0
		v.skipBlank()
		if i == last || v.rows.AtEnd() {
			return
		}
	}
}

// skipBlank leaves out a blank line at the upper edge.
func (v *textView) skipBlank() {
	if lines := v.rows.Lines(v.rows.Top); len(lines) > 1 && lines[0] == "" && v.rows.Skip == 0 {
		v.rows.Skip = 1
	}
}

// begins reports whether an excerpt can begin with message i.
func (v *textView) begins(i int) bool {
	run := int(v.pages.pairing.RunStart[i])
	author := v.pages.skeletons[i].Author
	return author != model.AuthorTool && (run < 0 || run == i || v.pages.skeletons[i].HasContent)
}

// Scroll moves the text by lines.
func (e *Excerpt) Scroll(by int) {
	if e.view.rows.Len == 0 || e.view.rows.Height <= 0 {
		return
	}
	e.scrolled = true
	e.view.rows.Scroll(by)
}

// Lines returns the lines in sight.
func (e *Excerpt) Lines() []string { return e.view.rows.Visible() }
