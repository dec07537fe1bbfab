package shell

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// ResumeHandlers are the ways to resume the conversation that id names when
// one of them is taken; why is the reason why none of them is possible, or "".
func ResumeHandlers(sh Shell, why string, id func() string) []Handler {
	env := sh.Env()
	take := NewHandler(Resume, why, func() tea.Cmd { return sh.Do(Choose{ID: id()}) })
	if env.Choose {
		return []Handler{take}
	}
	back := why
	if !env.Returns && back == "" {
		back = "Hermes not found"
	}
	return []Handler{
		take,
		NewHandler(ResumeTUI, why, func() tea.Cmd { return sh.Do(ResumeConversation{ID: id(), TUI: true, After: env.After}) }),
		NewHandler(ResumeReturn, back, func() tea.Cmd { return sh.Do(ResumeConversation{ID: id(), TUI: false, After: Return}) }),
	}
}

// OutHandlers are the ways out of the browser for a conversation, and the
// inspector of it; why is the reason why none of them is possible, or "", whyAll
// that for the ones that are about of.
func OutHandlers(sh Shell, why, whyAll string, one func() model.Conversation, of func() Subjects) []Handler {
	outside := sh.Env().Outside
	visit := func(id Action, what string, program func(context.Context, string) tea.ExecCommand) Handler {
		h := NewHandler(id, why, func() tea.Cmd { return sh.Do(RunProgram{Name: what, Program: program, ID: one().ID}) })
		if program == nil && why == "" {
			h.Why = "no " + what + " available"
		}
		return h
	}
	export := NewHandler(Export, whyAll, func() tea.Cmd { return sh.Do(AskExport{Of: of()}) })
	if outside.Export == nil && whyAll == "" {
		export.Why = "files cannot be written here"
	}
	return []Handler{
		NewHandler(Inspect, why, func() tea.Cmd { return sh.Do(InspectConversation{Conversation: one()}) }),
		export,
		visit(Pager, "pager", outside.Pager),
		visit(Editor, "editor", outside.Editor),
	}
}

// ChangeHandlers are the actions that change conversations. one says why there
// is none on the screen to act upon, several why there is neither that nor a
// marked one; current is the first, of gives those that are meant.
func ChangeHandlers(sh Shell, one, several string, current model.Conversation, of func() Subjects) []Handler {
	env := sh.Env()
	var can model.Editable
	if env.Changes != nil {
		can = env.Changes.Editable()
	}
	able := func(has bool, what string) string {
		if why := env.Changing(several); why != "" || has {
			return why
		}
		return "this database has no " + what + "; a newer Hermes adds it"
	}
	return []Handler{
		NewHandler(Rename, env.Changing(one), func() tea.Cmd { return sh.Do(AskRename{Conversation: current}) }),
		NewHandler(Pin, able(can.Pin, "pins"), func() tea.Cmd { return sh.Do(ToggleFlag{Flag: FlagPinned, Of: of()}) }),
		NewHandler(Archive, able(can.Archive, "archive"), func() tea.Cmd { return sh.Do(ToggleFlag{Flag: FlagArchived, Of: of()}) }),
		NewHandler(Delete, env.Changing(several), func() tea.Cmd { return sh.Do(AskDelete{Of: of()}) }),
	}
}

// ReadOnly is why nothing can be changed where there are no [Changes].
const ReadOnly = "opened with --read-only"

// Offered reports whether an action belongs on menus and help pages. Where
// nothing may be changed, changing is not offered; a press of its key all the
// same is told why.
func (h Handler) Offered() bool { return h.Why != ReadOnly }

// Changing gives the reason why nothing can be changed now: none, or one that
// holds for every change.
func (e *Env) Changing(none string) string {
	if e.Changes == nil {
		return ReadOnly
	}
	if err := e.Changes.Editable().ReadOnly; err != nil {
		return Reason(err)
	}
	return none
}
