package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// Hermes's own statements for a page of messages: by words and by substrings.
const (
	upstreamMatch = `SELECT m.id, m.session_id, m.role, snippet(TABLE, 0, '>>>', '<<<', '...', 40) AS snippet,
		m.content, m.timestamp, m.tool_name, s.source, s.model, s.started_at
		FROM TABLE JOIN messages m ON m.id = TABLE.rowid JOIN sessions s ON s.id = m.session_id
		WHERE TABLE MATCH ? ORDER BY rank LIMIT 50`
	upstreamLike = `SELECT m.id, m.session_id, m.role, substr(m.content, max(1, instr(m.content, ?1) - 40), 120) AS snippet,
		m.content, m.timestamp, m.tool_name, s.source, s.model, s.started_at
		FROM messages m JOIN sessions s ON s.id = m.session_id
		WHERE LIKES ORDER BY m.timestamp DESC LIMIT 50`
)

// statement is a statement of Hermes with its arguments.
type statement struct {
	sql  string
	args []any
}

func byMatch(table, match string) statement {
	return statement{strings.ReplaceAll(upstreamMatch, "TABLE", table), []any{match}}
}

// byLike searches for any of the substrings.
func byLike(texts ...string) statement {
	var likes []string
	args := []any{texts[0]}
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	for _, t := range texts {
		n := "?" + string(rune('1'+len(args)))
		likes = append(likes, `(m.content LIKE `+n+` ESCAPE '\' OR m.tool_name LIKE `+n+` ESCAPE '\' OR m.tool_calls LIKE `+n+` ESCAPE '\')`)
		args = append(args, "%"+escape.Replace(t)+"%")
	}
	return statement{strings.ReplaceAll(upstreamLike, "LIKES", strings.Join(likes, " OR ")), args}
}

// upstreamStatement returns the statement that Hermes runs for a key.
func upstreamStatement(k key) statement {
	switch {
	case k.Kind != "han":
		return byMatch("messages_fts", match(k))
	case k.Length < 3:
		return byLike(k.Text)
	}
	return byMatch("messages_fts_trigram", `"`+k.Text+`"`)
}

// run runs a statement and reads all its rows.
func (s statement) run(ctx context.Context, db *sql.DB) error {
	return each(ctx, db, s.sql, s.args, func(scan func(...any) error) error {
		var v [10]any
		return scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9])
	})
}

// Both run rounds times; once if the statement takes a second, and up to mostRounds
// times until minDuration has passed, because one disturbance changes the result of
// short queries.
const (
	rounds, mostRounds = 3, 15
	minDuration        = 30 * time.Millisecond // of all rounds
)

// alternate runs a statement and a search in turns and gives their medians.
func alternate(ctx context.Context, db *sql.DB, theirs statement, s *store.Store, q query.Query) (theirMillis, ourMillis float64, err error) {
	_, list := browserQuery("")
	var a, b []float64
	begun := time.Now()
	for n := 0; n < rounds || n < mostRounds && time.Since(begun) < minDuration; n++ {
		start := time.Now()
		if err := theirs.run(ctx, db); err != nil {
			return 0, 0, err
		}
		took := time.Since(start)
		a = append(a, millis(took))
		start = time.Now()
		if _, err := s.Search(ctx, q, list); err != nil {
			return 0, 0, err
		}
		b = append(b, millis(time.Since(start)))
		if took > time.Second {
			break
		}
	}
	return quantile(a, 0.5), quantile(b, 0.5), nil
}

// runners opens the file for upstream's statements, and for ours as the browser
// has it.
func (b *bench) runners(ctx context.Context) (db *sql.DB, s *store.Store, done func(), err error) {
	if db, err = b.upstream(); err != nil {
		return nil, nil, nil, err
	}
	if s, err = store.Open(ctx, b.path); err != nil {
		db.Close()
		return nil, nil, nil, err
	}
	done = func() {
		s.Close()
		db.Close()
	}
	if err = s.Prepare(ctx); err != nil {
		done()
		return nil, nil, nil, err
	}
	return db, s, done, nil
}

// race runs some keys of each length in turns with upstream's statement.
func (b *bench) race(ctx context.Context) error {
	raced := map[string]bool{}
	of := map[string]int{} // by kind and length
	name := func(kind string, length int) string { return kind + string(rune('0'+length)) }
	right := map[string]bool{}
	for _, r := range b.results.of("checked") {
		right[r.Text] = true
	}
	db, s, done, err := b.runners(ctx)
	if err != nil {
		return err
	}
	defer done()
	for _, k := range b.keys {
		group := name(k.Kind, k.Length)
		if !right[k.Text] || raced[k.Text] || of[group] >= b.compare || k.Length > 6 {
			continue
		}
		b.tell("%q in turns with upstream's statement", k.Text)
		q, _ := browserQuery(k.Text)
		theirs, ours, err := alternate(ctx, db, upstreamStatement(k), s, q)
		if err != nil {
			return err
		}
		raced[k.Text] = true
		of[group]++
		b.results = append(b.results, result{Step: "raced", Text: k.Text, Kind: k.Kind, Length: k.Length, Theirs: theirs, Wall: ours})
	}
	return nil
}

// recordings are the answers of the real software that the tests have.
func recordings(name string, into any) error {
	data, err := fixtures.ReadFile("oracle/v11/" + name + ".json")
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// recorded runs the queries of the recordings in turns with what upstream made
// of them. Those that upstream could not ask are left out.
func (b *bench) recorded(ctx context.Context) error {
	if b.compare == 0 {
		return nil
	}
	var searches struct {
		Items []struct {
			Input struct{ Query string }
			Path  string
		}
	}
	var sanitised struct {
		Items []struct{ Input, Output string }
	}
	err := errors.Join(recordings("search_messages", &searches), recordings("sanitize_fts5_query", &sanitised))
	if err != nil {
		return err
	}
	clean := map[string]string{}
	for _, i := range sanitised.Items {
		clean[i.Input] = i.Output
	}
	did := map[string]bool{}
	db, s, done, err := b.runners(ctx)
	if err != nil {
		return err
	}
	defer done()
	for _, i := range searches.Items {
		text, ok := clean[i.Input.Query]
		if !ok || did[i.Input.Query] || i.Path == "" {
			continue
		}
		did[i.Input.Query] = true
		raw := strings.Fields(strings.Trim(text, `"`))
		words := slices.DeleteFunc(slices.Clone(raw), isOperator)
		if i.Path != "fts" && len(words) == 0 {
			continue
		}
		theirs := byMatch("messages_fts", text)
		switch i.Path {
		case "like":
			theirs = byLike(words[:min(len(words), 8)]...)
		case "trigram":
			for n, w := range raw {
				if !isOperator(w) {
					raw[n] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
				}
			}
			theirs = byMatch("messages_fts_trigram", strings.Join(raw, " "))
		}
		b.tell("the recorded %q", i.Input.Query)
		a, ours, err := alternate(ctx, db, theirs, s, query.Parse(i.Input.Query, false))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // no question to FTS5
		}
		b.results = append(b.results, result{Step: "recorded", Text: i.Input.Query, Kind: i.Path, Theirs: a, Wall: ours})
	}
	return nil
}

func isOperator(word string) bool {
	return slices.Contains([]string{"AND", "OR", "NOT"}, strings.ToUpper(word))
}
