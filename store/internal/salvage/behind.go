package salvage

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"

	"hermes-sessions/store/internal/btree"
	"hermes-sessions/store/internal/db"
)

// Behind is a database of its own with the rows that pages behind the damage of a write-ahead log
// have, which no program reads. They may be newer versions of rows of the file.
type Behind struct {
	Lost int // changes behind the damage
	pool *sql.DB
}

// QueryContext is that of [sql.DB].
func (b *Behind) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return b.pool.QueryContext(ctx, query, args...)
}

// Close removes the database.
func (b *Behind) Close() error { return b.pool.Close() }

// Behind reads what is sound of the log behind its damage, as rows of some tables. A query for one
// of them runs there as it is. It is nil where the log is not damaged.
func (r *Reader) Behind(ctx context.Context, tables ...string) (_ *Behind, err error) {
	frames, lost, err := db.FramesBehindDamage(r.db.Path)
	if err != nil || lost == 0 {
		return nil, err
	}
	log, err := os.Open(r.db.Path + "-wal")
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // it was only read
	b := &Behind{Lost: lost}
	if b.pool, err = sql.Open("sqlite", "file:?_pragma=journal_mode(off)&_pragma=trusted_schema(0)&_pragma=cache_size(-4000)"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	b.pool.SetMaxOpenConns(1)
	b.pool.SetMaxIdleConns(1)
	return b, r.db.ReadTx(ctx, func(q db.Querier) error {
		pages, err := btree.NewDatabasePages(ctx, q)
		if err != nil {
			return err
		}
		head, err := pages.Page(ctx, 1)
		if err != nil || len(head) < 100 {
			return err
		}
		over := &overlay{Pages: pages, log: log, at: frames, page: make([]byte, btree.PageSize(head))}
		for _, table := range tables {
			if err := b.read(ctx, q, over, table); err != nil {
				return err
			}
		}
		return nil
	})
}

// read reads the rows of one table: those of its tree, and those of pages that look like its own
// and that no tree has, since the page above them may be among the lost ones.
func (b *Behind) read(ctx context.Context, q db.Querier, over *overlay, table string) error {
	t, err := DescribeTable(ctx, q, "main", table)
	if err != nil || t.Rowid == "" {
		return err
	}
	if _, err := b.pool.ExecContext(ctx, t.definition()); err != nil {
		return err
	}
	intact, err := btree.NewIntact(ctx, over)
	if err != nil {
		return err
	}
	roots, err := rootPages(ctx, q)
	if err != nil {
		return err
	}
	store := func(row btree.Row) error {
		if _, ours := over.at[row.Page]; !ours || !t.Fits(row) {
			return nil
		}
		return t.Store(ctx, b.pool, row)
	}
	for name, root := range roots {
		each := store
		if name != strings.ToLower(table) {
			each = nil
		}
		if _, err := intact.Rows(ctx, root, each); err != nil {
			return err
		}
	}
	return storeStrays(ctx, intact, t, store)
}

// overlay is the pages of a file under those of a log.
type overlay struct {
	btree.Pages
	log  *os.File
	at   map[uint32]int64
	page []byte
}

// Count is that of [btree.Pages].
func (o *overlay) Count() int {
	count := o.Pages.Count()
	for number := range o.at {
		count = max(count, int(number))
	}
	return count
}

// Page is that of [btree.Pages].
func (o *overlay) Page(ctx context.Context, number uint32) ([]byte, error) {
	at, ok := o.at[number]
	if !ok {
		return o.Pages.Page(ctx, number)
	}
	n, _ := o.log.ReadAt(o.page, at) // what cannot be read is damaged
	return o.page[:n], ctx.Err()
}
