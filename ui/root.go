// Package ui is the full-screen browser: one Bubble Tea model, [Root], with
// screens on a stack and dialogs over them. The package comment of ui/shell says how
// they work together.
//
// Root routes: a message goes to the job queue, to a dialog or to screens, a
// key to what holds everywhere, the dialog on top, an action or the screen on
// top (press); a request of theirs goes to the part that carries it out (do.go):
//
//   - changes: delete.go, rename.go, flag.go, compact.go, export.go change the
//     database or write files as jobs, one after another (jobs.go), and undo.go
//     undoes them;
//   - resumption (resume.go) resumes a conversation after a check for reasons
//     not to;
//   - clipboard.go, externalprogram.go: the clipboard, and programs that get
//     the terminal;
//   - footer.go, toast.go, refusal.go: the line at the bottom, and why something
//     was not done;
//   - firstrun.go: the screen where there is no database; interrupted.go: undos that an
//     earlier run did not finish;
//   - settings.go: the settings file, and what of it holds at once;
//   - colors.go, mouse.go, mousemotion.go, windowtitle.go: the terminal;
//   - actionmenu.go, palette.go: all actions by letter and by name;
//   - outcome.go: what the program ends with.
package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"
)

// Options is what the browser needs to start.
type Options struct {
	shell.Env             // what screens need too; New sets Context and Returns
	Theme     theme.Setup // what is known at the start
	Place     *Place      // a message to start at, nil for the list
	Mouse     bool
	NoShell   bool   // none that could continue the program after it was suspended
	Still     bool   // reduced motion: progress is told in text
	Height    int    // lines to draw in, below the text on the terminal; 0 for the full screen
	Profile   string // that Hermes would be started with, "" when unknown
	// Child returns Hermes as a child process at a tip; nil where it cannot run.
	Child func(tip model.Session, tui bool) tea.ExecCommand
	// ResumeNote returns what there is to know of a session that Hermes has resumed beside the
	// browser or before it came back, "" for nothing. nil knows nothing.
	ResumeNote func(id string) string
	// Windows is the tmux that the browser runs in, nil where there is none.
	Windows *Windows
	DryRun  bool     // resuming shows the command instead of running it
	History []string // earlier queries, newest first
	Note    string   // said at the start, "" for nothing
	// Interrupted are undos of earlier runs, to be offered at the start.
	Interrupted []Saved
	// Saved finds the deletions of earlier runs that can be undone; nil where none are kept.
	Saved func(context.Context) ([]Saved, error)
}

// Windows has the panes in which Hermes runs or could run beside the browser.
type Windows struct {
	// Jump goes to the pane where the conversation of a session runs, and reports false
	// where there is none.
	Jump func(ctx context.Context, id string) (bool, error)
	// Open starts Hermes at a tip in a new window.
	Open func(ctx context.Context, tip model.Session, tui bool) error
}

// Place is a message of a conversation.
type Place struct {
	Conversation model.Conversation
	Message      int64
}

// footerFrom is the height from which the terminal has a line to spare for
// hints.
const footerFrom = 8

// Root is the Bubble Tea model.
type Root struct {
	env        *shell.Env
	opt        Options
	styles     *theme.Styles
	colors     colors
	w, h       int
	screens    []shell.Screen
	list       *list.Screen // the lowest of them
	dialogs    dialogStack
	toast      toast
	pressed    press
	onRow      bool   // the last key moved in rows and did not write
	firstKey   string // the first of two keys, while the second is awaited
	changes    changes
	resumption resumption
	out        Outcome
	chosen     []string // ids, when there are more than that of out
	done       bool     // the decision is made: a picture would only be left behind
	startup    tea.Cmd  // the requests made before the loop began
	drawn      map[drawnHint]hint
	reads      reads
	fileWrites fileWrites
	title      struct{ raw, clean string }  // of the window
	places     map[string]transcript.LeftAt // by conversation, of its root
}

// press is the last key that went down.
type press struct {
	key    string
	at     time.Time
	repeat bool
	// ignored says that the key asked for an input that could not be opened, or that it was
	// typed for that input, or for a query while a question opened by itself.
	ignored bool
}

// heldFor is the longest pause between two presses that count as one key
// being held down, in terminals that do not tell.
const heldFor = 100 * time.Millisecond

// New makes the browser. It asks the library for the first rows at once, so
// that they are read while the terminal is made ready; canceling ctx stops all
// its requests.
func New(ctx context.Context, opt Options) *Root {
	opt.Context, opt.Returns = ctx, opt.Child != nil
	r := &Root{opt: opt, w: 80, h: 24, drawn: map[drawnHint]hint{}, places: map[string]transcript.LeftAt{}}
	r.env, r.h = &r.opt.Env, r.height(r.h)
	r.colors = colors{setup: opt.Theme, chosen: opt.Theme.Theme}
	r.colors.setup.Inline = opt.Height > 0
	r.styles = r.colors.setup.Styles()
	r.reads = reads{root: r, resumed: map[string]bool{}}
	r.list = list.New(r, opt.History, r.excerpt)
	r.changes = changes{sh: r, made: opt.Changes, list: r.list, toast: &r.toast, tell: r.tell, leave: r.leaveSessions}
	if opt.Saved != nil {
		r.changes.earlier = r.undoSaved
	}
	r.changes.jobs = jobQueue{sh: r, toast: &r.toast, still: opt.Still, failed: r.notDone, refresh: r.refreshAll}
	r.resumption = resumption{sh: r, opt: &r.opt, toast: &r.toast, finish: r.finish}
	begun := r.push(r.list)
	if at := opt.Place; at != nil {
		begun = tea.Batch(begun, r.push(transcript.New(r, at.Conversation, query.Query{}, model.Hit{MessageID: at.Message})))
	}
	r.startup = ahead(begun)
	return r
}

// ahead runs a command now. What comes back gives its answer, or its panic, to
// the loop as if it had been run there.
func ahead(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	type end struct {
		msg   tea.Msg
		panic any
	}
	ended := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			e.panic = recover()
			ended <- e
		}()
		e.msg = cmd()
		if all, ok := e.msg.(tea.BatchMsg); ok {
			for i, c := range all {
				all[i] = ahead(c)
			}
		}
	}()
	return func() tea.Msg {
		e := <-ended
		if e.panic != nil {
			panic(e.panic)
		}
		return e.msg
	}
}

// Init implements tea.Model.
func (r *Root) Init() tea.Cmd {
	begin := tea.Batch(followBackground(), r.startup, r.offerInterrupted(r.opt.Interrupted))
	if len(r.opt.Interrupted) > 0 {
		ignoreQuery(r)
	}
	if r.opt.Note != "" {
		return tea.Batch(begin, r.Say(r.opt.Note))
	}
	return begin
}

// Update implements tea.Model.
func (r *Root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return r, tea.Batch(r.handle(msg), r.updateTitle())
}

// handle takes a message.
func (r *Root) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = max(msg.Width, 1), r.height(msg.Height)
		var cmds []tea.Cmd
		for _, s := range r.screens {
			s.Resize(r.w, r.screenHeight())
			cmds = append(cmds, s.Update(msg))
		}
		return tea.Batch(cmds...)
	case tea.ModeReportMsg:
		if graphemes(msg) {
			r.colors.setup.Cells = cells.ByGrapheme
			r.restyle()
		}
		return nil
	case fileWritten:
		msg.write.reported = true
		return r.handle(msg.result)
	case shell.Annotated:
		return tea.Batch(r.broadcast(msg), r.changes.annotated(msg))
	case copied:
		return msg.report(r)
	case programEnded:
		return msg.report(r)
	case settingsEdited:
		return msg.apply(r)
	case kit.Overdue:
		if next := msg.Mark(); !r.opt.Still {
			return next
		}
		return nil
	case shell.Polled:
		r.announce(msg.Notice)
		return r.broadcast(msg)
	case toastExpired:
		r.toast.expire(msg)
		return nil
	case checkOverdue:
		return r.resumption.overdue(msg)
	case checked:
		return r.resumption.checked(msg)
	case returned:
		return r.resumption.returned(msg)
	case windowOpened:
		return r.resumption.opened(msg)
	case tea.KeyReleaseMsg:
		r.pressed = press{}
		return nil
	case tea.KeyPressMsg:
		return r.press(msg)
	case tea.MouseMsg:
		return r.mouse(msg)
	case tea.PasteMsg:
		if len(r.dialogs) > 0 {
			return r.dialogs.update(msg)
		}
		return r.top().Update(msg)
	}
	if cmd, ok := r.changes.jobs.update(msg); ok {
		return cmd
	}
	if cmd, ok := r.colors.update(msg); ok {
		r.restyle()
		return cmd
	}
	return tea.Batch(r.colors.askAgain(msg), r.broadcast(msg))
}

// broadcast returns a message to all dialogs and screens. An answer names the request that
// it belongs to; others ignore it.
func (r *Root) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range slices.Clone(r.dialogs) {
		done, then := d.Update(msg)
		if done {
			r.dialogs.remove(d)
		}
		cmds = append(cmds, then)
	}
	for _, s := range r.screens {
		cmds = append(cmds, s.Update(msg))
	}
	for _, d := range r.dialogs {
		if m, ok := d.(*dialog.Menu); ok {
			m.Refill()
		}
	}
	return tea.Batch(cmds...)
}

// restyle lays out everything again if colors or the method of measuring text have
// changed.
func (r *Root) restyle() {
	setup := r.colors.setup
	if setup.Palette() == r.styles.Palette && setup.Cells == r.styles.Cells {
		return
	}
	r.styles = setup.Styles()
	clear(r.drawn)
	for _, s := range r.screens {
		s.Restyle()
	}
}

// press routes a key to exactly one place: what holds everywhere, the dialog,
// an action, or the screen.
func (r *Root) press(msg tea.KeyPressMsg) tea.Cmd {
	now, key := r.opt.Clock(), msg.String()
	since := now.Sub(r.pressed.at)
	typed := r.pressed.ignored && (msg.Text != "" || key == "enter") && since < shell.TypedWithin && (len(r.dialogs) > 0 || !r.top().Claims(msg))
	r.pressed = press{key, now, msg.IsRepeat || key == r.pressed.key && since >= 0 && since < heldFor, typed}
	if typed {
		return nil
	}
	r.toast.pressed()
	if id, ok := r.opt.Keys.Match(shell.Anywhere, msg); ok {
		return r.runAction(id)
	}
	r.onRow = r.moves(msg)
	if len(r.dialogs) > 0 {
		r.firstKey = ""
		return r.dialogs.update(msg)
	}
	top := r.top()
	claimed := top.Claims(msg)
	if cmd, done := r.paired(msg, claimed); done {
		return cmd
	}
	if !claimed {
		if id, ok := r.opt.Keys.Match(top.Context(), msg); ok {
			return r.runAction(id)
		}
		if in := top.Context(); in != shell.InList || msg.Text != "" {
			return tea.Batch(top.Update(msg), r.unknownKey(in, msg))
		}
	}
	return top.Update(msg)
}

// unknownKey says that a key has no meaning, unless the line says something of more use.
func (r *Root) unknownKey(in shell.Context, msg tea.KeyPressMsg) tea.Cmd {
	const says = " does nothing here"
	if r.toast.text != "" && !strings.Contains(r.toast.text, says) {
		return nil
	}
	text := shell.KeyText(shell.KeyName(msg)) + says
	help := text + " · " + r.opt.Keys.Find(in, shell.Help).KeyText()
	then := r.toast.show(kit.Fit(r.styles.Cells, r.w-2, help+" lists the keys", help, text))
	r.toast.answer = true
	return then
}

// moves reports whether a key moves in rows or choices and does not write.
func (r *Root) moves(msg tea.KeyPressMsg) bool {
	in := r.top().Context()
	if len(r.dialogs) > 0 {
		in = shell.InDialog
	} else if r.top().Claims(msg) {
		return false
	}
	id, ok := r.opt.Keys.Match(in, msg)
	return ok && id != shell.Back && shell.MovesOnly(id) && (msg.Text == "" || in != shell.InDialog)
}

// cursor is where the terminal's cursor stands: in the field while the user writes, else
// on the current row. There it is a line below the mark, which hides nothing.
func (r *Root) cursor(field, row *kit.Point) *tea.Cursor {
	on := field == nil || r.onRow && row != nil
	if on && row != nil && row.X < r.w && row.Y < r.h {
		c := tea.NewCursor(row.X, row.Y)
		c.Shape, c.Blink = tea.CursorUnderline, false
		return c
	} else if field != nil && field.X < r.w && field.Y < r.h {
		c := tea.NewCursor(field.X, field.Y)
		c.Blink = !r.opt.Still
		return c
	}
	return nil
}

// can returns all that may be done now: by the screen on top, then everywhere.
func (r *Root) can() []shell.Handler {
	noShell := ""
	if r.opt.NoShell {
		noShell = "no shell to return to"
	}
	return append(r.top().Handlers(),
		shell.Handler{Action: shell.Help, Do: func() tea.Cmd { return r.Open(dialog.NewHelp(r, r.top().Context(), r.can)) }},
		shell.Handler{Action: shell.Commands, Do: r.openPalette},
		shell.Handler{Action: shell.More, Do: func() tea.Cmd { return r.Do(r.actionMenu()) }},
		r.changes.undoHandler(),
		r.changes.jobs.stopHandler(),
		r.settingsHandler(),
		shell.Handler{Action: shell.Suspend, Why: noShell, Do: func() tea.Cmd { return unfollowBackground(tea.Suspend) }},
		shell.Handler{Action: shell.Quit, Do: func() tea.Cmd {
			r.out = Outcome{Canceled: true}
			r.chosen = nil
			r.done = true
			return tea.Quit
		}},
	)
}

// runAction runs an action, or says why it is not possible.
func (r *Root) runAction(id shell.Action) tea.Cmd {
	for _, a := range r.can() {
		if a.Action != id {
			continue
		}
		if a.Why != "" {
			r.pressed.ignored = shell.OpensInput(id)
			return refuse(r, a.Why)
		}
		return a.Do()
	}
	return nil
}

func (r *Root) top() shell.Screen { return r.screens[len(r.screens)-1] }

func (r *Root) screenHeight() int {
	if r.h < footerFrom {
		return r.h
	}
	return r.h - 1
}

// push puts a screen on the stack.
func (r *Root) push(s shell.Screen) tea.Cmd {
	r.toast.leave()
	r.screens = append(r.screens, s)
	s.Resize(r.w, r.screenHeight())
	return s.Start()
}

// pop goes back to the screen below, if there is one.
func (r *Root) pop() {
	if len(r.screens) > 1 {
		if s, ok := r.top().(*transcript.Screen); ok {
			r.keepPlace(s)
			r.reads.note(s)
		}
		r.toast.leave()
		r.screens = r.screens[:len(r.screens)-1]
	}
}

// keepPlace keeps the place of a reader who leaves a transcript, for the next time. At the
// end nothing is kept: new messages come there.
func (r *Root) keepPlace(s *transcript.Screen) {
	delete(r.places, s.Conv.RootID)
	if at, ok := s.Left(); ok {
		r.places[s.Conv.RootID] = at
	}
}

// height is the height to draw in, of a terminal of h lines.
func (r *Root) height(h int) int {
	if r.opt.Height > 0 {
		h = min(h, r.opt.Height)
	}
	return max(h, 1)
}

// refreshAll reads again what the screens show, after a change of our own.
func (r *Root) refreshAll() tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range r.screens {
		cmds = append(cmds, s.Refresh())
	}
	return tea.Batch(cmds...)
}

// View implements tea.Model. It runs after every message, so it only joins
// lines that are finished.
func (r *Root) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = r.opt.Height == 0
	v.ReportFocus = true
	v.KeyboardEnhancements.ReportEventTypes = true // tells a held key from a fresh one
	if r.opt.Mouse && v.AltScreen {                // or its lines are not ours
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = "hermes sessions"
	if len(r.screens) == 0 || r.done {
		if v.AltScreen {
			v.Content = " " // an empty frame would be written again and again
		}
		return v
	}
	if r.title.clean != "" {
		v.WindowTitle = r.title.clean
	}
	paint(&v, r.styles.Palette)
	lines := r.top().Lines()
	lines = lines[:min(len(lines), r.screenHeight())]
	switch {
	case r.h >= footerFrom:
		lines = kit.FillLines(lines, r.h-1)
		lines = append(lines, r.footer())
	case r.toast.text != "" || r.changes.jobs.told():
		lines = kit.FillLines(lines, r.h)
		lines[r.h-1] = r.footer()
	}
	content, field, row := kit.Attention(r.styles.Cells, strings.Join(lines, "\n"))
	if n := len(r.dialogs); n > 0 {
		content = dialog.Overlay(r.styles.Cells, content, r.dialogs[n-1].Box(r.w, r.h), r.w, r.h)
		content, field, row = kit.Attention(r.styles.Cells, content)
	} else if c := r.top().Cursor(); c != nil {
		field = &kit.Point{X: c.X, Y: c.Y}
	}
	v.Content, v.Cursor = r.styles.SpellFrame(content), r.cursor(field, row)
	if r.styles.Cells == cells.ByCodePoint {
		v.Content = cells.SplitEmoji(v.Content)
	}
	return v
}
