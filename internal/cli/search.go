package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
)

func searchCommand(a *app) *cobra.Command {
	var q query.ListOptions
	var roles []string
	var order store.SearchSort
	var messages, explain bool
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Search what was said",
		Long: `search prints the conversations in which something was said, with the best
place of each, or with --group message every message that says it, those of
subagents and archived conversations too. Exit code 1: nothing found.

` + languageHelp(),
		Args: func(_ *cobra.Command, words []string) error {
			if strings.TrimSpace(strings.Join(words, " ")) == "" {
				return fault.Usage("search for what?")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			switch {
			case !messages && len(roles) > 0:
				return fault.Usage("--role goes with --group message")
			case !messages && order == store.Oldest:
				return fault.Usage("--sort oldest goes with --group message")
			}
			ctx, text := cmd.Context(), strings.Join(words, " ")
			if messages && query.Parse(text, false).FiltersOnly() {
				return fault.Usage("filters alone find no message: add words, or leave --group message out")
			}
			if order == store.Relevance {
				q.Order = query.ByRelevance
			}
			return a.read(ctx, func(s *store.Store) error {
				if messages {
					return a.searchMessages(ctx, s, text, store.SearchOptions{
						Sources: q.Sources, ExcludeSources: q.ExcludeSources, Roles: roles, Sort: order,
						Limit: cmp.Or(q.Limit, -1), Offset: q.Offset,
					}, explain)
				}
				return a.search(ctx, s, text, q, explain)
			})
		},
	}
	sourceFlags(cmd, &q)
	f := cmd.Flags()
	f.StringSliceVar(&roles, "role", nil, "with --group message: only what this `ROLE` said (repeatable)")
	choiceFlag(cmd, oneOf(&order, []string{"relevance", "newest", "oldest"},
		[]store.SearchSort{store.Relevance, store.Newest, store.Oldest}), "sort", "order of the answers")
	choiceFlag(cmd, oneOf(&messages, []string{"conversation", "message"}, []bool{false, true}), "group", "what an answer is")
	f.IntVar(&q.Limit, "limit", 20, "answers; 0 for all")
	f.IntVar(&q.Offset, "offset", 0, "answers to leave out first")
	f.BoolVar(&explain, "explain", false, "say how the query was understood and by which road it was answered")
	scopeFlag(cmd, &q.Scope)
	return cmd
}

// search prints the conversations that match.
func (a *app) search(ctx context.Context, s *store.Store, text string, q query.ListOptions, explain bool) error {
	query := query.Parse(text, false)
	found, err := s.Search(ctx, query, q)
	if err != nil {
		return err
	}
	if found.IndexNote != "" {
		a.printNote("incomplete", found.IndexNote, "")
	}
	a.hints(found.Hints)
	var explained *explanation
	if explain {
		explained = a.explain(query, found.Plan)
	}
	if a.json {
		objects, err := matchObjects(ctx, s, found.Matches)
		if err != nil {
			return err
		}
		err = a.out.JSON(struct {
			Conversations []pyjson.Object `json:"conversations"`
			Total         int             `json:"total"`
			Explain       *explanation    `json:"explain,omitempty"`
		}{objects, found.Conversations, explained})
		return firstError(err, nothingFound(len(objects)))
	}
	explained.print(a)
	for _, m := range found.Matches {
		a.printMatch(m)
	}
	if a.out.ToTerminal() {
		sum, hidden := output.Count(found.Conversations, "conversation", "conversations"), found.HiddenConversations
		if !query.FiltersOnly() {
			sum, hidden = output.Count(found.Hits, "hit", "hits")+" in "+sum, found.HiddenHits
		}
		if hidden > 0 {
			sum += fmt.Sprintf(", %s hidden by scope (--scope all)", output.Count(hidden, "more", "more"))
		}
		fmt.Fprintln(a.out, sum)
	}
	return nothingFound(len(found.Matches))
}

// searchMessages prints the messages that match.
func (a *app) searchMessages(ctx context.Context, s *store.Store, text string, o store.SearchOptions, explain bool) error {
	var plan []string
	o.Plan = &plan
	hits, total, err := s.SearchMessages(ctx, text, o)
	if err != nil {
		return err
	}
	var explained *explanation
	if explain {
		explained = a.explain(query.Parse(text, false), plan)
	}
	if a.json {
		err := a.out.JSON(struct {
			Hits    []store.MessageHit `json:"hits"`
			Total   int                `json:"total"`
			Explain *explanation       `json:"explain,omitempty"`
		}{append([]store.MessageHit{}, hits...), total, explained})
		return firstError(err, nothingFound(len(hits)))
	}
	explained.print(a)
	for _, h := range hits {
		who := h.Role
		if h.ToolName != "" {
			who = h.ToolName
		}
		at := time.UnixMicro(int64(h.Timestamp * 1e6))
		fmt.Fprintln(a.out, strings.Join([]string{
			a.out.Bold(output.Clean(who)), output.Ago(a.Now(), at), output.Clean(h.Source), fmt.Sprintf("%s#%d", output.Clean(h.SessionID), h.ID),
		}, " · "))
		fmt.Fprintln(a.out, "    "+snippet(a.out, parseMarkers(h.Snippet)))
	}
	if a.out.ToTerminal() {
		fmt.Fprintln(a.out, output.Count(total, "message", "messages"))
	}
	return nothingFound(len(hits))
}

// printMatch prints a conversation, and the best hit in it on a second line.
func (a *app) printMatch(m model.Match) {
	head := []string{a.out.Bold(titleOf(m.Conversation))}
	if m.Hits > 0 {
		head = append(head, output.Count(m.Hits, "hit", "hits"))
	}
	head = append(head, output.Ago(a.Now(), m.LastActive), output.Clean(m.Source), output.Clean(m.ID))
	fmt.Fprintln(a.out, strings.Join(head, " · "))
	if line := snippet(a.out, m.Best.Snippet); line != "" {
		who := m.Best.Role
		if m.Best.MessageID == 0 {
			who = ""
		} else if m.Best.ToolName != "" {
			who = m.Best.ToolName
		}
		fmt.Fprintln(a.out, "    "+strings.TrimLeft(output.Clean(who)+": ", ": ")+line)
	}
}

// titleOf returns the title of a conversation, else its preview, cleaned.
func titleOf(c model.Conversation) string {
	for _, t := range []string{c.Title, c.Preview} {
		if t = output.Clean(t); t != "" {
			return t
		}
	}
	return "(untitled)"
}

// snippet returns a snippet as one line, its hits in bold.
func snippet(out *output.Writer, spans match.Snippet) string {
	var b strings.Builder
	for _, p := range spans {
		text := strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' {
				return ' '
			}
			return r
		}, kit.Clean(p.Text))
		if p.Hit {
			text = out.Bold(text)
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

// withMarkers returns a snippet as Hermes's search does, with >>> and <<< around
// each hit.
func withMarkers(spans match.Snippet) string {
	var b strings.Builder
	for _, p := range spans {
		if p.Hit {
			b.WriteString(">>>" + p.Text + "<<<")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// parseMarkers splits a snippet with >>> and <<< into its spans.
func parseMarkers(s string) match.Snippet {
	var spans match.Snippet
	for s != "" {
		before, rest, begun := strings.Cut(s, ">>>")
		hit, after, ended := strings.Cut(rest, "<<<")
		if !begun || !ended {
			return append(spans, match.Span{Text: s})
		}
		spans = append(spans, match.Span{Text: before}, match.Span{Text: hit, Hit: true})
		s = after
	}
	return spans
}

// matchObjects returns matches for JSON. The id of a best hit is null where the
// title, the id or the source matched.
func matchObjects(ctx context.Context, s *store.Store, matches []model.Match) ([]pyjson.Object, error) {
	rows := make([]model.Conversation, len(matches))
	for i, m := range matches {
		rows[i] = m.Conversation
	}
	objects, err := sessionObjects(ctx, s, rows)
	if err != nil {
		return nil, err
	}
	for i, m := range matches {
		var id any
		if m.Best.MessageID != 0 {
			id = m.Best.MessageID
		}
		objects[i] = append(objects[i],
			pyjson.Field{Name: "hits", Value: int64(m.Hits)},
			pyjson.Field{Name: "best", Value: pyjson.Object{
				{Name: "id", Value: id},
				{Name: "session_id", Value: m.Best.SessionID},
				{Name: "role", Value: output.OrNull(m.Best.Role)},
				{Name: "snippet", Value: withMarkers(m.Best.Snippet)},
				{Name: "timestamp", Value: output.Seconds(m.Best.At)},
				{Name: "tool_name", Value: output.OrNull(m.Best.ToolName)},
				{Name: "source", Value: m.Source},
				{Name: "model", Value: output.OrNull(m.Model)},
				{Name: "session_started", Value: output.Seconds(m.StartedAt)},
			}})
	}
	return objects, nil
}
