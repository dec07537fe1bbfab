package ui

import (
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// Outcome is the user's choice; it is carried out after the screen has been left
// and the database closed.
type Outcome struct {
	ID       string // tip of the chosen conversation, "" when none was chosen
	TUI      bool   // to be resumed in Hermes's other interface
	Print    bool   // print the command instead of running it
	Canceled bool   // left by Ctrl+C

	Command *shell.RunCommand // of the user's own, to be run now; nil for none
}

// Outcome returns the user's choice; call it when the program has ended.
func (r *Root) Outcome() Outcome { return r.out }

// Chosen returns the chosen ids: the one of the outcome, or where many may be picked, all
// marked conversations.
func (r *Root) Chosen() []string {
	if r.chosen == nil && r.out.ID != "" {
		return []string{r.out.ID}
	}
	return r.chosen
}

// finishWithIDs ends the program with the ids that a script waits for: the marked ones, or
// else the current one.
func (r *Root) finishWithIDs(id string) tea.Cmd {
	if marked := r.list.Marked(); r.opt.Multi && len(marked) > 0 {
		r.chosen, id = marked, marked[0]
	}
	return r.finish(Outcome{ID: id})
}

// History returns the queries whose results were used, newest first; call it when
// the program has ended.
func (r *Root) History() []string {
	return r.list.Queries(r.out.ID != "")
}

// Close waits for a running change, which ends soon after the browser's context,
// and drops the undo history; it waits for notes and named queries that are being written,
// too. Call it when the program has ended. stopped is the error of a change that was
// stopped halfway, unwritten the error of a note or a query that could not be written.
func (r *Root) Close() (stopped, unwritten error) {
	r.reads.noteAll()
	return r.changes.close(), r.fileWrites.close()
}

// finish ends the program with the user's choice, but waits for a running change,
// which it would stop halfway.
func (r *Root) finish(out Outcome) tea.Cmd {
	goes := func() tea.Cmd {
		r.out, r.done = out, true
		return tea.Quit
	}
	if !r.changes.jobs.busy() {
		return goes()
	}
	then := goes
	if out.ID != "" && !r.opt.Choose { // which the change may delete
		again := shell.ResumeConversation{ID: out.ID, TUI: out.TUI}
		if out.Print {
			again.After = shell.Print
		}
		then = func() tea.Cmd { return r.resumption.check(again) }
	}
	wait := func() tea.Cmd {
		if !r.changes.jobs.busy() {
			return then()
		}
		r.changes.jobs.after = then
		return r.Say("quitting when this is done")
	}
	return r.Do(shell.OpenMenu{Title: "Still " + r.changes.jobs.jobs[0].doing, Entries: []shell.Entry{
		{Letter: "w", Label: "wait, then quit", Do: wait},
		{Letter: "s", Label: "stop it, then quit", Do: func() tea.Cmd {
			if !r.changes.jobs.busy() {
				return then()
			}
			return tea.Batch(r.changes.jobs.halt(), wait())
		}},
		{Letter: "b", Label: "back to the browser", Do: func() tea.Cmd { return nil }},
	}})
}
