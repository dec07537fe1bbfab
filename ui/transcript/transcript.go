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
	// MaxRenderedBytes is how many bytes of finished lines stay in memory.
	MaxRenderedBytes = 3 << 20
	// measure is the greatest width of the text, in columns; longer lines are hard to
	// read.
	measure = 104
)

// Screen is the screen on which a conversation is read: one text over all its segments.
// Each message has two rows, its text and its tool work; only rows in the window are laid
// out. It implements shell.Screen and shell.Reader.
type Screen struct {
	textView
	env *shell.Env

	Where Opening
	Open  *kit.Latest[Opening, Opened]
	// firstPage is shown in place of a long conversation until its outline has come.
	firstPage *Screen
	err       error // why the conversation could not be read
	Read      *kit.Latest[PageQuery, []model.Message]
	failed    bool           // the last read failed; the next waits for a key
	then      func() tea.Cmd // what to do once the requested messages have come

	Prerendering bool
	Search       search
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
	t := &Screen{
		textView: textView{
			sh: sh, Conv: c,
			Cache: NewRenderCache[ItemKey](MaxRenderedBytes), folds: map[int]bool{}, wholes: map[int]bool{},
		},
		env: env, Where: Opening{id: c.ID, at: at.MessageID},
	}
	lib := env.Library
	t.Open = kit.NewLatest(env.Context, func(ctx context.Context, o Opening) (Opened, error) { return openPages(ctx, lib, o) })
	t.Read = kit.NewLatest(env.Context, func(ctx context.Context, e PageQuery) ([]model.Message, error) {
		return readPages(ctx, lib, e.id, (*e.ids)[e.from:e.to])
	})
	t.Search = newSearch(t, q)
	t.follow = newFollow(t)
	t.failures, t.prompts = failures{t: t}, prompts{t: t}
	t.Rows.Lines = func(i int) []string { return t.Render(i).Lines }
	t.Restyle()
	return t
}

// Context is the context of the keys.
func (t *Screen) Context() shell.Context { return shell.InTranscript }

// Heading is the title of the terminal's window.
func (t *Screen) Heading() string { return t.Title() + " · hermes sessions" }

// Title is what the conversation is called: its title, else its preview, else its id.
func (t *Screen) Title() string {
	for _, s := range []string{t.Conv.Title, t.Conv.Preview, t.Conv.ID} {
		if s = kit.CleanLine(s); s != "" {
			return s
		}
	}
	return "untitled"
}

// Start reads the conversation and the hits of the query.
func (t *Screen) Start() tea.Cmd {
	return tea.Batch(t.readFirstPage(), t.Open.Ask(t.Where), t.Search.start())
}

// Refresh implements [shell.Screen]: the text is read again when the list has seen a new
// version of the database.
func (t *Screen) Refresh() tea.Cmd { return nil }

// Restyle renders the text again after a change of the theme.
func (t *Screen) Restyle() {
	t.styles++
	t.renderer = t.NewRenderer()
	t.Rows.Settle()
	if t.firstPage != nil {
		t.firstPage.Restyle()
	}
}

// NewRenderer makes a renderer for use by one goroutine.
func (t *Screen) NewRenderer() *renderer {
	return &renderer{styles: t.sh.Styles(), prose: kit.NewMarkdown(t.sh.Styles()), match: t.Search.marker(), now: t.env.Clock()}
}

// Resize lays the text out for a window of w columns and h lines; the current item keeps
// its place.
func (t *Screen) Resize(w, h int) {
	t.hold(func() {
		t.w, t.h = w, h
		t.Rows.Height = max(0, h-t.top()-t.footing())
	})
	if t.firstPage != nil {
		t.firstPage.Resize(w, h)
	}
}

// footing is the number of lines that the prompt takes below the text.
func (t *Screen) footing() int {
	if t.Search.typing || t.numberInput.typing {
		return 1
	}
	return 0
}

// top is the number of lines above the text.
func (t *Screen) top() int {
	switch {
	case !t.sh.HasFooter():
		return 0
	case t.h < 20:
		return 1
	}
	return 2
}

// moved is called after every movement: it puts the cursor on an item with lines and
// prepares what will be needed next.
func (t *Screen) moved() tea.Cmd {
	if t.Pages == nil {
		return nil
	}
	t.snap()
	t.failed = false
	if t.follow.fresh > 0 && t.Rows.AtEnd() {
		t.follow.fresh = 0
	}
	return t.ahead()
}

// ahead reads the messages around the window and renders the next page in the background.
func (t *Screen) ahead() tea.Cmd {
	if t.Pages == nil || t.Rows.Len == 0 || t.failed {
		return nil
	}
	first, last := t.Rows.InView()
	at := t.Rows.Selected / 2
	if s, ok := t.Pages.missing(positions{first/2 - window, last/2 + window + 1}, at, t.shows); ok {
		e := PageQuery{t.Pages, t.Pages.Outline.Conversation.ID, t.Pages.IDs, s}
		if t.then == nil && (t.Read.Settled() || t.Read.Wanted != e) {
			return t.Read.Ask(e)
		}
		return nil
	}
	t.Pages.forget(at, positions{first/2 - 2*window, last/2 + 2*window}, t.shows)
	return t.prerender(first)
}

// need reads a range of messages and then calls then.
func (t *Screen) need(s positions, then func() tea.Cmd) tea.Cmd {
	t.then = then
	return t.Read.Ask(PageQuery{t.Pages, t.Pages.Outline.Conversation.ID, t.Pages.IDs, s})
}

// Update handles keys, the mouse, and the answers of the transcript's requests.
func (t *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[Opening, Opened]:
		if msg.From == t.Open {
			return t.opened(msg)
		}
	case firstPageRead:
		t.showFirstPage(msg)
	case kit.Answer[PageQuery, []model.Message]:
		if msg.From == t.Read {
			return t.takeMessages(msg)
		}
	case kit.Answer[string, model.Outline]:
		if msg.From == t.follow.read {
			return t.takeOutline(msg)
		}
	case shell.Polled:
		return t.followVersion(msg)
	case shell.ConversationsEdited:
		if slices.Contains(msg.Roots, t.Conv.RootID) {
			msg.Change(&t.Conv.Session)
		}
	case shell.Annotated:
		t.hold(t.readNoted)
	case promptsRead:
		return t.prompts.take(msg)
	case prerendered:
		if msg.of == t {
			t.Prerendering = false
			for k, d := range msg.drawn {
				t.Cache.put(k, d)
			}
		}
	case tea.MouseMsg:
		return t.mouse(msg)
	case tea.KeyPressMsg:
		switch {
		case t.Search.typing:
			return t.Search.update(msg)
		case t.endsFind(msg) && !t.takesNumberKey(msg):
			return t.Search.restore(target{Query: t.Search.Query})
		}
		return t.pressNumberKey(msg)
	default:
		return t.Search.update(msg)
	}
	return nil
}

// opened takes the outline and the first window.
func (t *Screen) opened(msg kit.Answer[Opening, Opened]) tea.Cmd {
	ok, next := t.Open.Take(msg)
	if !ok {
		return next
	}
	if t.err = msg.Err; t.err != nil {
		return next
	}
	again := t.Pages != nil && t.Rows.Len > 0
	t.then = nil // it refers to the former positions
	var at int64
	y := 0
	if again {
		at, y = t.Pages.Outline.MessageIDs[t.Rows.Selected/2], t.heightAt(t.Rows.Selected)
		t.folds, t.wholes = map[int]bool{}, map[int]bool{}
	}
	if !again {
		t.begin(msg.Value)
		next = tea.Batch(next, t.Search.opened())
	} else if t.take(msg.Value.pages); t.Rows.Len > 0 {
		t.show(2*t.Pages.near(at), 0, max(0, min(y, t.Rows.Height/3)))
	}
	return tea.Batch(next, t.moved(), t.prompts.read())
}

// take replaces the text by newly read pages.
func (t *Screen) take(p *pages) {
	t.Pages, t.firstPage = p, nil
	t.Cache = NewRenderCache[ItemKey](MaxRenderedBytes)
	t.Conv = p.Outline.Conversation
	t.findNew()
	t.readNoted()
	t.pairTools()
	t.Rows.Len = len(p.Skeletons) * 2
	t.Search.locateHits()
}

// begin shows newly read pages at the place that was asked for.
func (t *Screen) begin(o Opened) {
	t.take(o.pages)
	switch {
	case t.Rows.Len == 0:
	case o.at >= 0 && t.Where.left != nil:
		t.returnTo(o.at, *t.Where.left)
	case o.at >= 0:
		t.arrive(o.at, t.Where.edge)
	default:
		t.Rows.GoToEnd(true)
		t.Rows.Selected = t.nextVisible(t.Rows.Len, -1)
	}
}

// takeMessages stores messages that were read and continues what waited for them.
func (t *Screen) takeMessages(msg kit.Answer[PageQuery, []model.Message]) tea.Cmd {
	ok, next := t.Read.Take(msg)
	if !ok || msg.Query.pages != t.Pages {
		return next
	}
	if msg.Err != nil {
		t.failed, t.then = true, nil
		t.sh.Fail(msg.Err)
		return next
	}
	t.hold(func() {
		t.Pages.put(msg.Query.positions, msg.Value)
		t.pairTools()
	})
	if next != nil { // a newer request is running
		return next
	}
	if then := t.then; then != nil {
		t.then = nil
		return then()
	}
	return t.ahead()
}

// Lines returns the finished lines of the screen. Items come from the cache; only the bar
// beside the current one is added here.
func (t *Screen) Lines() []string {
	out := make([]string, 0, t.h)
	if n := t.top(); n > 0 {
		out = append(out, t.header())
		if n > 1 {
			out = append(out, t.sh.Styles().Border.Render(strings.Repeat(t.sh.Styles().Glyphs.Rule, t.w)))
		}
	}
	switch {
	case t.err != nil:
		left, width := t.Margin()
		out = append(out, shell.UnreadableLines(t.env, t.sh.Styles(), shell.InTranscript, "conversation", t.err, left, width)...)
	case t.Pages == nil && t.firstPage != nil:
		out = append(out, t.firstPage.body()...)
	case t.Pages == nil:
		if t.Open.Late {
			out = append(out, "", t.quiet("reading"+t.sh.Styles().Glyphs.Ellipsis))
		}
	case t.Rows.Len == 0:
		out = append(out, "", t.quiet("this conversation has no messages"))
	default:
		out = append(out, t.body()...)
	}
	if t.footing() > 0 {
		out = kit.FillLines(out, t.h-1)
		foot := t.Search.line(t.w)
		if t.numberInput.typing {
			foot = t.numberLine(t.w)
		}
		out = append(out[:max(t.h-1, 0)], foot)
	}
	return out
}

// body returns the visible lines of the text with their margin.
func (t *Screen) body() []string {
	left, _ := t.Margin()
	mark := t.sh.Styles().Accent.Render(t.sh.Styles().Glyphs.Bar)
	blank := strings.Repeat(" ", left)
	marked, pointed := "", kit.OnRow
	if left > 0 {
		indent, gap := strings.Repeat(" ", max(0, left-3)), strings.Repeat(" ", min(2, left-1))
		marked, pointed = indent+mark+gap, indent+kit.OnRow+mark+gap
	}
	lines := t.Rows.Visible()
	from := t.heightAt(t.Rows.Selected)
	to := from + len(t.Rows.Lines(t.Rows.Selected))
	hit := -1
	if y := t.Search.currentLine(); y >= 0 && from+y >= 0 && from+y < len(lines) && t.Rows.Selected >= t.Rows.Top {
		hit = from + y
		lines[hit] = t.sh.Styles().Current(lines[hit])
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
		case y >= from && y < to && t.Rows.Selected >= t.Rows.Top:
			if lines[y] = marked + l; y == max(at, 0) {
				lines[y] = pointed + l
			}
		case l != "":
			lines[y] = blank + l
		}
	}
	if w := t.aside(); w > 0 {
		lines = kit.FillLines(lines, t.Rows.Height)
		for y, l := range t.prompts.draw(t.Rows.Height) {
			lines[y] = t.sh.Styles().Cells.Pad(lines[y], t.w-w, "") + l
		}
	}
	return lines
}

// header draws the title, the position in the conversation, and the state of the search.
func (t *Screen) header() string {
	s := t.sh.Styles()
	var notes []string
	if t.Pages != nil && t.Rows.Len > 0 {
		place := kit.Count(t.Rows.Selected/2+1) + " / " + kit.Count(t.Rows.Len/2)
		if t.w >= 100 {
			place = "message " + place
		}
		notes = append(notes, t.Search.status(), place, t.following())
		if n := len(t.Conv.Segments); n > 1 {
			notes = append(notes, kit.Plural(n, "segment", "segments"))
		}
		if n := t.Pages.Outline.Rewound; n > 0 {
			notes = append(notes, kit.Count(n)+" rewound")
		}
		if t.Read.Late {
			notes = append(notes, "reading"+s.Glyphs.Ellipsis)
		}
	}
	right := ""
	for _, f := range notes {
		if f == "" {
			continue
		}
		if right != "" {
			f = right + " · " + f
		}
		if s.Cells.StringWidth(f) > t.w*2/3 {
			break
		}
		right = f
	}
	right = s.Spell(right)
	title := s.Cells.Pad(" "+t.Title(), max(0, t.w-s.Cells.StringWidth(right)-3), s.Glyphs.Ellipsis)
	return s.Cells.Truncate(s.Strong.Render(title)+"  "+s.Faint.Render(right), t.w, "")
}

func (t *Screen) quiet(text string) string {
	left, _ := t.Margin()
	return t.sh.Styles().Cells.Truncate(strings.Repeat(" ", left)+t.sh.Styles().Faint.Render(text), t.w, "")
}
