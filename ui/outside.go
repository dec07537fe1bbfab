package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// Outside is what can be done beyond the screen, with files and other
// programs. The command line does it; what is nil is not possible.
type Outside struct {
	// Export writes conversations to a file; progress is told in messages.
	// Where the file is there and not to be replaced, the error is [ErrExists].
	Export func(ctx context.Context, e Exporting, progress func(done, total int)) (Exported, error)
	// FileName proposes the name of a file for a conversation, without ending.
	FileName func(model.Conversation) string
	// Pager and Editor are programs that show the conversation of a session.
	// They get the terminal until they end.
	Pager, Editor func(ctx context.Context, id string) tea.ExecCommand
	// Clipboard puts text where it can be pasted from, in a terminal where
	// asking the terminal itself is not enough.
	Clipboard func(context.Context, string) error
}

// Exporting says what is to be written, and where.
type Exporting struct {
	IDs     []string // of any sessions of the conversations
	Format  string   // one of Formats
	File    string   // as it was typed
	Replace bool     // a file that is there
}

// Formats are the forms of an export, by the endings of their files.
func Formats() []string { return []string{"md", "html", "jsonl"} }

// Exported says what was written.
type Exported struct {
	File  string // whole
	Bytes int64
}

// ErrExists is why an export was not written: there is a file of that name.
var ErrExists = errors.New("there is a file of that name")

// visited says that another program has ended and the screen is ours again.
type visited struct {
	what string
	err  error
}

// outActions are the ways out of the browser for a conversation, and the look at
// what is known of it; why says what
// stands against all of them, whyAll against those that are about of.
func (r *Root) outActions(why, whyAll string, one func() model.Conversation, of func() subjects) []action {
	visit := func(id Action, what string, program func(context.Context, string) tea.ExecCommand) action {
		a := action{id, why, func() tea.Cmd {
			return handOver(program(r.ctx, one().ID), func(err error) tea.Msg { return visited{what, err} })
		}}
		if program == nil && why == "" {
			a.why = "there is no " + what + " here"
		}
		return a
	}
	export := action{Export, whyAll, func() tea.Cmd { return r.open(newExportBox(r, of())) }}
	if r.opt.Outside.Export == nil && whyAll == "" {
		export.why = "no files can be written here"
	}
	return []action{
		{Inspect, why, func() tea.Cmd { return r.inspect(one()) }},
		export,
		visit(Pager, "pager", r.opt.Outside.Pager),
		visit(Editor, "editor", r.opt.Outside.Editor),
	}
}

// landVisit tells what became of another program. Changes in the meantime are
// found as ever.
func (r *Root) landVisit(v visited) tea.Cmd {
	if v.err != nil {
		r.fail(errors.New(v.what + ": " + v.err.Error()))
	}
	return func() tea.Msg { return tea.ResumeMsg{} }
}
