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
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
)

func (a *app) searchCommand() *cobra.Command {
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
	var why *explanation
	if explain {
		why = a.explain(query, found.Plan)
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
		}{objects, found.Conversations, why})
		return firstError(err, nothingFound(len(objects)))
	}
	why.print(a)
	for _, m := range found.Matches {
		a.match(m)
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

// searchMessages prints every message that matches.
func (a *app) searchMessages(ctx context.Context, s *store.Store, text string, o store.SearchOptions, explain bool) error {
	var route []string
	o.Plan = &route
	hits, total, err := s.SearchMessages(ctx, text, o)
	if err != nil {
		return err
	}
	var why *explanation
	if explain {
		why = a.explain(query.Parse(text, false), route)
	}
	if a.json {
		err := a.out.JSON(struct {
			Hits    []store.MessageHit `json:"hits"`
			Total   int                `json:"total"`
			Explain *explanation       `json:"explain,omitempty"`
		}{append([]store.MessageHit{}, hits...), total, why})
		return firstError(err, nothingFound(len(hits)))
	}
	why.print(a)
	for _, h := range hits {
		who := h.Role
		if h.ToolName != "" {
			who = h.ToolName
		}
		at := time.UnixMicro(int64(h.Timestamp * 1e6))
		fmt.Fprintln(a.out, strings.Join([]string{
			a.out.Bold(output.Clean(who)), output.Ago(a.Now(), at), output.Clean(h.Source), fmt.Sprintf("%s#%d", output.Clean(h.SessionID), h.ID),
		}, " · "))
		fmt.Fprintln(a.out, "    "+a.snippet(unmarked(h.Snippet)))
	}
	if a.out.ToTerminal() {
		fmt.Fprintln(a.out, output.Count(total, "message", "messages"))
	}
	return nothingFound(len(hits))
}

// match prints a conversation with its best place.
func (a *app) match(m model.Match) {
	about := []string{a.out.Bold(titleOf(m.Conversation))}
	if m.Hits > 0 {
		about = append(about, output.Count(m.Hits, "hit", "hits"))
	}
	about = append(about, output.Ago(a.Now(), m.LastActive), output.Clean(m.Source), output.Clean(m.ID))
	fmt.Fprintln(a.out, strings.Join(about, " · "))
	if line := a.snippet(m.Best.Snippet); line != "" {
		who := m.Best.Role
		if m.Best.MessageID == 0 {
			who = ""
		} else if m.Best.ToolName != "" {
			who = m.Best.ToolName
		}
		fmt.Fprintln(a.out, "    "+strings.TrimLeft(output.Clean(who)+": ", ": ")+line)
	}
}

// titleOf names a conversation.
func titleOf(c model.Conversation) string {
	for _, t := range []string{c.Title, c.Preview} {
		if t = output.Clean(t); t != "" {
			return t
		}
	}
	return "(untitled)"
}

// snippet gives marked text in one line.
func (a *app) snippet(pieces match.Snippet) string {
	var b strings.Builder
	for _, p := range pieces {
		text := strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' {
				return ' '
			}
			return r
		}, kit.Clean(p.Text))
		if p.Hit {
			text = a.out.Bold(text)
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

// strong marks text where a person's terminal can.
func (a *app) strong(text string) string {
	if !a.out.ToTerminal() || a.Environ.Get("TERM") == "dumb" || text == "" {
		return text
	}
	return theme.New(theme.Mono, false).Strong.Render(text)
}

// marked gives a snippet as the documented call does.
func marked(pieces match.Snippet) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Hit {
			b.WriteString(">>>" + p.Text + "<<<")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// unmarked takes the marks of a snippet apart again.
func unmarked(s string) match.Snippet {
	var pieces match.Snippet
	for s != "" {
		before, rest, begun := strings.Cut(s, ">>>")
		hit, after, ended := strings.Cut(rest, "<<<")
		if !begun || !ended {
			return append(pieces, match.Span{Text: s})
		}
		pieces = append(pieces, match.Span{Text: before}, match.Span{Text: hit, Hit: true})
		s = after
	}
	return pieces
}

// matchObjects gives matches as scripts get them. The id of a best hit is null
// when the title, the id or the source matched.
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
				{Name: "snippet", Value: marked(m.Best.Snippet)},
				{Name: "timestamp", Value: output.Seconds(m.Best.At)},
				{Name: "tool_name", Value: output.OrNull(m.Best.ToolName)},
				{Name: "source", Value: m.Source},
				{Name: "model", Value: output.OrNull(m.Model)},
				{Name: "session_started", Value: output.Seconds(m.StartedAt)},
			}})
	}
	return objects, nil
}
