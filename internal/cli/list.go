package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

func (a *app) listCommand() *cobra.Command {
	var q query.ListOptions
	cmd := &cobra.Command{
		Use:   "list [QUERY…]",
		Short: "List conversations, newest activity first",
		Long: `list prints conversations as a table: all of them, or those that a query asks
for, such as source:telegram after:2w. Exit code 1: none.

` + languageHelp(),
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if q.EverySession {
				q.Scope = model.ScopeAll
			}
			if err := absolute(&q.CWD); err != nil {
				return err
			}
			ctx := cmd.Context()
			return a.read(ctx, func(s *store.Store, _ place) error { return a.list(ctx, s, strings.Join(words, " "), q) })
		},
	}
	f := cmd.Flags()
	sourceFlags(cmd, &q)
	f.IntVar(&q.Limit, "limit", 20, "rows; 0 for all")
	f.IntVar(&q.Offset, "offset", 0, "rows to leave out first")
	f.BoolVar(&q.EverySession, "all", false, "every session by itself, with segments, subagents and automation")
	f.StringVar(&q.CWD, "cwd", "", "only conversations of this folder `DIR`")
	scopeFlag(cmd, &q.Scope)
	sortFlag(cmd, &q.Order)
	return cmd
}

// absolute makes a folder of the command line absolute.
func absolute(dir *string) error {
	if *dir == "" {
		return nil
	}
	folder, err := filepath.Abs(*dir)
	if err != nil {
		return fmt.Errorf("find the folder %s: %w", *dir, err)
	}
	*dir = folder
	return nil
}

// scopeFlag adds --scope.
func scopeFlag(cmd *cobra.Command, into *model.Scope) {
	addChoice(cmd, oneOf(into, words(model.Scopes()), model.Scopes()),
		"scope", "part of the history")
}

// sourceFlags adds --source and --exclude-source.
func sourceFlags(cmd *cobra.Command, q *query.ListOptions) {
	cmd.Flags().StringSliceVar(&q.Sources, "source", nil, "only this `SOURCE` (repeatable)")
	cmd.Flags().StringSliceVar(&q.ExcludeSources, "exclude-source", nil, "not this `SOURCE` (repeatable)")
}

// list prints a page of conversations that a query asks for.
func (a *app) list(ctx context.Context, s *store.Store, text string, q query.ListOptions) error {
	asked := query.Parse(text, false)
	q.RowsOnly = !a.json
	found, err := s.Search(ctx, asked, q)
	if err != nil {
		return err
	}
	a.hints(found.Hints)
	page := model.ConversationPage{Total: found.Conversations, OutOfScope: found.HiddenConversations}
	for _, m := range found.Matches {
		page.Conversations = append(page.Conversations, m.Conversation)
	}
	if a.json {
		sessions, err := sessionObjects(ctx, s, page.Conversations)
		if err != nil {
			return err
		}
		err = a.printJSON(struct {
			Sessions []pyjson.Object `json:"sessions"`
			Total    int             `json:"total"`
			Hidden   int             `json:"hidden"`
		}{sessions, page.Total, page.OutOfScope})
		return firstOf(err, nothing(len(sessions)))
	}
	if len(page.Conversations) == 0 {
		fmt.Fprintln(a.out, "No sessions found.")
	} else {
		a.table(page.Conversations)
	}
	if a.person() {
		if found.RowsOnly {
			// Only the note needs the rest, and the rows are there already.
			if err := a.out.Flush(); err != nil {
				return err
			}
			q.RowsOnly = false
			all, err := s.Search(ctx, asked, q)
			if err != nil {
				return err
			}
			page.Total, page.OutOfScope = all.Conversations, all.HiddenConversations
		}
		if note := leftOut(len(page.Conversations), q.Offset, page.Total, page.OutOfScope); note != "" {
			fmt.Fprintln(a.out, "\n"+note)
		}
	}
	return nothing(len(page.Conversations))
}

// nothing is the end of a run that found n things.
func nothing(n int) error {
	if n == 0 {
		return errNothing
	}
	return nil
}

// firstOf gives the first error there is.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// leftOut says what a list does not show, "" when it shows all.
func leftOut(shown, offset, total, hidden int) string {
	var parts []string
	if shown < total {
		parts = append(parts, fmt.Sprintf("%d to %d of %s (--limit, --offset)", min(offset+1, total), offset+shown, count(total, "conversation", "conversations")))
	}
	if hidden > 0 {
		parts = append(parts, count(hidden, "more is", "more are")+" automation, subagents or archived (--all)")
	}
	return strings.Join(parts, " · ")
}

// table prints the two layouts of Hermes (store/README.md#command-line): with
// titles when any row has one.
func (a *app) table(rows []model.Conversation) {
	titled := false
	for _, c := range rows {
		titled = titled || c.Title != ""
	}
	if !titled {
		fmt.Fprintln(a.out, cell("Preview", 50, 50), cell("Last Active", 13, 13), cell("Src", 6, 6), "ID")
		fmt.Fprintln(a.out, strings.Repeat("─", 95))
		for _, c := range rows {
			fmt.Fprintln(a.out, cell(c.Preview, 48, 50), cell(ago(a.Now(), c.LastActive), 13, 13), source(c.Source), clean(c.ID))
		}
		return
	}
	fmt.Fprintln(a.out, cell("Title", 32, 32), cell("Preview", 40, 40), cell("Last Active", 13, 13), "ID")
	fmt.Fprintln(a.out, strings.Repeat("─", 110))
	for _, c := range rows {
		title := c.Title
		if title == "" {
			title = "—"
		}
		fmt.Fprintln(a.out, cell(title, 30, 32), cell(c.Preview, 38, 40), cell(ago(a.Now(), c.LastActive), 13, 13), clean(c.ID))
	}
}

// sessionObjects gives conversations as scripts get them: the raw columns of
// the tip, then what was reckoned.
func sessionObjects(ctx context.Context, s *store.Store, rows []model.Conversation) ([]pyjson.Object, error) {
	ids := make([]string, len(rows))
	for i, c := range rows {
		ids[i] = c.ID
	}
	records, err := s.Records(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(records) != len(rows) {
		return nil, fmt.Errorf("read the listed sessions: %d of %d are still there", len(records), len(rows))
	}
	objects := make([]pyjson.Object, len(rows))
	for i, c := range rows {
		segments := make([]any, len(c.Segments))
		for j, id := range c.Segments {
			segments[j] = id
		}
		objects[i] = append(records[i][:len(records[i]):len(records[i])],
			pyjson.Field{Name: "preview", Value: c.Preview},
			pyjson.Field{Name: "last_active", Value: seconds(c.LastActive)},
			pyjson.Field{Name: "root_id", Value: c.RootID},
			pyjson.Field{Name: "segments", Value: segments},
			pyjson.Field{Name: "delegates", Value: int64(c.Delegates)},
			pyjson.Field{Name: "branches", Value: int64(c.Branches)},
		)
	}
	return objects, nil
}
