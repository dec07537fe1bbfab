package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hermes-sessions/store/demo"

	_ "modernc.org/sqlite" // the driver
)

const (
	// Each made conversation has up to mostMessages messages, each of up to mostSentences sentences.
	mostMessages  = 10
	mostSentences = 4
	// few is how many conversations have a word at most that stays theirs.
	few = 3
)

var (
	// sentenceEnd ends a sentence, in any script.
	sentenceEnd = regexp.MustCompile(`[.!?]\s+|[。！？]|\n+`)
	// word is a word with the space behind it, or two characters of a script without spaces.
	word = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]{1,2}|[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]+\s*`)
)

// putAmong makes a copy of a history, in a folder of its own for the caller to remove, with n
// more conversations made of its sentences in another order, the beginning of each with the end
// of another one, so that none is there twice. The words that few
// conversations have stay theirs, as every conversation of a long history has some: names,
// ids and numbers. The made ones are spread over the time of the others.
func putAmong(ctx context.Context, history string, n int) (path string, err error) {
	dir, err := os.MkdirTemp("", "recall")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	path = filepath.Join(dir, "state.db")
	if history == "demo" {
		err = demo.Write(ctx, path, time.Now())
	} else {
		err = copyFile(history, path)
	}
	if err != nil {
		return "", err
	}
	conn, err := sql.Open("sqlite", path)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	sentences, err := commonSentences(ctx, conn)
	if err != nil {
		return "", err
	}
	var first, last float64
	if err := conn.QueryRowContext(ctx, `SELECT min(started_at), max(started_at) FROM sessions`).Scan(&first, &last); err != nil {
		return "", err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		id, at := fmt.Sprintf("made_%06d", i), first+random.Float64()*(last-first)
		if _, err := tx.ExecContext(ctx, `INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', ?)`, id, at); err != nil {
			return "", err
		}
		for m := range 2 + random.IntN(mostMessages-1) {
			var text []string
			for range 1 + random.IntN(mostSentences) {
				one, other := sentences[random.IntN(len(sentences))], sentences[random.IntN(len(sentences))]
				text = append(text, strings.TrimSpace(strings.Join(slices.Concat(one[:(len(one)+1)/2], other[len(other)/2:]), "")))
			}
			role := []string{"user", "assistant"}[m%2]
			if _, err := tx.ExecContext(ctx, `INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)`,
				id, role, strings.Join(text, ". "), at+float64(60*m)); err != nil {
				return "", err
			}
		}
	}
	return path, tx.Commit()
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// commonSentences returns the words of what the user and the agent said, by sentence, without the words that
// few conversations have.
func commonSentences(ctx context.Context, conn *sql.DB) (sentences [][]string, err error) {
	rows, err := conn.QueryContext(ctx, `SELECT session_id, content FROM messages WHERE role IN ('user', 'assistant') AND content != ''`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type said struct{ session, text string }
	var all []said
	in := map[string]map[string]bool{} // the sessions that have a word
	for rows.Next() {
		var s said
		if err := rows.Scan(&s.session, &s.text); err != nil {
			return nil, err
		}
		all = append(all, s)
		for _, w := range word.FindAllString(s.text, -1) {
			w = folded(w)
			if in[w] == nil {
				in[w] = map[string]bool{}
			}
			in[w][s.session] = true
		}
	}
	for _, s := range all {
		for _, sentence := range sentenceEnd.Split(s.text, -1) {
			var kept []string
			for _, w := range word.FindAllString(sentence+" ", -1) {
				if len(in[folded(w)]) > few {
					kept = append(kept, w)
				}
			}
			if len(kept) > 2 {
				sentences = append(sentences, kept)
			}
		}
	}
	return sentences, rows.Err()
}

// folded returns a word in lower case, without the space behind it.
func folded(word string) string { return strings.ToLower(strings.TrimSpace(word)) }
