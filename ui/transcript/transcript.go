package transcript

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	// KeptDrawings is how many bytes of finished lines stay in memory.
	KeptDrawings = 3 << 20
	// measure is the widest line of text that is pleasant to read.
	measure = 104
)

// Screen is the screen on which a conversation is read: one document over
// all its segments. Its rows are the parts of messages, two for each: what was
// said and the tool work; of these only what is in sight is laid out.
type Screen struct {
	sh   shell.Shell
	env  *shell.Env
	Conv model.Conversation
	Rows kit.Rows
	w, h int

	Where Opening
	Open  *kit.Latest[Opening, Opened]
	Pages *pages // nil until it has been read
	// firstPage stands for a long one until then: a part of it, to look at.
	firstPage *Screen
	err       error // why it could not be
	Read      *kit.Latest[PageQuery, []model.Message]
	failed    bool           // the last read; the next waits for a key
	then      func() tea.Cmd // goes on when the next messages have come

	renderer     *renderer
	Cache        *renderCache[ItemKey]
	styles       int // generation
	Prerendering bool
	folds        map[int]bool // parts folded or unfolded by themselves
	wholes       map[int]bool // parts shown to their end
	habits

	Search      search
	counter     counter // a number that is being typed
	turnNumbers []int32 // of messages, by countTurns; nil until they are asked for
	follow      follow
	prompts     prompts
	FromList    bool // it was opened from a row of the list
}

// habits is how somebody reads. They stay from one conversation to the next.
type habits struct {
	Tools     bool // tool work is unfolded
	systems   bool // system messages are
	reasoning bool // reasoning is
	numbered  bool // messages have numbers, and turns sums
	chopped   bool // long lines of code are cut instead of broken
	outlined  bool // the prompts stand beside the text
}

// New opens a conversation: at a hit, or at its end when the hit has
// no message. The words of the query are marked.
func New(sh shell.Shell, c model.Conversation, q query.Query, at model.Hit) *Screen {
	env := sh.Env()
	t := &Screen{
		sh: sh, env: env, Conv: c, Where: Opening{id: c.ID, at: at.MessageID},
		Cache: NewRenderCache[ItemKey](KeptDrawings), folds: map[int]bool{}, wholes: map[int]bool{},
	}
	lib := env.Library
	t.Open = kit.NewLatest(env.Context, func(ctx context.Context, o Opening) (Opened, error) { return openPages(ctx, lib, o) })
	t.Read = kit.NewLatest(env.Context, func(ctx context.Context, e PageQuery) ([]model.Message, error) {
		return readPages(ctx, lib, (*e.ids)[e.from:e.to])
	})
	t.Search = newSearch(t, q)
	t.follow = newFollow(t)
	t.Rows.Lines = func(i int) []string { return t.Render(i).Lines }
	t.Restyle()
	return t
}

func (t *Screen) Context() shell.Context { return shell.InTranscript }
func (t *Screen) Heading() string        { return t.Title() + " · hermes sessions" }

func (t *Screen) Title() string {
	for _, s := range []string{t.Conv.Title, t.Conv.Preview, t.Conv.ID} {
		if s = kit.CleanLine(s); s != "" {
			return s
		}
	}
	return "untitled"
}

func (t *Screen) Start() tea.Cmd {
	return tea.Batch(t.readFirstPage(), t.Open.Ask(t.Where), t.Search.start())
}

func (t *Screen) Restyle() {
	t.styles++
	t.renderer = t.NewRenderer()
	t.Rows.Settle()
	if t.firstPage != nil {
		t.firstPage.Restyle()
	}
}

// NewRenderer makes a pen for one goroutine.
func (t *Screen) NewRenderer() *renderer {
	return &renderer{styles: *t.sh.Styles(), prose: kit.NewMarkdown(*t.sh.Styles()), match: t.Search.marker(), now: t.env.Clock()}
}

// resize lays out for a window; the current part keeps its place.
func (t *Screen) Resize(w, h int) {
	t.hold(func() {
		t.w, t.h = w, h
		t.Rows.Width, t.Rows.Height = w, max(0, h-t.top()-t.footing())
	})
	if t.firstPage != nil {
		t.firstPage.Resize(w, h)
	}
}

// footing is the number of lines below the text in which something is typed.
func (t *Screen) footing() int {
	if t.Search.typing || t.counter.typing {
		return 1
	}
	return 0
}

// top is the number of lines above the text.
func (t *Screen) top() int {
	switch {
	case !t.sh.Footed():
		return 0
	case t.h < 20:
		return 1
	}
	return 2
}

// Margin gives the columns left of the text and the width of the text.
func (t *Screen) Margin() (left, width int) {
	switch {
	case t.w >= 72:
		return 4, min(t.w-6-t.aside(), measure)
	case t.w >= 30:
		return 2, t.w - 3
	}
	if t.w < 8 {
		return 0, max(1, t.w)
	}
	return 1, t.w - 1
}

// Render gives a part as it stands now.
func (t *Screen) Render(item int) rendered {
	p, ok := t.itemAt(item)
	if !ok {
		return rendered{}
	}
	if d, ok := t.Cache.get(p.Key); ok {
		return d
	}
	if p.Message == nil {
		return rendered{Lines: []string{t.sh.Styles().Faint.Render(t.sh.Styles().Glyphs.Ellipsis)}}
	}
	t.renderer.quick = true // colours come from the background
	d := t.renderer.Render(p)
	t.Cache.put(p.Key, d)
	return d
}

// renderWhole gives a part as it will be when the background has done its work.
// To find something in it, it is worth the wait.
func (t *Screen) renderWhole(item int) rendered {
	d := t.Render(item)
	p, ok := t.itemAt(item)
	if !ok || !d.rough || p.Message == nil {
		return d
	}
	t.renderer.quick = false
	d = t.renderer.Render(p)
	t.Cache.put(p.Key, d)
	return d
}

// itemAt says what is to be drawn of a row; ok is false when it shows nothing.
// Its message is nil when it has not been read.
func (t *Screen) itemAt(item int) (p RenderItem, ok bool) {
	i, ofWork := item/2, item%2 == 1
	if t.Pages.Gists[i].Author == model.NoAuthor {
		return RenderItem{Key: ItemKey{Item: item}}, !ofWork
	}
	_, width := t.Margin()
	p = RenderItem{Key: ItemKey{Item: item, Width: width, styles: t.styles, query: t.Search.gen}, Message: t.Pages.Held[i]}
	p.Key.whole, p.Key.numbered, p.Key.chopped = t.wholes[item], t.numbered, t.chopped
	if ofWork {
		return t.toolItem(p, i)
	}
	return t.textItem(p, i)
}

// textItem is the part of what was said in message i.
func (t *Screen) textItem(p RenderItem, i int) (_ RenderItem, ok bool) {
	gist, run := &t.Pages.Gists[i], int(t.Pages.pairing.RunStart[i])
	p.Key.Headed = t.Pages.headed(i)
	k := t.Pages.segment(i)
	inRun := run >= 0 && run != i
	switch {
	case gist.Author == model.AuthorTool && k == 0:
		return p, false
	case inRun && !gist.HasContent && !(gist.HasReasoning && t.unfolded(run)):
		return p, false
	case gist.Author == model.AuthorAgent && !gist.HasContent && !gist.HasReasoning && !p.Key.Headed && run >= 0:
		return p, false
	}
	p.Key.above = t.above(i, k)
	if t.numbered && gist.Author == model.AuthorUser {
		p.Key.turn = t.turn(i)
	}
	p.Key.open = t.foldState(p.Key.Item, t.reasoning)
	if gist.Author == model.AuthorSystem {
		p.Key.open = t.foldState(p.Key.Item, t.systems)
	}
	return p, true
}

// toolItem is the part of the tool work of message i.
func (t *Screen) toolItem(p RenderItem, i int) (_ RenderItem, ok bool) {
	gist, run := &t.Pages.Gists[i], int(t.Pages.pairing.RunStart[i])
	if run < 0 {
		return p, false
	}
	p.Key.head, p.Key.open = run == i, t.unfolded(run)
	orphan := gist.Author == model.AuthorTool && t.Pages.pairing.Caller[i] < 0
	if !p.Key.head && (!p.Key.open || len(gist.CallNames) == 0 && !orphan) {
		return p, false
	}
	if p.Key.head {
		t.sumRun(&p, i)
	}
	if p.Key.open {
		p.answered = orphan
		t.addResults(&p, i)
	}
	return p, true
}

// sumRun adds up the run of tool work that message i heads.
func (t *Screen) sumRun(p *RenderItem, i int) {
	end := int(t.Pages.pairing.RunEnd[i])
	p.Key.Headed = t.Pages.headed(i)
	p.Key.took = t.took(i, end-1)
	for j := i; j < end; j++ {
		g := &t.Pages.Gists[j]
		p.Key.calls += len(g.CallNames)
		if g.Failed {
			p.Key.failed++
		}
		if g.Author == model.AuthorTool && t.Pages.pairing.Caller[j] < 0 {
			p.Key.orphans++
		}
	}
	for j := i; j < end && !t.Cache.finished(p.Key); j++ {
		p.names = append(p.names, t.Pages.Gists[j].CallNames...)
	}
}

// addResults adds what the calls of message i were answered.
func (t *Screen) addResults(p *RenderItem, i int) {
	n := len(t.Pages.Gists[i].CallNames)
	p.results, p.missing = make([]*model.Message, n), make([]bool, n)
	for k, j := range t.Pages.answers(i) {
		if j < 0 {
			continue
		}
		p.results[k] = t.Pages.Held[j]
		p.missing[k] = p.results[k] == nil
		if p.results[k] != nil && k < 62 {
			p.Key.replies |= 1 << k
		}
	}
}

// shows reports whether anything is drawn of a message: by itself, or under the
// call that it answers.
func (t *Screen) shows(i int) bool {
	if caller := t.Pages.pairing.Caller[i]; caller >= 0 {
		run := t.Pages.pairing.RunStart[caller]
		return run >= 0 && t.unfolded(int(run))
	}
	for item := 2 * i; item <= 2*i+1; item++ {
		if _, ok := t.itemAt(item); ok {
			return true
		}
	}
	return false
}

// unfolded reports whether the run that a message heads is.
func (t *Screen) unfolded(run int) bool { return t.foldState(2*run+1, t.Tools) }

func (t *Screen) foldState(item int, usual bool) bool {
	if open, ok := t.folds[item]; ok {
		return open
	}
	return usual
}

// hold makes a change and keeps the current part where it stands.
func (t *Screen) hold(change func()) {
	if t.Pages == nil || t.Rows.Len == 0 {
		change()
		t.Rows.Settle()
		return
	}
	y := t.heightAt(t.Rows.Selected)
	change()
	t.snap()
	if y >= t.Rows.Height {
		y = t.Rows.Height / 3
	}
	t.show(t.Rows.Selected, 0, y)
}

// heightAt gives the line of the window at which a part begins; negative when
// it began above.
func (t *Screen) heightAt(item int) int {
	if item < t.Rows.Top {
		return 0
	}
	y := -t.Rows.Skip
	for i := t.Rows.Top; i < item && y <= t.Rows.Height; i++ {
		y += len(t.Rows.Lines(i))
	}
	return y
}

// show makes a part current, with one of its lines at a height of the window.
func (t *Screen) show(item, line, y int) {
	t.Rows.Selected = max(0, min(item, t.Rows.Len-1))
	t.Rows.Top, t.Rows.Skip = t.Rows.Selected, line
	if y < 0 {
		t.Rows.Skip -= y
	} else {
		t.Rows.Up(y)
	}
	t.Rows.Settle()
}

// snap moves the mark from a part that shows nothing to the one that stands
// for it, or to the nearest.
func (t *Screen) snap() {
	if t.Rows.Len == 0 || len(t.Rows.Lines(t.Rows.Selected)) > 0 {
		return
	}
	if run := t.Pages.pairing.RunStart[t.Rows.Selected/2]; run >= 0 && len(t.Rows.Lines(int(2*run+1))) > 0 {
		t.Rows.Selected = int(2*run + 1)
		return
	}
	first, last := t.Rows.InView()
	for d := 1; d < t.Rows.Len; d++ {
		for _, i := range []int{t.Rows.Selected + d, t.Rows.Selected - d} {
			if i >= first && i <= last && len(t.Rows.Lines(i)) > 0 {
				t.Rows.Selected = i
				return
			}
		}
		if d > last-first+2 {
			break
		}
	}
	t.Rows.Selected = t.beside(t.Rows.Selected, -1)
}

// beside gives the next part in a direction that shows something, or the same
// when there is none.
func (t *Screen) beside(item, dir int) int {
	for i := item + dir; i >= 0 && i < t.Rows.Len; i += dir {
		if len(t.Rows.Lines(i)) > 0 {
			return i
		}
	}
	return item
}

// moved follows a movement: the mark finds its part, and what will be wanted
// next is read and drawn.
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

// ahead reads what is around the window and draws the next page in the
// background.
func (t *Screen) ahead() tea.Cmd {
	if t.Pages == nil || t.Rows.Len == 0 || t.failed {
		return nil
	}
	first, last := t.Rows.InView()
	at := t.Rows.Selected / 2
	if s, ok := t.Pages.missing(positions{first/2 - window, last/2 + window + 1}, at, t.shows); ok {
		e := PageQuery{t.Pages, t.Pages.Ids, s}
		if t.then == nil && (t.Read.Settled() || t.Read.Wanted != e) {
			return t.Read.Ask(e)
		}
		return nil
	}
	t.Pages.forget(at, positions{first/2 - 2*window, last/2 + 2*window}, t.shows)
	return t.prerender(first)
}

// need reads a stretch and then goes on.
func (t *Screen) need(s positions, then func() tea.Cmd) tea.Cmd {
	t.then = then
	return t.Read.Ask(PageQuery{t.Pages, t.Pages.Ids, s})
}

func (t *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[Opening, Opened]:
		if msg.From == t.Open {
			return t.opened(msg)
		}
	case kit.Overdue[Opening, Opened]:
		if msg.From == t.Open {
			t.Open.MarkLate(msg)
		}
	case firstPageRead:
		t.showFirstPage(msg)
	case kit.Answer[PageQuery, []model.Message]:
		if msg.From == t.Read {
			return t.takeMessages(msg)
		}
	case kit.Overdue[PageQuery, []model.Message]:
		if msg.From == t.Read {
			t.Read.MarkLate(msg)
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
	case promptsRead:
		return t.takePrompts(msg)
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
		if !t.Search.typing {
			return t.count(msg)
		}
		return t.Search.update(msg)
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
	t.then = nil // it knows the messages by other positions
	var at int64
	y := 0
	if again {
		at, y = t.Pages.Outline.MessageIDs[t.Rows.Selected/2], t.heightAt(t.Rows.Selected)
		t.folds, t.wholes = map[int]bool{}, map[int]bool{}
	}
	if !again {
		t.begin(msg.Value)
	} else if t.take(msg.Value.pages); t.Rows.Len > 0 {
		t.show(2*t.Pages.near(at), 0, max(0, min(y, t.Rows.Height/3)))
	}
	return tea.Batch(next, t.moved(), t.readPrompts())
}

// take makes what was read the text.
func (t *Screen) take(p *pages) {
	t.Pages, t.firstPage = p, nil
	t.Cache = NewRenderCache[ItemKey](KeptDrawings)
	t.Conv = p.Outline.Conversation
	t.pairTools()
	t.Rows.Len = len(p.Gists) * 2
	t.Search.place()
}

// begin shows what was read, at the place that was asked for.
func (t *Screen) begin(o Opened) {
	t.take(o.pages)
	switch {
	case t.Rows.Len == 0:
	case o.at >= 0:
		t.arrive(o.at, t.Where.edge)
	default:
		t.Rows.GoToEnd(true)
		t.Rows.Selected = t.beside(t.Rows.Len, -1)
	}
}

// takeMessages takes messages that were read.
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
	if next != nil { // something else is wanted by now
		return next
	}
	if then := t.then; then != nil {
		t.then = nil
		return then()
	}
	return t.ahead()
}

// pairTools ties what has been read together. Runs that were unfolded stay so when
// they turn out to begin earlier.
func (t *Screen) pairTools() {
	t.turnNumbers = nil
	t.Pages.pairing = model.PairTools(t.Pages.Gists, t.Pages.Outline.SegmentStarts, t.reasoning)
	for item, open := range t.folds {
		if run := t.Pages.pairing.RunStart[item/2]; item%2 == 1 && run >= 0 && int(run) != item/2 {
			delete(t.folds, item)
			t.folds[int(2*run+1)] = open
		}
	}
}

// lines gives the finished screen. The mark of the current part is the only
// thing that is put together here.
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
		out = append(out, t.notice()...)
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
		for len(out) < t.h-1 {
			out = append(out, "")
		}
		foot := t.Search.line(t.w)
		if t.counter.typing {
			foot = t.counting(t.w)
		}
		out = append(out[:max(t.h-1, 0)], foot)
	}
	return out
}

// body gives the visible lines of the text with their margin.
func (t *Screen) body() []string {
	left, _ := t.Margin()
	mark := t.sh.Styles().Accent.Render(t.sh.Styles().Glyphs.Bar)
	blank := strings.Repeat(" ", left)
	marked := ""
	if left > 0 {
		marked = strings.Repeat(" ", max(0, left-3)) + mark + strings.Repeat(" ", min(2, left-1))
	}
	lines := t.Rows.Visible()
	from := t.heightAt(t.Rows.Selected)
	to := from + len(t.Rows.Lines(t.Rows.Selected))
	for from >= 0 && from < len(lines) && from < to && lines[from] == "" {
		from++ // the mark begins with the words
	}
	for y, l := range lines {
		switch {
		case y >= from && y < to && t.Rows.Selected >= t.Rows.Top:
			lines[y] = marked + l
		case l != "":
			lines[y] = blank + l
		}
	}
	if w := t.aside(); w > 0 {
		for len(lines) < t.Rows.Height {
			lines = append(lines, "")
		}
		for y, l := range t.promptLines(t.Rows.Height) {
			lines[y] = kit.Pad(lines[y], t.w-w, "") + l
		}
	}
	return lines
}

// header tells what is read and how far the reader is.
func (t *Screen) header() string {
	s := t.sh.Styles()
	var facts []string
	if t.Pages != nil && t.Rows.Len > 0 {
		facts = append(facts, t.Search.status(), kit.Count(t.Rows.Selected/2+1)+" / "+kit.Count(t.Rows.Len/2), t.following())
		if n := len(t.Conv.Segments); n > 1 {
			facts = append(facts, kit.Plural(n, "segment", "segments"))
		}
		if n := t.Pages.Outline.Rewound; n > 0 {
			facts = append(facts, kit.Count(n)+" rewound")
		}
		if t.Read.Late {
			facts = append(facts, "reading"+s.Glyphs.Ellipsis)
		}
	}
	right := ""
	for _, f := range facts {
		if f == "" {
			continue
		}
		if right != "" {
			f = right + " · " + f
		}
		if ansi.StringWidth(f) > t.w*2/3 {
			break
		}
		right = f
	}
	right = s.Spell(right)
	title := kit.Pad(" "+t.Title(), max(0, t.w-ansi.StringWidth(right)-3), s.Glyphs.Ellipsis)
	return ansi.Truncate(s.Strong.Render(title)+"  "+s.Faint.Render(right), t.w, "")
}

func (t *Screen) quiet(text string) string {
	left, _ := t.Margin()
	return ansi.Truncate(strings.Repeat(" ", left)+t.sh.Styles().Faint.Render(text), t.w, "")
}

// notice says over the whole screen why nothing can be read.
func (t *Screen) notice() []string {
	left, width := t.Margin()
	s := t.sh.Styles()
	out := []string{""}
	say := func(text string, lines func(...string) string) {
		for _, l := range kit.Wrap(text, width) {
			out = append(out, strings.Repeat(" ", left)+lines(l))
		}
	}
	say(s.Glyphs.Failed+" This conversation could not be read", s.Bad.Render)
	say(kit.CleanLine(t.err.Error()), s.Text.Render)
	out = append(out, "")
	say(t.env.Keys.Find(shell.InTranscript, shell.Refresh).KeyLabel()+" reads it again, "+
		t.env.Keys.Find(shell.InTranscript, shell.Back).KeyLabel()+" goes back", s.Muted.Render)
	return out
}
