package ui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// checked is the result of the check before a conversation is resumed.
type checked struct {
	shell.ResumeConversation
	turn  int
	found model.ResumeCheck
	there bool // it runs in another pane, which is shown now
	err   error
}

// windowOpened says that Hermes was started in a window of tmux.
type windowOpened struct {
	err  error
	note string // of Options.ResumeNote
}

// returned says that Hermes has ended and given the terminal back.
type returned struct {
	err  error
	note string // of Options.ResumeNote
	took time.Duration
}

// resumption resumes conversations: it first looks for reasons not to, and asks
// where there is one.
type resumption struct {
	sh       shell.Shell
	opt      *Options
	toast    *toast
	finish   func(Outcome) tea.Cmd
	requests int // so far: only the latest counts
	checking int // the request that is being checked, 0 for none
}

// checkOverdue says that the check of a request takes long enough to tell.
type checkOverdue struct{ turn int }

// startFailure is how soon a program ends that could not start.
const startFailure = 3 * time.Second

// choose is what Enter does to a conversation: it is resumed, or its id given
// to the script that waits for it.
func (r *Root) choose(id string) tea.Cmd {
	if r.opt.Choose {
		return r.finishWithIDs(id)
	}
	r.reads.forget(id)
	return r.resumption.check(shell.ResumeConversation{ID: id, After: r.opt.After})
}

// check looks for reasons not to resume. The conversation may have grown or have
// been deleted since it was drawn.
func (r *resumption) check(w shell.ResumeConversation) tea.Cmd {
	r.requests++
	turn := r.requests
	ctx := r.sh.Env().Context
	lib := r.opt.Library
	r.checking = turn
	var windows *Windows
	if w.After == shell.Window {
		windows = r.opt.Windows
	}
	return tea.Batch(func() tea.Msg {
		if windows != nil {
			if there, err := windows.Jump(ctx, w.ID); there || err != nil {
				return checked{ResumeConversation: w, turn: turn, there: there, err: err}
			}
		}
		st, err := lib.ResumeCheck(ctx, w.ID)
		return checked{ResumeConversation: w, turn: turn, found: st, err: err}
	}, tea.Tick(kit.LateAfter, func(time.Time) tea.Msg { return checkOverdue{turn} }))
}

func (r *resumption) overdue(m checkOverdue) tea.Cmd {
	if m.turn != r.checking {
		return nil
	}
	return r.sh.Say(r.sh.Styles().Spell("Checking before resuming…"))
}

// checked resumes, or asks first.
func (r *resumption) checked(c checked) tea.Cmd {
	if c.turn != r.requests {
		return nil // a later request has replaced this one
	}
	r.checking = 0
	if c.err != nil {
		r.sh.Fail(c.err)
		return nil
	}
	if c.there {
		return r.sh.Say("switched to the tmux pane where it runs")
	}
	c.ID = c.found.Tip.ID
	if cautions := c.found.Cautions(r.opt.Profile, r.opt.Clock()); len(cautions) > 0 {
		return r.sh.Do(r.cautionMenu(c.ResumeConversation, c.found, cautions))
	}
	return r.resume(c.ResumeConversation, c.found.Tip)
}

// resume starts Hermes as a child, or ends the program with the choice to resume.
func (r *resumption) resume(w shell.ResumeConversation, tip model.Session) tea.Cmd {
	if r.opt.DryRun && w.After != shell.Print {
		return r.sh.Do(r.dryRunMenu(tip))
	}
	note := ""
	if r.opt.ResumeNote != nil {
		note = r.opt.ResumeNote(tip.ID)
	}
	if w.After == shell.Return && r.opt.Child != nil {
		clock := r.opt.Clock
		begun := clock()
		return handOver(r.opt.Child(tip, w.TUI), func(err error) tea.Msg {
			return returned{err, note, clock().Sub(begun)}
		})
	}
	if w.After == shell.Window && r.opt.Windows != nil {
		ctx, open := r.sh.Env().Context, r.opt.Windows.Open
		return func() tea.Msg { return windowOpened{open(ctx, tip, w.TUI), note} }
	}
	return r.finish(Outcome{ID: tip.ID, TUI: w.TUI, Print: w.After == shell.Print})
}

// dryRunMenu shows the command that would resume a conversation.
func (r *resumption) dryRunMenu(tip model.Session) shell.OpenMenu {
	c := conversationAt(tip)
	return shell.OpenMenu{Title: "Would run:", Text: r.opt.Command(tip.ID), Entries: []shell.Entry{
		{Letter: "r", Label: "read it instead", Do: func() tea.Cmd { return r.sh.Do(shell.OpenTranscript{Conversation: c}) }},
		{Letter: "q", Label: "quit", Do: func() tea.Cmd { return r.finish(Outcome{}) }},
	}}
}

// conversationAt is the conversation of a session, as far as the session tells.
func conversationAt(s model.Session) model.Conversation {
	return model.Conversation{
		Session: s, RootID: s.ID, Segments: []string{s.ID},
		Messages: s.VisibleMessages, RootStartedAt: s.StartedAt, LastActive: s.LastMessageAt,
	}
}

// opened is called when a window was opened.
func (r *resumption) opened(m windowOpened) tea.Cmd {
	if m.err != nil {
		r.sh.Fail(m.err)
		return nil
	}
	return r.sh.Say(noted("resumed in a new tmux window", m.note))
}

// noted returns a message with a note behind it.
func noted(message, note string) string {
	if note == "" {
		return message
	}
	return message + "; " + note
}

// returned is called when Hermes has ended: the screens read their data again.
func (r *resumption) returned(m returned) tea.Cmd {
	refresh := func() tea.Msg { return tea.ResumeMsg{} }
	switch {
	case m.err == nil:
		return tea.Batch(refresh, r.sh.Say(noted("back from Hermes", m.note)))
	case m.took < startFailure:
		r.toast.fail(noted("Hermes ended immediately: "+m.err.Error(), m.note))
	default:
		r.toast.fail("Hermes ended with an error: " + m.err.Error())
	}
	return refresh
}

// cautionMenu shows the reasons not to resume and offers what can be done.
// The first entry is the harmless one, for a second Enter in a hurry.
func (r *resumption) cautionMenu(w shell.ResumeConversation, st model.ResumeCheck, cautions []model.ResumeCaution) shell.OpenMenu {
	var why []string
	for _, c := range cautions {
		why = append(why, c.Sentence)
	}
	name := cmp.Or(kit.CleanLine(st.Tip.Title), kit.CleanLine(st.Tip.ID))
	m := shell.OpenMenu{Title: r.sh.Styles().Spell("Resume “" + name + "”?"), Text: kit.Capitalize(kit.CleanLine(strings.Join(why, "; "))) + "."}
	m.Entries = append(m.Entries, shell.Entry{Letter: "n", Label: "cancel", Do: func() tea.Cmd { return nil }})
	if st.IsDelegate && st.ParentTip.ID != "" {
		m.Entries = append(m.Entries, shell.Entry{Letter: "p", Label: "resume the parent conversation", Note: kit.CleanLine(st.ParentTip.Title), Do: func() tea.Cmd {
			return r.check(shell.ResumeConversation{ID: st.ParentTip.ID, TUI: w.TUI, After: w.After})
		}})
	}
	if st.Before.ID != "" {
		before := conversationAt(st.Before)
		size := model.Quantity(before.Messages, "message")
		m.Entries = append(m.Entries, shell.Entry{Letter: "b", Label: "read the segment before it", Note: size, Do: func() tea.Cmd {
			return r.sh.Do(shell.OpenTranscript{Conversation: before})
		}})
	}
	command := r.opt.Command(st.Tip.ID)
	m.Entries = append(m.Entries,
		shell.Entry{Letter: "y", Label: "resume anyway", Do: func() tea.Cmd { return r.resume(w, st.Tip) }},
		shell.Entry{Letter: "c", Label: "copy the command", Do: func() tea.Cmd {
			return tea.Batch(tea.SetClipboard(command), r.sh.Say("sent to the terminal's clipboard: "+command))
		}},
	)
	return m
}
