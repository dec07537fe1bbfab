package fts

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// An index of an unknown kind is refused with a reason and never answers.
func TestUnknownIndexesAreRefusedWithAReason(t *testing.T) {
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

func TestCanceledSearchReturnsTheErrorOfTheContext(t *testing.T) {
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

// Whatever the pages hold, there is an answer or a refusal, in bounded time and
// memory, without a panic.
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
