package fts

import (
	"cmp"
	"database/sql"
	"errors"
	"maps"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// At every stage of the life of an index, its pages give the rows of MATCH.
func TestSearchFindsTheRowsOfMATCHThroughALife(t *testing.T) {
	t.Parallel()
	const external = `content='m', content_rowid='id'`
	for _, c := range []struct {
		name, kind, options string
		long                bool // only in campaigns: the folding has tests of its own
	}{
		{"inline", "inline", ``, false},
		{"external", "external", external, false},
		{"trigram", "external", external + `, tokenize='trigram'`, false},
		{"trigram of letters", "external", external + `, tokenize='trigram case_sensitive 1'`, true},
		{"trigram without accents", "external", external + `, tokenize='trigram remove_diacritics 1'`, true},
		{"with accents", "external", external + `, tokenize='unicode61 remove_diacritics 0'`, true},
		{"without accents", "external", external + `, tokenize="unicode61 remove_diacritics 2"`, true},
		{"own words", "external", external + `, tokenize="unicode61 tokenchars '._-#' separators 'xé'"`, false},
		{"with prefixes", "external", external + `, prefix='1 2', columnsize=0`, false},
		{"contentless", "contentless", `content=''`, false},
		{"small pages", "external", external, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				campaign.Only(t)
			}
			l := newTestTable(t, c.kind, c.options, uint64(len(c.name)))
			if c.name == "small pages" {
				exec(t, l.db, `INSERT INTO f(f, rank) VALUES ('pgsz', 64)`)
			}
			x := openIndex(t, l.db, "f")
			y := precomputedIndex{Index: x.Copy(), kinds: map[bool]int{}}
			n, found := queryCount(60), 0
			for i, s := range l.stages() {
				s.do()
				if _, err := x.Refresh(t.Context(), l.db, l.next); err != nil {
					t.Fatalf("%s: %v", s.what, err)
				}
				found += compareWithMatch(t, l.db, x, l.all(), n, uint64(i))
				if _, err := y.Refresh(t.Context(), l.db, l.next); err != nil {
					t.Fatalf("%s: %v", s.what, err)
				}
				y.compareWith(t, x, s.what, i)
				compareWithMatch(t, l.db, y.Index, l.all(), n/4, uint64(i)+100)
			}
			y.checkCoverage(t)
			if found < campaign.Length(250, 500) {
				t.Errorf("only %d rows were found", found)
			}
			t.Logf("%d rows, %d segments at the end", found, len(x.segments))
		})
	}
}

// newTestTable makes an empty table of one kind: inline, external or contentless.
func newTestTable(t *testing.T, kind, options string, seed uint64) *testTable {
	t.Helper()
	db := openDB(t, "")
	if options != "" {
		options = ", " + options
	}
	exec(t, db, `CREATE TABLE m (id INTEGER PRIMARY KEY, a, b)`)
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, b`+options+`)`)
	switch kind {
	case "external":
		exec(t, db, triggers)
	case "inline":
		exec(t, db, strings.ReplaceAll(strings.ReplaceAll(triggers,
			`INSERT INTO f(f, rowid, a, b) VALUES ('delete', old.id, old.a, old.b)`, `DELETE FROM f WHERE rowid = old.id`), "\n", " "))
	}
	return &testTable{t: t, db: db, r: rand.New(rand.NewPCG(7, seed)), texts: map[int64]string{}, kind: kind}
}

// stage is something that happens to an index.
type stage struct {
	what string
	do   func()
}

// stages returns the life of an index.
func (l *testTable) stages() []stage {
	return []stage{
		{"empty", func() {}},
		{"first rows", func() { l.add(30) }},
		{"many rows at once", func() { l.inTransaction(func() { l.add(campaign.Length(200, 700)) }) }},
		{"single rows", func() { l.add(60) }},
		{"deletes", func() { l.remove(40) }},
		{"updates", func() { l.rewrite(60) }},
		{"all in one", func() { l.inTransaction(func() { l.add(20); l.rewrite(20); l.remove(20); l.rewrite(5) }) }},
		{"undo", func() {
			if l.kind != "contentless" {
				l.restore(10)
			}
		}},
		{"merge", func() { exec(l.t, l.db, `INSERT INTO f(f, rank) VALUES ('merge', 4)`) }},
		{"more deletes", func() { l.inTransaction(func() { l.remove(campaign.Length(80, 150)) }) }},
		{"merge on", func() { exec(l.t, l.db, `INSERT INTO f(f, rank) VALUES ('merge', -16)`); l.add(10) }},
		{"merge a little", func() {
			for range 5 {
				exec(l.t, l.db, `INSERT INTO f(f, rank) VALUES ('merge', 1)`)
			}
		}},
		{"optimize", func() { exec(l.t, l.db, `INSERT INTO f(f) VALUES ('optimize')`) }},
		{"after it", func() { l.rewrite(20); l.remove(20); l.add(20) }},
		{"vacuum", func() { exec(l.t, l.db, `VACUUM`) }},
		{"rebuild", func() {
			if l.kind == "external" {
				exec(l.t, l.db, `INSERT INTO f(f) VALUES ('rebuild')`)
			}
		}},
		{"all gone", func() { l.remove(len(l.texts)) }},
	}
}

// precomputedIndex is an index with precomputed rowids, and counts of comparisons.
type precomputedIndex struct {
	*Index
	valid int          // stages at which what was precomputed was still right
	kinds map[bool]int // precomputed patterns that were compared: prefixes and terms
}

// compareWith compares the rowids of precomputed terms and prefixes, and of
// shorter prefixes, with those of an index without. What was precomputed at some
// stage is right at all later ones; once it is not valid it is computed again at
// every other stage. Of more than 100 patterns a quick run compares every eighth, of
// more than 500 every twelfth.
func (y *precomputedIndex) compareWith(t *testing.T, ix *Index, what string, stage int) {
	t.Helper()
	if y.precomputedValid() {
		y.valid++
	} else if stage%2 == 0 {
		if err := y.precompute(t.Context(), 1<<20, 1+stage%4); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if y.precomputed == nil {
		return
	}
	patterns := map[termPattern]bool{}
	sorted := slices.SortedFunc(maps.Keys(y.precomputed.byTerm), func(a, b termPattern) int {
		return cmp.Or(cmp.Compare(a.text, b.text), a.specificity()-b.specificity())
	})
	step := 1
	if n := len(sorted); n > 500 {
		step = campaign.Length(30, 1)
	} else if n > 100 {
		step = campaign.Length(16, 1)
	}
	for i := stage % step; i < len(sorted); i += step {
		p := sorted[i]
		y.kinds[p.prefix]++
		patterns[p] = true
		for n := range min(2, len(p.text)) { // prefixes of it
			patterns[termPattern{p.text[:n+1], true}] = true
		}
	}
	for p := range patterns {
		got, err := y.rowsOfTerm(t.Context(), phraseTerm{term: p.text, prefix: p.prefix}, nil)
		if err != nil {
			t.Fatalf("%s: %v: %v", what, p, err)
		}
		want, err := ix.rowsOfTerm(t.Context(), phraseTerm{term: p.text, prefix: p.prefix}, nil)
		if err != nil || !slices.Equal(got.Rowids(), want.Rowids()) {
			t.Fatalf("%s: %v: %d rows by what was precomputed, %d without (%v)", what, p, got.Len(), want.Len(), err)
		}
	}
}

// checkCoverage fails where too little was compared.
func (y *precomputedIndex) checkCoverage(t *testing.T) {
	t.Helper()
	if y.valid < 2 || y.kinds[true] < campaign.Length(4, 20) || y.kinds[false] < 20 {
		t.Errorf("what was precomputed was valid at %d stages, and %d prefixes and %d terms were compared", y.valid, y.kinds[true], y.kinds[false])
	}
}

// Recorded files of every version give the rows of MATCH, by words and by trigrams.
func TestSearchFindsTheRowsOfMATCHOnRecordedFiles(t *testing.T) {
	t.Parallel()
	read, found := 0, 0
	for _, name := range append(fixtures.Names(t, "*.db", 20), fixtures.Names(t, "bad/*.db", 1)...) {
		path := fixtures.Database(t, name)
		db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		found += compareRecorded(t, db, filepath.Base(name), queryCount(100), &read)
		db.Close()
	}
	if read < 40 || found < 1500 {
		t.Errorf("%d indexes, %d rows: the test is empty", read, found)
	}
	t.Logf("%d indexes, %d rows", read, found)
}

// compareRecorded compares both indexes of a session database with MATCH. Indexes
// that FTS5 itself cannot read are skipped.
func compareRecorded(t *testing.T, db *sql.DB, name string, n int, read *int) (found int) {
	t.Helper()
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		var ddl string
		var most int64
		if db.QueryRow(`SELECT sql FROM sqlite_master WHERE name = ?`, table).Scan(&ddl) != nil {
			continue
		}
		var hits int
		if db.QueryRow(`SELECT coalesce(max(id), 0) FROM `+table+`_docsize`).Scan(&most) != nil ||
			db.QueryRow(`SELECT count(*) FROM `+table+` WHERE `+table+` MATCH '"the" OR "and"'`).Scan(&hits) != nil {
			continue
		}
		x, err := New(table, ddl)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := x.Refresh(t.Context(), db, most); err != nil {
			if _, ok := errors.AsType[*UnsupportedError](err); !ok || !strings.HasPrefix(name, "fts-") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		texts := []string{"docker", "the", "deploy", "大别山项目"}
		for _, s := range column[sql.NullString](t, db, `SELECT substr(content, 1, 2000) FROM messages WHERE id % 7 = 0 LIMIT 300`) {
			if utf8.ValidString(s.String) {
				texts = append(texts, s.String)
			}
		}
		found += compareWithMatch(t, db, x, texts, n, 11)
		*read++
	}
	return found
}
