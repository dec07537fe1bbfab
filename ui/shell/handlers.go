package shell

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// ResumeHandlers are the actions that resume a conversation. id gives a session of it
// when one is taken; why is the reason why none is possible, "" where they are.
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
		NewHandler(ResumeInTUI, why, func() tea.Cmd { return sh.Do(ResumeConversation{ID: id(), TUI: true, After: env.After}) }),
		NewHandler(ResumeAndReturn, back, func() tea.Cmd { return sh.Do(ResumeConversation{ID: id(), TUI: false, After: Return}) }),
	}
}

// OutsideHandlers are the actions that show a conversation elsewhere: the inspector, the
// pager, the editor, a file, commands of the user's own. one gives the current conversation, and of those to export;
// why and whyAll are the reasons why there are none, "" where there are.
func OutsideHandlers(sh Shell, why, whyAll string, one func() model.Conversation, of func() Subjects) []Handler {
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
	return append(ownHandlers(sh, why, one, of),
		NewHandler(Inspect, why, func() tea.Cmd { return sh.Do(InspectConversation{Conversation: one()}) }),
		export,
		visit(Pager, "pager", outside.Pager),
		visit(Editor, "editor", outside.Editor),
	)
}

// ChangeHandlers are the actions that change conversations. current is the one to
// rename; one is the reason why there is none, "" where there is. of gives those that
// the other actions change; several is the reason why there are none.
func ChangeHandlers(sh Shell, one, several string, current model.Conversation, of func() Subjects) []Handler {
	env := sh.Env()
	var can model.Editable
	if env.Changes != nil {
		can = env.Changes.Editable()
	}
	able := func(has bool, lacks string) string {
		if why := env.WhyUnchangeable(several); why != "" || has {
			return why
		}
		return "this database has no " + lacks
	}
	return []Handler{
		NewHandler(Rename, env.WhyUnchangeable(one), func() tea.Cmd { return sh.Do(AskRename{Conversation: current}) }),
		NewHandler(Pin, able(can.Pin, "pins; a newer Hermes adds them"), func() tea.Cmd { return sh.Do(ToggleFlag{Flag: FlagPinned, Of: of()}) }),
		NewHandler(Archive, able(can.Archive, "archive; a newer Hermes adds one"), func() tea.Cmd { return sh.Do(ToggleFlag{Flag: FlagArchived, Of: of()}) }),
		NewHandler(Delete, env.WhyUnchangeable(several), func() tea.Cmd { return sh.Do(AskDelete{Of: of()}) }),
	}
}

// SpaceHandlers open the screen of what could be deleted, each at its tab.
func SpaceHandlers(sh Shell) (all []Handler) {
	for _, a := range []Action{Storage, CleanUp, Expiring} {
		why := ""
		if a == CleanUp {
			why = sh.Env().WhyUnchangeable("")
		}
		all = append(all, NewHandler(a, why, func() tea.Cmd { return sh.Do(OpenSpace{Tab: a}) }))
	}
	return all
}

// CompareHandler compares the marked conversations, if they are two. ids gives their newest
// segments.
func CompareHandler(sh Shell, marked int, ids func() []string) Handler {
	why := ""
	if marked != 2 {
		why = "select two conversations to compare them"
	}
	return NewHandler(Compare, why, func() tea.Cmd {
		both := ids()
		return sh.Do(OpenComparison{A: both[0], B: both[1]})
	})
}

// ReadOnly is why nothing can be changed where there are no [Changes].
const ReadOnly = "opened with --read-only"

// Offered reports whether an action belongs on menus and help pages. Where
// nothing may be changed, changing is not offered; a press of its key all the
// same is told why.
func (h Handler) Offered() bool { return h.Why != ReadOnly }

// WhyUnchangeable returns the reason why no conversation can be changed: that of the
// database, else otherwise, the reason that the caller has or "".
func (e *Env) WhyUnchangeable(otherwise string) string {
	if e.Changes == nil {
		return ReadOnly
	}
	if err := e.Changes.Editable().ReadOnly; err != nil {
		return Reason(err)
	}
	return otherwise
}
