package snapshot

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// Snapshot is all sessions of one moment in memory, without their texts: what
// the list, the search and the lineage are made of. It is never changed after
// it was built.
type Snapshot struct {
	DataVersion int64 // DataVersion when it was read
	readAt      time.Time
	stale       bool         // it has caught up: some things of sessions are as they were
	fingerprint *fingerprint // of its moment, nil where they can not be told
	ownWrites   int64        // how often this store had written before
	*SessionTable
	Lineage         *model.Lineage
	Conversations   *ConversationIndex              // conversations
	MessageSessions atomic.Pointer[MessageSessions] // nil until a search asks
	Derived         lazyValue
}

// lazyValue is what a search engine works out of a catalog: made when it is first
// asked for, and dropped with the catalog.
type lazyValue struct {
	once  sync.Once
	value any
}

// GetOrCreate gives what create makes, always the same.
func (d *lazyValue) GetOrCreate(create func() any) any {
	d.once.Do(func() { d.value = create() })
	return d.value
}

// snapshotCache keeps the newest catalog and what was found out about its rows.
type snapshotCache struct {
	mu       sync.Mutex
	readLock chan struct{} // held while a catalog is read
	newest   *Snapshot
	Previews map[previewKey]preview
}

// CurrentSnapshot gives the catalog, read anew if others have changed the file.
func (s *Sessions) CurrentSnapshot(ctx context.Context) (*Snapshot, error) {
	select {
	case s.Snapshots.readLock <- struct{}{}:
		defer func() { <-s.Snapshots.readLock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Asked before reading: a change in between is then seen next time.
	version, err := s.db.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.CachedSnapshot(); c != nil && c.DataVersion == version && !c.stale {
		return c, nil
	}
	c, err := s.ReadSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	c.DataVersion = version
	s.cacheSnapshot(c)
	return c, nil
}

// CachedSnapshot gives the catalog if there is one, however old.
func (s *Sessions) CachedSnapshot() *Snapshot {
	s.Snapshots.mu.Lock()
	defer s.Snapshots.mu.Unlock()
	return s.Snapshots.newest
}

// cacheSnapshot keeps a catalog, unless there is one of a later moment, or a whole one.
func (s *Sessions) cacheSnapshot(c *Snapshot) {
	s.Snapshots.mu.Lock()
	defer s.Snapshots.mu.Unlock()
	was := s.Snapshots.newest
	if was == nil || c.DataVersion > was.DataVersion || c.DataVersion == was.DataVersion && was.stale {
		s.Snapshots.newest = c
	}
}

// ReadSnapshotTx runs f inside one read transaction, with a catalog of the same moment:
// what f finds was there at one time, whatever others write. The catalog may be
// one that has caught up.
func (s *Sessions) ReadSnapshotTx(ctx context.Context, f func(db.Querier, *Snapshot) error) (err error) {
	c, asked := s.CachedSnapshot(), int64(0) // the version from before the moment, once it is of use
	if c == nil {
		if c, err = s.CurrentSnapshot(ctx); err != nil {
			return err
		}
	}
	for {
		var now int64
		old, damaged := false, false
		err := s.db.ReadTx(ctx, func(q db.Querier) error {
			// The moment is that of the first question.
			rows, err := s.db.CachedStatements(q).QueryContext(ctx, `SELECT 1 FROM sqlite_master LIMIT 1`)
			if err == nil {
				err = db.ScanRecords(rows, func(db.Record) error { return nil })
			}
			if err != nil {
				return err
			}
			if now, err = s.db.DataVersion(ctx); err != nil {
				return err
			}
			if now == c.DataVersion && !(c.stale && c.ownWrites != s.db.OwnWrites.Load()) {
				return f(q, c)
			}
			if asked == 0 {
				old = true // whether the write was before the moment is not known
				return nil
			}
			fresh, err := s.refresh(ctx, q, c)
			if damaged = db.IsCorrupt(err); damaged {
				return nil
			}
			if err != nil {
				return err
			}
			if now == asked {
				fresh.DataVersion = asked
				s.cacheSnapshot(fresh)
			} // else somebody wrote just now, and it serves this call alone
			return f(q, fresh)
		})
		switch {
		case err != nil || !old && !damaged:
			return err
		case damaged: // what is left is read slowly, and not all at one moment
			if c, err = s.CurrentSnapshot(ctx); err != nil {
				return err
			}
			return s.db.ReadTx(ctx, func(q db.Querier) error { return f(q, c) })
		}
		c, asked = s.CachedSnapshot(), now
	}
}

func (s *Sessions) ReadSnapshot(ctx context.Context) (*Snapshot, error) {
	c := s.newSnapshot()
	was := s.CachedSnapshot()
	err := s.db.PairTx(ctx, func(q, beside db.Querier) error { return s.fillSnapshot(ctx, q, beside, was, c) })
	if db.IsCorrupt(err) {
		c, err = s.salvageSnapshot(ctx)
		return c, s.db.WrapError("read the sessions", err)
	}
	if err != nil {
		return nil, s.db.WrapError("read the sessions", err)
	}
	s.linkConversations(c)
	return c, nil
}

// fillSnapshot reads the sessions, and what the messages say of them beside,
// where there is a second transaction of the same moment. What an older catalog,
// if there is one, knows of whose the messages are is taken over as far as it
// is true.
func (s *Sessions) fillSnapshot(ctx context.Context, q, beside db.Querier, was, c *Snapshot) error {
	carry := was != nil && was.MessageSessions.Load() != nil
	var said []messageStats
	hear := func(q db.Querier) (err error) {
		said, err = s.queryMessageStats(ctx, q, "", nil, carry)
		return err
	}
	fill := func() error {
		n, err := s.db.QueryValue(ctx, q, `SELECT count(*) FROM sessions`)
		if err != nil {
			return err
		}
		all := newTableBuilder(int(db.AsInt(n)))
		if err := s.eachSession(ctx, q, "", nil, all.add); err != nil {
			return err
		}
		c.SessionTable = all.build()
		if !s.db.Schema.CanRefresh() || !c.idsDistinct() {
			return nil
		}
		now, _, _, err := s.readFingerprint(ctx, q, nil)
		switch {
		case err == nil:
			c.fingerprint = &now
		case !db.IsCorrupt(err): // else an index is damaged that nothing else needs here
			return err
		}
		return nil
	}
	var err error
	if beside != nil {
		err = db.Parallel(fill, func() error { return hear(beside) })
	} else if err = fill(); err == nil {
		err = hear(q)
	}
	if err == nil {
		err = s.applyMessageStats(ctx, q, c.SessionTable, said)
	}
	if err == nil && carry {
		if err = s.carryMessageSessions(ctx, q, was, c, said); db.IsCorrupt(err) {
			err = nil // a search reads around it
		}
	}
	return err
}

func (s *Sessions) newSnapshot() *Snapshot {
	return &Snapshot{readAt: s.db.Clock(), ownWrites: s.db.OwnWrites.Load()}
}

// linkConversations makes conversations of the sessions that were read.
func (s *Sessions) linkConversations(c *Snapshot) {
	c.Lineage = model.BuildLineage(c.SessionTable, s.db.Schema.MarksDelegates())
	c.Conversations = NewConversationIndex(c, c.readAt, false)
}

// ConversationAt makes the one that the session at a position belongs to.
func (c *Snapshot) ConversationAt(i int) model.Conversation {
	return c.Conversations.Conversation(c.Lineage.Root[i])
}

// ConversationOf makes the one that the session with an id belongs to.
func (c *Snapshot) ConversationOf(id string) (model.Conversation, bool) {
	i, ok := c.Position(id)
	if !ok {
		return model.Conversation{}, false
	}
	return c.ConversationAt(i), true
}

// sessionColumns are the columns of [model.Session], in the order in which
// scanSession takes them.
var sessionColumns = [...]string{
	"id", "source", "title", "model", "parent_session_id", "end_reason", "started_at", "ended_at",
	"message_count", "tool_call_count", "input_tokens", "output_tokens", "cache_read_tokens",
	"cache_write_tokens", "reasoning_tokens", "api_call_count",
	"estimated_cost_usd", "actual_cost_usd", "cost_status",
	"cwd", "git_branch", "profile_name", "archived", "pinned", "hidden", "last_activity_at",
}

// sessionColumns lists what [scanSession] takes.
func (s *Sessions) sessionColumns() string {
	var names []string
	for _, name := range sessionColumns {
		names = append(names, s.db.Schema.ColumnOrNull("sessions", "s", name))
	}
	// Most configurations are long and carry no mark.
	config := s.db.Schema.ColumnOrNull("sessions", "s", "model_config")
	names = append(names, "CASE WHEN instr("+config+", '_from') > 0 THEN "+config+" END")
	return strings.Join(names, ", ")
}

// ReadSessions reads light rows. where is a condition on s.
func (s *Sessions) ReadSessions(ctx context.Context, q db.Querier, where string, args []any) (all []model.Session, err error) {
	err = s.eachSession(ctx, q, where, args, func(m *model.Session) { all = append(all, *m) })
	return all, err
}

// eachSession reads light rows one by one. where is a condition on s, "" for
// all.
func (s *Sessions) eachSession(ctx context.Context, q db.Querier, where string, args []any, each func(*model.Session)) error {
	query := "SELECT " + s.sessionColumns() + " FROM sessions s"
	if where != "" {
		query += " WHERE " + where
	}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	values := make([]any, len(sessionColumns)+1)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		m := scanSession(values)
		each(&m)
	}
	return rows.Err()
}

// scanSession makes a session of the columns.
func scanSession(v []any) model.Session {
	m := model.Session{
		ID: db.AsText(v[0]), Source: db.AsText(v[1]), Title: db.AsText(v[2]), Model: db.AsText(v[3]),
		ParentID: db.AsText(v[4]), EndReason: db.AsText(v[5]),
		StartedAt: db.AsTime(v[6]), EndedAt: db.AsTime(v[7]),
		MessageCount: int(db.AsInt(v[8])), ToolCalls: int(db.AsInt(v[9])),
		Usage: model.Usage{
			Input: db.AsInt(v[10]), Output: db.AsInt(v[11]), CacheRead: db.AsInt(v[12]),
			CacheWrite: db.AsInt(v[13]), Reasoning: db.AsInt(v[14]), APICalls: db.AsInt(v[15]),
			Cost: SessionCost(v[16], v[17], db.AsText(v[18])),
		},
		CWD: db.AsText(v[19]), GitBranch: db.AsText(v[20]), Profile: db.AsText(v[21]),
		Archived: db.AsBool(v[22]), Pinned: db.AsBool(v[23]), Hidden: db.AsBool(v[24]), LastActivityAt: db.AsTime(v[25]),
	}
	if config := db.AsText(v[26]); config != "" {
		// Junk carries no mark.
		if v, err := pyjson.Parse(config); err == nil {
			o, _ := v.(pyjson.Object)
			mark := func(name string) string {
				if v := o.Get(name); v != nil && v != false && v != "" {
					if id, ok := v.(string); ok {
						return id
					}
					return "?"
				}
				return ""
			}
			m.BranchedFrom, m.DelegateFrom, m.ResetFrom = mark("_branched_from"), mark("_delegate_from"), mark("_reset_from")
		}
	}
	return m
}

// SessionCost reads what a session cost. Zero is an amount only where the status says
// that somebody looked; writers leave 0.0 where nothing is known.
func SessionCost(estimated, actual any, status string) model.Cost {
	free := status == "included" || status == "free" || status == "actual"
	if f, ok := db.AsFloat(actual); ok && f >= 0 && (f > 0 || free) {
		return model.Cost{USD: f, Known: true}
	}
	f, ok := db.AsFloat(estimated)
	switch {
	case ok && f > 0:
		return model.Cost{USD: f, Known: true, Estimated: true}
	case free:
		return model.Cost{Known: true}
	}
	return model.Cost{}
}

// messageStats is how many messages of one kind, visible or not, a session has and
// when the last was written.
type messageStats struct {
	id      string
	visible bool
	count   int
	lastAt  any
	idSum   float64 // the sum of their ids, where it was asked for
}

// readMessageStats fills in how many messages each session has and when the last
// was written. ids are the sessions to look at.
func (s *Sessions) readMessageStats(ctx context.Context, q db.Querier, of *SessionTable, ids []string) error {
	return db.InChunks(ids, func(where string, args []any) error {
		said, err := s.queryMessageStats(ctx, q, ` WHERE session_id `+where, args, false)
		if err != nil {
			return err
		}
		return s.applyMessageStats(ctx, q, of, said)
	})
}

// queryMessageStats reads that of the messages of which a condition is true, and where it
// is asked for the sums of their ids.
func (s *Sessions) queryMessageStats(ctx context.Context, q db.Querier, where string, args []any, sums bool) (all []messageStats, err error) {
	// All shapes are answered from an index alone where the file has it.
	active, groups, total := "1", "session_id", "NULL"
	if sums {
		total = "total(id)"
	}
	if s.db.Schema.Has("messages", "active") {
		active, groups = "coalesce(active, 1)", "session_id, active"
	}
	rows, err := q.QueryContext(ctx, `SELECT session_id, `+active+`, count(*), max(timestamp), `+total+` FROM messages`+where+` GROUP BY `+groups, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, active, count, last, sum any
		if err := rows.Scan(&id, &active, &count, &last, &sum); err != nil {
			return nil, err
		}
		ids, _ := db.AsFloat(sum)
		all = append(all, messageStats{db.AsText(id), db.AsBool(active), int(db.AsInt(count)), last, ids})
	}
	return all, rows.Err()
}

// applyMessageStats fills in the activity of sessions.
func (s *Sessions) applyMessageStats(ctx context.Context, q db.Querier, of *SessionTable, said []messageStats) error {
	var odd []int
	for _, a := range said {
		i, ok := of.Position(a.id)
		if !ok {
			continue // messages of a session that is not there
		}
		m := of.Session(i)
		if a.visible {
			m.VisibleMessages += a.count
		}
		if _, isText := a.lastAt.(string); isText {
			odd = append(odd, i)
		} else if at := db.AsTime(a.lastAt); at.After(m.LastMessageAt) {
			m.LastMessageAt = at
		}
		of.setMessageStats(i, m.VisibleMessages, m.LastMessageAt)
	}
	// Text sorts above all numbers, so one bad row hides the real maximum.
	for _, i := range odd {
		last, _, err := db.FirstValue(ctx, q, `SELECT max(timestamp) FROM messages WHERE session_id = ? AND typeof(timestamp) <> 'text'`, of.Id(i))
		if err != nil {
			return err
		}
		of.setMessageStats(i, of.Session(i).VisibleMessages, db.AsTime(last))
	}
	return nil
}
