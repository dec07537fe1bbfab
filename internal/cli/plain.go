package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/plain"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/internal/cli/program"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// prompt is the browser without a screen: a numbered list, and on a terminal a
// prompt for a number, a command or another query. It returns the chosen ids.
func (b browsing) prompt(ctx context.Context, a *app, s *store.Store, at hermes.Location) ([]string, error) {
	p := &plain.Prompt{
		Out: a.out, Store: s, Now: a.Now, Stdin: a.Stdin, Stdout: a.Stdout,
		Query: b.query, Named: a.settings.Named, List: b.list, Limit: b.limit, Verb: "resume", Multi: b.pick.multi, Do: b.actions(a, s, at), //nolint:contextcheck // only the names of commands are asked for
	}
	if !b.pick.any() {
		p.Do.Resume = func(ctx context.Context, id string) error { return a.resume(ctx, s, at, id, b.resume) }
	}
	switch {
	case b.pick.multi:
		p.Verb = "print its ID (or several)"
	case b.pick.any():
		p.Verb = "print its ID"
	}
	if output.IsTerminal(a.Stdin) && a.out.ToTerminal() {
		a.lines = true
		if !a.readOnly {
			a.printInterrupted(ctx, s)
		}
		return p.Run(ctx)
	}
	if b.pick.any() {
		return nil, &fault.Fault{
			Kind: "no-terminal", Code: 1,
			Message: "choosing needs a terminal",
			Remedy:  "in scripts, use list --json or search --json",
			Command: "hermes-sessions list --json",
		}
	}
	return nil, p.Print(ctx)
}

// actions returns what the plain prompt has done by the commands.
func (b browsing) actions(a *app, s *store.Store, at hermes.Location) plain.Actions {
	return plain.Actions{
		Show: func(ctx context.Context, id string, r plain.Reading) error {
			// The headings of Markdown need no rules and marks.
			return a.show(ctx, s, id, showOptions{format: "md", tools: r.Tools, reasoning: r.Tools, recap: r.Recap, message: r.Message})
		},
		ResumeCommand: func(ctx context.Context, id string) error { return a.printResumeCommand(ctx, s, at, id, b.resume) },
		Export: func(ctx context.Context, file string, of []model.Conversation) error {
			o := exportOptions{format: export.FormatOf(file), redact: redacting{masker: a.alwaysMasker()}}
			part := export.Part{Store: s}
			for _, c := range of {
				if o.format == "jsonl" {
					part.IDs = append(part.IDs, c.Segments...)
				} else {
					part.IDs = append(part.IDs, c.ID)
				}
			}
			if o.format == "" {
				return fault.Usage("%s: unknown file extension; use .md, .html or .jsonl", file)
			}
			err := a.export(ctx, []export.Part{part}, file, o, false)
			if f := (*fault.Fault)(nil); errors.As(err, &f) && f.Kind == "exists" {
				f.Remedy = "choose another name" // the prompt has no flags
			}
			return err
		},
		Consequences: func(ctx context.Context, ids []string, p model.Deletion) ([]string, string, error) {
			question, err := deleteQuestion(ctx, s, ids, p)
			back := "It can be undone with :undo until you quit."
			if limits, failed := a.undoLimits(); failed == nil && limits.Days > 0 {
				back = "It can be undone with :undo, and for " + limits.Kept() + " with hermes-sessions undo."
			}
			return append(consequences(p), back), question, err
		},
		Run: func(ctx context.Context, words []string) error {
			run := &app{Process: a.Process, out: a.out, log: a.log}
			root := rootCommand(run) //nolint:contextcheck // a command gets the context when it runs
			run.selection = a.selection
			run.quiet = a.quiet
			run.configFile = a.configFile
			run.paging.off = true
			run.lines = true
			run.readOnly = a.readOnly
			if a.selection.Demo { // this one, not another
				run.selection = hermes.Selection{DB: s.Path()}
			}
			root.SetArgs(words)
			root.SetOut(a.out)
			return root.ExecuteContext(ctx)
		},
		Copy: func(ctx context.Context, text string) error {
			if m := a.alwaysMasker(); m != nil {
				text = m.Text(text)
			}
			return program.Clipboard(ctx, a.Environ, a.Stdout, text)
		},
		Resuming:    func(id string) string { return a.hermesCommand(at, id, b.resume).String() },
		Annotations: a.annotationsOf(single{s}.Databases()),
		Memory:      b.readMemory(a, s),
		Resolve:     func(f []query.Filter) ([]query.Filter, error) { return a.resolve(single{s}, f) },
		Hints:       a.hints,
		Note:        func(text string) { a.say("%s", text) },
		Nothing: func(query string) {
			a.say("No sessions found.")
			if near := help.Mistyped(Commands(), query); near != "" {
				a.printNote(fault.Fault{Kind: "command", Message: searchedFor(query), Remedy: "did you mean the command " + near + "?", Command: "hermes-sessions " + near})
			}
		},
		Language: print.LanguageHelp(),
	}
}

// searchedFor says that a word was taken for a query.
func searchedFor(query string) string { return fmt.Sprintf("%q was searched for", query) }

// printJSON prints the list that the browser would start with, for a script.
func (b browsing) printJSON(ctx context.Context, a *app, s listed) error {
	b.list.Limit, b.list.Closest = b.limit, true
	q, err := a.settings.ParseQuery(b.query, a.configFile, a.Environ, &b.list, func(string) bool { return false })
	if err != nil {
		return err
	}
	if strings.TrimSpace(b.query) == "" {
		return a.list(ctx, s, q, b.list, rows{})
	}
	return a.search(ctx, s, q, b.list, searchOutput{})
}
