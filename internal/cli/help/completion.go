package help

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// mostSessions is how many conversations are offered, newest first.
const mostSessions = 200

// offer returns a word with its description; false for a word that a terminal would
// not show as it is.
func offer(word, description string) (string, bool) {
	if word == "" || output.Clean(word) != word {
		return "", false
	}
	if description = output.Clean(description); description == "" {
		return word, true
	}
	return word + "\t" + description, true
}

// offerSessions offers the newest conversations that a word begins to name: by id, and once
// something is typed by title too. Behind a profile, as in work/ID, only ids name sessions.
func offerSessions(ctx context.Context, s *store.Store, begun, profile string) (offers []string) {
	page, err := s.Conversations(ctx, query.ListOptions{Limit: mostSessions, RowsOnly: true})
	if err != nil {
		return nil
	}
	for _, c := range page.Conversations {
		var o string
		var ok bool
		title := c.Title
		if strings.HasPrefix(c.ID, begun) {
			title = cmp.Or(title, c.Preview)
			o, ok = offer(profile+c.ID, title)
		} else if profile == "" && hasPrefixFold(title, begun) {
			o, ok = offer(title, c.ID)
		}
		if ok {
			offers = append(offers, o)
		}
	}
	return offers
}

// hasPrefixFold is strings.HasPrefix in any case.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// offerValues offers the values of a field that occur in the database, the most frequent
// first, or those that are always the same.
func offerValues(ctx context.Context, s *store.Store, field query.Field, begun string) (offers []string) {
	add := func(value, description string) {
		if !hasPrefixFold(value, begun) || strings.ContainsAny(value, " \t\"'") {
			return // a query has quotes around such a value, which shells take away
		}
		if o, ok := offer(value, description); ok {
			offers = append(offers, o)
		}
	}
	if s != nil {
		found, err := s.FieldValues(ctx, field)
		if err != nil {
			return nil
		}
		for _, v := range found {
			count := "" // unknown
			if v.Conversations > 0 {
				count = output.Count(v.Conversations, "conversation", "conversations")
			}
			add(v.Value, count)
		}
	}
	if len(offers) == 0 {
		for _, f := range query.Fields() {
			if f.Field == field {
				for _, v := range f.Values {
					add(v, "")
				}
			}
		}
	}
	return offers
}

// offerFilters offers filters for a word of a query, and behind the colon their values. goesOn
// reports whether more has to be typed behind each offer, if there are any. open is asked for the
// database only where values of it are needed; nil is one that cannot be opened.
func offerFilters(ctx context.Context, begun string, open func() *store.Store) (offers []string, goesOn bool) {
	name, value, colon := strings.Cut(begun, ":")
	for _, f := range query.Fields() {
		switch {
		case colon && string(f.Field) == name:
			var s *store.Store
			if f.OpenEnded {
				s = open()
			}
			for _, o := range offerValues(ctx, s, f.Field, value) {
				offers = append(offers, fmt.Sprintf("%s:%s", name, o))
			}
		case !colon && strings.HasPrefix(string(f.Field), name):
			offers = append(offers, fmt.Sprintf("%s:\t%s", f.Field, f.Help))
		}
	}
	return offers, !colon && len(offers) > 0
}

// offerNamed offers the named queries that a word begins to name.
func offerNamed(all []query.Named, begun string) (offers []string) {
	for _, n := range all {
		if o, ok := offer("@"+n.Name, n.Text); ok && strings.HasPrefix(o, begun) {
			offers = append(offers, o)
		}
	}
	return offers
}
