package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/explain"
	"hermes-sessions/internal/cli/flagtype"
	"hermes-sessions/internal/cli/listing"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

func listCommand(a *app) *cobra.Command {
	var q query.ListOptions
	var wide bool
	cmd := &cobra.Command{
		Use:   "list [QUERY…]",
		Short: "List conversations, newest activity first",
		Long: `list prints a table of conversations: all of them, or those that match a query, such
as source:telegram after:2w. On a terminal it fits the width; in a pipe it is the table
of hermes sessions list. Exit code 1: nothing found.

` + explain.LanguageHelp(),
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if q.EverySession {
				q.Scope = model.ScopeAll
			}
			if err := absoluteFolder(&q.CWD); err != nil {
				return err
			}
			ctx := cmd.Context()
			parsed, err := a.settings.ParseQuery(strings.Join(words, " "), a.Environ, &q, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return readListed(ctx, a, func(s listed) error { return a.list(ctx, s, parsed, q, wide) })
		},
	}
	f := cmd.Flags()
	sourceFlags(cmd, &q)
	flagtype.Count(cmd, &q.Limit, "limit", 20, "number of rows, 0 for all")
	flagtype.Count(cmd, &q.Offset, "offset", 0, "rows to skip")
	f.BoolVar(&q.EverySession, "all", false, "list every session, with segments, subagents and automation")
	f.StringVar(&q.CWD, "cwd", "", "only conversations of this folder `DIR`")
	severalFlags(a, cmd)
	fullFlag(cmd, &a.full)
	scopeFlag(cmd, &q.Scope)
	sortFlag(cmd, &q.Order)
	wideFlag(cmd, &wide)
	return paged(a, cmd)
}

// list prints a page of conversations that a query asks for.
func (a *app) list(ctx context.Context, s listed, parsed query.Query, q query.ListOptions, wide bool) error {
	q.RowsOnly = !a.json
	parsed.Filters = resolve(a, s, parsed.Filters)
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
		sessions, err := sessionObjects(ctx, s, page.Conversations, a.full)
		if err != nil {
			return err
		}
		err = a.out.JSON(answer.Sessions{Sessions: sessions, Total: page.Total, Hidden: page.OutOfScope})
		return firstError(err, nothingFound(len(sessions)))
	}
	if len(page.Conversations) == 0 {
		a.say("No sessions found.")
	} else if err := listing.Conversations(a.out, listOptions(a, wide), page.Conversations); err != nil {
		return err
	}
	if a.out.ToTerminal() {
		if found.RowsOnly {
			// The rows were read without counting the rest, which only the note
			// below needs: print them first.
			if err := a.printed(noteLines); err != nil {
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
	return nothingFound(len(page.Conversations))
}

// listOptions says how this run prints a list.
func listOptions(a *app, wide bool) listing.Options {
	return listing.Options{Now: a.Now(), Unicode: a.Environ.Unicode(), Wide: wide}
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
		parts = append(parts, output.Count(hidden, "more is", "more are")+" automation, subagents or archived (--all)")
	}
	return strings.Join(parts, " · ")
}

// sessionObjects returns conversations for JSON: the raw columns of the tip, without
// the system prompt unless --full asks for it, then the values computed over the whole
// conversation.
func sessionObjects(ctx context.Context, s listed, rows []model.Conversation, full bool) ([]pyjson.Object, error) {
	records, err := sessionRows(ctx, s, rows)
	if err != nil {
		return nil, err
	}
	objects := make([]pyjson.Object, len(rows))
	for i, c := range rows {
		segments := make([]any, len(c.Segments))
		for j, id := range c.Segments {
			segments[j] = s.localID(id)
		}
		if !full {
			records[i] = slices.DeleteFunc(records[i], func(f pyjson.Field) bool { return f.Name == "system_prompt" })
		}
		objects[i] = append(records[i][:len(records[i]):len(records[i])],
			pyjson.Field{Name: "preview", Value: c.Preview},
			pyjson.Field{Name: "last_active", Value: output.Seconds(c.LastActive)},
			pyjson.Field{Name: "root_id", Value: s.localID(c.RootID)},
			pyjson.Field{Name: "segments", Value: segments},
			pyjson.Field{Name: "delegates", Value: int64(c.Delegates)},
			pyjson.Field{Name: "branches", Value: int64(c.Branches)},
			pyjson.Field{Name: "expires_at", Value: output.Seconds(c.ExpiresAt)},
		)
		if s.localID(c.ID) != c.ID {
			objects[i] = append(objects[i], pyjson.Field{Name: "profile", Value: c.Profile})
		}
	}
	return objects, nil
}

// sessionRows reads the row of the tip of each conversation.
func sessionRows(ctx context.Context, s listed, of []model.Conversation) ([]store.Record, error) {
	ids := make([]string, len(of))
	for i, c := range of {
		ids[i] = c.ID
	}
	records, err := s.Records(ctx, ids)
	if isDamaged(s, err) {
		records, err = salvagedRecords(ctx, s, of)
	}
	if err == nil && len(records) != len(of) {
		err = fmt.Errorf("read the listed sessions: %d of %d are still there", len(records), len(of))
	}
	return records, err
}

// isDamaged reports whether an error, or a note, says that part of the database cannot
// be read.
func isDamaged(s listed, err error) bool {
	e, ok := errors.AsType[*store.Error](err)
	return ok && e.Kind == store.KindDamaged ||
		err == nil && slices.ContainsFunc(s.Notes(), func(n model.HealthNote) bool { return n.Kind == store.NoteDamaged })
}

// salvagedRecords reads the rows of conversations one by one. Where a row is lost, it
// gives what the messages tell of the session.
func salvagedRecords(ctx context.Context, s listed, rows []model.Conversation) ([]store.Record, error) {
	records := make([]store.Record, len(rows))
	for i, c := range rows {
		some, err := s.Records(ctx, []string{c.ID})
		switch {
		case err == nil && len(some) == 1:
			records[i] = some[0]
		case err == nil || isDamaged(s, err):
			records[i] = store.Record{
				{Name: "id", Value: s.localID(c.ID)},
				{Name: "source", Value: nil},
				{Name: "title", Value: nil},
				{Name: "started_at", Value: nil},
				{Name: "message_count", Value: int64(c.Messages)},
			}
		default:
			return nil, err
		}
	}
	return records, nil
}
