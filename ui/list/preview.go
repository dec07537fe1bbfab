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
	// previewTail is how many messages are read for a recap. Most answers
	// come with a few tool messages between; where there are many, more are
	// read, up to mostTail.
	previewTail = 80
	mostTail    = 700
	// previewHits and previewText keep a pane of fifty lines from laying out
	// lines that are not scrolled to.
	previewHits = 100
	previewText = 4000 // characters of one entry
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
	said     []model.RecapEntry
	earlier  int  // entries that were read and are left out
	more     bool // there are messages that were not even read
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

	body   []string // laid out for the width, below the facts
	offset int
	atEnd  bool // a recap is read from its end
}

func newPreview(sh shell.Shell) *preview {
	env, ellipsis := sh.Env(), sh.Styles().Glyphs.Ellipsis
	p := &preview{sh: sh, env: env}
	p.read = kit.NewLatest(env.Context, func(ctx context.Context, g previewQuery) (previewContent, error) {
		return readPreview(ctx, env.Library, g, ellipsis)
	})
	return p
}

// readPreview reads what the pane shows. It runs in a command.
func readPreview(ctx context.Context, lib shell.Library, g previewQuery, ellipsis string) (previewContent, error) {
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
		out.said, out.earlier = model.Recap(messages)
		if out.more = len(messages) == n && n < g.count; !out.more || out.earlier > 0 || n >= mostTail {
			break
		}
	}
	for i, s := range out.said {
		text := strings.TrimSpace(kit.Clean(s.Text))
		if r := []rune(text); len(r) > previewText {
			text = string(r[:previewText]) + ellipsis
		}
		out.said[i].Text = text
	}
	return out, nil
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
			p.layout()
			return next
		}
		p.content, p.contentKey, p.err = msg.Value, msg.Query.previewKey, msg.Err
		p.offset, p.atEnd = 0, len(p.content.hits) == 0
		p.layout()
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
	p.atEnd = false
	p.offset += by
}

// layout finishes the body's lines.
func (p *preview) layout() {
	p.body = nil
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
		p.body = append(p.body, s.Cells.Truncate(style.Render(s.Glyphs.Running+" "+strings.TrimSpace(who))+s.Faint.Render(where), p.w, s.Glyphs.Ellipsis))
		p.body = append(p.body, wrapSpans(s.Cells, h.Snippet, p.w-2, 4, s.Text, s.Hit)...)
	}
	if len(p.content.hits) > 0 && len(p.content.said) > 0 {
		p.body = append(p.body, "")
	}
	switch {
	case p.content.more: // how many of them would be told takes reading all
		p.body = append(p.body, s.Faint.Render(s.Glyphs.Ellipsis+" earlier messages"), "")
	case p.content.earlier > 0:
		p.body = append(p.body, s.Faint.Render(s.Glyphs.Ellipsis+" "+kit.Plural(p.content.earlier, "earlier message", "earlier messages")), "")
	}
	for i, e := range p.content.said {
		if i > 0 {
			p.body = append(p.body, "")
		}
		if e.IsEvent {
			p.body = append(p.body, s.Reasoning.Render(s.Cells.Truncate(s.Glyphs.Event+" "+kit.CleanLine(e.Text), p.w, s.Glyphs.Ellipsis)))
			continue
		}
		mark, who, text := s.Agent, s.Glyphs.Agent+" hermes", s.Muted
		if e.FromUser {
			mark, who = s.User, s.Glyphs.User+" you"
		}
		if e.Newest {
			text = s.Text
		}
		p.body = append(p.body, mark.Render(who))
		for _, l := range s.Cells.Wrap(strings.ReplaceAll(e.Text, "\t", "    "), p.w-2) {
			p.body = append(p.body, "  "+text.Render(l))
		}
	}
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
	most := max(0, len(p.body)-room)
	if p.atEnd {
		p.offset = most
	}
	p.offset = max(0, min(p.offset, most))
	return append(out, p.body[p.offset:min(len(p.body), p.offset+room)]...)
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
	for _, f := range []string{it.Model, it.Source, folder(it.CWD)} {
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

// folder is the end of a path, which tells folders apart.
func folder(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1] + "/"
}
