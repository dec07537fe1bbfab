package escapegaps

import (
	"database/sql"
	"strings"
	"testing"

	"hermes-sessions/store/internal/db"
)

// Gaps are not cached for a text with a letter that FTS5 folds to ASCII or drops: it
// can turn another word into the word of an escape.
func TestEscapeGapsAreNotCachedForTextsWithFoldedLetters(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	refused := 0
	for r := rune(0x80); r < 0x20000; r++ {
		var e escapeScanner
		switch {
		case 0xd800 <= r && r < 0xe000:
		case e.scan("q" + string(r) + "q"):
			b.WriteString("q" + string(r) + "q ")
		default:
			refused++
		}
	}
	q, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.SetMaxOpenConns(1) // each connection has its own database in memory
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := q.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, tokenizer := range []string{"unicode61", "unicode61 remove_diacritics 2"} {
		exec(`CREATE VIRTUAL TABLE all_letters USING fts5(a, tokenize='` + tokenizer + `')`)
		exec(`CREATE VIRTUAL TABLE all_terms USING fts5vocab(all_letters, row)`)
		exec(`INSERT INTO all_letters VALUES (?)`, b.String())
		n := 0
		err := db.EachRow(t.Context(), q, `SELECT term FROM all_terms`, nil, func(r db.Row) {
			if term := r.Text(0); len(term) < 4 && term != "q" { // what is not ASCII takes two bytes
				t.Errorf("%s: FTS5 has the word %q", tokenizer, term)
			}
			n++
		})
		if err != nil || n < 10_000 || refused > 2000 {
			t.Errorf("%s: %d words, %d letters refused, %v", tokenizer, n, refused, err)
		}
		exec(`DROP TABLE all_terms`)
		exec(`DROP TABLE all_letters`)
	}
}
