package main

import (
	"context"
	"database/sql"
	"math"
	"math/rand/v2"
	"strings"
)

// key is one key press: the text of the search line after it.
type key struct {
	Text   string
	Kind   string // of what is typed: word, second (a word after one), han, question, or common
	Length int    // characters of the word that is being typed
}

// keys draws words from the titles and messages of a database, the same ones
// every time, and types each from its first letter on.
func keys(ctx context.Context, db *sql.DB, words int, seed uint64) ([]key, error) {
	r := rand.New(rand.NewPCG(seed, 3))
	var titles []string
	rows, err := db.QueryContext(ctx, `SELECT title FROM sessions WHERE title IS NOT NULL ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var title string
		if err := rows.Scan(&title); err != nil {
			return nil, err
		}
		titles = append(titles, title)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var last int
	if err := db.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM messages`).Scan(&last); err != nil {
		return nil, err
	}
	text := func(n int) (string, error) {
		if n%2 == 0 && len(titles) > 0 {
			return titles[r.IntN(len(titles))], nil
		}
		var content sql.NullString
		err := db.QueryRowContext(ctx, `SELECT content FROM messages WHERE id >= ? AND content IS NOT NULL ORDER BY id LIMIT 1`, 1+r.IntN(max(1, last))).Scan(&content)
		if err == sql.ErrNoRows {
			err = nil
		}
		return content.String, err
	}
	var all []key
	typed := func(kind, before, word string, most int) {
		letters := []rune(word)
		for i := range letters[:min(len(letters), most)] {
			all = append(all, key{Text: before + string(letters[:i+1]), Kind: kind, Length: i + 1})
		}
	}
	for n, tries := 0, 0; n < words && tries < 100*words; tries++ {
		s, err := text(n)
		if err != nil {
			return nil, err
		}
		if n%10 == 9 { // one in ten is of a script without spaces
			if runs := strings.FieldsFunc(s, func(r rune) bool { return r < 0x3040 || r > 0x9fff }); len(runs) > 0 {
				typed("han", "", runs[r.IntN(len(runs))], 4)
				n++
			}
			continue
		}
		words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
		if n%40 == 21 && len(words) >= questionWords {
			typed("question", "", strings.Join(words[:questionWords], " "), math.MaxInt)
			n++
			continue
		}
		if len(words) < 2 {
			continue
		}
		at := r.IntN(len(words) - 1)
		if len(words[at]) < 3 || len(words[at]) > 14 {
			continue
		}
		typed("word", "", words[at], 14)
		if n%5 == 0 {
			typed("second", words[at]+" ", words[at+1], 14)
		}
		n++
	}
	typed("common", "", common, len(common))
	return all, nil
}

// questionWords is how many words a question has, as people describe a conversation
// that they remember.
const questionWords = 9

// common is a word that many messages have, in the corpora one in five. The
// goal against upstream was set by typing it.
const common = "docker"
