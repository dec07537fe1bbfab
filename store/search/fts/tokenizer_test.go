package fts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/internal/campaign"
)

// Every character splits and folds as in FTS5. A quick run compares those
// that [compared] chooses, a campaign all.
func TestUnicode61FoldsLikeFTS5(t *testing.T) {
	t.Parallel()
	last := rune(campaign.Length(0x2ffff, 0x10ffff))
	db := openDB(t, "")
	for _, removeDiacritics := range []string{"0", "1", "2"} {
		exec(t, db, `DROP TABLE IF EXISTS v`)
		exec(t, db, `DROP TABLE IF EXISTS f`)
		ddl := `CREATE VIRTUAL TABLE f USING fts5(a, tokenize='unicode61 remove_diacritics ` + removeDiacritics + `')`
		exec(t, db, ddl)
		x, err := New("f", ddl)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, `CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)`)
		exec(t, db, `BEGIN`)
		var ours []string
		var b strings.Builder
		for r := rune(1); r <= last; r++ {
			if r == 0xd800 {
				r = 0xe000
			}
			if r != 0xfffe && r != 0xffff && compared(r) { // FTS5 decodes these two as U+FFFD
				fmt.Fprintf(&b, "q%cq %c ", r, r)
			}
			if r&0xfff == 0xfff {
				exec(t, db, `INSERT INTO f(a) VALUES (?)`, b.String())
				terms, ok := x.tokenizer.tokens(b.String())
				if !ok {
					t.Fatalf("%U cannot be read", r)
				}
				ours = append(ours, terms...)
				b.Reset()
			}
		}
		exec(t, db, `COMMIT`)
		theirs := column[string](t, db, `SELECT term FROM v ORDER BY doc, offset`)
		for i := range min(len(ours), len(theirs)) {
			if ours[i] != theirs[i] {
				t.Fatalf("remove_diacritics %s: token %d is %q, FTS5 has %q", removeDiacritics, i, ours[i], theirs[i])
			}
		}
		if len(ours) != len(theirs) {
			t.Fatalf("remove_diacritics %s: %d tokens, FTS5 has %d", removeDiacritics, len(ours), len(theirs))
		}
	}
}

// compared reports whether a quick run compares a character: all below U+3000,
// the neighbors of both ends of every range of the tables, and every tenth of the
// others.
func compared(r rune) bool {
	near := func(end rune) bool { return end-1 <= r && r <= end+1 }
	return campaign.On() || r < 0x3000 || r%10 == 0 || slices.ContainsFunc(alnumRanges[:], near) ||
		slices.ContainsFunc(foldRanges[:], func(f [4]rune) bool { return near(f[0]) || near(f[1]) })
}

// In trigrams too every character folds as in FTS5, also those that are in no word.
func TestTrigramsFoldLikeFTS5(t *testing.T) {
	t.Parallel()
	db := openDB(t, "")
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, tokenize='trigram')`)
	exec(t, db, `CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)`)
	var b strings.Builder
	var runes []rune
	for r := rune(1); r <= 0x2ffff; r++ {
		if r == 0xd800 {
			r = 0xe000
		}
		runes = append(runes, r)
		b.WriteRune(r)
	}
	exec(t, db, `INSERT INTO f(a) VALUES (?)`, b.String())
	theirs := column[string](t, db, `SELECT term FROM v ORDER BY doc, offset`)
	if len(theirs) != len(runes)-2 {
		t.Fatalf("%d trigrams of %d characters", len(theirs), len(runes))
	}
	for i, term := range theirs {
		if r, _ := utf8.DecodeRuneInString(term); r != fold(runes[i], 0) {
			t.Errorf("%U is stored as %U, not as %U", runes[i], r, fold(runes[i], 0))
		}
	}
}

// A symbol without case is stored as itself, and no other character is stored as
// it: callers of Substring depend on that.
func TestSymbolsWithoutCaseAreStoredAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, removeDiacritics := range []int{0, 1, 2} {
		for r := rune(0xa0); r <= unicode.MaxRune; r++ {
			f := fold(r, removeDiacritics)
			if f == utf8.RuneError { // it replaces invalid bytes
				continue
			}
			if caseless := unicode.SimpleFold(r) == r && (r < 0x300 || r >= 0x370) && !unicode.Is(unicode.Latin, r); caseless && f != r {
				t.Errorf("%d: %U is stored as %U", removeDiacritics, r, f)
			}
			if f != r && f >= 0xa0 && unicode.SimpleFold(f) == f {
				t.Errorf("%d: %U is stored as %U, which has no other case", removeDiacritics, r, f)
			}
		}
	}
}
