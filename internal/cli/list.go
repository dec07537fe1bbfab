package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

func listCommand(a *app) *cobra.Command {
	var q query.ListOptions
	var p rows
	cmd := &cobra.Command{
		Use:   "list [QUERY…]",
		Short: "List conversations, newest activity first",
		Long: `list prints a table of conversations: all of them, or those that match a query, such
as source:telegram after:2w. On a terminal it fits the width; in a pipe it has the
layout of hermes sessions list. Exit code 1: nothing found.

` + queryHelp + "\n\n" + tsvHelp + ".",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := p.check(a.json); err != nil {
				return err
			}
			p.defaultLimit = !cmd.Flags().Changed("limit")
			if q.EverySession {
				q.Scope = model.ScopeAll
			}
			if err := absoluteFolder(&q.CWD); err != nil {
				return err
			}
			ctx := cmd.Context()
			parsed, err := a.settings.ParseQuery(strings.Join(words, " "), a.configFile, a.Environ, &q, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return a.readListed(ctx, func(s listed) error { return a.list(ctx, s, parsed, q, p) })
		},
	}
	f := cmd.Flags()
	sourceFlags(cmd, &q)
	countFlag(cmd, &q.Limit, "limit", 20, "number of rows, 0 for all")
	countFlag(cmd, &q.Offset, "offset", 0, "rows to skip")
	placeFlags(cmd, &q)
	f.StringVar(&q.Workspace, "workspace", "", "only with `PART` in the path of the git work tree or folder")
	a.severalFlags(cmd, "list the conversations")
	fullFlag(cmd, &a.full)
	scopeFlag(cmd, &q.Scope)
	sortFlag(cmd, &q.Order)
	rowFlags(cmd, &p)
	return a.paged(cmd)
}

// list prints a page of conversations that a query asks for.
func (a *app) list(ctx context.Context, s listed, parsed query.Query, q query.ListOptions, p rows) error {
	q.RowsOnly = !a.json
	var err error
	if parsed.Filters, err = a.resolve(s, parsed.Filters); err != nil {
		return err
	}
	found, err := s.Search(ctx, parsed, q)
	if err != nil {
		return err
	}
	a.hints(found.Hints, parsed.Hints())
	page := model.ConversationPage{Total: found.Conversations, OutOfScope: found.HiddenConversations}
	for _, m := range found.Matches {
		page.Conversations = append(page.Conversations, m.Conversation)
	}
	if a.json {
		err := a.out.JSONStream(answer.Sessions{Sessions: []answer.Row{}, Total: page.Total, Hidden: page.OutOfScope},
			print.EachConversationObject(ctx, s, page.Conversations, a.full))
		return cmp.Or(err, fault.NothingFound(len(page.Conversations)))
	}
	switch {
	case len(page.Conversations) == 0:
		a.say("No sessions found.")
	case p.tsv:
		err = print.ConversationFields(a.out, a.listOptions(false), page.Conversations)
	default:
		err = print.Conversations(a.out, a.listOptions(p.wide), page.Conversations)
	}
	if err != nil {
		return err
	}
	if a.out.ToTerminal() && !p.tsv {
		if found.RowsOnly {
			// The rows were read without counting the rest, which only the note
			// below needs: print them first.
			if err := a.flushBefore(noteLines); err != nil {
				return err
			}
			q.RowsOnly = false
			all, err := s.Search(ctx, parsed, q)
			if err != nil {
				return err
			}
			page.Total, page.OutOfScope = all.Conversations, all.HiddenConversations
		}
		if note := notShown(len(page.Conversations), q.Offset, page.Total, page.OutOfScope); note != "" {
			fmt.Fprintln(a.out, "\n"+a.out.Faint(output.Wrap(note, a.out.Width(), "")))
		}
	}
	a.noteLimit(len(page.Conversations), q.Limit, p)
	return fault.NothingFound(len(page.Conversations))
}

// noteLimit says that a pipe may get a part of the rows only.
func (a *app) noteLimit(shown, limit int, p rows) {
	if p.defaultLimit && shown == limit && !a.json && !a.out.ToTerminal() {
		a.printNote(fault.Fault{Kind: "limit", Message: fmt.Sprintf("at most %d rows are printed", limit), Remedy: "--limit 0 prints all"})
	}
}

// listOptions says how this run prints a list.
func (a *app) listOptions(wide bool) print.Options {
	return print.Options{Now: a.Now(), Unicode: a.Environ.Unicode(), Wide: wide}
}

// noteLines is more than the note below a list has.
const noteLines = 5

// notShown says how many conversations a list leaves out, by its limit and by its
// scope; "" when it shows all.
func notShown(shown, offset, total, hidden int) string {
	var parts []string
	if shown < total {
		parts = append(parts, fmt.Sprintf("%d to %d of %s (--limit, --offset)", min(offset+1, total), offset+shown, output.Count(total, "conversation", "conversations")))
	}
	if hidden > 0 {
		parts = append(parts, output.Grouped(hidden)+" hidden (--all)")
	}
	return strings.Join(parts, " · ")
}
