package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// A damaged index gives an answer that looks whole: rows that it has lost are left out
// without an error. The signs of that cost nothing, because a snapshot reads both the
// index and the table: a session with fewer messages than its writer counted, a newest
// message that the index does not have, messages of a session that does not exist, ids of sessions in the table that the index of ids does
// not have, and entries that are not in order. All of these occur in sound files too, so
// only a comparison of each index with its table decides.

// doubts are the signs that an index may be damaged.
type doubts struct {
	lacking  int    // messages that sessions have fewer than their writer counted
	orphaned int    // messages whose session is not there
	badIDs   int    // sessions without an id, or whose id differs in the index
	badOrder int    // indexes whose entries are not sorted by their bytes
	hash     uint64 // of the sessions concerned
}

func (d *doubts) any() bool { return d.lacking+d.orphaned+d.badIDs+d.badOrder > 0 }

// doubtCounts returns the doubts that arise from counts of messages of the sessions at some
// positions of a table. all has the messages of each position, invisible ones too.
func (c *IndexTrust) doubtCounts(of *sessiontable.Table, positions iter.Seq[int], all []int32) (d doubts) {
	for i := range positions {
		id, n := of.ID(i), int(all[i])
		if id == "" {
			d.badIDs++
		}
		if stated := of.MessageCount(i); n < stated {
			d.lacking += stated - n
			d.hash += maphash.String(c.seed, id)
		}
	}
	return d
}

func (d *doubts) add(other doubts) {
	d.lacking += other.lacking
	d.orphaned += other.orphaned
	d.badIDs += other.badIDs
	d.badOrder += other.badOrder
	d.hash += other.hash
}

// addIDs compares the ids of the table with those of the index, one per line.
func (d *doubts) addIDs(of *sessiontable.Table, ids string, seed maphash.Seed) {
	var table, index uint64
	for i := range of.Len() {
		for line := range strings.SplitSeq(of.ID(i), "\n") {
			table += maphash.String(seed, line)
		}
	}
	if ids != "" {
		for line := range strings.SplitSeq(ids, "\n") {
			index += maphash.String(seed, line)
		}
	}
	if table != index {
		d.badIDs++
		d.hash += table - index
	}
}

// IndexTrust decides whether the indexes of sessions and messages can be trusted.
type IndexTrust struct {
	db     *db.DB
	seed   maphash.Seed              // of the hash of doubts
	agreed atomic.Pointer[agreement] // nil until there were doubts
}

// agreement remembers for which doubts the indexes were found to be sound.
type agreement struct {
	sound bool
	hash  uint64
}

// inDoubt reports whether a snapshot of the family of a session may lack something
// because an index is damaged, which the snapshot of all sessions decides.
func (c *IndexTrust) inDoubt(snap *Snapshot, id string) bool {
	if was := c.agreed.Load(); was != nil && was.sound {
		return false
	}
	_, found := snap.Position(id)
	return !found || snap.doubts.any()
}

// addOrder adds an index whose entries are not sorted.
func (d *doubts) addOrder() {
	d.badOrder++
	d.hash++
}

// addNewest adds the doubt whether an index of the messages has the newest one, which its
// writer may not have counted. An index begins with the session and the time of a message,
// with its mark between them where active is not empty.
func (c *IndexTrust) addNewest(ctx context.Context, q db.Querier, d *doubts) error {
	if c.db.IndexesBypassed.Load() {
		return nil
	}
	marks := []string{""}
	if c.db.Schema.Has("messages", "active") {
		marks = append(marks, " AND m.active IS n.active")
	}
	for _, active := range marks {
		found, ok, err := db.FirstValue(ctx, q, `SELECT EXISTS (SELECT 1 FROM messages m WHERE m.session_id IS n.session_id`+active+` AND m.timestamp IS n.timestamp AND +m.id = n.id)
			FROM (SELECT * FROM messages ORDER BY id DESC LIMIT 1) n`)
		if err != nil {
			return err
		}
		if ok && db.AsInt(found) == 0 {
			d.lacking++
			d.hash++
		}
	}
	return nil
}

// linesSorted reports whether the lines of a text are sorted by their bytes.
func linesSorted(text string) bool {
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		if line < last {
			return false
		}
		last = line
	}
	return true
}

// trust reports whether the indexes can be trusted in spite of doubts. They are
// compared with the tables when there are doubts for the first time, or new ones.
func (c *IndexTrust) trust(ctx context.Context, d doubts) (bool, error) {
	if !d.any() || c.db.IndexesBypassed.Load() {
		return true, nil
	}
	if was := c.agreed.Load(); was != nil && was.hash == d.hash {
		return was.sound, nil
	}
	sound, err := c.Compare(ctx)
	if err == nil {
		c.agreed.Store(&agreement{sound, d.hash})
	}
	return sound, err
}

// Compare reports whether the indexes of sessions and messages have exactly the
// rows of the tables, in their order. Where one does not, the tables are read without them from then on
// (see [db.DB.BypassIndexes]). It takes about a second for a million messages.
func (c *IndexTrust) Compare(ctx context.Context) (sound bool, err error) {
	if c.db.IndexesBypassed.Load() {
		return false, nil
	}
	err = c.db.ReadTx(ctx, func(q db.Querier) error {
		for _, table := range []string{"sessions", "messages"} {
			if sound, err = c.compareTable(ctx, q, table); err != nil || !sound {
				return err
			}
		}
		return nil
	})
	if db.IsCorrupt(err) {
		sound, err = false, nil
	}
	if err == nil && !sound {
		c.db.BypassIndexes()
	}
	return sound, err
}

// tableIndex is an index with the places of its columns among those that are compared.
type tableIndex struct {
	name    string
	columns []string
	at      []int
	sorted  bool // by the bytes of its values, so that their order can be checked
}

// compareTable compares the indexes of one table with it. Indexes of a part of the rows,
// and of expressions, are left out: no list of rows is read by them.
func (c *IndexTrust) compareTable(ctx context.Context, q db.Querier, table string) (sound bool, err error) {
	var indexes []tableIndex
	var columns []string
	names, err := db.QueryTexts(ctx, q, `SELECT name FROM temp.pragma_index_list(?) WHERE NOT partial`, table)
	if err != nil {
		return false, err
	}
	encoding, err := db.QueryValue(ctx, q, `PRAGMA encoding`)
	if err != nil {
		return false, err
	}
	utf8 := db.AsText(encoding) == "UTF-8"
	for _, name := range names {
		one := tableIndex{name: name}
		if one.columns, err = db.QueryTexts(ctx, q, `SELECT coalesce(name, '') FROM temp.pragma_index_info(?)`, name); err != nil {
			return false, err
		}
		other, err := db.QueryValue(ctx, q, `SELECT count(*) FROM temp.pragma_index_xinfo(?) WHERE key AND ("desc" OR coll <> 'BINARY')`, name)
		if err != nil {
			return false, err
		}
		one.sorted = utf8 && db.AsInt(other) == 0
		if slices.Contains(one.columns, "") {
			continue
		}
		for _, column := range one.columns {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
			one.at = append(one.at, slices.Index(columns, column))
		}
		indexes = append(indexes, one)
	}
	if len(indexes) == 0 {
		return true, nil
	}
	key := c.db.Schema.RowKey(table)
	seed := maphash.MakeSeed()
	sums := make([]uint64, len(indexes))
	err = db.EachRow(ctx, q, `SELECT `+key+hiddenTypes(columns)+` FROM main.`+table+` NOT INDEXED`, nil, func(r db.Row) {
		for i, index := range indexes {
			var h maphash.Hash
			h.SetSeed(seed)
			hashValue(&h, r[0])
			for _, at := range index.at {
				hashValue(&h, r[1+at])
			}
			sums[i] += h.Sum64()
		}
	})
	if err != nil {
		return false, err
	}
	for i, index := range indexes {
		sum := uint64(0)
		ordered := true
		var last db.Row
		err := db.EachRow(ctx, q, `SELECT `+key+hiddenTypes(index.columns)+` FROM main.`+table+` INDEXED BY `+db.Quote(index.name), nil, func(r db.Row) {
			var h maphash.Hash
			h.SetSeed(seed)
			for _, v := range r {
				hashValue(&h, v)
			}
			sum += h.Sum64()
			if index.sorted {
				ordered = ordered && (last == nil || compareEntries(last, r) <= 0)
				last = append(last[:0], r...)
			}
		})
		if err != nil || sum != sums[i] || !ordered {
			return false, err
		}
	}
	return true, nil
}

// compareEntries compares entries of an index by their values, then by the key of the row, which is
// the first of each: NULL, numbers, texts and blobs follow each other.
func compareEntries(a, b db.Row) int {
	for i := 1; i < len(a); i++ {
		if c := compareValues(a[i], b[i]); c != 0 {
			return c
		}
	}
	return compareValues(a[0], b[0])
}

// compareValues compares stored values as SQLite does. An integer and a real are compared
// as reals.
func compareValues(a, b any) int {
	class := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case int64, float64:
			return 1
		case string:
			return 2
		}
		return 3
	}
	if c := cmp.Compare(class(a), class(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
	case string:
		return strings.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	}
	x, _ := db.AsFloat(a)
	y, _ := db.AsFloat(b)
	return cmp.Compare(x, y)
}

// hiddenTypes lists columns, each after a comma and a "+", which hides the declared type,
// by which the driver would change the value.
func hiddenTypes(columns []string) string {
	var b strings.Builder
	for _, c := range columns {
		b.WriteString(", +" + db.Quote(c))
	}
	return b.String()
}

// hashValue adds a stored value to a hash, which takes every write without an error. A
// whole number has one hash, whether it was read as an integer or as a real: a table
// stores whole reals as integers.
func hashValue(h *maphash.Hash, v any) {
	number := func(f float64) {
		var b [9]byte
		b[0] = 'n'
		for i, bits := 1, math.Float64bits(f); i < len(b); i, bits = i+1, bits>>8 {
			b[i] = byte(bits)
		}
		_, _ = h.Write(b[:])
	}
	switch v := v.(type) {
	case int64:
		number(float64(v))
	case float64:
		number(v)
	case string:
		_ = h.WriteByte('t')
		_, _ = h.WriteString(v)
	case []byte:
		_ = h.WriteByte('b')
		_, _ = h.Write(v)
	default:
		_ = h.WriteByte('0')
	}
	_ = h.WriteByte(0)
}
