package fts

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"hermes-sessions/store/internal/idset"
)

// Querier is a database connection inside a read transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Index is the index of one FTS5 table. It answers from the transaction that
// was last given to [Index.Refresh] or [Index.Rebind], and caches what it reads.
// It may be used by one goroutine at a time; [Index.Copy] makes another.
type Index struct {
	table     string
	tokenizer tokenizer

	structure    []byte    // the structure record
	writeCounter int64     // pages ever written
	segments     []segment // oldest first

	db          Querier
	maxRowid    int64        // greatest rowid of an answer
	precomputed *precomputed // nil for none
	cache       cache        // of what the segments hold
}

// UnsupportedError says that an index is of a kind that this package does not
// read, or is damaged. FTS5 itself may still be able to answer.
type UnsupportedError struct {
	Table  string
	Reason string // for a message to the user, without the name of the table

	// Damaged says that its pages contradict each other. FTS5 might not notice, and
	// return fewer rows than match.
	Damaged bool
}

func (e *UnsupportedError) Error() string { return e.Table + ": " + e.Reason }

func (ix *Index) unsupported(format string, args ...any) error {
	return &UnsupportedError{Table: ix.table, Reason: fmt.Sprintf(format, args...)}
}

// corrupt returns the error for pages that break the layout.
func (ix *Index) corrupt(format string, args ...any) error {
	return &UnsupportedError{Table: ix.table, Reason: "its pages cannot be read: " + fmt.Sprintf(format, args...), Damaged: true}
}

// New returns the index of an FTS5 table from its name and the statement that
// created it (sqlite_schema.sql). It reads nothing: [Index.Refresh] comes before any
// search. The error is an [*UnsupportedError].
func New(table, ddl string) (*Index, error) {
	ix := &Index{table: table}
	if bits.UintSize < 64 {
		return nil, ix.unsupported("this machine has integers of %d bits", bits.UintSize)
	}
	if strings.ContainsAny(table, `"'[]`) {
		return nil, ix.unsupported("its name needs quotes")
	}
	return ix, ix.parseDDL(ddl)
}

// Copy returns an index for another goroutine. The copy shares the term indexes
// and the precomputed rowids, which are never changed, and has its own cache.
func (ix *Index) Copy() *Index {
	y := *ix
	y.cache = cache{}
	return &y
}

// Refresh makes the index answer from a transaction and reads what changed in
// its structure since the last call. Rowids above maxRowid, which is at most
// [idset.MaxRowid], are left out of all answers. changed says that the index was
// written to since the last call. The error is an [*UnsupportedError] where the
// index cannot be read, else one of the database.
func (ix *Index) Refresh(ctx context.Context, db Querier, maxRowid int64) (changed bool, err error) {
	ix.db, ix.maxRowid = db, maxRowid
	if maxRowid > idset.MaxRowid {
		return false, ix.unsupported("rows go up to %d", maxRowid)
	}
	record, err := ix.readBlock(ctx, structureRowid)
	if err != nil {
		return false, err
	}
	if ix.structure != nil && bytes.Equal(record, ix.structure) {
		return false, nil
	}
	var version any
	err = ix.eachRow(ctx, `SELECT v FROM `+ix.table+`_config WHERE k = 'version'`, nil, func(rows *sql.Rows) error { return rows.Scan(&version) })
	if err != nil {
		return true, err
	}
	if version != int64(4) {
		return true, ix.unsupported("its format is version %v", version)
	}
	segments, writeCounter, err := ix.parseStructure(record)
	if err != nil {
		return true, err
	}
	var unread []*segment
	for i := range segments {
		s := &segments[i]
		if err := ix.readFingerprint(ctx, s); err != nil {
			return true, err
		}
		if n := slices.IndexFunc(ix.segments, s.same); n >= 0 {
			s.termIndex = ix.segments[n].termIndex
		} else {
			unread = append(unread, s)
		}
	}
	if err := ix.readTermIndexes(ctx, unread, totalLeaves(segments)); err != nil {
		return true, err
	}
	ix.structure = record
	ix.writeCounter = writeCounter
	ix.segments = segments
	ix.cache = cache{}
	return true, nil
}

// Rebind makes the index answer from another transaction, which must see the
// same version of the file as that of the last [Index.Refresh]. It reads nothing.
func (ix *Index) Rebind(db Querier) { ix.db = db }

// readBlock reads the block of one row of %_data.
func (ix *Index) readBlock(ctx context.Context, id int64) (block []byte, err error) {
	found := false
	err = ix.eachRow(ctx, `SELECT block FROM `+ix.table+`_data WHERE id = ?`, []any{id}, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&block)
	})
	if err == nil && !found {
		err = ix.corrupt("row %d is missing", id)
	}
	return block, err
}

// errStop is returned by callbacks to end an iteration early. It is not reported as an
// error.
var errStop = errors.New("stop")

// eachRow runs a query and calls row for each of its rows until one call
// returns an error. errStop ends the iteration without one.
func (ix *Index) eachRow(ctx context.Context, query string, args []any, row func(*sql.Rows) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A statement that is interrupted costs its connection, so ctx is checked
	// between rows instead.
	rows, err := ix.db.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 1; rows.Next(); n++ {
		if err := row(rows); err == errStop { //nolint:errorlint // it never leaves the package
			return nil
		} else if err != nil {
			return err
		}
		if n&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return rows.Err()
}
