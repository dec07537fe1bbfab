// Package preview is the pane beside or below the list: the current conversation at its best
// match, or else its end, drawn as its transcript. It reads when a row has been
// current for a moment.
package preview

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	// tailLength is how many messages are read for a preview. Most answers
	// come with a few tool messages between; where there are many, more are
	// read, up to mostTail, until leastSaid messages say something.
	tailLength = 80
	mostTail   = 700
	leastSaid  = 6
)

// key is what a preview is of. Any difference makes it worth reading again.
type key struct {
	id    string
	text  string // of the query
	at    time.Time
	count int // of messages
}

// same reports whether two previews are of the same conversation and query, perhaps at
// different times.
func (k key) same(t key) bool { return k.id == t.id && k.text == t.text }

type request struct {
	key
	query query.Query
	of    model.Conversation
	at    int64 // its best message, 0 where only a title or an id matches
}

// due says that the current row has stayed the same for a while.
type due struct {
	pane *Pane
	gen  int
}

// Pane is the pane that shows what the current row is about.
type Pane struct {
	sh         shell.Shell
	env        *shell.Env
	read       *kit.Latest[request, shell.Passage]
	want       request
	gen        int
	contentKey key // what text is of
	err        error
	w, h       int

	draw func(shell.Passage) shell.Excerpt
	text shell.Excerpt // the passage; nil where there is none
}

// New makes the pane; draw draws a passage.
func New(sh shell.Shell, draw func(shell.Passage) shell.Excerpt) *Pane {
	env := sh.Env()
	p := &Pane{sh: sh, env: env, draw: draw}
	p.read = kit.NewLatest(env.Context, func(ctx context.Context, g request) (shell.Passage, error) {
		return read(ctx, env.Library, g)
	})
	return p
}

// read reads what the pane shows. It runs in a command.
func read(ctx context.Context, lib shell.Library, g request) (shell.Passage, error) {
	p := shell.Passage{Of: g.of, Query: g.query, At: g.at}
	if g.at == 0 {
		return p, readEnd(ctx, lib, g, &p)
	}
	messages, err := around(ctx, lib, g.id, g.at)
	for _, m := range messages {
		p.Messages = append(p.Messages, kit.CleanMessage(m))
	}
	return p, err
}

// around reads the messages around one.
func around(ctx context.Context, lib shell.Library, id string, at int64) ([]model.Message, error) {
	messages, err := lib.MessagesNear(ctx, id, at, tailLength)
	if err != nil || slices.ContainsFunc(messages, func(m model.Message) bool { return m.ID == at }) {
		return messages, err
	}
	outline, err := lib.Outline(ctx, id) // only it tells what is shown there
	if err != nil {
		return nil, err
	}
	ids := outline.MessageIDs
	i := max(slices.Index(ids, cmp.Or(outline.Replays[at], at)), 0)
	return lib.MessagesOf(ctx, id, ids[max(0, i-tailLength/2):min(len(ids), i+tailLength/2)])
}

// readEnd reads the end of the conversation.
func readEnd(ctx context.Context, lib shell.Library, g request, p *shell.Passage) error {
	for n := tailLength; ; n *= 3 {
		messages, err := lib.Tail(ctx, g.id, n)
		if err != nil {
			return err
		}
		if p.Messages = messages; len(messages) < n || n >= mostTail || saying(messages) >= leastSaid {
			break
		}
	}
	if n := g.count - len(p.Messages); n > 0 {
		p.Earlier = kit.Plural(n, "earlier message", "earlier messages")
	}
	p.Messages = slices.Clone(p.Messages) // the library may have them for others too
	for i := range p.Messages {
		m := &p.Messages[i]
		if text := m.Content.Text; m.Author() == model.AuthorTool && len(text) > model.MaxFailure+model.MaxExit {
			m.Content.Text = text[:model.MaxFailure] + text[len(text)-model.MaxExit:] // a preview shows only whether it failed
		}
		if m.HasContent() || len(m.Calls) > 0 {
			m.Reasoning = ""
		}
		if m.DisplayKind != "" {
			m.Content = model.Content{} // what Hermes wrote for the model
		}
		*m = kit.CleanMessage(*m)
	}
	return nil
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

// Aim makes a conversation the subject of the pane; at is the message that it matches best, 0 for
// none.
func (p *Pane) Aim(c *model.Conversation, at int64, q query.Query) tea.Cmd {
	g := request{key: key{c.ID, q.Text, c.LastActive, c.Messages}, query: q, of: *c, at: at}
	if g.key == p.want.key {
		return nil
	}
	wait := shell.RestTime
	if g.same(p.want.key) || p.want.id == "" {
		wait = 0
	}
	p.want = g
	p.gen++
	gen := p.gen
	if wait == 0 {
		return p.read.Ask(g)
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return due{p, gen} })
}

// Again reads the subject once more.
func (p *Pane) Again() tea.Cmd {
	if p.want.id == "" {
		return nil
	}
	return p.read.Ask(p.want)
}

// Update handles the end of the delay before a read, and its answer.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case due:
		if msg.pane == p && msg.gen == p.gen {
			return p.read.Ask(p.want)
		}
	case kit.Answer[request, shell.Passage]:
		if msg.From != p.read {
			return nil
		}
		ok, next := p.read.Take(msg)
		if !ok || !msg.Query.same(p.want.key) {
			return next // its row is no longer the current one
		}
		p.contentKey, p.err = msg.Query.key, msg.Err
		if p.text = nil; len(msg.Value.Messages) > 0 && msg.Err == nil {
			p.text = p.draw(msg.Value)
		}
		return next
	}
	return nil
}

// Resize lays the content out for w columns and h lines.
func (p *Pane) Resize(w, h int) { p.w, p.h = w, h }

// Scroll moves the content by lines.
func (p *Pane) Scroll(by int) {
	if p.text != nil {
		p.text.Scroll(by)
	}
}

// Restyle lays the content out again after a change of the theme.
func (p *Pane) Restyle() {
	if p.text != nil {
		p.text.Restyle()
	}
}

// visible returns the lines of the content in room lines.
func (p *Pane) visible(room int) (lines []string) {
	s := p.sh.Styles()
	switch {
	case p.err != nil:
		for _, l := range s.Cells.Wrap(kit.CleanLine(p.err.Error()), p.w) {
			lines = append(lines, s.Bad.Render(l))
		}
	case p.text != nil:
		p.text.Resize(p.w, room)
		return p.text.Lines()
	}
	return lines[:min(len(lines), room)]
}

// mostNoted is how many lines a note takes in the pane.
const mostNoted = 4

// Lines draws what is between the edges of the pane for the current conversation, nil for
// none: the facts, what the user has noted, and the messages read of it, if they are there.
func (p *Pane) Lines(c *model.Conversation) []string {
	s := p.sh.Styles()
	if c == nil || p.w <= 0 || p.h <= 0 {
		return nil
	}
	var out []string
	for _, l := range Facts(s.Cells, c, p.env.Clock(), p.w) {
		out = append(out, s.Muted.Render(l))
	}
	if noted := kit.CleanLine(p.env.Noted(c.RootID)); noted != "" { // a row has room for its beginning
		lines := s.Cells.Wrap(s.Glyphs.Note+" "+noted, p.w)
		if len(lines) > mostNoted {
			lines = append(lines[:mostNoted-1], s.Cells.Truncate(strings.Join(lines[mostNoted-1:], " "), p.w, s.Glyphs.Ellipsis))
		}
		for _, l := range lines {
			out = append(out, s.Accent.Render(l))
		}
	}
	out = append(out, "")
	room := p.h - len(out)
	if room <= 0 {
		return out[:p.h]
	}
	if !p.contentKey.same(p.want.key) || p.want.id != c.ID {
		if p.read.Late {
			out = append(out, kit.Waiting(s, p.w, "reading", p.read.Moves))
		}
		return out
	}
	return append(out, p.visible(room)...)
}

// Edge is the upper edge of the pane in w columns with the title of the conversation, ""
// for none: ─ Title ─────.
func Edge(s *theme.Styles, title string, w int) string {
	rule := s.Glyphs.Rule
	if title == "" || w < 8 {
		return s.Border.Render(strings.Repeat(rule, max(w, 0)))
	}
	title = s.Cells.Truncate(title, w-4, s.Glyphs.Ellipsis)
	rest := w - 3 - s.Cells.StringWidth(title)
	return s.Border.Render(rule+" ") + s.Strong.Render(title) + s.Border.Render(" "+strings.Repeat(rule, max(0, rest)))
}

// Facts are what is known of a conversation without reading it, joined into
// lines that break between facts.
func Facts(measure cells.Method, c *model.Conversation, now time.Time, w int) []string {
	var all []string
	add := func(n int, one, many string) {
		if n > 0 {
			all = append(all, kit.Plural(n, one, many))
		}
	}
	if n := len(c.Segments); n > 1 {
		add(n, "segment", "segments")
	}
	add(c.Branches, "branch", "branches")
	add(c.Delegates, "subagent", "subagents")
	all = append(all, kit.Plural(c.Messages, "message", "messages"))
	if c.Total.Cost.Known {
		all = append(all, c.Total.Cost.String())
	} else {
		all = append(all, "cost "+c.Total.Cost.String())
	}
	for _, f := range []string{kit.ModelName(c.Model), c.Source, kit.Folder(c.CWD)} {
		if f != "" {
			all = append(all, f)
		}
	}
	if !c.RootStartedAt.IsZero() {
		all = append(all, "started "+c.RootStartedAt.In(now.Location()).Format("2 Jan 2006 15:04"))
	}
	all = append(all, kit.CleanLine(c.ID))
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
