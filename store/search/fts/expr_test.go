package fts

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/store/internal/idset"
)

// Substrings of one character or more, with any character behind them or a
// certain one, are found by trigrams.
func TestSubstringFindsTheRowsOfLIKE(t *testing.T) {
	t.Parallel()
	db := openDB(t, "")
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, tokenize='trigram')`)
	l := &testTable{t: t, db: db, r: rand.New(rand.NewPCG(3, 3)), texts: map[int64]string{}, kind: "contentless"}
	for id := int64(1); id < 800; id++ {
		exec(t, db, `INSERT INTO f(rowid, a) VALUES (?, ?)`, id, l.text()+"  ")
	}
	exec(t, db, `DELETE FROM f WHERE rowid % 5 = 0`)
	exec(t, db, `UPDATE f SET a = a || '.docker deploying the a.  ' WHERE rowid % 7 = 0`)
	x := openIndex(t, db, "f")
	for _, q := range []string{
		"部", "部署", "数", "据库", "项目", "テ", "로", "서버", "d", "do", "é", "🚀", "山项", "没有",
		"据库 ", "大别山", "docker", "dockerf", "docker部", "w12", "src/au", "the the", " a", ".d", "kubernete", "的的的的",
	} {
		behinds := []string{"", " ", "部", "i"}
		if utf8.RuneCountInString(q) < 2 {
			behinds = behinds[:1]
		}
		for _, behind := range behinds {
			var fits func([]byte) bool
			if behind != "" {
				fits = func(three []byte) bool { return bytes.HasSuffix(three, []byte(behind)) }
			}
			e, ok := x.Substring(q, fits)
			if !ok {
				t.Fatalf("%s is not supported", q)
			}
			got, err := x.Search(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if want := column[int64](t, db, `SELECT rowid FROM f WHERE a LIKE '%' || ? || '%'`, q+behind); !slices.Equal(got.Rowids(), want) {
				t.Errorf("%s and %q: %d rows, LIKE has %d", q, behind, got.Len(), len(want))
			}
		}
	}
	part, ok := x.Substring("é"[:1], func(three []byte) bool { return bytes.HasPrefix(three, []byte("é")) })
	if !ok {
		t.Fatal("a part of a character is not supported for")
	}
	got, err := x.Search(t.Context(), part)
	if want := column[int64](t, db, `SELECT rowid FROM f WHERE a LIKE '%é%'`); err != nil || !slices.Equal(got.Rowids(), want) || len(want) == 0 {
		t.Errorf("%d rows, LIKE has %d (%v)", got.Len(), len(want), err)
	}
}

// A text is found at the start of a row, and behind any of some characters.
func TestAtStartAndFollowedByFindTheRowsOfLIKE(t *testing.T) {
	t.Parallel()
	db := openDB(t, "")
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, tokenize='trigram')`)
	l := &testTable{t: t, db: db, r: rand.New(rand.NewPCG(5, 5)), texts: map[int64]string{}, kind: "contentless"}
	for id := int64(1); id < 800; id++ {
		exec(t, db, `INSERT INTO f(rowid, a) VALUES (?, ?)`, id, l.text()+"  ")
	}
	exec(t, db, `DELETE FROM f WHERE rowid % 5 = 0`)
	exec(t, db, `UPDATE f SET a = 'The a. (the a.' || a WHERE rowid % 7 = 0`)
	exec(t, db, `UPDATE f SET a = substr(a, 4) WHERE rowid % 14 = 0`)
	exec(t, db, `UPDATE f SET a = 'x' || a WHERE rowid % 3 = 0`)
	x := openIndex(t, db, "f")
	find := func(e Expr, ok bool) *idset.Set {
		t.Helper()
		if !ok {
			t.Fatal("a text is not supported")
		}
		got, err := x.Search(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, q := range []string{"t", "th", "the", " a.", "xth", "do", "部", "src"} {
		got := find(x.AtStart(q))
		for _, row := range column[int64](t, db, `SELECT rowid FROM f WHERE a LIKE ? || '%'`, q) {
			if !got.Has(row) {
				t.Errorf("%q: row %d begins with it", q, row)
			}
		}
	}
	if got := find(x.AtStart("The")); got.Len() == 0 || got.Len() > 200 {
		t.Errorf("%d rows begin so", got.Len())
	}
	for _, q := range []string{"the", "the a.", "e a", " a.", "docker", "部署 ", "x the", "nothing"} {
		for _, behind := range []string{" ", "x", "( x", "e部.", "q~\x01"} {
			want := &idset.Set{}
			for _, c := range behind {
				for _, row := range column[int64](t, db, `SELECT rowid FROM f WHERE a LIKE '%' || ? || '%'`, string(c)+q) {
					want.Add(row)
				}
			}
			if got := find(x.FollowedBy([]rune(behind), q)); !slices.Equal(got.Rowids(), want.Rowids()) {
				t.Errorf("%q behind %q: %d rows, LIKE has %d", q, behind, got.Len(), want.Len())
			}
		}
	}
}

// Operands of Or that others imply are skipped, and no row is lost.
func TestOrSkipsOnlyOperandsThatOthersImply(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(8, 8)))
	r := rand.New(rand.NewPCG(9, 9))
	for range campaign.Length(60, 300) {
		var matches []string
		var operands []Expr
		for range 2 + r.IntN(4) {
			word := []string{"t", "th", "the", "then", "them", "o", "of", "w", "w1", "w12", "a", "an", "the the", "nothing"}[r.IntN(14)]
			prefix := r.IntN(2) == 0
			e, _ := x.Phrase(word, prefix)
			operands = append(operands, e)
			if word = quoted(word); prefix {
				word += " *"
			}
			matches = append(matches, word)
		}
		got, err := x.Search(t.Context(), Or(operands...))
		if err != nil {
			t.Fatal(err)
		}
		if want := match(strings.Join(matches, " OR ")); !slices.Equal(got.Rowids(), want) {
			t.Fatalf("%s: %d rows, FTS5 has %d", strings.Join(matches, " OR "), got.Len(), len(want))
		}
	}
}
