// Package salvage reads what is left of damaged tables: around pages that cannot be read,
// and from an index the ids of rows that are lost. A damaged page makes every statement
// fail that comes across it. Reading around such pages is slow, and done only after a
// statement has failed.
package salvage

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Reader reads what is left of the tables of a database. It keeps what BySession has
// found: an export of conversations asks for each of them.
type Reader struct {
	db *db.DB

	mu      sync.Mutex
	version int64 // of the data
	left    map[string]*Messages

	rest rest // see Rest
}

// New returns a reader of a database.
func New(d *db.DB) *Reader { return &Reader{db: d} }

// Messages are the messages of one session that are left.
type Messages struct {
	IDs     []int64 // of visible messages, and of those of which only the id is left
	Active  []int64 // these, and those that are active but not shown
	All     int     // rows that can be read
	Indexed int     // rows that the index has or that can be read
	First   any     // the time of the first one that can be read, as stored
	Rewound int
	Last    time.Time // of all of them
}

const (
	// maxSalvageStep is how far after a damaged row, in rowids, readable ones are looked for.
	maxSalvageStep = 1 << 33
	// maxSalvageGaps is how many damaged places of one table are read around. It
	// bounds the time of a file in which every other row is damaged.
	maxSalvageGaps = 4_000
)

// Rows reads a table by rowid and leaves out rows that cannot be read. The query
// takes the first rowid and a limit, and gives the rowid first. Each rowid is given
// once, even where damaged pages lead to the same rows twice or to rows before the
// requested ones; those that only [Reader.Rest] has come last.
//
// gaps is true where something could not be read.
func (r *Reader) Rows(ctx context.Context, table, query string, each func(db.Row)) (gaps bool, err error) {
	seen := map[int64]bool{}
	first := func(row db.Row) {
		if id := row.Int(0); !seen[id] {
			seen[id] = true
			each(row)
		}
	}
	if gaps, err = r.statementRows(ctx, query, first); err != nil || !gaps {
		return gaps, err
	}
	rest, err := r.Rest(ctx, table)
	if err == nil && rest != nil {
		err = db.EachRow(ctx, rest, query, []any{int64(math.MinInt64), -1}, first)
	}
	return gaps, err
}

// statementRows is [Reader.Rows] as far as statements read a table around damaged pages. It may
// give rows twice.
func (r *Reader) statementRows(ctx context.Context, query string, each func(db.Row)) (gaps bool, err error) {
	read := func(from int64, limit int, each func(db.Row)) (last int64, err error) {
		last = max(from, math.MinInt64+1) - 1
		err = db.EachRow(ctx, r.db.Pool, query, []any{from, limit}, func(row db.Row) {
			last = max(last, row.Int(0))
			each(row)
		})
		return last, err
	}
	probe := func(from int64) (ok bool, err error) {
		if _, err = read(from, 1, func(db.Row) {}); db.IsCorrupt(err) {
			return false, nil
		}
		return err == nil, err
	}
	from := int64(math.MinInt64)
	for range maxSalvageGaps {
		last, err := read(from, -1, each)
		if !db.IsCorrupt(err) {
			return gaps, err
		}
		gaps = true
		if last == math.MaxInt64 {
			break
		}
		if from < 0 && last < 0 {
			from = 0 // no writer gives negative rowids
			continue
		}
		next, found, err := firstReadable(last+1, probe)
		if err != nil || !found {
			return gaps, err
		}
		from = next
	}
	return gaps, nil
}

// Sessions reads some columns of sessions s like Rows, each row after its number. Rows of a
// table without rowids are counted, and end where a page cannot be read.
func (r *Reader) Sessions(ctx context.Context, columns string, each func(db.Row)) (gaps bool, err error) {
	if key := r.db.Schema.RowKey("sessions"); key != "id" {
		return r.Rows(ctx, "sessions", `SELECT s.`+key+`, `+columns+` FROM main.sessions s NOT INDEXED WHERE s.`+key+` >= ? ORDER BY s.`+key+` LIMIT ?`, each)
	}
	err = db.EachRow(ctx, r.db.Pool, `SELECT row_number() OVER (), `+columns+` FROM main.sessions s NOT INDEXED`, nil, each)
	if db.IsCorrupt(err) {
		return true, nil
	}
	return false, err
}

// firstReadable finds the first rowid above bad at which reading succeeds. It skips
// ahead in growing steps, then bisects. found is false where nothing near is readable.
func firstReadable(bad int64, probe func(int64) (bool, error)) (rowid int64, found bool, err error) {
	start, good := bad, int64(0)
	for step := int64(1); !found; step *= 2 {
		if step > maxSalvageStep || start > math.MaxInt64-step {
			return 0, false, nil
		}
		ok, err := probe(start + step)
		if err != nil {
			return 0, false, err
		}
		if found = ok; ok {
			good = start + step
		} else {
			bad = start + step
		}
	}
	for good-bad > 1 {
		middle := bad + (good-bad)/2
		ok, err := probe(middle)
		if err != nil {
			return 0, false, err
		}
		if ok {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, true, nil
}

// BySession finds all messages that are left, by session. The caller must not
// change the result.
func (r *Reader) BySession(ctx context.Context) (map[string]*Messages, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	version, err := r.db.DataVersion(ctx)
	if err == nil && r.left != nil && r.version == version {
		return r.left, nil
	}
	left, salvageErr := r.bySession(ctx)
	if err == nil && salvageErr == nil {
		r.version, r.left = version, left
	}
	return left, salvageErr
}

// bySession is BySession without its cache.
func (r *Reader) bySession(ctx context.Context) (map[string]*Messages, error) {
	left := map[string]*Messages{}
	of := func(session any) *Messages {
		m := left[db.AsText(session)]
		if m == nil {
			m = &Messages{}
			left[db.AsText(session)] = m
		}
		return m
	}
	sessionOf := map[int64]string{} // of the messages that can be read
	gaps, err := r.Rows(ctx, "messages", `SELECT m.id, m.session_id, m.timestamp, `+r.db.Schema.VisibleRows("m")+`, `+r.db.Schema.NotRewoundRows("m")+`, `+r.db.Schema.ActiveRows("m")+`
		FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(row db.Row) {
		id, m := row.Int(0), of(row[1])
		sessionOf[id] = row.Text(1)
		m.Indexed++
		if m.All++; m.First == nil {
			m.First = row[2]
		}
		if row.Bool(3) {
			m.IDs = append(m.IDs, id)
		}
		if !row.Bool(4) {
			m.Rewound++
		}
		if row.Bool(5) {
			m.Active = append(m.Active, id)
		}
		m.noteTime(row[2])
	})
	if err != nil {
		return nil, err
	}
	if gaps {
		r.db.AddNote(model.NoteDamaged)
	}
	lost, err := r.OnlyIndexed(ctx, `SELECT session_id, id, timestamp FROM main.messages ORDER BY session_id, timestamp`, sessionOf, gaps)
	if err != nil {
		return nil, err
	}
	for _, row := range lost {
		r.db.AddNote(model.NoteDamaged)
		id, m := row.Int(1), of(row[0])
		m.IDs, m.Active = append(m.IDs, id), append(m.Active, id)
		m.Indexed++
		m.noteTime(row[2])
	}
	for _, m := range left {
		slices.Sort(m.IDs)
		slices.Sort(m.Active)
	}
	return left, nil
}

// noteTime notes the time of a message, as it is stored.
func (m *Messages) noteTime(stored any) {
	if at := db.AsTime(stored); at.After(m.Last) {
		m.Last = at
	}
}

// OnlyIndexed returns the rows that an index still has, but the table has lost. The query
// reads the index alone: the key of a row, its rowid, and more. keys has the keys of the
// rows that can be read, by rowid. Where one of them differs from that in the index, and
// the table has no gaps, the index is what is damaged, and no row is given.
func (r *Reader) OnlyIndexed(ctx context.Context, query string, keys map[int64]string, gaps bool) (lost []db.Row, err error) {
	agrees := true
	err = db.EachRow(ctx, r.db.Pool, query, nil, func(row db.Row) {
		key, readable := keys[row.Int(1)]
		if !readable {
			lost = append(lost, slices.Clone(row))
		}
		agrees = agrees && (!readable || key == row.Text(0))
	})
	if err != nil && !db.IsCorrupt(err) {
		return nil, err
	}
	if !gaps && !agrees {
		return nil, nil
	}
	return lost, nil
}

// lostMessageText is shown for a message whose page is damaged.
const lostMessageText = "this message cannot be read: the database is damaged"

// AddLost adds to found the messages of ids that it does not have because a lookup misses
// them, although a scan finds them, or as many as can be read of them. The others have
// lostMessageText.
func (r *Reader) AddLost(ctx context.Context, q db.Querier, ids []int64, found map[int64]model.Message) error {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { _, ok := found[id]; return ok })
	if len(missing) == 0 {
		return nil
	}
	var lost []int64
	err := db.EachRow(ctx, q, `SELECT m.id FROM messages m WHERE +m.id IN (SELECT value FROM temp.json_each(?))
		AND NOT EXISTS (SELECT 1 FROM messages x WHERE x.id = m.id)`, []any{db.JSONList(slices.Values(missing))}, func(row db.Row) {
		lost = append(lost, row.Int(0))
	})
	if len(lost) == 0 || err != nil {
		return err
	}
	return r.ReadMessages(ctx, lost, found)
}

// ReadMessages reads messages one by one; one that cannot be read has
// lostMessageText.
func (r *Reader) ReadMessages(ctx context.Context, ids []int64, found map[int64]model.Message) error {
	r.db.AddNote(model.NoteDamaged)
	for _, id := range ids {
		err := r.db.ReadMessages(ctx, r.db.Pool, []int64{id}, found)
		if err != nil && !db.IsCorrupt(err) {
			return err
		}
		if _, ok := found[id]; ok {
			continue
		}
		rest, err := r.Rest(ctx, "messages")
		if err == nil && rest != nil {
			err = r.db.ReadMessages(ctx, rest, []int64{id}, found)
		}
		if err != nil {
			return err
		}
		if _, ok := found[id]; !ok {
			found[id] = model.Message{ID: id, DecodeError: lostMessageText}
		}
	}
	return nil
}
