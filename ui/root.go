// Package ui is the full-screen browser: one Bubble Tea model, screens on a
// stack, dialogs over them. Screens ask a [Library] from commands and lay out
// what comes back; no I/O happens in Update or View.
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
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"
)

// Options is what the browser needs to start.
type Options struct {
	Library shell.Library
	Changes shell.Changes // nil where nothing may be changed
	Outside shell.Outside // files and other programs
	Keys    shell.Keys
	// Styles gives the styles for a dark or a light background; it ignores the
	// argument where the user chose a theme.
	Styles func(dark bool) theme.Styles
	Clock  func() time.Time  // its time zone is the one that dates are told in
	Query  string            // text to start with
	Place  *Place            // a message to start at, nil for the list
	List   query.ListOptions // scope, sources, order, folder and limit to start with
	Mouse  bool
	Where  string // what is open, for the title and notices: a path, or "demo"
	// Command gives what a person types into a shell to resume a session, safe
	// to show.
	Command func(id string) string
	Choose  bool // Enter picks an id for a script instead of resuming
	Multi   bool // or the ids of all marked conversations
	Height  int  // lines to draw in, below what stands on the terminal; 0 for the full screen
	After   shell.After
	Profile string // that Hermes would be started with, "" when nobody knows
	// Child gives Hermes as a child process at a tip; nil where it can not run.
	Child   func(tip model.Session, tui bool) tea.ExecCommand
	History []string // earlier queries, newest first
	Note    string   // said at the start, "" for nothing
}

// Place is a message of a conversation.
type Place struct {
	Conversation model.Conversation
	Message      int64
}

// Outcome is what the person decided; it is carried out after the screen has
// been left and the database closed.
type Outcome struct {
	ID        string // tip of the chosen conversation, "" when none was chosen
	TUI       bool   // to be resumed in Hermes's other interface
	Print     bool   // the command is wanted, not the act
	Cancelled bool   // left by Ctrl+C
}

// footerFrom is the height from which the terminal has a line to spare for
// hints.
const footerFrom = 12

// Root is the Bubble Tea model.
type Root struct {
	ctx            context.Context
	env            *shell.Env
	opt            Options
	styles         theme.Styles
	dark           bool
	w, h           int
	screens        []shell.Screen
	dialogs        []shell.Dialog
	toast          toast
	pressed        press
	firstKey       string // the first of two keys, while the second is awaited
	work           jobQueue
	undo           undo
	out            Outcome
	chosen         []string // ids, when there are more than that of out
	done           bool     // the decision is made: a picture would only be left behind
	resumeRequests int      // to resume, so far: the latest counts
	startup        tea.Cmd  // what was asked before the loop began
	drawn          map[shell.Context][]hint
	title          struct{ raw, clean string } // of the window
}

// press is the last key that went down.
type press struct {
	key    string
	at     time.Time
	repeat bool
}

// heldFor is the longest pause between two presses that count as one key
// being held down, in terminals that do not tell.
const heldFor = 100 * time.Millisecond

// toast is a line that goes away by itself. Its id keeps an old timer from
// clearing a newer line.
type toast struct {
	id     int
	text   string
	bad    bool
	action shell.Action // what a click on it does, "" for nothing
}

type toastExpired struct{ id int }

// New makes the browser. It asks the library for the first rows at once, so
// that they are read while the terminal is made ready; cancelling ctx stops all
// that it has asked for.
func New(ctx context.Context, opt Options) *Root {
	r := &Root{ctx: ctx, env: newEnv(ctx, opt), opt: opt, dark: true, w: 80, h: 24, drawn: map[shell.Context][]hint{}}
	r.h = r.height(r.h)
	r.styles = opt.Styles(true)
	r.work.root = r
	begun := r.push(list.New(r, opt.History))
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

// Outcome says what was decided; call it when the program has ended.
func (r *Root) Outcome() Outcome { return r.out }

// Init implements tea.Model.
func (r *Root) Init() tea.Cmd {
	begin := tea.Batch(tea.RequestBackgroundColor, r.startup)
	if r.opt.Note != "" {
		return tea.Batch(begin, r.Say(r.opt.Note))
	}
	return begin
}

// handle takes a message.
func (r *Root) handle(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = max(msg.Width, 1), r.height(msg.Height)
		for _, s := range r.screens {
			s.Resize(r.w, r.screenHeight())
		}
		return r, nil
	case tea.BackgroundColorMsg:
		if dark := msg.IsDark(); dark != r.dark {
			r.dark, r.styles = dark, r.opt.Styles(dark)
			clear(r.drawn)
			for _, s := range r.screens {
				s.Restyle()
			}
		}
		return r, nil
	case copied:
		return r, r.landCopy(msg)
	case visited:
		return r, r.landVisit(msg)
	case toastExpired:
		if msg.id == r.toast.id {
			r.toast.text = ""
		}
		return r, nil
	case checked:
		return r, r.landCheck(msg)
	case returned:
		return r, r.back(msg)
	case tea.KeyReleaseMsg:
		r.pressed = press{}
		return r, nil
	case tea.KeyPressMsg:
		return r, r.press(msg)
	case tea.MouseMsg:
		return r, r.mouse(msg)
	case tea.PasteMsg:
		if len(r.dialogs) > 0 {
			return r, r.toDialog(msg)
		}
		return r, r.top().Update(msg)
	}
	if cmd, ok := r.work.update(msg); ok {
		return r, cmd
	}
	// An answer names who asked; everybody else lets it pass.
	var cmds []tea.Cmd
	for _, d := range slices.Clone(r.dialogs) {
		done, then := d.Update(msg)
		if done {
			r.close(d)
		}
		cmds = append(cmds, then)
	}
	for _, s := range r.screens {
		cmds = append(cmds, s.Update(msg))
	}
	return r, tea.Batch(cmds...)
}

// press routes a key to exactly one place: what holds everywhere, the dialog,
// an action, or the screen.
func (r *Root) press(msg tea.KeyPressMsg) tea.Cmd {
	now, key := r.opt.Clock(), msg.String()
	since := now.Sub(r.pressed.at)
	r.pressed = press{key, now, msg.IsRepeat || key == r.pressed.key && since >= 0 && since < heldFor}
	if r.toast.bad {
		r.toast = toast{id: r.toast.id} // a fault stays until a key is pressed
	}
	if id, ok := r.opt.Keys.Match(shell.Anywhere, msg); ok {
		return r.perform(id)
	}
	if len(r.dialogs) > 0 {
		r.firstKey = ""
		return r.toDialog(msg)
	}
	top := r.top()
	if !top.Claims(msg) {
		if cmd, done := r.paired(msg); done {
			return cmd
		}
		if id, ok := r.opt.Keys.Match(top.Context(), msg); ok {
			return r.perform(id)
		}
	}
	return top.Update(msg)
}

// toDialog hands a message to the dialog on top.
func (r *Root) toDialog(msg tea.Msg) tea.Cmd {
	d := r.dialogs[len(r.dialogs)-1]
	done, then := d.Update(msg)
	if done {
		r.close(d)
	}
	return then
}

// close takes a dialog away, which need not be on top any more: what it did
// may have opened the next.
func (r *Root) close(d shell.Dialog) {
	for i, other := range r.dialogs {
		if other == d {
			r.dialogs = append(r.dialogs[:i:i], r.dialogs[i+1:]...)
			return
		}
	}
}

// can gives all that may be done now: by the screen on top, then everywhere.
func (r *Root) can() []shell.Handler {
	return append(r.top().Handlers(),
		shell.Handler{Action: shell.Help, Do: func() tea.Cmd { return r.Open(dialog.NewHelp(r, r.top().Context(), r.can)) }},
		shell.Handler{Action: shell.Palette, Do: r.openPalette},
		shell.Handler{Action: shell.Menu, Do: func() tea.Cmd { return r.Do(r.actionMenu()) }},
		r.undoAction(),
		r.stopAction(),
		shell.Handler{Action: shell.Suspend, Do: func() tea.Cmd { return tea.Suspend }},
		shell.Handler{Action: shell.Quit, Do: func() tea.Cmd {
			r.out, r.chosen, r.done = Outcome{Cancelled: true}, nil, true
			return tea.Quit
		}},
	)
}

// perform does an action, or says why it can not be done.
func (r *Root) perform(id shell.Action) tea.Cmd {
	for _, a := range r.can() {
		if a.Action != id {
			continue
		}
		if a.Why != "" {
			return r.refuse(a.Why)
		}
		return a.Do()
	}
	return nil
}

func (r *Root) top() shell.Screen { return r.screens[len(r.screens)-1] }

// screenHeight is the height that screens have.
func (r *Root) screenHeight() int {
	if r.h < footerFrom {
		return r.h
	}
	return r.h - 1
}

// push puts a screen on the stack.
func (r *Root) push(s shell.Screen) tea.Cmd {
	r.screens = append(r.screens, s)
	s.Resize(r.w, r.screenHeight())
	return s.Start()
}

// pop goes back to the screen below, if there is one.
func (r *Root) pop() {
	if len(r.screens) > 1 {
		r.screens = r.screens[:len(r.screens)-1]
	}
}

// Say implements Shell: it shows a line for a few seconds.
func (r *Root) Say(text string) tea.Cmd {
	r.toast = toast{id: r.toast.id + 1, text: kit.CleanLine(text)}
	id := r.toast.id
	return tea.Tick(4*time.Second, func(time.Time) tea.Msg { return toastExpired{id} })
}

// Fail implements Shell: it shows what went wrong until a key is pressed.
func (r *Root) Fail(err error) {
	r.toast = toast{id: r.toast.id + 1, text: kit.CleanLine(err.Error()), bad: true}
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
		return v
	}
	if r.title.clean != "" {
		v.WindowTitle = r.title.clean
	}
	lines := r.top().Lines()
	lines = lines[:min(len(lines), r.screenHeight())]
	switch {
	case r.h >= footerFrom:
		for len(lines) < r.h-1 {
			lines = append(lines, "")
		}
		lines = append(lines, r.footer())
	case r.toast.text != "" || r.work.line() != "":
		for len(lines) < r.h {
			lines = append(lines, "")
		}
		lines[r.h-1] = r.footer()
	}
	v.Content = strings.Join(lines, "\n")
	if n := len(r.dialogs); n > 0 {
		v.Content = dialog.Overlay(v.Content, r.dialogs[n-1].Box(r.w, r.h), r.w, r.h)
	} else if c := r.top().Cursor(); c != nil && c.X < r.w && c.Y < r.h {
		v.Cursor = c
	}
	return v
}
