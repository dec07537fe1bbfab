package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"hermes-sessions/store"
)

// kinds are the ways in which users remember, in the order of the table.
var kinds = []string{
	"keywords", // some words, often in another inflection than the text has
	"question", // a whole question or description
	"typo",     // key words, one of them misspelled
	"exact",    // an error message, a command, a file name or an identifier, as it was
	"vague",    // a description without the rare words
	"hurried",  // shortened, careless
	"story",    // what happened, in one's own words
	"detail",   // something on the side
	"dated",    // words that several conversations have, and when it was
}

// question is a line of a file of queries.
type question struct {
	Query    string   `json:"query"`
	Kind     string   `json:"kind"`
	Language string   `json:"language"` // en, zh, ja, …
	Session  string   `json:"session"`  // id or title of any session of the conversation that is meant
	Sessions []string `json:"sessions"` // the same, where several are right

	roots map[string]bool // of the conversations that are meant, by resolve
}

// readQueries reads a file of queries, one JSON object on a line.
func readQueries(path string) ([]question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []question
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		var q question
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		switch {
		case strings.TrimSpace(q.Query) == "":
			return nil, fmt.Errorf("%s:%d: no query", path, n)
		case !slices.Contains(kinds, q.Kind):
			return nil, fmt.Errorf("%s:%d: %q is not a kind: %s", path, n, q.Kind, strings.Join(kinds, ", "))
		case q.Session == "" && len(q.Sessions) == 0:
			return nil, fmt.Errorf("%s:%d: no session", path, n)
		}
		if q.Session != "" {
			q.Sessions = append(q.Sessions, q.Session)
		}
		all = append(all, q)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// resolve finds the conversations that the questions mean.
func resolve(ctx context.Context, s *store.Store, all []question) error {
	for i := range all {
		q := &all[i]
		q.roots = map[string]bool{}
		for _, name := range q.Sessions {
			m, err := s.MatchName(ctx, name)
			if err == nil && (len(m.Sessions) != 1 || !m.By.Whole()) {
				err = fmt.Errorf("%q names no session, or several", name)
			}
			if err != nil {
				return fmt.Errorf("the session of %q: %w", q.Query, err)
			}
			c, err := s.Conversation(ctx, m.Sessions[0].ID)
			if err != nil {
				return fmt.Errorf("the session of %q: %w", q.Query, err)
			}
			q.roots[c.RootID] = true
		}
	}
	return nil
}
