package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

const (
	// keptDrawings is how many bytes of finished lines stay in memory.
	keptDrawings = 3 << 20
	// measure is the widest line of text that is pleasant to read.
	measure = 104
)

// transcript is the screen on which a conversation is read: one document over
// all its segments. Its rows are the parts of messages, two for each: what was
// said and the tool work; of these only what is in sight is laid out.
type transcript struct {
	sh   Shell
	env  *Env
	conv model.Conversation
	rows rows
	w, h int

	where opening
	open  *flight[opening, opened]
	pages *pages // nil until it has been read
	// glimpse stands for a long one until then: a part of it, to look at.
	glimpse *transcript
	err     error // why it could not be
	read    *flight[excerpt, []model.Message]
	failed  bool           // the last read; the next waits for a key
	then    func() tea.Cmd // goes on when the next messages have come

	pen     *pen
	drawn   *drawings[partLook]
	styles  int // generation
	warming bool
	folds   map[int]bool // parts folded or unfolded by themselves
	wholes  map[int]bool // parts shown to their end
	habits

	search   search
	counter  counter // a number that is being typed
	turns    []int32 // of messages, by countTurns; nil until they are asked for
	follow   follow
	prompts  prompts
	fromList bool // it was opened from a row of the list
}

// habits is how somebody reads. They stay from one conversation to the next.
type habits struct {
	tools     bool // tool work is unfolded
	systems   bool // system messages are
	reasoning bool // reasoning is
	numbered  bool // messages have numbers, and turns sums
	chopped   bool // long lines of code are cut instead of broken
	outlined  bool // the prompts stand beside the text
}

// newTranscript opens a conversation: at a hit, or at its end when the hit has
// no message. The words of the query are marked.
func newTranscript(sh Shell, c model.Conversation, q query.Query, at model.Hit) *transcript {
	env := sh.Env()
	t := &transcript{
		sh: sh, env: env, conv: c, where: opening{id: c.ID, at: at.MessageID},
		drawn: newDrawings[partLook](keptDrawings), folds: map[int]bool{}, wholes: map[int]bool{},
	}
	lib := env.Library
	t.open = newFlight(env.Context, func(ctx context.Context, o opening) (opened, error) { return openPages(ctx, lib, o) })
	t.read = newFlight(env.Context, func(ctx context.Context, e excerpt) ([]model.Message, error) {
		return readPages(ctx, lib, (*e.ids)[e.from:e.to])
	})
	t.search = newSearch(t, q)
	t.follow = newFollow(t)
	t.rows.lines = func(i int) []string { return t.draw(i).lines }
	t.Restyle()
	return t
}

func (t *transcript) Context() Context { return InTranscript }
func (t *transcript) Heading() string  { return t.title() + " · hermes sessions" }

func (t *transcript) title() string {
	for _, s := range []string{t.conv.Title, t.conv.Preview, t.conv.ID} {
		if s = CleanLine(s); s != "" {
			return s
		}
	}
	return "untitled"
}

func (t *transcript) Start() tea.Cmd {
	return tea.Batch(t.peek(), t.open.ask(t.where), t.search.start())
}

func (t *transcript) Restyle() {
	t.styles++
	t.pen = t.newPen()
	t.rows.settle()
	if t.glimpse != nil {
		t.glimpse.Restyle()
	}
}

// newPen makes a pen for one goroutine.
func (t *transcript) newPen() *pen {
	return &pen{styles: *t.sh.Styles(), prose: newProse(*t.sh.Styles()), match: t.search.marker(), now: t.env.Clock()}
}

// resize lays out for a window; the current part keeps its place.
func (t *transcript) Resize(w, h int) {
	t.hold(func() {
		t.w, t.h = w, h
		t.rows.w, t.rows.h = w, max(0, h-t.top()-t.footing())
	})
	if t.glimpse != nil {
		t.glimpse.Resize(w, h)
	}
}

// footing is the number of lines below the text in which something is typed.
func (t *transcript) footing() int {
	if t.search.typing || t.counter.typing {
		return 1
	}
	return 0
}

// top is the number of lines above the text.
func (t *transcript) top() int {
	switch {
	case !t.sh.Footed():
		return 0
	case t.h < 20:
		return 1
	}
	return 2
}

// margin gives the columns left of the text and the width of the text.
func (t *transcript) margin() (left, width int) {
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

// draw gives a part as it stands now.
func (t *transcript) draw(item int) drawing {
	p, ok := t.part(item)
	if !ok {
		return drawing{}
	}
	if d, ok := t.drawn.get(p.look); ok {
		return d
	}
	if p.message == nil {
		return drawing{lines: []string{t.sh.Styles().Faint.Render(t.sh.Styles().Glyphs.Ellipsis)}}
	}
	t.pen.quick = true // colours come from the background
	d := t.pen.draw(p)
	t.drawn.put(p.look, d)
	return d
}

// drawWhole gives a part as it will be when the background has done its work.
// To find something in it, it is worth the wait.
func (t *transcript) drawWhole(item int) drawing {
	d := t.draw(item)
	p, ok := t.part(item)
	if !ok || !d.rough || p.message == nil {
		return d
	}
	t.pen.quick = false
	d = t.pen.draw(p)
	t.drawn.put(p.look, d)
	return d
}

// part says what is to be drawn of a row; ok is false when it shows nothing.
// Its message is nil when it has not been read.
func (t *transcript) part(item int) (p part, ok bool) {
	i, ofWork := item/2, item%2 == 1
	if t.pages.gists[i].Author == model.NoAuthor {
		return part{look: partLook{part: item}}, !ofWork
	}
	_, width := t.margin()
	p = part{look: partLook{part: item, width: width, styles: t.styles, query: t.search.gen}, message: t.pages.held[i]}
	p.look.whole, p.look.numbered, p.look.chopped = t.wholes[item], t.numbered, t.chopped
	if ofWork {
		return t.workPart(p, i)
	}
	return t.saidPart(p, i)
}

// saidPart is the part of what was said in message i.
func (t *transcript) saidPart(p part, i int) (_ part, ok bool) {
	gist, run := &t.pages.gists[i], int(t.pages.weave.RunStart[i])
	p.look.headed = t.pages.headed(i)
	k := t.pages.segment(i)
	inRun := run >= 0 && run != i
	switch {
	case gist.Author == model.AuthorTool && k == 0:
		return p, false
	case inRun && !gist.HasContent && !(gist.HasReasoning && t.unfolded(run)):
		return p, false
	case gist.Author == model.AuthorAgent && !gist.HasContent && !gist.HasReasoning && !p.look.headed && run >= 0:
		return p, false
	}
	p.look.above = t.above(i, k)
	if t.numbered && gist.Author == model.AuthorUser {
		p.look.turn = t.turn(i)
	}
	p.look.open = t.foldState(p.look.part, t.reasoning)
	if gist.Author == model.AuthorSystem {
		p.look.open = t.foldState(p.look.part, t.systems)
	}
	return p, true
}

// workPart is the part of the tool work of message i.
func (t *transcript) workPart(p part, i int) (_ part, ok bool) {
	gist, run := &t.pages.gists[i], int(t.pages.weave.RunStart[i])
	if run < 0 {
		return p, false
	}
	p.look.head, p.look.open = run == i, t.unfolded(run)
	orphan := gist.Author == model.AuthorTool && t.pages.weave.Caller[i] < 0
	if !p.look.head && (!p.look.open || len(gist.CallNames) == 0 && !orphan) {
		return p, false
	}
	if p.look.head {
		t.sumRun(&p, i)
	}
	if p.look.open {
		p.answered = orphan
		t.addResults(&p, i)
	}
	return p, true
}

// sumRun adds up the run of tool work that message i heads.
func (t *transcript) sumRun(p *part, i int) {
	end := int(t.pages.weave.RunEnd[i])
	p.look.headed = t.pages.headed(i)
	p.look.took = t.took(i, end-1)
	for j := i; j < end; j++ {
		g := &t.pages.gists[j]
		p.look.calls += len(g.CallNames)
		if g.Failed {
			p.look.failed++
		}
		if g.Author == model.AuthorTool && t.pages.weave.Caller[j] < 0 {
			p.look.orphans++
		}
	}
	for j := i; j < end && !t.drawn.finished(p.look); j++ {
		p.names = append(p.names, t.pages.gists[j].CallNames...)
	}
}

// addResults adds what the calls of message i were answered.
func (t *transcript) addResults(p *part, i int) {
	n := len(t.pages.gists[i].CallNames)
	p.results, p.missing = make([]*model.Message, n), make([]bool, n)
	for k, j := range t.pages.answers(i) {
		if j < 0 {
			continue
		}
		p.results[k] = t.pages.held[j]
		p.missing[k] = p.results[k] == nil
		if p.results[k] != nil && k < 62 {
			p.look.replies |= 1 << k
		}
	}
}

// shows reports whether anything is drawn of a message: by itself, or under the
// call that it answers.
func (t *transcript) shows(i int) bool {
	if caller := t.pages.weave.Caller[i]; caller >= 0 {
		run := t.pages.weave.RunStart[caller]
		return run >= 0 && t.unfolded(int(run))
	}
	for item := 2 * i; item <= 2*i+1; item++ {
		if _, ok := t.part(item); ok {
			return true
		}
	}
	return false
}

// unfolded reports whether the run that a message heads is.
func (t *transcript) unfolded(run int) bool { return t.foldState(2*run+1, t.tools) }

func (t *transcript) foldState(item int, usual bool) bool {
	if open, ok := t.folds[item]; ok {
		return open
	}
	return usual
}

// hold makes a change and keeps the current part where it stands.
func (t *transcript) hold(change func()) {
	if t.pages == nil || t.rows.n == 0 {
		change()
		t.rows.settle()
		return
	}
	y := t.heightAt(t.rows.sel)
	change()
	t.snap()
	if y >= t.rows.h {
		y = t.rows.h / 3
	}
	t.show(t.rows.sel, 0, y)
}

// heightAt gives the line of the window at which a part begins; negative when
// it began above.
func (t *transcript) heightAt(item int) int {
	if item < t.rows.top {
		return 0
	}
	y := -t.rows.skip
	for i := t.rows.top; i < item && y <= t.rows.h; i++ {
		y += len(t.rows.lines(i))
	}
	return y
}

// show makes a part current, with one of its lines at a height of the window.
func (t *transcript) show(item, line, y int) {
	t.rows.sel = max(0, min(item, t.rows.n-1))
	t.rows.top, t.rows.skip = t.rows.sel, line
	if y < 0 {
		t.rows.skip -= y
	} else {
		t.rows.up(y)
	}
	t.rows.settle()
}

// snap moves the mark from a part that shows nothing to the one that stands
// for it, or to the nearest.
func (t *transcript) snap() {
	if t.rows.n == 0 || len(t.rows.lines(t.rows.sel)) > 0 {
		return
	}
	if run := t.pages.weave.RunStart[t.rows.sel/2]; run >= 0 && len(t.rows.lines(int(2*run+1))) > 0 {
		t.rows.sel = int(2*run + 1)
		return
	}
	first, last := t.rows.visible()
	for d := 1; d < t.rows.n; d++ {
		for _, i := range []int{t.rows.sel + d, t.rows.sel - d} {
			if i >= first && i <= last && len(t.rows.lines(i)) > 0 {
				t.rows.sel = i
				return
			}
		}
		if d > last-first+2 {
			break
		}
	}
	t.rows.sel = t.beside(t.rows.sel, -1)
}

// beside gives the next part in a direction that shows something, or the same
// when there is none.
func (t *transcript) beside(item, dir int) int {
	for i := item + dir; i >= 0 && i < t.rows.n; i += dir {
		if len(t.rows.lines(i)) > 0 {
			return i
		}
	}
	return item
}

// moved follows a movement: the mark finds its part, and what will be wanted
// next is read and drawn.
func (t *transcript) moved() tea.Cmd {
	if t.pages == nil {
		return nil
	}
	t.snap()
	t.failed = false
	if t.follow.fresh > 0 && t.rows.atEnd() {
		t.follow.fresh = 0
	}
	return t.ahead()
}

// ahead reads what is around the window and draws the next page in the
// background.
func (t *transcript) ahead() tea.Cmd {
	if t.pages == nil || t.rows.n == 0 || t.failed {
		return nil
	}
	first, last := t.rows.visible()
	at := t.rows.sel / 2
	if s, ok := t.pages.missing(stretch{first/2 - window, last/2 + window + 1}, at, t.shows); ok {
		e := excerpt{t.pages, t.pages.ids, s}
		if t.then == nil && (t.read.settled() || t.read.want != e) {
			return t.read.ask(e)
		}
		return nil
	}
	t.pages.forget(at, stretch{first/2 - 2*window, last/2 + 2*window}, t.shows)
	return t.warm(first)
}

// need reads a stretch and then goes on.
func (t *transcript) need(s stretch, then func() tea.Cmd) tea.Cmd {
	t.then = then
	return t.read.ask(excerpt{t.pages, t.pages.ids, s})
}

func (t *transcript) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case landed[opening, opened]:
		if msg.flight == t.open {
			return t.opened(msg)
		}
	case overdue[opening, opened]:
		if msg.flight == t.open {
			t.open.wait(msg)
		}
	case glimpsed:
		t.glimpsed(msg)
	case landed[excerpt, []model.Message]:
		if msg.flight == t.read {
			return t.came(msg)
		}
	case overdue[excerpt, []model.Message]:
		if msg.flight == t.read {
			t.read.wait(msg)
		}
	case landed[string, model.Outline]:
		if msg.flight == t.follow.read {
			return t.looked(msg)
		}
	case polled:
		return t.changed(msg)
	case conversationsEdited:
		if slices.Contains(msg.roots, t.conv.RootID) {
			msg.change(&t.conv.Session)
		}
	case surveyed:
		return t.surveyed(msg)
	case warmed:
		if msg.of == t {
			t.warming = false
			for k, d := range msg.drawn {
				t.drawn.put(k, d)
			}
		}
	case tea.MouseMsg:
		return t.mouse(msg)
	case tea.KeyPressMsg:
		if !t.search.typing {
			return t.count(msg)
		}
		return t.search.update(msg)
	default:
		return t.search.update(msg)
	}
	return nil
}

// opened takes the outline and the first window.
func (t *transcript) opened(msg landed[opening, opened]) tea.Cmd {
	ok, next := t.open.land(msg)
	if !ok {
		return next
	}
	if t.err = msg.err; t.err != nil {
		return next
	}
	again := t.pages != nil && t.rows.n > 0
	t.then = nil // it knows the messages by other positions
	var at int64
	y := 0
	if again {
		at, y = t.pages.outline.MessageIDs[t.rows.sel/2], t.heightAt(t.rows.sel)
		t.folds, t.wholes = map[int]bool{}, map[int]bool{}
	}
	if !again {
		t.begin(msg.answer)
	} else if t.take(msg.answer.pages); t.rows.n > 0 {
		t.show(2*t.pages.near(at), 0, max(0, min(y, t.rows.h/3)))
	}
	return tea.Batch(next, t.moved(), t.survey())
}

// take makes what was read the text.
func (t *transcript) take(p *pages) {
	t.pages, t.glimpse = p, nil
	t.drawn = newDrawings[partLook](keptDrawings)
	t.conv = p.outline.Conversation
	t.weave()
	t.rows.n = len(p.gists) * 2
	t.search.place()
}

// begin shows what was read, at the place that was asked for.
func (t *transcript) begin(o opened) {
	t.take(o.pages)
	switch {
	case t.rows.n == 0:
	case o.at >= 0:
		t.arrive(o.at, t.where.edge)
	default:
		t.rows.ends(true)
		t.rows.sel = t.beside(t.rows.n, -1)
	}
}

// came takes messages that were read.
func (t *transcript) came(msg landed[excerpt, []model.Message]) tea.Cmd {
	ok, next := t.read.land(msg)
	if !ok || msg.query.pages != t.pages {
		return next
	}
	if msg.err != nil {
		t.failed, t.then = true, nil
		t.sh.Fail(msg.err)
		return next
	}
	t.hold(func() {
		t.pages.put(msg.query.stretch, msg.answer)
		t.weave()
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

// weave ties what has been read together. Runs that were unfolded stay so when
// they turn out to begin earlier.
func (t *transcript) weave() {
	t.turns = nil
	t.pages.weave = model.PairTools(t.pages.gists, t.pages.outline.SegmentStarts, t.reasoning)
	for item, open := range t.folds {
		if run := t.pages.weave.RunStart[item/2]; item%2 == 1 && run >= 0 && int(run) != item/2 {
			delete(t.folds, item)
			t.folds[int(2*run+1)] = open
		}
	}
}

// lines gives the finished screen. The mark of the current part is the only
// thing that is put together here.
func (t *transcript) Lines() []string {
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
	case t.pages == nil && t.glimpse != nil:
		out = append(out, t.glimpse.body()...)
	case t.pages == nil:
		if t.open.late {
			out = append(out, "", t.quiet("reading"+t.sh.Styles().Glyphs.Ellipsis))
		}
	case t.rows.n == 0:
		out = append(out, "", t.quiet("this conversation has no messages"))
	default:
		out = append(out, t.body()...)
	}
	if t.footing() > 0 {
		for len(out) < t.h-1 {
			out = append(out, "")
		}
		foot := t.search.line(t.w)
		if t.counter.typing {
			foot = t.counting(t.w)
		}
		out = append(out[:max(t.h-1, 0)], foot)
	}
	return out
}

// body gives the visible lines of the text with their margin.
func (t *transcript) body() []string {
	left, _ := t.margin()
	mark := t.sh.Styles().Accent.Render(t.sh.Styles().Glyphs.Bar)
	blank := strings.Repeat(" ", left)
	marked := ""
	if left > 0 {
		marked = strings.Repeat(" ", max(0, left-3)) + mark + strings.Repeat(" ", min(2, left-1))
	}
	lines := t.rows.view()
	from := t.heightAt(t.rows.sel)
	to := from + len(t.rows.lines(t.rows.sel))
	for from >= 0 && from < len(lines) && from < to && lines[from] == "" {
		from++ // the mark begins with the words
	}
	for y, l := range lines {
		switch {
		case y >= from && y < to && t.rows.sel >= t.rows.top:
			lines[y] = marked + l
		case l != "":
			lines[y] = blank + l
		}
	}
	if w := t.aside(); w > 0 {
		for len(lines) < t.rows.h {
			lines = append(lines, "")
		}
		for y, l := range t.promptLines(t.rows.h) {
			lines[y] = pad(lines[y], t.w-w, "") + l
		}
	}
	return lines
}

// header tells what is read and how far the reader is.
func (t *transcript) header() string {
	s := t.sh.Styles()
	var facts []string
	if t.pages != nil && t.rows.n > 0 {
		facts = append(facts, t.search.status(), count(t.rows.sel/2+1)+" / "+count(t.rows.n/2), t.following())
		if n := len(t.conv.Segments); n > 1 {
			facts = append(facts, some(n, "segment", "segments"))
		}
		if n := t.pages.outline.Rewound; n > 0 {
			facts = append(facts, count(n)+" rewound")
		}
		if t.read.late {
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
	title := pad(" "+t.title(), max(0, t.w-ansi.StringWidth(right)-3), s.Glyphs.Ellipsis)
	return ansi.Truncate(s.Strong.Render(title)+"  "+s.Faint.Render(right), t.w, "")
}

func (t *transcript) quiet(text string) string {
	left, _ := t.margin()
	return ansi.Truncate(strings.Repeat(" ", left)+t.sh.Styles().Faint.Render(text), t.w, "")
}

// notice says over the whole screen why nothing can be read.
func (t *transcript) notice() []string {
	left, width := t.margin()
	s := t.sh.Styles()
	out := []string{""}
	say := func(text string, lines func(...string) string) {
		for _, l := range wrap(text, width) {
			out = append(out, strings.Repeat(" ", left)+lines(l))
		}
	}
	say(s.Glyphs.Failed+" This conversation could not be read", s.Bad.Render)
	say(CleanLine(t.err.Error()), s.Text.Render)
	out = append(out, "")
	say(t.env.Keys.find(InTranscript, Refresh).label()+" reads it again, "+
		t.env.Keys.find(InTranscript, Back).label()+" goes back", s.Muted.Render)
	return out
}
