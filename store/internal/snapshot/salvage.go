package snapshot

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// lostMessageText is shown for a message whose page is damaged.
const lostMessageText = "this message cannot be read: the database is damaged"

// SalvagedMessages are the messages of one session that are left.
type SalvagedMessages struct {
	ids     []int64 // visible ones, and those of which only the id is left
	Active  []int64 // and those that are active but not shown
	All     int     // rows that can be read
	Indexed int     // rows that the index has or that can be read
	First   any     // the time of the first one, as stored
	rewound int
	last    time.Time
}

const (
	// maxSalvageStep is how far behind a damaged page readable rows are looked for.
	maxSalvageStep = 1 << 33
	// maxSalvageGaps is how many damaged places of one table are read around. It
	// bounds the time of a file in which every other row is damaged.
	maxSalvageGaps = 4_000
)

// SalvageRows reads a table by rowid and leaves out rows that cannot be read. The query
// takes the first rowid and a limit, and gives the rowid first. Each rowid is given
// once, even where damaged pages lead to the same rows twice or to rows before the
// requested ones.
//
// gaps is true where something could not be read.
func (s *Sessions) SalvageRows(ctx context.Context, query string, each func(db.Record)) (gaps bool, err error) {
	seen := map[int64]bool{}
	read := func(from int64, limit int, each func(db.Record)) (last int64, err error) {
		last = max(from, math.MinInt64+1) - 1
		rows, err := s.db.Pool.QueryContext(ctx, query, from, limit)
		if err != nil {
			return last, err
		}
		err = db.ScanRecords(rows, func(r db.Record) error {
			last = max(last, db.AsInt(r[0].Value))
			each(r)
			return nil
		})
		return last, err
	}
	probe := func(from int64) (ok bool, err error) {
		if _, err = read(from, 1, func(db.Record) {}); db.IsCorrupt(err) {
			return false, nil
		}
		return err == nil, err
	}
	from := int64(math.MinInt64)
	for range maxSalvageGaps {
		last, err := read(from, -1, func(r db.Record) {
			if id := db.AsInt(r[0].Value); !seen[id] {
				seen[id] = true
				each(r)
			}
		})
		if !db.IsCorrupt(err) {
			return gaps, err
		}
		gaps = true
		if last == math.MaxInt64 {
			break
		}
		if from < 0 && last < 0 {
			from = 0 // no writer gives numbers below
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

// salvagedCache keeps what SalvagedBySession has found: an export of conversations asks
// for each of them.
type salvagedCache struct {
	mu      sync.Mutex
	version int64 // of the data
	left    map[string]*SalvagedMessages
}

// SalvagedBySession finds all messages that are left, by session. The caller must not
// change the result.
func (s *Sessions) SalvagedBySession(ctx context.Context) (map[string]*SalvagedMessages, error) {
	c := &s.salvaged
	c.mu.Lock()
	defer c.mu.Unlock()
	version, err := s.db.DataVersion(ctx)
	if err == nil && c.left != nil && c.version == version {
		return c.left, nil
	}
	left, salvaging := salvageBySession(ctx, s)
	if err == nil && salvaging == nil {
		c.version, c.left = version, left
	}
	return left, salvaging
}

// salvageBySession is SalvagedBySession without its cache.
func salvageBySession(ctx context.Context, s *Sessions) (map[string]*SalvagedMessages, error) {
	left := map[string]*SalvagedMessages{}
	of := func(session any) *SalvagedMessages {
		r := left[db.AsText(session)]
		if r == nil {
			r = &SalvagedMessages{}
			left[db.AsText(session)] = r
		}
		return r
	}
	sessionOf := map[int64]string{} // of the messages that can be read
	gaps, err := s.SalvageRows(ctx, `SELECT m.id, m.session_id, m.timestamp, `+s.db.Schema.VisibleRows("m")+`, `+s.db.Schema.NotRewoundRows("m")+`, `+s.db.Schema.ActiveRows("m")+`
		FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(row db.Record) {
		id, r := db.AsInt(row[0].Value), of(row[1].Value)
		sessionOf[id] = db.AsText(row[1].Value)
		r.Indexed++
		if r.All++; r.First == nil {
			r.First = row[2].Value
		}
		if db.AsBool(row[3].Value) {
			r.ids = append(r.ids, id)
		}
		if !db.AsBool(row[4].Value) {
			r.rewound++
		}
		if db.AsBool(row[5].Value) {
			r.Active = append(r.Active, id)
		}
		if at := db.AsTime(row[2].Value); at.After(r.last) {
			r.last = at
		}
	})
	if err != nil {
		return nil, err
	}
	if gaps {
		s.db.AddNote(db.NoteDamaged)
	}
	// The index may still have messages whose rows are lost.
	var lost []db.Record
	agrees := true
	rows, err := s.db.Pool.QueryContext(ctx, `SELECT session_id, id, timestamp FROM main.messages ORDER BY session_id, timestamp`)
	if err == nil {
		err = db.ScanRecords(rows, func(row db.Record) error {
			session, readable := sessionOf[db.AsInt(row[1].Value)]
			if !readable {
				lost = append(lost, row)
			}
			agrees = agrees && (!readable || session == db.AsText(row[0].Value))
			return nil
		})
	}
	if err != nil && !db.IsCorrupt(err) {
		return nil, err
	}
	if !gaps && !agrees {
		lost = nil // the index is what is damaged
	}
	for _, row := range lost {
		s.db.AddNote(db.NoteDamaged)
		id, r := db.AsInt(row[1].Value), of(row[0].Value)
		r.ids, r.Active = append(r.ids, id), append(r.Active, id)
		r.Indexed++
		if at := db.AsTime(row[2].Value); at.After(r.last) {
			r.last = at
		}
	}
	for _, r := range left {
		slices.Sort(r.ids)
		slices.Sort(r.Active)
	}
	return left, nil
}

// salvageSnapshot reads the sessions that are left. A session of which only the
// id is known, because its messages or an index name it, is shown by that.
func (s *Sessions) salvageSnapshot(ctx context.Context) (*Snapshot, error) {
	s.db.AddNote(db.NoteDamaged)
	c := s.newSnapshot()
	all, seen := newTableBuilder(0), map[string]bool{}
	add := func(m model.Session) {
		if !seen[m.ID] && m.ID != "" {
			seen[m.ID] = true
			all.add(&m)
		}
	}
	idOf := map[int64]string{}
	gaps, err := s.SalvageRows(ctx, `SELECT s.rowid, `+columnList(s.db.Schema)+` FROM main.sessions s NOT INDEXED WHERE s.rowid >= ? ORDER BY s.rowid LIMIT ?`, func(r db.Record) {
		values := make([]any, len(r)-1)
		for i := range values {
			values[i] = r[i+1].Value
		}
		if !isName(values[0]) {
			s.db.AddNote(db.NoteUnnamed)
			return
		}
		m := scanSession(values)
		idOf[db.AsInt(r[0].Value)] = m.ID
		add(m)
	})
	if err != nil {
		return nil, err
	}
	left, err := s.SalvagedBySession(ctx)
	if err != nil {
		return nil, err
	}
	for id := range left {
		if !seen[id] {
			add(model.Session{ID: id, StartedAt: left[id].last, EndedAt: left[id].last})
		}
	}
	var lost []string
	agrees := true
	rows, err := s.db.Pool.QueryContext(ctx, `SELECT id, rowid FROM main.sessions ORDER BY id`)
	if err == nil {
		err = db.ScanRecords(rows, func(r db.Record) error {
			id, readable := idOf[db.AsInt(r[1].Value)]
			if !readable {
				lost = append(lost, db.AsText(r[0].Value))
			}
			agrees = agrees && (!readable || id == db.AsText(r[0].Value))
			return nil
		})
	}
	if err != nil && !db.IsCorrupt(err) {
		return nil, err
	}
	if gaps || agrees { // else the index is what is damaged
		for _, id := range lost {
			add(model.Session{ID: id})
		}
	}
	c.SessionTable = all.build()
	for i := range c.Len() {
		if r := left[c.ID(i)]; r != nil {
			c.setMessageStats(i, len(r.ids), r.last)
		}
	}
	c.linkConversations(s.db.Schema)
	return c, nil
}

// SalvageMessages reads messages one by one; one that cannot be read has
// lostMessageText.
func (s *Sessions) SalvageMessages(ctx context.Context, ids []int64, found map[int64]model.Message) error {
	s.db.AddNote(db.NoteDamaged)
	for _, id := range ids {
		err := s.db.ReadMessages(ctx, s.db.Pool, []int64{id}, found)
		if db.IsCorrupt(err) {
			found[id] = model.Message{ID: id, DecodeError: lostMessageText}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// salvagePreviews reads previews one by one and leaves out those that cannot be read.
func (s *Sessions) salvagePreviews(ctx context.Context, ids []string, condition string, each func(id, said, role string)) ([]string, error) {
	s.db.AddNote(db.NoteDamaged)
	var silent []string
	for _, id := range ids {
		more, err := s.readPreviews(ctx, []string{id}, condition, each)
		if err != nil && !db.IsCorrupt(err) {
			return nil, err
		}
		silent = append(silent, more...)
	}
	return silent, nil
}

// SalvageOutline makes an outline of the messages that are left.
func (s *Sessions) SalvageOutline(ctx context.Context, o *model.Outline) error {
	s.db.AddNote(db.NoteDamaged)
	left, err := s.SalvagedBySession(ctx)
	if err != nil {
		return err
	}
	o.MessageIDs, o.SegmentStarts, o.SegmentModels, o.Rewound = nil, nil, nil, 0
	o.ReplayCounts, o.Replays = nil, nil
	for _, segment := range o.Conversation.Segments {
		o.SegmentStarts = append(o.SegmentStarts, len(o.MessageIDs))
		if r := left[segment]; r != nil {
			o.MessageIDs = append(o.MessageIDs, r.ids...)
			o.Rewound += r.rewound
		}
	}
	return nil
}
