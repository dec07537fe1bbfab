package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

const (
	// firstFrame is how long it takes at most until what was first laid out is on
	// the screen: a frame, and to draw it.
	firstFrame = 16 * time.Millisecond
	// pollEvery is how often other processes' changes are looked for.
	pollEvery = time.Second
	// seenAfter is how long a row must have been under the cursor before it is
	// resumed, two frames: a key that comes sooner was pressed for the one
	// before.
	seenAfter = 35 * time.Millisecond
)

// list is the screen of conversations. Typing searches; every other key moves
// or acts.
type list struct {
	sh     Shell
	env    *Env
	prompt prompt
	offers *completion
	mode   mode
	rows   rows
	pane   *preview
	layout layout
	wish   wish
	marks  marks
	hidden map[string]int // roots of rows that are being deleted, see vanish.go
	coming []departed     // that are being brought back, see coming.go

	sought  string  // root of a row to go to when it appears, see reach.go
	seeking seeking // how far it has been looked for
	onward  Action  // a way that waits for rows, "" for none

	history []string // of queries, newest first
	sources []string // only these; nil for all
	folder  string   // only this; "" for all
	facets  facets   // as last counted
	scope   model.Scope
	sort    query.Order // without a query
	order   query.Order // with one

	counting *flight[query.ListOptions, facets]
	read     *flight[asked, found]
	asked    asked // the latest question
	shown    asked // the question that the rows answer
	found    found
	ready    bool  // some answer has come
	err      error // of the latest question
	aimed    bool  // the current row was chosen by hand since the query changed
	await    bool  // what is being looked for is to be opened as soon as it is found

	cache map[int][]string // finished lines of rows other than the current one
	lit   struct {         // finished lines of the current one
		item  int
		lines []string
	}
	now time.Time // the minute that ages are told at
	day int       // of the year, that headings were made on

	turns      int // how often another conversation came under the cursor by itself
	sight      int // of these turns, the latest that has been on the screen for a moment
	askedAt    time.Time
	took       time.Duration // by the latest answer
	version    int64         // of the database, when last looked
	versionErr error
	ahead      preparing

	clicked int // item of the last click
	at      time.Time
}

// poll asks whether another process has changed the database.
type poll struct{ list *list }

func newList(sh Shell, history []string) *list {
	env := sh.Env()
	l := &list{
		sh: sh, env: env, history: slices.Clone(history), prompt: newPrompt(env.Query), pane: newPreview(sh),
		scope: env.List.Scope, sort: env.List.Order, order: query.ByRelevance, clicked: -1,
	}
	if l.sort == query.ByRelevance {
		l.sort = query.ByActivity
	}
	l.mode.acting = env.Keys.typing == ActsAlways && env.Query == ""
	l.now = env.Clock()
	l.day = l.now.YearDay()
	l.cache = map[int][]string{}
	l.read = newFlight(env.Context, func(ctx context.Context, a asked) (found, error) { return readList(ctx, env.Library, env.Clock, a) })
	l.offers = newCompletion(l)
	l.sources, l.folder = env.List.Sources, env.List.CWD
	l.counting = newFlight(env.Context, func(ctx context.Context, q query.ListOptions) (facets, error) { return readFacets(ctx, env.Library, q) })
	l.rows.lines = l.itemLines
	return l
}

func (l *list) Context() Context { return InList }

func (l *list) Start() tea.Cmd {
	return tea.Batch(l.ask(firstGlance), l.readVersion())
}

func (l *list) Heading() string {
	if l.env.Where == "" {
		return "hermes sessions"
	}
	return "hermes sessions · " + l.env.Where
}

// question is what the screen would ask now.
func (l *list) question() asked {
	a := asked{list: l.env.List}
	a.query, _ = l.prompt.understood()
	a.list.Filters = a.query.Filters
	a.list.Scope, a.list.Order, a.list.PinnedFirst = l.scope, l.sort, true
	a.list.Sources, a.list.CWD = l.sources, l.folder
	if a.searching() {
		a.list.Order = l.order
	}
	return a
}

// refresh reads again what is on the screen.
func (l *list) Refresh() tea.Cmd { return tea.Batch(l.again(), l.pane.again()) }

// afterFirst waits until the first rows are on the screen before it asks for
// more: what is read beside makes drawing them slower.
func (l *list) afterFirst() tea.Cmd {
	return tea.Tick(firstFrame, func(time.Time) tea.Msg { return firstDrawn{l} })
}

// firstDrawn says that the first rows are on the screen.
type firstDrawn struct{ list *list }

// show puts an answer on the screen. The current row follows its conversation.
func (l *list) show(a asked, f found) {
	changed := !l.ready || !a.same(l.shown)
	id, y := "", 0
	var was model.Conversation
	if it := l.current(); it != nil {
		was, id, y = *it.Conversation, it.ID, l.rows.offset()
	}
	sel := l.rows.sel
	fresh := l.found.glance && !l.aimed && l.rows.top == 0 && l.rows.skip == 0
	f = l.withComing(a, without(f, l.hidden, new(int), func(int, *item) {}))
	if !changed {
		f.widest = f.widest.atLeast(l.found.widest) // columns stand still while rows come and go
	}
	l.shown, l.found, l.ready = a, f, true
	l.keepMarks(changed)
	if i := placeOf(f.items, was); id != "" && i >= 0 && (!changed || l.aimed) {
		sel = i
	} else if changed {
		sel = 0
	}
	if i := l.spot(changed); i >= 0 {
		sel, l.aimed = i, true
	}
	if id != "" && (sel >= len(f.items) || f.items[max(sel, 0)].ID != id) {
		l.turns++
	}
	l.redraw()
	l.rows.reset(0, 0) // the old rows are gone, and nothing may ask for them
	l.relayout()
	l.rows.reset(len(f.items), sel)
	if changed {
		l.rows.reveal()
	} else {
		l.rows.hold(y)
		if fresh { // what is pinned comes above the glance
			l.rows.top, l.rows.skip = 0, 0
			l.rows.reveal()
		}
	}
}

// current is the row that actions are about, nil when there is none.
func (l *list) current() *item {
	if l.rows.sel < 0 || l.rows.sel >= len(l.found.items) {
		return nil
	}
	return &l.found.items[l.rows.sel]
}

// Update takes answers, typing and the mouse.
func (l *list) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case landed[asked, found]:
		if msg.flight == l.read {
			return l.answered(msg)
		}
		return nil
	case overdue[asked, found]:
		if msg.flight == l.read {
			l.read.wait(msg)
		}
		return nil
	case tea.ResumeMsg:
		return l.Refresh()
	case tea.KeyPressMsg:
		return l.typed(msg)
	case tea.PasteMsg:
		return l.edit(msg)
	case tea.MouseClickMsg, tea.MouseWheelMsg:
		return l.mouse(msg)
	case polled:
		return l.watch(msg)
	}
	if cmd, ok := l.reminded(msg); ok {
		return cmd
	}
	if cmd, ok := l.looked(msg); ok {
		return cmd
	}
	return l.pane.update(msg)
}

// answered takes the answer to a question.
func (l *list) answered(msg landed[asked, found]) tea.Cmd {
	ok, next := l.read.land(msg)
	first := !l.ready
	if ok {
		next = l.take(msg, next)
	}
	if l.await && l.read.settled() && l.onTheWay() == "" {
		l.await = false
		if l.err == nil && l.current() != nil {
			return tea.Batch(next, l.open())
		}
	}
	if ok && l.err == nil {
		next = tea.Batch(next, l.prepare())
	}
	if first {
		return tea.Batch(next, l.afterFirst())
	}
	return tea.Batch(next, l.more(), l.follow())
}

// take puts an answer on the screen, or asks for more where it is too short to
// tell what has become of the current row.
func (l *list) take(msg landed[asked, found], next tea.Cmd) tea.Cmd {
	l.took = l.env.Clock().Sub(l.askedAt)
	l.err = msg.err
	switch {
	case msg.err != nil:
		l.onward = ""
		return next
	case next == nil && l.overtaken(msg.query, msg.answer):
		return l.fetch(msg.query.list.Limit*2, false)
	}
	l.forgetHidden(msg.gen)
	l.show(msg.query, msg.answer)
	l.arrive()
	return tea.Batch(next, l.settle())
}

// typed takes a key that no action took.
func (l *list) typed(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case l.mode.acting:
		return nil // nothing is typed
	case l.offers.takes(msg):
		return l.offers.press(msg)
	}
	return l.edit(msg)
}

// reminded takes what the list has told itself for later; ok is false for
// everything else.
func (l *list) reminded(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case firstDrawn:
		if msg.list == l {
			cmd = tea.Batch(l.more(), l.follow())
		}
	case readAhead:
		if msg.list == l {
			cmd = l.prepared()
		}
	case inSight:
		if msg.list == l {
			l.sight = max(l.sight, msg.turn)
		}
	case poll:
		if msg.list == l {
			cmd = l.readVersion()
		}
	default:
		return nil, false
	}
	return cmd, true
}

// looked takes what was looked up beside the rows: values of filters, and how
// much there is of each; ok is false for everything else.
func (l *list) looked(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case landed[query.Field, []query.FieldValue]:
		if msg.flight == l.offers.read {
			cmd = l.offers.landed(msg)
		}
	case overdue[query.Field, []query.FieldValue]:
		if msg.flight == l.offers.read {
			l.offers.read.wait(msg)
		}
	case landed[query.ListOptions, facets]:
		if msg.flight == l.counting {
			cmd = l.landFacets(msg)
		}
	case overdue[query.ListOptions, facets]:
	default:
		return nil, false
	}
	return cmd, true
}

// edit hands input to the prompt.
func (l *list) edit(msg tea.Msg) tea.Cmd { return l.edited(l.prompt.update(msg)) }

// edited follows the prompt. What has changed is looked for at once.
func (l *list) edited(changed bool) tea.Cmd {
	offers := l.offers.look()
	if l.remarks() != l.layout.chips {
		l.relayout()
	}
	if !changed {
		return offers
	}
	l.aimed, l.await = false, false
	if q := l.question(); q.same(l.asked) && l.err == nil {
		return offers
	}
	return tea.Batch(offers, l.ask(firstPage))
}

// watch looks at the database's version, and at the clock.
func (l *list) watch(msg polled) tea.Cmd {
	next := tea.Tick(pollEvery, func(time.Time) tea.Msg { return poll{l} })
	now, was := l.env.Clock(), l.now
	if now.Truncate(time.Minute) != was.Truncate(time.Minute) {
		l.now = now
		l.redraw()
	}
	if now.Sub(l.askedAt) < restAfter*l.took {
		return next // beside a busy writer, reading must not become all that we do
	}
	first := l.version == 0 && l.versionErr == nil
	changed := msg.err == nil && msg.version != l.version || (msg.err == nil) != (l.versionErr == nil)
	l.version, l.versionErr = msg.version, msg.err
	midnight := now.YearDay() != l.day // what was today is yesterday
	l.day = now.YearDay()
	if changed && !first || midnight {
		return tea.Batch(next, l.again())
	}
	if l.ahead.begun { // it may have rested
		next = tea.Batch(next, l.prepare())
	}
	return tea.Batch(next, l.more())
}

func (l *list) readVersion() tea.Cmd {
	ctx, lib := l.env.Context, l.env.Library
	return func() tea.Msg {
		v, err := lib.DataVersion(ctx)
		return polled{version: v, err: err}
	}
}

// follow keeps the preview on the current row.
func (l *list) follow() tea.Cmd {
	it := l.current()
	if it == nil || l.layout.pane.w == 0 || l.err != nil {
		return nil
	}
	return l.pane.aim(it, l.shown.query)
}

// claims: what can be typed is typed, and moving in the text comes before
// moving in the list.
func (l *list) Claims(msg tea.KeyPressMsg) bool {
	if l.offers.takes(msg) {
		return true
	}
	if len(msg.Text) > 0 {
		return !l.acts(msg)
	}
	switch msg.Code {
	case tea.KeyRight:
		return !l.prompt.atEnd()
	case tea.KeyDelete:
		return !l.prompt.atEnd()
	case tea.KeyHome, tea.KeyEnd:
		return !l.prompt.empty() && !msg.Mod.Contains(tea.ModCtrl)
	}
	return false
}

// open reads the current conversation, at the hit when searching.
func (l *list) open() tea.Cmd {
	it := l.current()
	l.remember(l.prompt.text())
	return l.sh.Do(OpenTranscript{Conversation: *it.Conversation, Query: l.shown.query, Hit: it.hit(), FromList: true})
}

// actions says what can be done to the current row and to the list.
func (l *list) Handlers() []Handler {
	it := l.current()
	none := ""
	switch {
	case l.err != nil:
		none = "the conversations could not be read: F5 tries again"
	case !l.ready, it == nil && !l.whole():
		none = "still reading"
	case it == nil:
		none = "there is no conversation here"
	}
	unseen, here := none, none
	if none == "" && !l.aimed && l.shown.query.Text != l.asked.query.Text {
		unseen = "still searching: these are not the rows for what you typed"
	}
	if why := l.onTheWay(); why != "" && none == "" {
		unseen, here = why, why
	}
	chosen := unseen // what is marked needs no row
	if len(l.marks.roots) > 0 && !l.marks.all {
		chosen = ""
	}
	noHistory := ""
	if len(l.history) == 0 {
		noHistory = "no query has led anywhere yet"
	}
	noPane := ""
	if l.layout.pane.w == 0 {
		noPane = "there is no preview on the screen"
	}
	then := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return tea.Batch(l.follow(), l.more())
		}
	}
	move := func(a Action) Handler { return Handler{Action: a, Why: "", Do: then(func() { l.travel(a) })} }
	var bound model.Conversation // whatever the rows do behind a menu
	if it != nil {
		bound = *it.Conversation
	}
	resume := resumeHandlers(l.sh, unseen, func() string { return bound.ID })
	for i := range resume {
		resume[i].Do = l.seen(resume[i].Do)
	}
	routes := slices.Concat(l.markActions(here, unseen), resume,
		outHandlers(l.sh, unseen, chosen, func() model.Conversation { return bound }, func() Subjects { return l.subjects(bound) }),
		changeHandlers(l.sh, unseen, chosen, bound, func() Subjects { return l.subjects(bound) }))
	return append(routes, []Handler{
		newHandler(Open, none, func() tea.Cmd {
			if unseen != "" { // to read is harmless, so it may wait for its row
				l.await = true
				return nil
			}
			return l.open()
		}),
		newHandler(Lineage, unseen, func() tea.Cmd { return l.sh.Do(OpenLineage{ID: it.ID}) }),
		newHandler(CycleScope, "", func() tea.Cmd {
			l.scope = l.nextScope()
			return l.ask(firstPage)
		}),
		newHandler(CycleSort, "", func() tea.Cmd {
			switch {
			case !l.question().searching():
				l.sort = (l.sort + 1) % query.ByRelevance
			case l.order == query.ByRelevance:
				l.order = query.ByActivity
			default:
				l.order = query.ByRelevance
			}
			return l.ask(firstPage)
		}),
		newHandler(History, noHistory, func() tea.Cmd { return l.sh.Do(l.historyMenu()) }),
		newHandler(Preview, "", l.togglePreview),
		newHandler(PreviewUp, noPane, then(func() { l.pane.scroll(-1) })),
		newHandler(PreviewDown, noPane, then(func() { l.pane.scroll(1) })),
		newHandler(Copy, here, func() tea.Cmd { return l.sh.Do(OpenCopyMenu{Toggle: Copy, Conversation: *it.Conversation}) }),
		l.cleanUp(),
		newHandler(Refresh, "", l.Refresh),
		newHandler(Type, "", l.beginTyping),
		newHandler(Filter, "", func() tea.Cmd {
			return tea.Batch(l.sh.Do(OpenPalette{Title: "Show only", Commands: l.filterCommands}), l.Learn())
		}),
		move(Up), move(Down), move(PageUp), move(PageDown), move(First), move(Last),
		newHandler(Back, "", l.back),
	}...)
}

// inSight says that the row under the cursor has been there for a moment.
type inSight struct {
	list *list
	turn int
}

// settle waits until what has come under the cursor can have been seen.
func (l *list) settle() tea.Cmd {
	if l.sight == l.turns {
		return nil
	}
	turn := l.turns
	return tea.Tick(seenAfter, func(time.Time) tea.Msg { return inSight{l, turn} })
}

// seen does something to the current row, unless that has only just come under
// the cursor by itself.
func (l *list) seen(do func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		if l.sight != l.turns {
			return l.sh.Say("another conversation has just come here: press again")
		}
		return do()
	}
}

// back takes one step out: the offers, the marks, the query, then the program.
func (l *list) back() tea.Cmd {
	if l.offers.showing() {
		l.offers.close()
		return nil
	}
	if l.endTyping() {
		return nil
	}
	if len(l.marks.roots) > 0 {
		l.unmark()
		return nil
	}
	if l.prompt.empty() {
		return l.sh.Do(EndProgram{})
	}
	if l.shown.query.Text == l.asked.query.Text && len(l.found.items) > 0 {
		l.remember(l.prompt.text())
	}
	l.prompt.clear()
	return l.edited(true)
}

// nextScope is the next one round, or where the hits are when the scope hides
// them all.
func (l *list) nextScope() model.Scope {
	if l.shown.searching() && len(l.found.items) == 0 && l.found.hidden > 0 && l.shown.list.Scope == l.scope && l.found.hiddenIn != l.scope {
		return l.found.hiddenIn
	}
	return (l.scope + 1) % (model.ScopeAll + 1)
}

// step moves by one row and goes round the ends, though not while the key is
// held down.
func (l *list) step(by int) {
	to := l.rows.sel + by
	switch {
	case to >= 0 && to < l.rows.n:
		l.rows.move(to)
	case !l.sh.Held():
		l.rows.ends(to < 0)
	}
}

func (l *list) togglePreview() tea.Cmd {
	was := l.wish
	if l.layout.pane.w > 0 {
		l.wish = gone
	} else {
		l.wish = shown
	}
	l.relayout()
	if l.wish == shown && l.layout.pane.w == 0 {
		l.wish = was
		l.relayout()
		return l.sh.Say("there is no room for a preview here")
	}
	return l.follow()
}

func (l *list) mouse(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := 3
		switch msg.Button {
		case tea.MouseWheelUp:
			by = -3
		case tea.MouseWheelDown:
		default:
			return nil
		}
		if l.layout.pane.has(msg.X, msg.Y) {
			l.pane.scroll(by)
			return nil
		}
		if l.rows.n > 0 && l.err == nil {
			l.halt()
			l.rows.scroll(by)
			l.aimed = true
		}
	case tea.MouseClickMsg:
		if i := l.offers.at(msg.X, msg.Y); i >= 0 && msg.Button == tea.MouseLeft {
			return l.offers.accept(i)
		}
		if msg.Button != tea.MouseLeft || !l.layout.rows.has(msg.X, msg.Y) || l.err != nil {
			return nil
		}
		i, _ := l.rows.at(msg.Y - l.layout.rows.y)
		if i < 0 {
			return nil
		}
		now := l.env.Clock()
		again := i == l.clicked && now.Sub(l.at) < doubleClick
		l.clicked, l.at, l.aimed = i, now, true
		l.halt()
		l.rows.move(i)
		if again {
			l.clicked = -1
			return l.sh.Do(Perform{Screen: l, Action: Open})
		}
	}
	return tea.Batch(l.follow(), l.more())
}

func (l *list) Resize(w, h int) {
	l.layout.w, l.layout.h = w, h
	l.relayout()
}

func (l *list) Restyle() {
	l.redraw()
	l.pane.layout()
}

// relayout places the parts; the current row stays in sight.
func (l *list) relayout() {
	old := l.layout
	l.layout = newLayout(old.w, old.h, l.wish, l.remarks(), len(l.banner(old.w)), l.found.widest)
	if l.layout.row != old.row {
		l.redraw()
	}
	l.rows.resize(l.layout.rows.w, l.layout.rows.h)
	l.rows.reveal()
	l.pane.resize(max(0, l.layout.pane.w-3), l.layout.pane.h)
}

// redraw forgets finished lines: what they were made of has changed.
func (l *list) redraw() {
	clear(l.cache)
	l.lit.lines = nil
}

// itemLines gives the finished lines of an item.
func (l *list) itemLines(i int) []string {
	selected := i == l.rows.sel
	if selected && l.lit.item == i && l.lit.lines != nil {
		return l.lit.lines
	}
	if lines, ok := l.cache[i]; ok && !selected {
		return lines
	}
	it := &l.found.items[i]
	lines := rowLines(l.sh.Styles(), l.layout.row, it, l.shown.searching(), selected, model.Age(l.now, it.LastActive))
	if selected {
		l.lit.item, l.lit.lines = i, lines
		return lines
	}
	if len(l.cache) > 4096 {
		clear(l.cache)
	}
	l.cache[i] = lines
	return lines
}

func (l *list) Lines() []string { return l.offers.over(l.page()) }

func (l *list) page() []string {
	if l.layout.tiny {
		return l.tinyLines()
	}
	out := make([]string, 0, l.layout.h)
	head, _ := l.headLine()
	out = append(out, head)
	if l.layout.chipLine {
		out = append(out, l.chipLine())
	}
	out = append(out, l.bannerLines()...)
	if text := l.instead(); text != nil {
		return append(out, text...)
	}
	left := l.rows.view()
	pane := l.pane.lines(l.current(), l.layout.pane.w-1, l.layout.pane.h, !l.layout.below)
	if l.layout.pane.w == 0 {
		return append(out, left...)
	}
	if l.layout.below {
		out = append(out, left...)
		for len(out) < l.layout.pane.y {
			out = append(out, "")
		}
		return append(out, pane...)
	}
	blank := strings.Repeat(" ", l.layout.rows.w)
	edges := l.edges()
	for y := range l.layout.rows.h {
		row, side := blank, ""
		if y < len(left) {
			row = left[y]
		}
		if y < len(pane) {
			side = pane[y]
		}
		out = append(out, row+edges[y]+side)
	}
	return out
}

// edges are the pieces of the line between rows and pane: it joins the
// headings on its left and the title on its right.
func (l *list) edges() []string {
	s := l.sh.Styles()
	bar, left := s.Border.Render(s.Glyphs.Divider), s.Border.Render(s.Glyphs.JointLeft)
	out := make([]string, l.layout.rows.h)
	for y := range out {
		out[y] = bar
	}
	y := -l.rows.skip
	for i := l.rows.top; i < l.rows.n && y < len(out); i++ {
		if y >= 0 && l.found.items[i].heading != "" {
			out[y] = left
		}
		y += len(l.rows.lines(i))
	}
	if out[0] == left {
		out[0] = s.Border.Render(s.Glyphs.JointDown)
	} else {
		out[0] = s.Border.Render(s.Glyphs.JointRight)
	}
	return out
}

// tinyLines is what is left of the list where nothing else fits: the title of
// the current row.
func (l *list) tinyLines() []string {
	s, w := l.sh.Styles(), l.layout.w
	text := "reading" + s.Glyphs.Ellipsis
	switch it := l.current(); {
	case l.err != nil:
		text = CleanLine(l.err.Error())
	case it != nil:
		text = spanText(it.title)
	case l.ready && l.whole():
		text = "nothing here"
	}
	lines := wrap(text, w)
	return lines[:min(len(lines), l.layout.h)]
}

func (l *list) Cursor() *tea.Cursor {
	if !l.layout.header || l.mode.acting {
		return nil
	}
	_, col := l.headLine()
	return tea.NewCursor(col, 0)
}

// headLine is the first line: the name, the query, and what was found. It also
// says where the cursor stands.
func (l *list) headLine() (string, int) {
	s, w := l.sh.Styles(), l.layout.w
	lead := " " + s.Accent.Render(s.Glyphs.Cursor) + " "
	if l.layout.brand {
		lead = " " + s.Strong.Render("hermes sessions") + "  " + s.Accent.Render(s.Glyphs.Cursor) + " "
	}
	if l.mode.acting {
		lead += s.Warn.Render("normal ") // as vi calls it
	}
	leadW := ansi.StringWidth(lead)
	need := min(max(16, ansi.StringWidth(l.prompt.text())+2), 48)
	right := ""
	for _, c := range l.counts() {
		if leadW+need+ansi.StringWidth(c)+3 <= w {
			right = s.Muted.Render(c) + " "
			break
		}
	}
	room := max(1, w-leadW-ansi.StringWidth(right)-1)
	shown, wide, col := l.drawQuery(room)
	if l.prompt.empty() {
		hint := "type to search"
		if l.mode.acting {
			hint = l.env.Keys.find(InList, Type).label() + " to search"
		}
		if w < 40 {
			hint = ""
		}
		hint = ansi.Truncate(hint, max(room-1, 0), "")
		shown, wide = s.Faint.Render(hint), ansi.StringWidth(hint)
	}
	gap := strings.Repeat(" ", max(0, w-leadW-wide-ansi.StringWidth(right)))
	return ansi.Truncate(lead+shown+gap+right, w, ""), min(leadW+col, w-1)
}

// counts says what was found, in ever fewer words.
func (l *list) counts() []string {
	if l.read.late {
		doing := "reading"
		if l.asked.searching() {
			doing = "searching"
		}
		return []string{doing + l.sh.Styles().Glyphs.Ellipsis}
	}
	if !l.ready || l.err != nil || l.found.glance {
		return nil // what a glance has counted is not all
	}
	f := l.found
	n := count(f.total) + " " + scopeName(l.shown.list.Scope, f.total)
	hits, hidden := "", ""
	if l.shown.searching() && f.hits > 0 {
		hits = " · " + some(f.hits, "hit", "hits")
	}
	if f.hidden > 0 {
		hidden = " · " + count(f.hidden) + " hidden"
	}
	all := []string{n + hits + hidden, n + hits, n, count(f.total)}
	if l.shown.searching() && l.shown.list.Order == query.ByActivity {
		all = slices.Insert(all, 0, all[0]+" · newest first")
	}
	if m := l.markCount(); m != "" {
		for i := range all {
			all[i] = m + " · " + all[i]
		}
		all = append(all, m, count(len(l.marks.roots)))
	}
	return all
}

// banner says what is wrong with the database, and what helps, in lines of at
// most w columns.
func (l *list) banner(w int) []string {
	if len(l.found.notes) == 0 {
		return nil
	}
	n := l.found.notes[0]
	text := n.Message
	if n.Remedy != "" {
		text += " — " + n.Remedy
	}
	if k := len(l.found.notes) - 1; k > 0 {
		text += " (+" + count(k) + ")"
	}
	return wrap(text, w-4)
}

// bannerLines draws as much of the banner as there is room for.
func (l *list) bannerLines() []string {
	if l.layout.banner == 0 {
		return nil
	}
	s := l.sh.Styles()
	text := l.banner(l.layout.w)
	lines := text[:l.layout.banner]
	last := len(lines) - 1
	lines[last] = ansi.Truncate(strings.Join(text[last:], " "), l.layout.w-4, s.Glyphs.Ellipsis)
	for i := range lines {
		mark := " "
		if i == 0 {
			mark = s.Glyphs.Failed
		}
		lines[i] = s.Warn.Render(" " + mark + " " + lines[i])
	}
	return lines
}

// instead is a text in the place of rows, nil when there are rows to show.
func (l *list) instead() []string {
	s, w := l.sh.Styles(), l.layout.w
	var out []string
	para := func(render func(...string) string, text string) {
		for _, line := range wrap(text, max(w-4, 1)) {
			out = append(out, "  "+render(line))
		}
	}
	switch {
	case l.err != nil:
		out = append(out, "")
		para(s.Bad.Render, s.Glyphs.Failed+" The conversations could not be read")
		out = append(out, "")
		para(s.Text.Render, CleanLine(l.err.Error()))
		if l.env.Where != "" {
			para(s.Muted.Render, CleanLine(l.env.Where))
		}
		out = append(out, "")
		key := l.env.Keys.find(InList, Refresh).label()
		para(s.Muted.Render, key+" tries again")
	case !l.ready:
		out = append(out, "")
		if l.read.late {
			para(s.Faint.Render, "reading the conversations"+s.Glyphs.Ellipsis)
		}
	case len(l.found.items) > 0:
		return nil
	case !l.whole(): // all that was read has left
		out = append(out, "")
		if l.read.late {
			para(s.Faint.Render, "reading on"+s.Glyphs.Ellipsis)
		}
	case l.found.hidden > 0:
		out = append(out, "")
		where := "outside this scope"
		if l.shown.narrowed() {
			para(s.Text.Render, "Nothing here matches “"+strings.TrimSpace(l.shown.query.Text)+"”.")
			if l.found.hiddenIn != l.shown.list.Scope {
				where = "in " + scopeWhere(l.found.hiddenIn)
			}
		} else {
			para(s.Text.Render, "There is nothing in "+scopeWhere(l.shown.list.Scope)+".")
		}
		key := l.env.Keys.find(InList, CycleScope).label()
		para(s.Muted.Render, count(l.found.hidden)+" more "+where+", "+key)
	case l.shown.narrowed():
		out = append(out, "")
		para(s.Text.Render, "Nothing matches “"+strings.TrimSpace(l.shown.query.Text)+"”.")
		fewer := "Fewer or shorter words find more; "
		if len(l.shown.query.Filters) > 0 {
			fewer = "Fewer filters or words find more; "
		}
		para(s.Muted.Render, fewer+l.env.Keys.find(InList, Back).label()+" shows all.")
	default:
		out = append(out, "")
		para(s.Text.Render, "No conversations yet.")
		para(s.Muted.Render, "Talk to Hermes (run: hermes) and what was said appears here by itself. To look around first: hermes-sessions --demo")
		if l.env.Where != "" {
			out = append(out, "")
			para(s.Faint.Render, CleanLine(l.env.Where))
		}
	}
	return out
}
