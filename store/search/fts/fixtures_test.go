package fts

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/store/internal/idset"
)

// openDB opens a file, a new one for "", on one connection.
func openDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "test.db")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=synchronous(off)&_pragma=journal_mode(memory)")
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

// exec runs a statement.
func exec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%.200s: %v", statement, err)
	}
}

// column returns the first column of a query.
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

// openIndex returns the index of a table as it is now.
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

// refresh makes an index read the table as it is now.
func refresh(t testing.TB, db *sql.DB, ix *Index) {
	t.Helper()
	if _, err := ix.Refresh(t.Context(), db, 1<<20); err != nil {
		t.Fatal(err)
	}
}

// testQuery is one query, for MATCH and for an index.
type testQuery struct {
	match string
	expr  Expr
}

// quoted returns an FTS5 string.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// randomQuery makes a query of pieces of some texts. depth is how deep operators
// may be nested.
func randomQuery(t testing.TB, r *rand.Rand, ix *Index, texts []string, depth int) testQuery {
	t.Helper()
	if depth > 0 && r.IntN(3) > 0 {
		n := 2 + r.IntN(2)
		var matches []string
		var operands []Expr
		for range n {
			q := randomQuery(t, r, ix, texts, depth-1)
			matches, operands = append(matches, "("+q.match+")"), append(operands, q.expr)
		}
		switch r.IntN(3) {
		case 0:
			return testQuery{strings.Join(matches, " AND "), And(operands...)}
		case 1:
			return testQuery{strings.Join(matches, " OR "), Or(operands...)}
		}
		return testQuery{matches[0] + " NOT (" + strings.Join(matches[1:], " OR ") + ")", Not(operands[0], operands[1:]...)}
	}
	text := texts[r.IntN(len(texts))]
	runes := []rune(text)
	if len(runes) == 0 {
		return randomQuery(t, r, ix, texts, depth)
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
	e, ok := ix.Phrase(text, prefix)
	if !ok || len(e.terms) == 0 {
		// FTS5 ignores a phrase without tokens.
		return randomQuery(t, r, ix, texts, depth)
	}
	if prefix {
		return testQuery{quoted(text) + " *", e}
	}
	return testQuery{quoted(text), e}
}

// compareWithMatch runs n random queries over some texts on an index and with MATCH,
// fails where the rowids differ, and returns how many were found.
func compareWithMatch(t testing.TB, db *sql.DB, ix *Index, texts []string, n int, seed uint64) (found int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		q := randomQuery(t, r, ix, texts, i%3)
		got, err := ix.Search(t.Context(), q.expr)
		if err != nil {
			t.Fatalf("%s: %v", q.match, err)
		}
		want := column[int64](t, db, `SELECT rowid FROM `+ix.table+` WHERE `+ix.table+` MATCH ? ORDER BY rowid`, q.match)
		if !slices.Equal(got.Rowids(), want) {
			t.Fatalf("%s: %s: %d rows, FTS5 has %d\n got %v\nwant %v", ix.table, q.match, got.Len(), len(want), firstRows(got.Rowids()), firstRows(want))
		}
		found += len(want)
	}
	return found
}

func firstRows(ids []int64) []int64 { return ids[:min(len(ids), 40)] }

// queryCount is how many queries to run: n in a campaign, else a tenth.
func queryCount(n int) int { return campaign.Length(n/10+1, n) }

// testTable is an FTS5 table f with columns a and b, and the texts of column a.
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

// text returns a random text in several scripts.
func (l *testTable) text() string {
	var b strings.Builder
	for n := 1 + l.r.IntN(60); n > 0; n-- {
		if l.r.IntN(4) == 0 {
			fmt.Fprintf(&b, "w%d ", l.r.IntN(3000))
			continue
		}
		// The first words of sample are much more frequent than the last.
		b.WriteString(sample[min(l.r.IntN(len(sample)), l.r.IntN(len(sample)))])
		b.WriteByte(" .,\n"[min(l.r.IntN(8), 3)])
	}
	return b.String()
}

// add inserts n rows.
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

// some returns n rowids of the table, or all if it has fewer.
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

// remove deletes n rows.
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

// rewrite updates n rows.
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

// restore deletes n rows and inserts them again later, as an undo does.
func (l *testTable) restore(n int) {
	ids := l.some(n)
	deleted := map[int64]string{}
	for _, id := range ids {
		deleted[id] = l.texts[id]
		exec(l.t, l.db, `DELETE FROM m WHERE id = ?`, id)
	}
	l.add(5)
	for _, id := range ids {
		exec(l.t, l.db, `INSERT INTO m(id, a) VALUES (?, ?)`, id, deleted[id])
	}
}

// inTransaction calls f between BEGIN and COMMIT.
func (l *testTable) inTransaction(f func()) {
	exec(l.t, l.db, `BEGIN`)
	f()
	exec(l.t, l.db, `COMMIT`)
}

// all returns the texts of the table and some others.
func (l *testTable) all() []string {
	out := slices.Clone(sample)
	for _, id := range l.some(len(l.texts)) {
		out = append(out, l.texts[id])
	}
	return append(out, "docker deploy", "the the", "a of the", "нет такого")
}

// triggers keep an external-content table f like the table m.
const triggers = `CREATE TRIGGER i AFTER INSERT ON m BEGIN INSERT INTO f(rowid, a, b) VALUES (new.id, new.a, new.b); END;
	CREATE TRIGGER d AFTER DELETE ON m BEGIN INSERT INTO f(f, rowid, a, b) VALUES ('delete', old.id, old.a, old.b); END;
	CREATE TRIGGER u AFTER UPDATE ON m BEGIN INSERT INTO f(f, rowid, a, b) VALUES ('delete', old.id, old.a, old.b);
		INSERT INTO f(rowid, a, b) VALUES (new.id, new.a, new.b); END`

// fragmentedIndex returns an index with frequent words on many small pages, in
// several segments that differ about some rows, and a function that returns the
// rowids of a MATCH.
func fragmentedIndex(t *testing.T, r *rand.Rand) (x *Index, match func(query string) []int64) {
	t.Helper()
	db := openDB(t, "")
	exec(t, db, `CREATE TABLE m (id INTEGER PRIMARY KEY, a, b)`)
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, b, content='m', content_rowid='id')`)
	exec(t, db, triggers)
	exec(t, db, `INSERT INTO f(f, rank) VALUES ('pgsz', 64)`)
	exec(t, db, `INSERT INTO f(f, rank) VALUES ('automerge', 0)`)
	text := func() string {
		var b strings.Builder
		n := 1 + r.IntN(12)
		if r.IntN(20) == 0 {
			n = 150 // its poslists take pages
		}
		for range n {
			b.WriteString([]string{"the ", "the ", "of ", "a ", "then ", "them ", "an ", fmt.Sprintf("w%d ", r.IntN(400))}[r.IntN(8)])
		}
		return b.String()
	}
	rows := func(from, to int) {
		exec(t, db, `BEGIN`)
		for id := from; id < to; id++ {
			if r.IntN(8) > 0 {
				exec(t, db, `INSERT OR REPLACE INTO m(id, a, b) VALUES (?, ?, ?)`, id, text(), text())
			}
		}
		exec(t, db, `COMMIT`)
	}
	rows(1, 900)
	rows(900, 1500)
	exec(t, db, `BEGIN`)
	exec(t, db, `DELETE FROM m WHERE id % 13 = 3`)
	for id := range 1500 {
		if r.IntN(9) == 0 {
			exec(t, db, `UPDATE m SET b = ? WHERE id = ?`, text(), id)
		}
	}
	exec(t, db, `COMMIT`)
	rows(1500, 1600)
	x = openIndex(t, db, "f")
	if len(x.segments) < 4 {
		t.Fatalf("%d segments", len(x.segments))
	}
	return x, func(query string) []int64 {
		return column[int64](t, db, `SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid`, query)
	}
}

// newSet returns a set of some rowids.
func newSet(rows ...int64) *idset.Set {
	s := &idset.Set{}
	for _, r := range rows {
		s.Add(r)
	}
	return s
}

// must drops ok.
func must(e Expr, _ bool) Expr { return e }
