package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
)

func searchCommand(a *app) *cobra.Command {
	var q query.ListOptions
	var roles []string
	var messages bool
	var p searchOutput
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Search messages and titles",
		Long: `search prints the conversations that match, each with its best message: first those with
all words in one message or in the title; if there are few, those with all words in
different messages, then the closest ones, with most of the words, other forms and
corrected spellings. --words all leaves these out, --further adds more distant ones. Of
equal ones, those of a time that the query names (september, last week) come first.
--group message prints every message with all words, of subagents and archived ones too.
Exit code 1: nothing found.

` + queryHelp + "\n\n" + tsvHelp + ", matches, who wrote the best message, and the message.",
		Args: func(_ *cobra.Command, words []string) error {
			if strings.TrimSpace(strings.Join(words, " ")) == "" {
				return fault.Usage("search needs a query")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := p.check(a.json); err != nil {
				return err
			}
			switch {
			case p.tsv && p.explain:
				return fault.Usage("--tsv takes no --explain")
			case p.tsv && p.count:
				return fault.Usage("--tsv takes no --count")
			case !messages && len(roles) > 0:
				return fault.Usage("--role needs --group message")
			case !messages && q.Order == oldest:
				return fault.Usage("--sort oldest needs --group message")
			case messages && !slices.Contains([]query.Order{query.ByRelevance, query.ByActivity, oldest}, q.Order):
				return fault.Usage("--sort %s needs --group conversation", q.Order)
			case messages && cmd.Flags().Changed("words") && q.Closest:
				return fault.Usage("--words any needs --group conversation")
			case messages && q.Further:
				return fault.Usage("--further needs --group conversation")
			case messages && (cmd.Flags().Changed("scope") || q.EverySession):
				return fault.Usage("--scope needs --group conversation; --group message searches everything")
			case messages && q.CWD != "":
				return fault.Usage("--cwd needs --group conversation")
			}
			ctx, text := cmd.Context(), strings.Join(words, " ")
			p.defaultLimit = !cmd.Flags().Changed("limit")
			if q.EverySession {
				q.Scope = model.ScopeAll
			}
			if err := absoluteFolder(&q.CWD); err != nil {
				return err
			}
			parsed, err := a.settings.ParseQuery(text, a.configFile, a.Environ, &q, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			if mistake := parsed.Mistake(); mistake != "" {
				return fault.Usage("%s", mistake)
			}
			if messages && parsed.FiltersOnly() {
				return fault.Usage("filters alone find no message: add words, or leave --group message out")
			}
			q.RowsOnly = !p.count && !parsed.FiltersOnly()
			if !messages {
				return a.readListed(ctx, func(s listed) error { return a.search(ctx, s, parsed, q, p) })
			}
			if parsed.Named != nil {
				text = parsed.String()
			}
			return a.read(ctx, func(s *store.Store) error {
				return a.searchMessages(ctx, s, text, store.SearchOptions{
					Sources: q.Sources, ExcludeSources: q.ExcludeSources, Roles: roles,
					Sort:  map[query.Order]store.SearchSort{query.ByRelevance: store.Relevance, query.ByActivity: store.Newest, oldest: store.Oldest}[q.Order],
					Limit: cmp.Or(q.Limit, -1), Offset: q.Offset,
				}, p)
			})
		},
	}
	sourceFlags(cmd, &q)
	f := cmd.Flags()
	f.StringSliceVar(&roles, "role", nil, "with --group message: only this `ROLE` (repeatable)")
	orders := append([]query.Order{query.ByRelevance}, query.Orders()...)
	chooseFlag(cmd, oneOf(&q.Order, "ORDER", append(output.Names(orders), "oldest"), append(orders, oldest)).also("newest", query.ByActivity), "sort", "order of the results")
	chooseFlag(cmd, oneOf(&messages, "WHAT", []string{"conversation", "message"}, []bool{false, true}), "group", "print")
	chooseFlag(cmd, oneOf(&q.Closest, "WHICH", []string{"any", "all"}, []bool{true, false}), "words", "words that must be there")
	f.BoolVar(&q.Further, "further", false, "also conversations much less close than the first")
	countFlag(cmd, &q.Limit, "limit", 20, "number of results, 0 for all")
	countFlag(cmd, &q.Offset, "offset", 0, "results to skip")
	f.BoolVar(&p.count, "count", false, "print how many match in all, which takes longer")
	f.BoolVar(&p.explain, "explain", false, "show how the query was read and answered")
	a.severalFlags(cmd, "search the conversations")
	placeFlags(cmd, &q)
	fullFlag(cmd, &a.full)
	scopeFlag(cmd, &q.Scope)
	rowFlags(cmd, &p.rows)
	return a.paged(cmd)
}

// oldest is the order of --sort that only messages have.
const oldest query.Order = math.MaxUint8

// searchOutput says what is printed of a search.
type searchOutput struct {
	count   bool // all that match
	explain bool // how the query was understood
	rows
}

// search prints the conversations that match.
func (a *app) search(ctx context.Context, s listed, query query.Query, q query.ListOptions, p searchOutput) error {
	var err error
	if query.Filters, err = a.resolve(s, query.Filters); err != nil {
		return err
	}
	found, err := s.Search(ctx, query, q)
	if err != nil {
		return err
	}
	if found.IndexNote != "" {
		a.printNote(fault.Fault{Kind: "incomplete", Message: found.IndexNote, Remedy: "check the database", Command: kit.RemedyCommand(model.Remedy{Kind: model.RemedyCheck})})
	}
	a.hints(found.Hints, query.Hints())
	allShown := len(found.Matches) > 0 && found.Matches[0].OutOfScope
	if found.HiddenConversations > 0 && !allShown && !p.count && !a.json && !a.out.ToTerminal() {
		message, flag := print.Hidden(found)
		a.printNote(fault.Fault{Kind: "scope", Message: message, Remedy: flag})
	}
	var explained *print.Explanation
	if p.explain {
		explained = print.Explain(query, found.Plan, a.Now())
		if !query.FiltersOnly() {
			explained.AddRanking(found)
		}
	}
	if a.json {
		objects, err := print.MatchObjects(ctx, s, found.Matches, a.full)
		if err != nil {
			return err
		}
		err = a.out.JSON(answer.Search{
			Conversations: objects, Total: found.Conversations, Close: found.Close, Further: found.Further,
			Hidden: found.HiddenConversations, WithoutQuotes: found.Unquoted, AtLeast: found.RowsOnly,
			ReadAs: readAs(found), Explain: explained.ForJSON(),
		})
		return cmp.Or(err, fault.NothingFound(len(objects)))
	}
	explained.Print(a.out)
	if p.tsv {
		err = print.MatchFields(a.out, a.listOptions(false), found.Matches)
	} else {
		err = print.Matches(a.out, a.listOptions(p.wide), found)
	}
	if err != nil {
		return err
	}
	if len(found.Matches) == 0 {
		if a.say("No matches. " + query.Advice(model.During(query.Text, found.Spans)) + "."); found.Unquoted > 0 {
			a.say(print.WithoutQuotes(found))
		}
	}
	if p.count || a.out.ToTerminal() && !p.tsv {
		fmt.Fprintln(a.out, output.Wrap(print.Summary(found, query.FiltersOnly()), a.out.Width(), ""))
	}
	a.noteLimit(len(found.Matches), q.Limit, p.rows)
	return fault.NothingFound(len(found.Matches))
}

// searchMessages prints the messages that match.
func (a *app) searchMessages(ctx context.Context, s *store.Store, text string, o store.SearchOptions, p searchOutput) error {
	var plan, hints []string
	o.Plan, o.Hints = &plan, &hints
	parsed := query.ParseForMessages(text)
	var err error
	if o.Filters, err = a.resolve(single{s}, parsed.Filters); err != nil {
		return err
	}
	hits, total, err := s.SearchMessages(ctx, text, o)
	if err != nil {
		return err
	}
	a.hints(hints, parsed.Hints())
	var explained *print.Explanation
	if p.explain {
		explained = print.Explain(parsed, plan, a.Now())
	}
	if a.json {
		err := a.out.JSON(answer.Hits[store.MessageHit]{Hits: output.List(hits), Total: total, Explain: explained.ForJSON()})
		return cmp.Or(err, fault.NothingFound(len(hits)))
	}
	explained.Print(a.out)
	for _, h := range hits {
		who := model.Hit{MessageID: h.ID, Role: h.Role, ToolName: h.ToolName}.Speaker()
		at, place := time.UnixMicro(int64(math.Round(h.Timestamp*1e6))), fmt.Sprintf("%s#%d", output.Clean(h.SessionID), h.ID)
		if p.tsv {
			if err := print.HitFields(a.out, a.listOptions(false), place, who, h.Source, at, print.ParseMarkers(h.Snippet)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(a.out, strings.Join([]string{
			a.out.Bold(output.Clean(who)), output.Ago(a.Now(), at), output.Clean(h.Source), place,
		}, " · "))
		fmt.Fprintln(a.out, "    "+print.Snippet(a.out, print.ParseMarkers(h.Snippet)))
	}
	if len(hits) == 0 {
		a.say("No matches.")
	}
	if p.count || a.out.ToTerminal() && !p.tsv {
		fmt.Fprintln(a.out, output.Count(total, "message", "messages"))
	}
	a.noteLimit(len(hits), o.Limit, p.rows)
	return fault.NothingFound(len(hits))
}

// readAs returns by word what stands for it, for JSON: other forms and spellings, and the time
// that a date names.
func readAs(found model.SearchResults) map[string][]string {
	forms := map[string][]string{}
	for _, r := range found.Readings {
		forms[r.Word] = r.Forms
	}
	for _, s := range found.Spans {
		forms[s.Words] = append(forms[s.Words], s.Span)
	}
	return forms
}

// hints prints a note for each filter that the database cannot answer, and for each
// part of the query that looks like a filter and is read as text.
func (a *app) hints(unanswered, misread []string) {
	for _, h := range unanswered {
		a.printNote(fault.Fault{Kind: "filter", Message: h})
	}
	for _, h := range misread {
		a.printNote(fault.Fault{Kind: "query", Message: h})
	}
}
