package fts

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	_ "modernc.org/sqlite"

	"hermes-sessions/internal/fixtures"
)

// database opens a file, or makes a new one, on one connection.
func openDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "test.db")
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String()+"?_pragma=synchronous(off)&_pragma=journal_mode(memory)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func exec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%.200s: %v", statement, err)
	}
}

// column reads the first column of a query.
func column[T any](t testing.TB, db *sql.DB, query string, args ...any) (out []T) {
	t.Helper()
	rows, err := db.Query(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

// begun is an index of a table, reading its present state.
func openIndex(t testing.TB, db *sql.DB, table string) *Index {
	t.Helper()
	ddl := column[string](t, db, `SELECT sql FROM sqlite_master WHERE name = ?`, table)
	x, err := New(table, ddl[0])
	if err != nil {
		t.Fatal(err)
	}
	refresh(t, db, x)
	return x
}

func refresh(t testing.TB, db *sql.DB, x *Index) {
	t.Helper()
	if _, err := x.Refresh(t.Context(), db, 1<<20); err != nil {
		t.Fatal(err)
	}
}

// testQuery is the same testQuery to both.
type testQuery struct {
	fts  string
	expr Expr
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// ask makes a random testQuery over some texts.
func randomQuery(t testing.TB, r *rand.Rand, x *Index, texts []string, depth int) testQuery {
	t.Helper()
	if depth > 0 && r.IntN(3) > 0 {
		n := 2 + r.IntN(2)
		var fts []string
		var of []Expr
		for range n {
			q := randomQuery(t, r, x, texts, depth-1)
			fts, of = append(fts, "("+q.fts+")"), append(of, q.expr)
		}
		switch r.IntN(3) {
		case 0:
			return testQuery{strings.Join(fts, " AND "), And(of...)}
		case 1:
			return testQuery{strings.Join(fts, " OR "), Or(of...)}
		}
		return testQuery{fts[0] + " NOT (" + strings.Join(fts[1:], " OR ") + ")", Not(of[0], of[1:]...)}
	}
	text := texts[r.IntN(len(texts))]
	runes := []rune(text)
	if len(runes) == 0 {
		return randomQuery(t, r, x, texts, depth)
	}
	from := r.IntN(len(runes))
	size := 1 + r.IntN(12)
	if r.IntN(3) == 0 { // whole words
		for from > 0 && runes[from-1] != ' ' {
			from--
		}
		size = max(1, slices.Index(runes[from:], ' '))
		for range r.IntN(3) {
			if next := slices.Index(runes[min(from+size+1, len(runes)):], ' '); next >= 0 {
				size += 1 + next
			}
		}
	}
	text = string(runes[from:min(from+size, len(runes))])
	prefix := r.IntN(2) == 0
	e, ok := x.Phrase(text, prefix)
	if !ok || len(e.terms) == 0 {
		// FTS5 leaves a phrase without words out of its sums.
		return randomQuery(t, r, x, texts, depth)
	}
	if prefix {
		return testQuery{quoted(text) + " *", e}
	}
	return testQuery{quoted(text), e}
}

// differ asks many questions of an index and FTS5 and compares the rows.
func compareWithMatch(t testing.TB, db *sql.DB, x *Index, texts []string, n int, seed uint64) (found int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		q := randomQuery(t, r, x, texts, i%3)
		got, err := x.Search(t.Context(), q.expr)
		if err != nil {
			t.Fatalf("%s: %v", q.fts, err)
		}
		want := column[int64](t, db, `SELECT rowid FROM `+x.table+` WHERE `+x.table+` MATCH ? ORDER BY rowid`, q.fts)
		if !slices.Equal(got.Rowids(), want) {
			t.Fatalf("%s: %s: %d rows, FTS5 has %d\n got %v\nwant %v", x.table, q.fts, got.Len(), len(want), firstRows(got.Rowids()), firstRows(want))
		}
		found += len(want)
	}
	return found
}

func firstRows(ids []int64) []int64 { return ids[:min(len(ids), 40)] }

// questions is how many to ask where n are many: FTSINDEX_TEST_LONG=1 asks
// them all.
func queryCount(n int) int {
	if os.Getenv("FTSINDEX_TEST_LONG") == "" {
		return n/10 + 1
	}
	return n
}

// testTable is a table that goes through everything that happens to an index.
type testTable struct {
	t     *testing.T
	db    *sql.DB
	r     *rand.Rand
	texts map[int64]string
	next  int64
	kind  string
}

var sample = strings.Fields(`docker deploy dockerfile error the a of kubernetes café Ångström naïve ГОСТ ошибка Łódź x y z
	部署 数据库 大别山项目 docker部署 部署docker 日本語テスト 서버 로그 config.yaml src/auth/session.py don't #123 2024-01-15 …
	verylongwordthatgoesonandon verylongwordthatgoesoff v1 v12 v123 \u90e8\u7f72 ４２ ½ 🚀 ǟ ṝ ệ İstanbul ﬁ`)

func (l *testTable) text() string {
	var b strings.Builder
	for n := 1 + l.r.IntN(60); n > 0; n-- {
		if l.r.IntN(4) == 0 {
			fmt.Fprintf(&b, "w%d ", l.r.IntN(3000))
			continue
		}
		// Some words are much more frequent than others.
		b.WriteString(sample[min(l.r.IntN(len(sample)), l.r.IntN(len(sample)))])
		b.WriteByte(" .,\n"[min(l.r.IntN(8), 3)])
	}
	return b.String()
}

func (l *testTable) add(n int) {
	for range n {
		l.next += 1 + int64(l.r.IntN(3))
		s := l.text()
		switch l.kind {
		case "contentless":
			exec(l.t, l.db, `INSERT INTO f(rowid, a, b) VALUES (?, ?, ?)`, l.next, s, "b "+s[:len(s)/2])
		default:
			exec(l.t, l.db, `INSERT INTO m(id, a, b) VALUES (?, ?, ?)`, l.next, s, "b "+strings.ToValidUTF8(s[:len(s)/2], ""))
		}
		l.texts[l.next] = s
	}
}

func (l *testTable) some(n int) (ids []int64) {
	all := make([]int64, 0, len(l.texts))
	for id := range l.texts {
		all = append(all, id)
	}
	slices.Sort(all)
	for _, i := range l.r.Perm(len(all))[:min(n, len(all))] {
		ids = append(ids, all[i])
	}
	return ids
}

func (l *testTable) remove(n int) {
	for _, id := range l.some(n) {
		if l.kind == "contentless" {
			s := l.texts[id]
			exec(l.t, l.db, `INSERT INTO f(f, rowid, a, b) VALUES ('delete', ?, ?, ?)`, id, s, "b "+s[:len(s)/2])
		} else {
			exec(l.t, l.db, `DELETE FROM m WHERE id = ?`, id)
		}
		delete(l.texts, id)
	}
}

func (l *testTable) rewrite(n int) {
	if l.kind == "contentless" {
		return
	}
	for _, id := range l.some(n) {
		s := l.text()
		if l.r.IntN(2) == 0 {
			s = l.texts[id] + " more"
		}
		exec(l.t, l.db, `UPDATE m SET a = ? WHERE id = ?`, s, id)
		l.texts[id] = s
	}
}

// restore takes rows away and puts them back later, as an undo does.
func (l *testTable) restore(n int) {
	ids := l.some(n)
	kept := map[int64]string{}
	for _, id := range ids {
		kept[id] = l.texts[id]
		exec(l.t, l.db, `DELETE FROM m WHERE id = ?`, id)
	}
	l.add(5)
	for _, id := range ids {
		exec(l.t, l.db, `INSERT INTO m(id, a) VALUES (?, ?)`, id, kept[id])
	}
}

func (l *testTable) inTransaction(f func()) {
	exec(l.t, l.db, `BEGIN`)
	f()
	exec(l.t, l.db, `COMMIT`)
}

func (l *testTable) all() []string {
	out := slices.Clone(sample)
	for _, id := range l.some(len(l.texts)) {
		out = append(out, l.texts[id])
	}
	return append(out, "docker deploy", "the the", "a of the", "нет такого")
}

const triggers = `CREATE TRIGGER i AFTER INSERT ON m BEGIN INSERT INTO f(rowid, a, b) VALUES (new.id, new.a, new.b); END;
	CREATE TRIGGER d AFTER DELETE ON m BEGIN INSERT INTO f(f, rowid, a, b) VALUES ('delete', old.id, old.a, old.b); END;
	CREATE TRIGGER u AFTER UPDATE ON m BEGIN INSERT INTO f(f, rowid, a, b) VALUES ('delete', old.id, old.a, old.b);
		INSERT INTO f(rowid, a, b) VALUES (new.id, new.a, new.b); END`

// At every stage of an index's table its own pages say what FTS5 says.
func TestSameRowsAsFTS5ThroughALife(t *testing.T) {
	t.Parallel()
	const external = `content='m', content_rowid='id'`
	for _, c := range []struct{ name, kind, options string }{
		{"inline", "inline", ``},
		{"external", "external", external},
		{"trigram", "external", external + `, tokenize='trigram'`},
		{"trigram of letters", "external", external + `, tokenize='trigram case_sensitive 1'`},
		{"trigram without accents", "external", external + `, tokenize='trigram remove_diacritics 1'`},
		{"with accents", "external", external + `, tokenize='unicode61 remove_diacritics 0'`},
		{"without accents", "external", external + `, tokenize="unicode61 remove_diacritics 2"`},
		{"own words", "external", external + `, tokenize="unicode61 tokenchars '._-#' separators 'xé'"`},
		{"with prefixes", "external", external + `, prefix='1 2', columnsize=0`},
		{"contentless", "contentless", `content=''`},
		{"small pages", "external", external},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openDB(t, "")
			l := &testTable{t: t, db: db, r: rand.New(rand.NewPCG(7, uint64(len(c.name)))), texts: map[int64]string{}, kind: c.kind}
			comma := ", "
			if c.options == "" {
				comma = ""
			}
			exec(t, db, `CREATE TABLE m (id INTEGER PRIMARY KEY, a, b)`)
			exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, b`+comma+c.options+`)`)
			switch c.kind {
			case "external":
				exec(t, db, triggers)
			case "inline":
				exec(t, db, strings.ReplaceAll(strings.ReplaceAll(triggers,
					`INSERT INTO f(f, rowid, a, b) VALUES ('delete', old.id, old.a, old.b)`, `DELETE FROM f WHERE rowid = old.id`), "\n", " "))
			}
			if c.name == "small pages" {
				exec(t, db, `INSERT INTO f(f, rank) VALUES ('pgsz', 64)`)
			}
			x := openIndex(t, db, "f")
			n := queryCount(60)
			found := 0
			y, held, kinds := x.Copy(), 0, map[bool]int{}
			same := func(what string, b termPattern) {
				t.Helper()
				got, err := y.rowsOfTerm(t.Context(), phraseTerm{term: b.text, prefix: b.prefix}, nil)
				if err != nil {
					t.Fatalf("%s: %v: %v", what, b, err)
				}
				want, err := x.rowsOfTerm(t.Context(), phraseTerm{term: b.text, prefix: b.prefix}, nil)
				if err != nil || !slices.Equal(got.Rowids(), want.Rowids()) {
					t.Fatalf("%s: %v: %d rows by what was prepared, %d without (%v)", what, b, got.Len(), want.Len(), err)
				}
			}
			stages := []struct {
				what string
				do   func()
			}{
				{"empty", func() {}},
				{"first rows", func() { l.add(30) }},
				{"many rows at once", func() { l.inTransaction(func() { l.add(700) }) }},
				{"single rows", func() { l.add(60) }},
				{"deletes", func() { l.remove(40) }},
				{"updates", func() { l.rewrite(60) }},
				{"all in one", func() { l.inTransaction(func() { l.add(20); l.rewrite(20); l.remove(20); l.rewrite(5) }) }},
				{"undo", func() {
					if c.kind != "contentless" {
						l.restore(10)
					}
				}},
				{"merge", func() { exec(t, db, `INSERT INTO f(f, rank) VALUES ('merge', 4)`) }},
				{"more deletes", func() { l.inTransaction(func() { l.remove(150) }) }},
				{"merge on", func() { exec(t, db, `INSERT INTO f(f, rank) VALUES ('merge', -16)`); l.add(10) }},
				{"merge a little", func() {
					for range 5 {
						exec(t, db, `INSERT INTO f(f, rank) VALUES ('merge', 1)`)
					}
				}},
				{"optimize", func() { exec(t, db, `INSERT INTO f(f) VALUES ('optimize')`) }},
				{"after it", func() { l.rewrite(20); l.remove(20); l.add(20) }},
				{"vacuum", func() { exec(t, db, `VACUUM`) }},
				{"rebuild", func() {
					if c.kind == "external" {
						exec(t, db, `INSERT INTO f(f) VALUES ('rebuild')`)
					}
				}},
				{"all gone", func() { l.remove(len(l.texts)) }},
			}
			for i, s := range stages {
				s.do()
				x.maxRowid = max(x.maxRowid, l.next)
				if _, err := x.Refresh(t.Context(), db, l.next); err != nil {
					t.Fatalf("%s: %v", s.what, err)
				}
				found += compareWithMatch(t, db, x, l.all(), n, uint64(i))

				// What was prepared at some stage is right at all later ones.
				if _, err := y.Refresh(t.Context(), db, l.next); err != nil {
					t.Fatalf("%s: %v", s.what, err)
				}
				if y.precomputedValid() {
					held++
				} else if i%2 == 0 {
					if err := y.precompute(t.Context(), 1<<20, 1+i%4); err != nil {
						t.Fatalf("%s: %v", s.what, err)
					}
				}
				ask := map[termPattern]bool{}
				for b := range setsOf(y) {
					kinds[b.prefix]++
					ask[b] = true
					for n := range min(2, len(b.text)) { // what a term is a part of
						ask[termPattern{b.text[:n+1], true}] = true
					}
				}
				for b := range ask {
					same(s.what, b)
				}
				compareWithMatch(t, db, y, l.all(), n/4, uint64(i)+100)
			}
			if held < 2 || kinds[true] < 20 || kinds[false] < 20 {
				t.Errorf("what was prepared held at %d stages, and %d beginnings and %d terms were asked for", held, kinds[true], kinds[false])
			}
			if found < 500 {
				t.Errorf("only %d rows were found", found)
			}
			t.Logf("%d rows, %d segments at the end", found, len(x.segments))
		})
	}
}

// On the files of every version that real software wrote: words and trigrams.
func TestSameRowsAsFTS5OnRecordedFiles(t *testing.T) {
	t.Parallel()
	read, found := 0, 0
	for _, name := range append(fixtures.Names(t, "*.db", 20), fixtures.Names(t, "bad/*.db", 1)...) {
		path := fixtures.Database(t, name)
		db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		found += compare(t, db, filepath.Base(name), queryCount(100), &read)
		db.Close()
	}
	if read < 40 || found < 1500 {
		t.Errorf("%d indexes, %d rows: the test is empty", read, found)
	}
	t.Logf("%d indexes, %d rows", read, found)
}

// compare asks both indexes of a session database. What FTS5 itself can not
// read is passed over.
func compare(t *testing.T, db *sql.DB, name string, n int, read *int) (found int) {
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

// What has another character behind it, by its trigrams: one or two characters
// or more of them, with any character behind them or a certain one.
func TestInsideFindsWhatLIKEFinds(t *testing.T) {
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
				t.Fatalf("%s can not be asked", q)
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
		t.Fatal("a part of a character can not be asked for")
	}
	got, err := x.Search(t.Context(), part)
	if want := column[int64](t, db, `SELECT rowid FROM f WHERE a LIKE '%é%'`); err != nil || !slices.Equal(got.Rowids(), want) || len(want) == 0 {
		t.Errorf("%d rows, LIKE has %d (%v)", got.Len(), len(want), err)
	}
}

// A text is found at the beginning of a row, and behind any of some characters.
func TestBeginningsAndWhatStandsBehind(t *testing.T) {
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
	find := func(e Expr, ok bool) *Set {
		t.Helper()
		if !ok {
			t.Fatal("a text can not be asked")
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
			want := &Set{}
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

// Every character is cut and folded as FTS5 does it.
func TestTokenizerFoldsAsFTS5(t *testing.T) {
	t.Parallel()
	most := rune(0x2ffff)
	if os.Getenv("FTSINDEX_TEST_LONG") != "" {
		most = 0x10ffff
	}
	db := openDB(t, "")
	for _, accents := range []string{"0", "1", "2"} {
		exec(t, db, `DROP TABLE IF EXISTS v`)
		exec(t, db, `DROP TABLE IF EXISTS f`)
		ddl := `CREATE VIRTUAL TABLE f USING fts5(a, tokenize='unicode61 remove_diacritics ` + accents + `')`
		exec(t, db, ddl)
		x, err := New("f", ddl)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, `CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)`)
		exec(t, db, `BEGIN`)
		var ours []string
		var b strings.Builder
		for r := rune(1); r <= most; r++ {
			if r == 0xd800 {
				r = 0xe000
			}
			if r != 0xfffe && r != 0xffff { // FTS5 takes them for what can not be read
				fmt.Fprintf(&b, "q%cq %c ", r, r)
			}
			if r&0xfff == 0xfff {
				exec(t, db, `INSERT INTO f(a) VALUES (?)`, b.String())
				terms, ok := x.tokenizer.tokens(b.String())
				if !ok {
					t.Fatalf("%U can not be read", r)
				}
				ours = append(ours, terms...)
				b.Reset()
			}
		}
		exec(t, db, `COMMIT`)
		theirs := column[string](t, db, `SELECT term FROM v ORDER BY doc, offset`)
		for i := range min(len(ours), len(theirs)) {
			if ours[i] != theirs[i] {
				t.Fatalf("remove_diacritics %s: word %d is %q, FTS5 has %q", accents, i, ours[i], theirs[i])
			}
		}
		if len(ours) != len(theirs) {
			t.Fatalf("remove_diacritics %s: %d words, FTS5 has %d", accents, len(ours), len(theirs))
		}
	}
}

// Every character is folded as FTS5 does it where it cuts texts into trigrams,
// those that are in no word too.
func TestTrigramsFoldAsFTS5(t *testing.T) {
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

// What is not known is refused, in words, and never answered.
func TestRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for ddl, part := range map[string]string{
		`CREATE VIRTUAL TABLE f USING fts5(a, detail=none)`:                                             "detail=none",
		`CREATE VIRTUAL TABLE f USING fts5(a, detail='column')`:                                         "detail=column",
		`CREATE VIRTUAL TABLE f USING fts5(a, tokenize='porter unicode61')`:                             "porter",
		`CREATE VIRTUAL TABLE f USING fts5(a, tokenize='cjk_unicode61')`:                                "cjk_unicode61",
		`CREATE VIRTUAL TABLE f USING fts5(a, tokenize="unicode61 categories 'L*'")`:                    "categories",
		`CREATE VIRTUAL TABLE f USING fts5(a, content='', contentless_delete=1, tokendata=1)`:           "tokendata",
		`CREATE VIEW f AS SELECT 1`:                                                                     "unknown statement",
		`CREATE VIRTUAL TABLE f USING fts5("tokenize=''", a, tokenize = 'unicode61 remove_diacritics')`: "without a value",
	} {
		_, err := New("f", ddl)
		if e, ok := errors.AsType[*UnsupportedError](err); !ok || !strings.Contains(e.Reason, part) {
			t.Errorf("%s: %v", ddl, err)
		}
	}
	for what, statements := range map[string][]string{
		"version":    {`INSERT INTO f(f, rank) VALUES ('secure-delete', 1)`, `DELETE FROM f WHERE rowid = 7`},
		"tombstones": {`DROP TABLE f`, `CREATE VIRTUAL TABLE f USING fts5(a, content='', contentless_delete=1)`, `INSERT INTO f(a) VALUES ('x'), ('x')`, `DELETE FROM f WHERE rowid = 1`},
		"missing":    {`DELETE FROM f_data WHERE id = 10`},
	} {
		db := openDB(t, "")
		exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a)`)
		exec(t, db, `WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO f(a) SELECT 'docker doc word' FROM n`)
		x := openIndex(t, db, "f")
		for _, s := range statements {
			exec(t, db, s)
		}
		_, err := x.Refresh(t.Context(), db, 500)
		if e, ok := errors.AsType[*UnsupportedError](err); !ok || !strings.Contains(e.Reason, what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestCancelledFindSaysSo(t *testing.T) {
	t.Parallel()
	db := openDB(t, "")
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a)`)
	exec(t, db, `INSERT INTO f(a) VALUES ('docker')`)
	x := openIndex(t, db, "f")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, _ := x.Phrase("docker", false)
	if _, err := x.Search(ctx, e); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// Whatever stands in the pages: an answer or a refusal, in bounded time and
// memory, and no panic.
func FuzzDamagedPages(f *testing.F) {
	db := openDB(f, "")
	exec(f, db, `CREATE VIRTUAL TABLE f USING fts5(a, b)`)
	exec(f, db, `INSERT INTO f(f, rank) VALUES ('pgsz', 200)`)
	l := &testTable{r: rand.New(rand.NewPCG(5, 5))}
	for i := range 60 {
		exec(f, db, `INSERT INTO f(a, b) VALUES (?, ?)`, l.text(), "docker deploy")
		if i%7 == 0 {
			exec(f, db, `DELETE FROM f WHERE rowid = ?`, i-3)
		}
	}
	ids := column[int64](f, db, `SELECT id FROM f_data ORDER BY id`)
	pages := column[[]byte](f, db, `SELECT block FROM f_data ORDER BY id`)
	for i := range min(len(ids), 40) {
		f.Add(i, pages[i])
	}
	f.Add(3, bytes.Repeat([]byte{0xff}, 100))
	f.Add(1, []byte{0, 0, 0, 0, 1, 0x8f, 0xff, 0xff, 0xff, 0x7f, 1, 1})
	x := openIndex(f, db, "f")
	f.Fuzz(func(t *testing.T, n int, block []byte) {
		n = int(uint(n) % uint(len(ids)))
		exec(t, db, `UPDATE f_data SET block = ? WHERE id = ?`, block, ids[n])
		defer exec(t, db, `UPDATE f_data SET block = ? WHERE id = ?`, pages[n], ids[n])
		_, err := x.Refresh(t.Context(), db, 100)
		for _, q := range []string{"docker", "w", "docker deploy", "the of", "部署"} {
			if err == nil {
				e, _ := x.Phrase(q, true)
				_, err = x.Search(t.Context(), e)
			}
		}
		if _, ok := errors.AsType[*UnsupportedError](err); err != nil && !ok {
			t.Fatalf("error is %T %v", err, err)
		}
	})
}

func setsOf(x *Index) map[termPattern]*Set {
	if x.precomputed == nil {
		return nil
	}
	return x.precomputed.byTerm
}

// What has no other case is stored as itself, and nothing else as that: the
// callers of Inside build on it.
func TestSignsWithoutCaseAreStoredAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, accents := range []int{0, 1, 2} {
		for r := rune(0xa0); r <= unicode.MaxRune; r++ {
			f := fold(r, accents)
			if f == utf8.RuneError { // callers do not take it for what is typed
				continue
			}
			if caseless := unicode.SimpleFold(r) == r && (r < 0x300 || r >= 0x370) && !unicode.Is(unicode.Latin, r); caseless && f != r {
				t.Errorf("%d: %U is stored as %U", accents, r, f)
			}
			if f != r && f >= 0xa0 && unicode.SimpleFold(f) == f {
				t.Errorf("%d: %U is stored as %U, which has no other case", accents, r, f)
			}
		}
	}
}
