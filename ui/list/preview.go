package list

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"hermes-sessions/internal/cells"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	// previewTail is how many messages are read for a preview. Most answers
	// come with a few tool messages between; where there are many, more are
	// read, up to mostTail, until leastSaid messages say something.
	previewTail = 80
	mostTail    = 700
	leastSaid   = 6
	// previewHits keeps a pane of fifty lines from laying out lines that are not
	// scrolled to.
	previewHits = 100
)

// previewKey is what a preview is of. Any difference makes it worth reading
// again.
type previewKey struct {
	id    string
	text  string // of the query
	at    time.Time
	count int // of messages
}

// same reports whether two subjects are the same conversation in the same
// light, read at different times.
func (s previewKey) same(t previewKey) bool { return s.id == t.id && s.text == t.text }

type previewQuery struct {
	previewKey
	query    query.Query
	segments []string
	best     *model.Hit // of one of the closest conversations, which has no other hits
}

// previewContent is the content of the pane, safe to draw.
type previewContent struct {
	hits     []model.Hit
	segments []string
	tail     []model.Message // the end of the conversation
	earlier  string          // what comes before it, "" for nothing
}

// previewDue says that the current row has stayed the same for a while.
type previewDue struct {
	pane *preview
	gen  int
}

// preview is the pane that shows what the current row is about.
type preview struct {
	sh         shell.Shell
	env        *shell.Env
	read       *kit.Latest[previewQuery, previewContent]
	want       previewQuery
	gen        int
	contentKey previewKey // what doc is of
	content    previewContent
	err        error
	w, h       int

	body   []string // the hits, laid out for the width, below the facts
	offset int

	draw func(messages []model.Message, earlier string) shell.Excerpt
	tail shell.Excerpt // the end of the conversation, below the hits; nil where hits are all there is
}

func newPreview(sh shell.Shell, draw func(messages []model.Message, earlier string) shell.Excerpt) *preview {
	env := sh.Env()
	p := &preview{sh: sh, env: env, draw: draw}
	p.read = kit.NewLatest(env.Context, func(ctx context.Context, g previewQuery) (previewContent, error) {
		return readPreview(ctx, env.Library, g)
	})
	return p
}

// readPreview reads what the pane shows. It runs in a command.
func readPreview(ctx context.Context, lib shell.Library, g previewQuery) (previewContent, error) {
	out := previewContent{segments: g.segments}
	switch {
	case g.best != nil && g.best.MessageID != 0:
		out.hits = []model.Hit{*g.best} // and what it is about, below
	case g.best == nil && !g.query.FiltersOnly():
		hits, err := lib.Hits(ctx, g.query, g.id, previewHits)
		if err != nil {
			return previewContent{}, err
		}
		for _, h := range hits {
			out.hits = append(out.hits, cleanHit(h))
		}
		if len(out.hits) > 0 {
			return out, nil
		}
	}
	for n := previewTail; ; n *= 3 {
		messages, err := lib.Tail(ctx, g.id, n)
		if err != nil {
			return previewContent{}, err
		}
		if out.tail = messages; len(messages) < n || n >= mostTail || saying(messages) >= leastSaid {
			break
		}
	}
	if n := g.count - len(out.tail); n > 0 {
		out.earlier = kit.Plural(n, "earlier message", "earlier messages")
	}
	out.tail = slices.Clone(out.tail) // the library may have them for others too
	for i := range out.tail {
		m := &out.tail[i]
		if m.Author() == model.AuthorTool && len(m.Content.Text) > model.MaxFailure {
			m.Content.Text = m.Content.Text[:model.MaxFailure] // a preview shows no results
		}
		if m.HasContent() || len(m.Calls) > 0 {
			m.Reasoning = ""
		}
		if m.DisplayKind != "" {
			m.Content = model.Content{} // what Hermes wrote for the model
		}
		*m = kit.CleanMessage(*m)
	}
	return out, nil
}

// saying counts the messages of people and agents that have a text.
func saying(messages []model.Message) (n int) {
	for i := range messages {
		if messages[i].Author() != model.AuthorTool && messages[i].HasContent() {
			n++
		}
	}
	return n
}

// aim makes a row the subject of the pane.
func (p *preview) aim(it *Item, q query.Query) tea.Cmd {
	g := previewQuery{previewKey: previewKey{it.ID, q.Text, it.LastActive, it.Messages}, query: q, segments: it.Segments}
	if it.isClose() {
		g.best = &it.found.Best
	}
	if g.previewKey == p.want.previewKey {
		return nil
	}
	wait := shell.RestTime
	if g.same(p.want.previewKey) || p.want.id == "" {
		wait = 0
	}
	p.want = g
	p.gen++
	gen := p.gen
	if wait == 0 {
		return p.read.Ask(g)
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return previewDue{p, gen} })
}

// again reads the subject once more.
func (p *preview) again() tea.Cmd {
	if p.want.id == "" {
		return nil
	}
	return p.read.Ask(p.want)
}

func (p *preview) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case previewDue:
		if msg.pane == p && msg.gen == p.gen {
			return p.read.Ask(p.want)
		}
	case kit.Overdue[previewQuery, previewContent]:
		if msg.From == p.read {
			p.read.MarkLate(msg)
		}
	case kit.Answer[previewQuery, previewContent]:
		if msg.From != p.read {
			return nil
		}
		ok, next := p.read.Take(msg)
		if !ok || !msg.Query.same(p.want.previewKey) {
			return next // the row it is of is not the current one any more
		}
		if p.contentKey.same(msg.Query.previewKey) && p.err == nil && msg.Err == nil {
			p.content, p.contentKey = msg.Value, msg.Query.previewKey
			p.redraw()
			return next
		}
		p.content, p.contentKey, p.err = msg.Value, msg.Query.previewKey, msg.Err
		p.offset = 0
		p.redraw()
		return next
	}
	return nil
}

func (p *preview) resize(w, h int) {
	changed := w != p.w
	p.w, p.h = w, h
	if changed {
		p.layout()
	}
}

func (p *preview) scroll(by int) {
	if p.tail != nil {
		p.tail.Scroll(by)
		return
	}
	p.offset += by
}

// redraw lays new content out.
func (p *preview) redraw() {
	if p.tail = nil; p.err == nil && len(p.content.tail) > 0 {
		p.tail = p.draw(p.content.tail, p.content.earlier)
	}
	p.layout()
}

// layout finishes the body's lines.
func (p *preview) layout() {
	p.body = nil
	if p.tail != nil {
		p.tail.Restyle()
	}
	if p.w <= 0 {
		return
	}
	s := p.sh.Styles()
	if p.err != nil {
		for _, l := range s.Cells.Wrap(kit.CleanLine(p.err.Error()), p.w) {
			p.body = append(p.body, s.Bad.Render(l))
		}
		return
	}
	for i, h := range p.content.hits {
		if i > 0 {
			p.body = append(p.body, "")
		}
		who, style := speaker(s, h)
		where := "  " + model.Age(p.env.Clock(), h.At)
		if at := slices.Index(p.content.segments, h.SessionID); at >= 0 && len(p.content.segments) > 1 {
			where += "  segment " + kit.Count(at+1) + " of " + kit.Count(len(p.content.segments))
		}
		p.body = append(p.body, s.Cells.Truncate(style.Render(speakerMark(s, h)+" "+strings.TrimSpace(who))+s.Faint.Render(where), p.w, s.Glyphs.Ellipsis))
		p.body = append(p.body, wrapSpans(s.Cells, h.Snippet, p.w-2, 4, s.Text, s.Hit)...)
	}
	if len(p.content.hits) > 0 && p.tail != nil {
		p.body = append(p.body, "")
	}
}

// speakerMark gives the mark that a transcript has before the speaker of a hit.
func speakerMark(s *theme.Styles, h model.Hit) string {
	switch who := h.Speaker(); {
	case h.Summary, h.Kind == model.HitTool, h.ToolName != "":
		return s.Glyphs.Folded
	case who == "you":
		return s.Glyphs.User
	case who == "hermes":
		return s.Glyphs.Agent
	}
	return s.Glyphs.Event
}

// visible gives the lines of the content in room lines: the hits, and below them the end
// of the conversation.
func (p *preview) visible(room int) []string {
	if p.tail == nil {
		p.offset = max(0, min(p.offset, len(p.body)-room))
		return p.body[p.offset:min(len(p.body), p.offset+room)]
	}
	lines := p.body[:min(len(p.body), room)]
	if room -= len(lines); room > 0 {
		p.tail.Resize(p.w, room)
		lines = append(slices.Clone(lines), p.tail.Lines()...)
	}
	return lines
}

// wrapSpans draws a snippet over several lines, indented by two.
func wrapSpans(measure cells.Method, sn []match.Span, w, most int, text, match lipgloss.Style) []string {
	var b strings.Builder
	for _, p := range sn {
		// Styles are put on word by word, so that a break between them leaves
		// none open.
		for _, word := range strings.SplitAfter(p.Text, " ") {
			if word == "" {
				continue
			}
			style := text
			if p.Hit {
				style = match
			}
			b.WriteString(style.Render(word))
		}
	}
	lines := measure.Wrap(b.String(), w)
	lines = lines[:min(len(lines), most)]
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// lines draws what is between the edges of the pane for the current row: the facts, and
// the messages read of it, if they are there.
func (p *preview) lines(it *Item) []string {
	s := p.sh.Styles()
	if it == nil || p.w <= 0 || p.h <= 0 {
		return nil
	}
	var out []string
	for _, l := range facts(s.Cells, it, p.env.Clock(), p.w) {
		out = append(out, s.Muted.Render(l))
	}
	out = append(out, "")
	room := p.h - len(out)
	if room <= 0 {
		return out[:p.h]
	}
	if !p.contentKey.same(p.want.previewKey) || p.want.id != it.ID {
		if p.read.Late {
			out = append(out, s.Faint.Render("reading"+s.Glyphs.Ellipsis))
		}
		return out
	}
	return append(out, p.visible(room)...)
}

// paneTitle is the upper edge of the pane in w columns, ─ Title ─────.
func paneTitle(s *theme.Styles, it *Item, w int) string {
	rule := s.Glyphs.Rule
	if it == nil || w < 8 {
		return s.Border.Render(strings.Repeat(rule, max(w, 0)))
	}
	title := s.Cells.Truncate(kit.SpanText(it.TitleSpans), w-4, s.Glyphs.Ellipsis)
	rest := w - 3 - s.Cells.StringWidth(title)
	return s.Border.Render(rule+" ") + s.Strong.Render(title) + s.Border.Render(" "+strings.Repeat(rule, max(0, rest)))
}

// facts are what is known of a conversation without reading it, joined into
// lines that break between facts.
func facts(measure cells.Method, it *Item, now time.Time, w int) []string {
	var all []string
	add := func(n int, one, many string) {
		if n > 0 {
			all = append(all, kit.Plural(n, one, many))
		}
	}
	if n := len(it.Segments); n > 1 {
		add(n, "segment", "segments")
	}
	add(it.Branches, "branch", "branches")
	add(it.Delegates, "subagent", "subagents")
	all = append(all, kit.Plural(it.Messages, "message", "messages"))
	if it.Total.Cost.Known {
		all = append(all, it.Total.Cost.String())
	} else {
		all = append(all, "cost "+it.Total.Cost.String())
	}
	for _, f := range []string{it.Model, it.Source, kit.Folder(it.CWD)} {
		if f != "" {
			all = append(all, f)
		}
	}
	if !it.RootStartedAt.IsZero() {
		all = append(all, "started "+it.RootStartedAt.In(now.Location()).Format("2 Jan 2006 15:04"))
	}
	all = append(all, kit.CleanLine(it.ID))
	var lines []string
	line := ""
	for _, f := range all {
		f = measure.Truncate(f, w, "…")
		if line != "" && measure.StringWidth(line)+3+measure.StringWidth(f) > w {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " · "
		}
		line += f
	}
	return append(lines, line)
}
