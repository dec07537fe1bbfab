package list

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
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

// Screen is the screen of conversations. Typing searches; every other key moves
// or acts.
type Screen struct {
	Sh        shell.Shell
	Env       *shell.Env
	Prompt    kit.Prompt
	Offers    *completion
	mode      typingMode
	Rows      kit.Rows
	pane      *preview
	Layout    layout
	wish      previewWish
	Marks     marks
	Hidden    map[string]int // roots of rows that are being deleted, see vanish.go
	restoring []RemovedRow   // that are being brought back, see coming.go

	pendingRoot   string       // root of a row to go to when it appears, see reach.go
	pendingSearch pendingState // how far it has been looked for
	pendingMove   shell.Action // a way that waits for rows, "" for none

	History []string // of queries, newest first
	sources []string // only these; nil for all
	folder  string   // only this; "" for all
	facets  facets   // as last counted
	Scope   model.Scope
	Sort    query.Order // without a query
	Order   query.Order // with one

	counting     *kit.Latest[query.ListOptions, facets]
	read         *kit.Latest[ListQuery, ListAnswer]
	asked        ListQuery // the latest question
	Shown        ListQuery // the question that the rows answer
	Found        ListAnswer
	Ready        bool  // some answer has come
	err          error // of the latest question
	chosenByHand bool  // the current row was chosen by hand since the query changed
	openPending  bool  // what is being looked for is to be opened as soon as it is found

	cache         map[int][]string // finished lines of rows other than the current one
	selectedLines struct {         // finished lines of the current one
		item  int
		lines []string
	}
	Now time.Time // the minute that ages are told at
	day int       // of the year, that headings were made on

	guardChanges int // how often another conversation came under the cursor by itself
	guardSeen    int // of these turns, the latest that has been on the screen for a moment
	askedAt      time.Time
	took         time.Duration // by the latest answer
	Version      int64         // of the database, when last looked
	versionErr   error
	Preparation  Preparing

	clicked int // item of the last click
	at      time.Time
}

// poll asks whether another process has changed the database.
type poll struct{ list *Screen }

func New(sh shell.Shell, history []string) *Screen {
	env := sh.Env()
	l := &Screen{
		Sh: sh, Env: env, History: slices.Clone(history), Prompt: kit.NewPrompt(env.Query), pane: newPreview(sh),
		Scope: env.List.Scope, Sort: env.List.Order, Order: query.ByRelevance, clicked: -1,
	}
	if l.Sort == query.ByRelevance {
		l.Sort = query.ByActivity
	}
	l.mode.acting = env.Keys.Typing == shell.ActsAlways && env.Query == ""
	l.Now = env.Clock()
	l.day = l.Now.YearDay()
	l.cache = map[int][]string{}
	l.read = kit.NewLatest(env.Context, func(ctx context.Context, a ListQuery) (ListAnswer, error) {
		return ReadList(ctx, env.Library, env.Clock, a)
	})
	l.Offers = newCompletion(l)
	l.sources, l.folder = env.List.Sources, env.List.CWD
	l.counting = kit.NewLatest(env.Context, func(ctx context.Context, q query.ListOptions) (facets, error) { return readFacets(ctx, env.Library, q) })
	l.Rows.Lines = l.itemLines
	return l
}

func (l *Screen) Context() shell.Context { return shell.InList }

func (l *Screen) Start() tea.Cmd {
	return tea.Batch(l.ask(FirstRows), l.readVersion())
}

func (l *Screen) Heading() string {
	if l.Env.Where == "" {
		return "hermes sessions"
	}
	return "hermes sessions · " + l.Env.Where
}

// Question is what the screen would ask now.
func (l *Screen) Question() ListQuery {
	a := ListQuery{List: l.Env.List}
	a.Query, _ = l.Prompt.Query()
	a.List.Filters = a.Query.Filters
	a.List.Scope, a.List.Order, a.List.PinnedFirst = l.Scope, l.Sort, true
	a.List.Sources, a.List.CWD = l.sources, l.folder
	if a.Searching() {
		a.List.Order = l.Order
	}
	return a
}

// refresh reads again what is on the screen.
func (l *Screen) Refresh() tea.Cmd { return tea.Batch(l.reask(), l.pane.again()) }

// afterFirst waits until the first rows are on the screen before it asks for
// more: what is read beside makes drawing them slower.
func (l *Screen) afterFirst() tea.Cmd {
	return tea.Tick(firstFrame, func(time.Time) tea.Msg { return firstDrawn{l} })
}

// firstDrawn says that the first rows are on the screen.
type firstDrawn struct{ list *Screen }

// Show puts an answer on the screen. The current row follows its conversation.
func (l *Screen) Show(a ListQuery, f ListAnswer) {
	changed := !l.Ready || !a.same(l.Shown)
	id, y := "", 0
	var was model.Conversation
	if it := l.Current(); it != nil {
		was, id, y = *it.Conversation, it.ID, l.Rows.Offset()
	}
	sel := l.Rows.Selected
	fresh := l.Found.uncounted && !l.chosenByHand && l.Rows.Top == 0 && l.Rows.Skip == 0
	f = l.withRestoring(a, without(f, l.Hidden, new(int), func(int, *Item) {}))
	if !changed {
		f.widest = f.widest.atLeast(l.Found.widest) // columns stand still while rows come and go
	}
	l.Shown, l.Found, l.Ready = a, f, true
	l.keepMarks(changed)
	if i := PlaceOf(f.Items, was); id != "" && i >= 0 && (!changed || l.chosenByHand) {
		sel = i
	} else if changed {
		sel = 0
	}
	if i := l.pendingPlace(changed); i >= 0 {
		sel, l.chosenByHand = i, true
	}
	if id != "" && (sel >= len(f.Items) || f.Items[max(sel, 0)].ID != id) {
		l.guardChanges++
	}
	l.redraw()
	l.Rows.Reset(0, 0) // the old rows are gone, and nothing may ask for them
	l.relayout()
	l.Rows.Reset(len(f.Items), sel)
	if changed {
		l.Rows.Reveal()
	} else {
		l.Rows.KeepAt(y)
		if fresh { // what is pinned comes above the glance
			l.Rows.Top, l.Rows.Skip = 0, 0
			l.Rows.Reveal()
		}
	}
}

// Current is the row that actions are about, nil when there is none.
func (l *Screen) Current() *Item {
	if l.Rows.Selected < 0 || l.Rows.Selected >= len(l.Found.Items) {
		return nil
	}
	return &l.Found.Items[l.Rows.Selected]
}

// Update takes answers, typing and the mouse.
func (l *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[ListQuery, ListAnswer]:
		if msg.From == l.read {
			return l.answered(msg)
		}
		return nil
	case kit.Overdue[ListQuery, ListAnswer]:
		if msg.From == l.read {
			l.read.MarkLate(msg)
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
	case shell.Polled:
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
func (l *Screen) answered(msg kit.Answer[ListQuery, ListAnswer]) tea.Cmd {
	ok, next := l.read.Take(msg)
	first := !l.Ready
	if ok {
		next = l.take(msg, next)
	}
	if l.openPending && l.read.Settled() && l.pendingReason() == "" {
		l.openPending = false
		if l.err == nil && l.Current() != nil {
			return tea.Batch(next, l.open())
		}
	}
	if ok && l.err == nil {
		next = tea.Batch(next, l.Prepare())
	}
	if first {
		return tea.Batch(next, l.afterFirst())
	}
	return tea.Batch(next, l.More(), l.follow())
}

// take puts an answer on the screen, or asks for more where it is too short to
// tell what has become of the current row.
func (l *Screen) take(msg kit.Answer[ListQuery, ListAnswer], next tea.Cmd) tea.Cmd {
	l.took = l.Env.Clock().Sub(l.askedAt)
	l.err = msg.Err
	switch {
	case msg.Err != nil:
		l.pendingMove = ""
		return next
	case next == nil && l.overtaken(msg.Query, msg.Value):
		return l.fetch(msg.Query.List.Limit*2, false)
	}
	l.forgetHidden(msg.Generation)
	l.Show(msg.Query, msg.Value)
	l.finishMove()
	return tea.Batch(next, l.startGuard())
}

// typed takes a key that no action took.
func (l *Screen) typed(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case l.mode.acting:
		return nil // nothing is typed
	case l.Offers.takes(msg):
		return l.Offers.press(msg)
	}
	return l.edit(msg)
}

// reminded takes what the list has told itself for later; ok is false for
// everything else.
func (l *Screen) reminded(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case firstDrawn:
		if msg.list == l {
			cmd = tea.Batch(l.More(), l.follow())
		}
	case readAhead:
		if msg.list == l {
			cmd = l.prepared()
		}
	case guardTick:
		if msg.list == l {
			l.guardSeen = max(l.guardSeen, msg.change)
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
func (l *Screen) looked(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case kit.Answer[query.Field, []query.FieldValue]:
		if msg.From == l.Offers.read {
			cmd = l.Offers.landed(msg)
		}
	case kit.Overdue[query.Field, []query.FieldValue]:
		if msg.From == l.Offers.read {
			l.Offers.read.MarkLate(msg)
		}
	case kit.Answer[query.ListOptions, facets]:
		if msg.From == l.counting {
			cmd = l.landFacets(msg)
		}
	case kit.Overdue[query.ListOptions, facets]:
	default:
		return nil, false
	}
	return cmd, true
}

// edit hands input to the prompt.
func (l *Screen) edit(msg tea.Msg) tea.Cmd { return l.edited(l.Prompt.Update(msg)) }

// edited follows the prompt. What has changed is looked for at once.
func (l *Screen) edited(changed bool) tea.Cmd {
	offers := l.Offers.suggest()
	if l.remarks() != l.Layout.chips {
		l.relayout()
	}
	if !changed {
		return offers
	}
	l.chosenByHand, l.openPending = false, false
	if q := l.Question(); q.same(l.asked) && l.err == nil {
		return offers
	}
	return tea.Batch(offers, l.ask(FirstPage))
}

// watch looks at the database's version, and at the clock.
func (l *Screen) watch(msg shell.Polled) tea.Cmd {
	next := tea.Tick(pollEvery, func(time.Time) tea.Msg { return poll{l} })
	now, was := l.Env.Clock(), l.Now
	if now.Truncate(time.Minute) != was.Truncate(time.Minute) {
		l.Now = now
		l.redraw()
	}
	if now.Sub(l.askedAt) < shell.RefreshPause*l.took {
		return next // beside a busy writer, reading must not become all that we do
	}
	first := l.Version == 0 && l.versionErr == nil
	changed := msg.Err == nil && msg.Version != l.Version || (msg.Err == nil) != (l.versionErr == nil)
	l.Version, l.versionErr = msg.Version, msg.Err
	midnight := now.YearDay() != l.day // what was today is yesterday
	l.day = now.YearDay()
	if changed && !first || midnight {
		return tea.Batch(next, l.reask())
	}
	if l.Preparation.Begun { // it may have rested
		next = tea.Batch(next, l.Prepare())
	}
	return tea.Batch(next, l.More())
}

func (l *Screen) readVersion() tea.Cmd {
	ctx, lib := l.Env.Context, l.Env.Library
	return func() tea.Msg {
		v, err := lib.DataVersion(ctx)
		return shell.Polled{Version: v, Err: err}
	}
}

// follow keeps the preview on the current row.
func (l *Screen) follow() tea.Cmd {
	it := l.Current()
	if it == nil || l.Layout.Pane.W == 0 || l.err != nil {
		return nil
	}
	return l.pane.aim(it, l.Shown.Query)
}

// claims: what can be typed is typed, and moving in the text comes before
// moving in the list.
func (l *Screen) Claims(msg tea.KeyPressMsg) bool {
	if l.Offers.takes(msg) {
		return true
	}
	if len(msg.Text) > 0 {
		return !l.acts(msg)
	}
	switch msg.Code {
	case tea.KeyRight:
		return !l.Prompt.AtEnd()
	case tea.KeyDelete:
		return !l.Prompt.AtEnd()
	case tea.KeyHome, tea.KeyEnd:
		return !l.Prompt.Empty() && !msg.Mod.Contains(tea.ModCtrl)
	}
	return false
}

// open reads the current conversation, at the hit when searching.
func (l *Screen) open() tea.Cmd {
	it := l.Current()
	l.remember(l.Prompt.Text())
	return l.Sh.Do(shell.OpenTranscript{Conversation: *it.Conversation, Query: l.Shown.Query, Hit: it.hit(), FromList: true})
}

// actions says what can be done to the current row and to the list.
func (l *Screen) Handlers() []shell.Handler {
	it := l.Current()
	none := ""
	switch {
	case l.err != nil:
		none = "the conversations could not be read: F5 tries again"
	case !l.Ready, it == nil && !l.whole():
		none = "still reading"
	case it == nil:
		none = "there is no conversation here"
	}
	unseen, here := none, none
	if none == "" && !l.chosenByHand && l.Shown.Query.Text != l.asked.Query.Text {
		unseen = "still searching: these are not the rows for what you typed"
	}
	if why := l.pendingReason(); why != "" && none == "" {
		unseen, here = why, why
	}
	chosen := unseen // what is marked needs no row
	if len(l.Marks.Roots) > 0 && !l.Marks.all {
		chosen = ""
	}
	noHistory := ""
	if len(l.History) == 0 {
		noHistory = "no query has led anywhere yet"
	}
	noPane := ""
	if l.Layout.Pane.W == 0 {
		noPane = "there is no preview on the screen"
	}
	then := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return tea.Batch(l.follow(), l.More())
		}
	}
	move := func(a shell.Action) shell.Handler {
		return shell.Handler{Action: a, Why: "", Do: then(func() { l.travel(a) })}
	}
	var bound model.Conversation // whatever the rows do behind a menu
	if it != nil {
		bound = *it.Conversation
	}
	resume := shell.ResumeHandlers(l.Sh, unseen, func() string { return bound.ID })
	for i := range resume {
		resume[i].Do = l.guarded(resume[i].Do)
	}
	routes := slices.Concat(l.markActions(here, unseen), resume,
		shell.OutHandlers(l.Sh, unseen, chosen, func() model.Conversation { return bound }, func() shell.Subjects { return l.subjects(bound) }),
		shell.ChangeHandlers(l.Sh, unseen, chosen, bound, func() shell.Subjects { return l.subjects(bound) }))
	return append(routes, []shell.Handler{
		shell.NewHandler(shell.Open, none, func() tea.Cmd {
			if unseen != "" { // to read is harmless, so it may wait for its row
				l.openPending = true
				return nil
			}
			return l.open()
		}),
		shell.NewHandler(shell.Lineage, unseen, func() tea.Cmd { return l.Sh.Do(shell.OpenLineage{ID: it.ID}) }),
		shell.NewHandler(shell.CycleScope, "", func() tea.Cmd {
			l.Scope = l.nextScope()
			return l.ask(FirstPage)
		}),
		shell.NewHandler(shell.CycleSort, "", func() tea.Cmd {
			switch {
			case !l.Question().Searching():
				l.Sort = (l.Sort + 1) % query.ByRelevance
			case l.Order == query.ByRelevance:
				l.Order = query.ByActivity
			default:
				l.Order = query.ByRelevance
			}
			return l.ask(FirstPage)
		}),
		shell.NewHandler(shell.History, noHistory, func() tea.Cmd { return l.Sh.Do(l.historyMenu()) }),
		shell.NewHandler(shell.Preview, "", l.togglePreview),
		shell.NewHandler(shell.PreviewUp, noPane, then(func() { l.pane.scroll(-1) })),
		shell.NewHandler(shell.PreviewDown, noPane, then(func() { l.pane.scroll(1) })),
		shell.NewHandler(shell.Copy, here, func() tea.Cmd { return l.Sh.Do(shell.OpenCopyMenu{Toggle: shell.Copy, Conversation: *it.Conversation}) }),
		l.cleanUp(),
		shell.NewHandler(shell.Refresh, "", l.Refresh),
		shell.NewHandler(shell.Type, "", l.beginTyping),
		shell.NewHandler(shell.Filter, "", func() tea.Cmd {
			return tea.Batch(l.Sh.Do(shell.OpenPalette{Title: "Show only", Commands: l.filterCommands}), l.Learn())
		}),
		move(shell.Up), move(shell.Down), move(shell.PageUp), move(shell.PageDown), move(shell.First), move(shell.Last),
		shell.NewHandler(shell.Back, "", l.back),
	}...)
}

// guardTick says that the row under the cursor has been there for a moment.
type guardTick struct {
	list   *Screen
	change int
}

// startGuard waits until what has come under the cursor can have been seen.
func (l *Screen) startGuard() tea.Cmd {
	if l.guardSeen == l.guardChanges {
		return nil
	}
	turn := l.guardChanges
	return tea.Tick(seenAfter, func(time.Time) tea.Msg { return guardTick{l, turn} })
}

// guarded does something to the current row, unless that has only just come under
// the cursor by itself.
func (l *Screen) guarded(do func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		if l.guardSeen != l.guardChanges {
			return l.Sh.Say("another conversation has just come here: press again")
		}
		return do()
	}
}

// back takes one step out: the offers, the marks, the query, then the program.
func (l *Screen) back() tea.Cmd {
	if l.Offers.Showing() {
		l.Offers.close()
		return nil
	}
	if l.endTyping() {
		return nil
	}
	if len(l.Marks.Roots) > 0 {
		l.unmark()
		return nil
	}
	if l.Prompt.Empty() {
		return l.Sh.Do(shell.EndProgram{})
	}
	if l.Shown.Query.Text == l.asked.Query.Text && len(l.Found.Items) > 0 {
		l.remember(l.Prompt.Text())
	}
	l.Prompt.Clear()
	return l.edited(true)
}

// nextScope is the next one round, or where the hits are when the scope hides
// them all.
func (l *Screen) nextScope() model.Scope {
	if l.Shown.Searching() && len(l.Found.Items) == 0 && l.Found.hidden > 0 && l.Shown.List.Scope == l.Scope && l.Found.hiddenIn != l.Scope {
		return l.Found.hiddenIn
	}
	return (l.Scope + 1) % (model.ScopeAll + 1)
}

// Step moves by one row and goes round the ends, though not while the key is
// held down.
func (l *Screen) Step(by int) {
	to := l.Rows.Selected + by
	switch {
	case to >= 0 && to < l.Rows.Len:
		l.Rows.Move(to)
	case !l.Sh.Held():
		l.Rows.GoToEnd(to < 0)
	}
}

func (l *Screen) togglePreview() tea.Cmd {
	was := l.wish
	if l.Layout.Pane.W > 0 {
		l.wish = previewHidden
	} else {
		l.wish = previewShown
	}
	l.relayout()
	if l.wish == previewShown && l.Layout.Pane.W == 0 {
		l.wish = was
		l.relayout()
		return l.Sh.Say("there is no room for a preview here")
	}
	return l.follow()
}

func (l *Screen) mouse(msg tea.Msg) tea.Cmd {
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
		if l.Layout.Pane.Has(msg.X, msg.Y) {
			l.pane.scroll(by)
			return nil
		}
		if l.Rows.Len > 0 && l.err == nil {
			l.cancelPending()
			l.Rows.Scroll(by)
			l.chosenByHand = true
		}
	case tea.MouseClickMsg:
		if i := l.Offers.at(msg.X, msg.Y); i >= 0 && msg.Button == tea.MouseLeft {
			return l.Offers.accept(i)
		}
		if msg.Button != tea.MouseLeft || !l.Layout.rows.Has(msg.X, msg.Y) || l.err != nil {
			return nil
		}
		i, _ := l.Rows.At(msg.Y - l.Layout.rows.Y)
		if i < 0 {
			return nil
		}
		now := l.Env.Clock()
		again := i == l.clicked && now.Sub(l.at) < shell.DoubleClick
		l.clicked, l.at, l.chosenByHand = i, now, true
		l.cancelPending()
		l.Rows.Move(i)
		if again {
			l.clicked = -1
			return l.Sh.Do(shell.Perform{Screen: l, Action: shell.Open})
		}
	}
	return tea.Batch(l.follow(), l.More())
}

func (l *Screen) Resize(w, h int) {
	l.Layout.w, l.Layout.h = w, h
	l.relayout()
}

func (l *Screen) Restyle() {
	l.redraw()
	l.pane.layout()
}

// relayout places the parts; the current row stays in sight.
func (l *Screen) relayout() {
	old := l.Layout
	l.Layout = newLayout(old.w, old.h, l.wish, l.remarks(), len(l.banner(old.w)), l.Found.widest)
	if l.Layout.Row != old.Row {
		l.redraw()
	}
	l.Rows.Resize(l.Layout.rows.W, l.Layout.rows.H)
	l.Rows.Reveal()
	l.pane.resize(max(0, l.Layout.Pane.W-3), l.Layout.Pane.H)
}

// redraw forgets finished lines: what they were made of has changed.
func (l *Screen) redraw() {
	clear(l.cache)
	l.selectedLines.lines = nil
}

// itemLines gives the finished lines of an item.
func (l *Screen) itemLines(i int) []string {
	selected := i == l.Rows.Selected
	if selected && l.selectedLines.item == i && l.selectedLines.lines != nil {
		return l.selectedLines.lines
	}
	if lines, ok := l.cache[i]; ok && !selected {
		return lines
	}
	it := &l.Found.Items[i]
	lines := RowLines(l.Sh.Styles(), l.Layout.Row, it, l.Shown.Searching(), selected, model.Age(l.Now, it.LastActive))
	if selected {
		l.selectedLines.item, l.selectedLines.lines = i, lines
		return lines
	}
	if len(l.cache) > 4096 {
		clear(l.cache)
	}
	l.cache[i] = lines
	return lines
}

func (l *Screen) Lines() []string { return l.Offers.over(l.page()) }

func (l *Screen) page() []string {
	if l.Layout.tiny {
		return l.tinyLines()
	}
	out := make([]string, 0, l.Layout.h)
	head, _ := l.HeadLine()
	out = append(out, head)
	if l.Layout.chipLine {
		out = append(out, l.chipLine())
	}
	out = append(out, l.bannerLines()...)
	if text := l.instead(); text != nil {
		return append(out, text...)
	}
	left := l.Rows.Visible()
	pane := l.pane.lines(l.Current(), l.Layout.Pane.W-1, l.Layout.Pane.H, !l.Layout.below)
	if l.Layout.Pane.W == 0 {
		return append(out, left...)
	}
	if l.Layout.below {
		out = append(out, left...)
		for len(out) < l.Layout.Pane.Y {
			out = append(out, "")
		}
		return append(out, pane...)
	}
	blank := strings.Repeat(" ", l.Layout.rows.W)
	edges := l.edges()
	for y := range l.Layout.rows.H {
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
func (l *Screen) edges() []string {
	s := l.Sh.Styles()
	bar, left := s.Border.Render(s.Glyphs.Divider), s.Border.Render(s.Glyphs.JointLeft)
	out := make([]string, l.Layout.rows.H)
	for y := range out {
		out[y] = bar
	}
	y := -l.Rows.Skip
	for i := l.Rows.Top; i < l.Rows.Len && y < len(out); i++ {
		if y >= 0 && l.Found.Items[i].Heading != "" {
			out[y] = left
		}
		y += len(l.Rows.Lines(i))
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
func (l *Screen) tinyLines() []string {
	s, w := l.Sh.Styles(), l.Layout.w
	text := "reading" + s.Glyphs.Ellipsis
	switch it := l.Current(); {
	case l.err != nil:
		text = kit.CleanLine(l.err.Error())
	case it != nil:
		text = kit.SpanText(it.TitleSpans)
	case l.Ready && l.whole():
		text = "nothing here"
	}
	lines := kit.Wrap(text, w)
	return lines[:min(len(lines), l.Layout.h)]
}

func (l *Screen) Cursor() *tea.Cursor {
	if !l.Layout.header || l.mode.acting {
		return nil
	}
	_, col := l.HeadLine()
	return tea.NewCursor(col, 0)
}

// HeadLine is the first line: the name, the query, and what was found. It also
// says where the cursor stands.
func (l *Screen) HeadLine() (string, int) {
	s, w := l.Sh.Styles(), l.Layout.w
	lead := " " + s.Accent.Render(s.Glyphs.Cursor) + " "
	if l.Layout.brand {
		lead = " " + s.Strong.Render("hermes sessions") + "  " + s.Accent.Render(s.Glyphs.Cursor) + " "
	}
	if l.mode.acting {
		lead += s.Warn.Render("normal ") // as vi calls it
	}
	leadW := ansi.StringWidth(lead)
	need := min(max(16, ansi.StringWidth(l.Prompt.Text())+2), 48)
	right := ""
	for _, c := range l.counts() {
		if leadW+need+ansi.StringWidth(c)+3 <= w {
			right = s.Muted.Render(c) + " "
			break
		}
	}
	room := max(1, w-leadW-ansi.StringWidth(right)-1)
	shown, wide, col := l.drawQuery(room)
	if l.Prompt.Empty() {
		hint := "type to search"
		if l.mode.acting {
			hint = l.Env.Keys.Find(shell.InList, shell.Type).KeyLabel() + " to search"
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
func (l *Screen) counts() []string {
	if l.read.Late {
		doing := "reading"
		if l.asked.Searching() {
			doing = "searching"
		}
		return []string{doing + l.Sh.Styles().Glyphs.Ellipsis}
	}
	if !l.Ready || l.err != nil || l.Found.uncounted {
		return nil // what a glance has counted is not all
	}
	f := l.Found
	n := kit.Count(f.Total) + " " + scopeName(l.Shown.List.Scope, f.Total)
	hits, hidden := "", ""
	if l.Shown.Searching() && f.hits > 0 {
		hits = " · " + kit.Plural(f.hits, "hit", "hits")
	}
	if f.hidden > 0 {
		hidden = " · " + kit.Count(f.hidden) + " hidden"
	}
	all := []string{n + hits + hidden, n + hits, n, kit.Count(f.Total)}
	if l.Shown.Searching() && l.Shown.List.Order == query.ByActivity {
		all = slices.Insert(all, 0, all[0]+" · newest first")
	}
	if m := l.markCount(); m != "" {
		for i := range all {
			all[i] = m + " · " + all[i]
		}
		all = append(all, m, kit.Count(len(l.Marks.Roots)))
	}
	return all
}

// banner says what is wrong with the database, and what helps, in lines of at
// most w columns.
func (l *Screen) banner(w int) []string {
	if len(l.Found.notes) == 0 {
		return nil
	}
	n := l.Found.notes[0]
	text := n.Message
	if n.Remedy != "" {
		text += " — " + n.Remedy
	}
	if k := len(l.Found.notes) - 1; k > 0 {
		text += " (+" + kit.Count(k) + ")"
	}
	return kit.Wrap(text, w-4)
}

// bannerLines draws as much of the banner as there is room for.
func (l *Screen) bannerLines() []string {
	if l.Layout.banner == 0 {
		return nil
	}
	s := l.Sh.Styles()
	text := l.banner(l.Layout.w)
	lines := text[:l.Layout.banner]
	last := len(lines) - 1
	lines[last] = ansi.Truncate(strings.Join(text[last:], " "), l.Layout.w-4, s.Glyphs.Ellipsis)
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
func (l *Screen) instead() []string {
	s, w := l.Sh.Styles(), l.Layout.w
	var out []string
	para := func(render func(...string) string, text string) {
		for _, line := range kit.Wrap(text, max(w-4, 1)) {
			out = append(out, "  "+render(line))
		}
	}
	switch {
	case l.err != nil:
		out = append(out, "")
		para(s.Bad.Render, s.Glyphs.Failed+" The conversations could not be read")
		out = append(out, "")
		para(s.Text.Render, kit.CleanLine(l.err.Error()))
		if l.Env.Where != "" {
			para(s.Muted.Render, kit.CleanLine(l.Env.Where))
		}
		out = append(out, "")
		key := l.Env.Keys.Find(shell.InList, shell.Refresh).KeyLabel()
		para(s.Muted.Render, key+" tries again")
	case !l.Ready:
		out = append(out, "")
		if l.read.Late {
			para(s.Faint.Render, "reading the conversations"+s.Glyphs.Ellipsis)
		}
	case len(l.Found.Items) > 0:
		return nil
	case !l.whole(): // all that was read has left
		out = append(out, "")
		if l.read.Late {
			para(s.Faint.Render, "reading on"+s.Glyphs.Ellipsis)
		}
	case l.Found.hidden > 0:
		out = append(out, "")
		where := "outside this scope"
		if l.Shown.narrowed() {
			para(s.Text.Render, "Nothing here matches “"+strings.TrimSpace(l.Shown.Query.Text)+"”.")
			if l.Found.hiddenIn != l.Shown.List.Scope {
				where = "in " + kit.ScopeName(l.Found.hiddenIn)
			}
		} else {
			para(s.Text.Render, "There is nothing in "+kit.ScopeName(l.Shown.List.Scope)+".")
		}
		key := l.Env.Keys.Find(shell.InList, shell.CycleScope).KeyLabel()
		para(s.Muted.Render, kit.Count(l.Found.hidden)+" more "+where+", "+key)
	case l.Shown.narrowed():
		out = append(out, "")
		para(s.Text.Render, "Nothing matches “"+strings.TrimSpace(l.Shown.Query.Text)+"”.")
		fewer := "Fewer or shorter words find more; "
		if len(l.Shown.Query.Filters) > 0 {
			fewer = "Fewer filters or words find more; "
		}
		para(s.Muted.Render, fewer+l.Env.Keys.Find(shell.InList, shell.Back).KeyLabel()+" shows all.")
	default:
		out = append(out, "")
		para(s.Text.Render, "No conversations yet.")
		para(s.Muted.Render, "Talk to Hermes (run: hermes) and what was said appears here by itself. To look around first: hermes-sessions --demo")
		if l.Env.Where != "" {
			out = append(out, "")
			para(s.Faint.Render, kit.CleanLine(l.Env.Where))
		}
	}
	return out
}
