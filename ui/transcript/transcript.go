package transcript

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	// maxRenderedBytes is how many bytes of finished lines stay in memory.
	maxRenderedBytes = 3 << 20
	// measure is the greatest width of the text, in columns; longer lines are hard to
	// read.
	measure = 104
)

// Screen is the screen on which a conversation is read: one text over all its segments.
// Each message has two rows, its text and its tool work; only rows in the window are laid
// out. It implements shell.Screen and shell.Pane.
type Screen struct {
	textView
	env *shell.Env

	where opening
	open  *kit.Latest[opening, opened]
	// firstPage is shown in place of a long conversation until its outline has come.
	firstPage *Screen
	err       error // why the conversation could not be read
	read      *kit.Latest[pageQuery, []model.Message]
	failed    bool           // the last read failed; the next waits for a key
	then      func() tea.Cmd // what to do once the requested messages have come

	prerendering bool
	search       search
	numberInput  numberInput // a number that is being typed
	follow       follow
	prompts      prompts
	failures     failures
	FromList     bool // it was opened from a row of the list
}

// New makes the transcript of a conversation. It opens at a hit, or at the end if the hit
// has no message, and highlights the words of the query.
func New(sh shell.Shell, c model.Conversation, q query.Query, at model.Hit) *Screen {
	env := sh.Env()
	s := &Screen{
		textView: textView{
			sh: sh, Conv: c,
			cache: newRenderCache[itemKey](maxRenderedBytes), folds: map[int]bool{}, wholes: map[int]bool{},
		},
		env: env, where: opening{id: c.ID, at: at.MessageID},
	}
	lib := env.Library
	s.open = kit.NewLatest(env.Context, func(ctx context.Context, o opening) (opened, error) { return openPages(ctx, lib, o) })
	s.read = kit.NewLatest(env.Context, func(ctx context.Context, e pageQuery) ([]model.Message, error) {
		return readPages(ctx, lib, e.id, (*e.ids)[e.from:e.to])
	})
	s.search = newSearch(s, q)
	s.follow = newFollow(s)
	s.failures, s.prompts = failures{t: s}, prompts{t: s}
	s.rows.Lines = func(i int) []string { return s.render(i).lines }
	s.Restyle()
	return s
}

// Context is the context of the keys.
func (s *Screen) Context() shell.Context { return shell.InTranscript }

// Heading is the title of the terminal's window.
func (s *Screen) Heading() string { return s.Title() + " · hermes sessions" }

// Title is what the conversation is called: its title, else its preview, else its id.
func (s *Screen) Title() string {
	for _, text := range []string{s.Conv.Title, s.Conv.Preview, s.Conv.ID} {
		if text = kit.CleanLine(text); text != "" {
			return text
		}
	}
	return "untitled"
}

// Start reads the conversation and the hits of the query.
func (s *Screen) Start() tea.Cmd {
	return tea.Batch(s.readFirstPage(), s.open.Ask(s.where), s.search.start())
}

// Refresh implements [shell.Screen]: the text is read again when the list has seen a new
// version of the database.
func (s *Screen) Refresh() tea.Cmd { return nil }

// Restyle renders the text again after a change of the theme.
func (s *Screen) Restyle() {
	s.styles++
	s.renderer = s.newRenderer()
	s.rows.Settle()
	if s.firstPage != nil {
		s.firstPage.Restyle()
	}
}

// newRenderer makes a renderer for use by one goroutine.
func (s *Screen) newRenderer() *renderer {
	r := &renderer{styles: s.sh.Styles(), prose: kit.NewMarkdown(s.sh.Styles()), match: s.search.marker(), now: s.env.Clock(), copies: true}
	r.asks, r.answers = s.Conv.Speakers()
	return r
}

// Resize lays the text out for a window of w columns and h lines; the current item keeps
// its place.
func (s *Screen) Resize(w, h int) {
	s.hold(func() {
		s.w, s.h = w, h
		s.rows.Height = max(0, h-s.top()-s.footing())
	})
	if s.firstPage != nil {
		s.firstPage.Resize(w, h)
	}
}

// footing is the number of lines that the prompt takes below the text.
func (s *Screen) footing() int {
	if s.search.typing || s.numberInput.typing {
		return 1
	}
	return 0
}

// top is the number of lines above the text.
func (s *Screen) top() int {
	switch {
	case s.h < 5:
		return 0
	case s.h < 20:
		return 1
	}
	return 2
}

// moved is called after every movement: it puts the cursor on an item with lines and
// prepares what will be needed next.
func (s *Screen) moved() tea.Cmd {
	if s.pages == nil {
		return nil
	}
	s.snap()
	s.failed = false
	if s.follow.fresh > 0 && s.rows.AtEnd() {
		s.follow.fresh = 0
	}
	return s.ahead()
}

// ahead reads the messages around the window and renders the next page in the background.
func (s *Screen) ahead() tea.Cmd {
	if s.pages == nil || s.rows.Len == 0 || s.failed {
		return nil
	}
	first, last := s.rows.InView()
	at := s.rows.Selected / 2
	if span, ok := s.pages.missing(positions{first/2 - window, last/2 + window + 1}, at, s.shows); ok {
		e := pageQuery{s.pages, s.pages.outline.Conversation.ID, s.pages.ids, span}
		if s.then == nil && (s.read.Settled() || s.read.Wanted != e) {
			return s.read.Ask(e)
		}
		return nil
	}
	s.pages.forget(at, positions{first/2 - 2*window, last/2 + 2*window}, s.shows)
	return s.prerender(first)
}

// need reads a range of messages and then calls then.
func (s *Screen) need(span positions, then func() tea.Cmd) tea.Cmd {
	s.then = then
	return s.read.Ask(pageQuery{s.pages, s.pages.outline.Conversation.ID, s.pages.ids, span})
}

// Update handles keys, the mouse, and the answers of the transcript's requests.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[opening, opened]:
		if msg.From == s.open {
			return s.opened(msg)
		}
	case firstPageRead:
		s.showFirstPage(msg)
	case kit.Answer[pageQuery, []model.Message]:
		if msg.From == s.read {
			return s.takeMessages(msg)
		}
	case kit.Answer[string, model.Outline]:
		if msg.From == s.follow.read {
			return s.takeOutline(msg)
		}
	case shell.Polled:
		return s.followVersion(msg)
	case shell.ConversationsEdited:
		if slices.Contains(msg.Roots, s.Conv.RootID) {
			msg.Change(&s.Conv.Session)
		}
	case shell.Annotated:
		s.hold(s.readNoted)
	case promptsRead:
		return s.prompts.take(msg)
	case prerendered:
		if msg.of == s {
			s.prerendering = false
			for k, r := range msg.drawn {
				s.cache.put(k, r)
			}
		}
	case tea.MouseMsg:
		return s.mouse(msg)
	case tea.KeyPressMsg:
		switch {
		case s.search.typing:
			return s.search.update(msg)
		case s.endsFind(msg) && !s.takesNumberKey(msg):
			return s.search.restore(target{query: s.search.query})
		}
		return s.pressNumberKey(msg)
	default:
		return s.search.update(msg)
	}
	return nil
}

// opened takes the outline and the first window.
func (s *Screen) opened(msg kit.Answer[opening, opened]) tea.Cmd {
	ok, next := s.open.Take(msg)
	if !ok {
		return next
	}
	if s.err = msg.Err; s.err != nil {
		return next
	}
	again := s.pages != nil && s.rows.Len > 0
	s.then = nil // it refers to the former positions
	var at int64
	y := 0
	if again {
		at, y = s.pages.outline.MessageIDs[s.rows.Selected/2], s.heightAt(s.rows.Selected)
		s.folds, s.wholes = map[int]bool{}, map[int]bool{}
	}
	if !again {
		s.begin(msg.Value)
		next = tea.Batch(next, s.search.opened())
	} else {
		s.take(msg.Value.pages)
		if s.rows.Len > 0 {
			s.show(2*s.pages.near(at), 0, max(0, min(y, s.rows.Height/3)))
		}
		next = tea.Batch(next, s.search.again())
	}
	return tea.Batch(next, s.moved(), s.prompts.read())
}

// take replaces the text by newly read pages.
func (s *Screen) take(p *pages) {
	s.pages, s.firstPage = p, nil
	s.cache = newRenderCache[itemKey](maxRenderedBytes)
	s.Conv = p.outline.Conversation
	s.renderer.asks, s.renderer.answers = s.Conv.Speakers()
	s.findNew()
	s.readNoted()
	s.pairTools()
	s.rows.Len = len(p.skeletons) * 2
	s.search.locateHits()
}

// begin shows newly read pages at the place that was asked for.
func (s *Screen) begin(o opened) {
	s.take(o.pages)
	switch {
	case s.rows.Len == 0:
	case o.at >= 0 && s.where.left != nil:
		s.returnTo(o.at, *s.where.left)
	case o.at >= 0:
		s.search.at, s.search.mark = o.at, s.arrive(o.at, s.where.edge)
	default:
		s.rows.GoToEnd(true)
		s.rows.Selected = s.nextVisible(s.rows.Len, -1)
	}
}

// takeMessages stores messages that were read and continues what waited for them.
func (s *Screen) takeMessages(msg kit.Answer[pageQuery, []model.Message]) tea.Cmd {
	ok, next := s.read.Take(msg)
	if !ok || msg.Query.pages != s.pages {
		return next
	}
	if msg.Err != nil {
		s.failed, s.then = true, nil
		s.sh.Fail(msg.Err)
		return next
	}
	s.hold(func() {
		s.pages.put(msg.Query.positions, msg.Value)
		s.pairTools()
	})
	if next != nil { // a newer request is running
		return next
	}
	if then := s.then; then != nil {
		s.then = nil
		return then()
	}
	return s.ahead()
}

// Lines returns the finished lines of the screen. Items come from the cache; only the bar
// beside the current one is added here.
func (s *Screen) Lines() []string {
	out := make([]string, 0, s.h)
	if n := s.top(); n > 0 {
		out = append(out, s.header())
		if n > 1 {
			out = append(out, s.sh.Styles().Border.Render(strings.Repeat(s.sh.Styles().Glyphs.Rule, s.w)))
		}
	}
	switch {
	case s.err != nil:
		left, width := s.margin()
		out = append(out, shell.UnreadableLines(s.env, s.sh.Styles(), shell.InTranscript, "conversation", s.err, left, width)...)
	case s.pages == nil && s.firstPage != nil:
		out = append(out, s.firstPage.body()...)
	case s.pages == nil:
		if s.open.Late {
			_, width := s.margin()
			out = append(out, "", s.quiet(kit.Waiting(s.sh.Styles(), width, "reading", s.open.Moves)))
		}
	case s.rows.Len == 0:
		out = append(out, "", s.quiet("this conversation has no messages"))
	default:
		out = append(out, s.body()...)
	}
	if s.footing() > 0 {
		out = kit.FillLines(out, s.h-1)
		foot := s.search.line(s.w)
		if s.numberInput.typing {
			foot = s.numberLine(s.w)
		}
		out = append(out[:max(s.h-1, 0)], foot)
	}
	return out
}

// body returns the visible lines of the text with their margin.
func (s *Screen) body() []string {
	left, _ := s.margin()
	mark := s.sh.Styles().Accent.Render(s.sh.Styles().Glyphs.Bar)
	blank := strings.Repeat(" ", left)
	marked, pointed := "", kit.OnRow
	if left > 0 {
		indent, gap := strings.Repeat(" ", max(0, left-3)), strings.Repeat(" ", min(2, left-1))
		marked, pointed = indent+mark+gap, indent+kit.OnRow+mark+gap
	}
	lines := s.rows.Visible()
	from := s.heightAt(s.rows.Selected)
	to := from + len(s.rows.Lines(s.rows.Selected))
	hit := -1
	if y := s.search.currentLine(); y >= 0 && from+y >= 0 && from+y < len(lines) && s.rows.Selected >= s.rows.Top {
		hit = from + y
		lines[hit] = s.sh.Styles().Current(lines[hit])
	}
	for from >= 0 && from < len(lines) && from < to && lines[from] == "" {
		from++ // the bar begins beside the first line with text
	}
	at := from // where the reader is
	if hit >= 0 {
		at = hit
	}
	for y, l := range lines {
		switch {
		case y >= from && y < to && s.rows.Selected >= s.rows.Top:
			if lines[y] = marked + l; y == max(at, 0) {
				lines[y] = pointed + l
			}
		case l != "":
			lines[y] = blank + l
		}
	}
	if w := s.aside(); w > 0 && s.rows.Height > 0 {
		lines = kit.FillLines(lines, s.rows.Height)
		for y, l := range s.prompts.draw(s.rows.Height) {
			lines[y] = s.sh.Styles().Cells.Pad(lines[y], s.w-w, "") + l
		}
	}
	return lines
}

// header draws the title, the position in the conversation, and the state of the search. The
// word for what is counted goes where a narrow window has no room for it beside the title.
func (s *Screen) header() string {
	st := s.sh.Styles()
	title, right := " "+s.origin()+s.Title(), s.status("message ")
	if s.w < 80 && st.Cells.StringWidth(title+right)+3 > s.w {
		right = s.status("")
	}
	title = st.Cells.Pad(title, max(0, s.w-st.Cells.StringWidth(right)-3), st.Glyphs.Ellipsis)
	return st.Cells.Truncate(st.Strong.Render(title)+"  "+st.Faint.Render(right), s.w, "")
}

// status returns the state of the search, the position in the conversation behind a word for
// it, and what else there is to say, as much as fits beside a title.
func (s *Screen) status(word string) (right string) {
	if s.pages == nil || s.rows.Len == 0 {
		return ""
	}
	st, search := s.sh.Styles(), s.search.status()
	if !s.search.typing { // else it stands beside what is typed
		search += s.search.progress()
	}
	notes := []string{search, word + kit.Count(s.rows.Selected/2+1) + " / " + kit.Count(s.rows.Len/2), s.following()}
	if n := len(s.Conv.Segments); n > 1 {
		notes = append(notes, kit.Plural(n, "segment", "segments"))
	}
	if n := s.pages.outline.Rewound; n > 0 {
		notes = append(notes, kit.Count(n)+" rewound")
	}
	if s.read.Late {
		notes = append(notes, st.Spell("reading…"))
	}
	room := s.w * 2 / 3
	if s.w < 60 { // rather the title
		room = s.w / 2
	}
	for _, f := range notes {
		if f == "" {
			continue
		}
		if right != "" {
			f = right + " · " + f
		}
		if st.Cells.StringWidth(f) > room {
			break
		}
		right = f
	}
	return st.Spell(right)
}

func (s *Screen) quiet(text string) string {
	left, _ := s.margin()
	return s.sh.Styles().Cells.Truncate(strings.Repeat(" ", left)+s.sh.Styles().Faint.Render(text), s.w, "")
}
