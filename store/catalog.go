package store

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/model"
)

// catalog is all sessions of one moment in memory, without their texts: what
// the list, the search and the lineage are made of. It is never changed after
// it was built.
type catalog struct {
	version int64 // DataVersion when it was read
	at      time.Time
	behind  bool   // it has caught up: some things of sessions are as they were
	signs   *signs // of its moment, nil where they can not be told
	ours    int64  // how often this store had written before
	*roll
	lineage *model.Lineage
	shelf   *shelf                 // conversations
	owners  atomic.Pointer[owners] // nil until a search asks
	derived derived
}

// derived is what a search engine works out of a catalog: made when it is first
// asked for, and dropped with the catalog.
type derived struct {
	once  sync.Once
	value any
}

// get gives what create makes, always the same.
func (d *derived) get(create func() any) any {
	d.once.Do(func() { d.value = create() })
	return d.value
}

// known keeps the newest catalog and what was found out about its rows.
type known struct {
	mu      sync.Mutex
	turn    chan struct{} // held while a catalog is read
	catalog *catalog
	dressed map[dressKey]dress
}

// catalog gives the catalog, read anew if others have changed the file.
func (s *Store) catalog(ctx context.Context) (*catalog, error) {
	select {
	case s.known.turn <- struct{}{}:
		defer func() { <-s.known.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Asked before reading: a change in between is then seen next time.
	version, err := s.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.cached(); c != nil && c.version == version && !c.behind {
		return c, nil
	}
	c, err := s.readCatalog(ctx)
	if err != nil {
		return nil, err
	}
	c.version = version
	s.keep(c)
	return c, nil
}

// cached gives the catalog if there is one, however old.
func (s *Store) cached() *catalog {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	return s.known.catalog
}

// keep keeps a catalog, unless there is one of a later moment, or a whole one.
func (s *Store) keep(c *catalog) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	was := s.known.catalog
	if was == nil || c.version > was.version || c.version == was.version && was.behind {
		s.known.catalog = c
	}
}

// moment runs f inside one read transaction, with a catalog of the same moment:
// what f finds was there at one time, whatever others write. The catalog may be
// one that has caught up.
func (s *Store) moment(ctx context.Context, f func(queryer, *catalog) error) (err error) {
	c, asked := s.cached(), int64(0) // the version from before the moment, once it is of use
	if c == nil {
		if c, err = s.catalog(ctx); err != nil {
			return err
		}
	}
	for {
		var now int64
		old, damaged := false, false
		err := s.snapshot(ctx, func(q queryer) error {
			// The moment is that of the first question.
			rows, err := s.prepared(q).QueryContext(ctx, `SELECT 1 FROM sqlite_master LIMIT 1`)
			if err == nil {
				err = eachRecord(rows, func(Record) error { return nil })
			}
			if err != nil {
				return err
			}
			if now, err = s.DataVersion(ctx); err != nil {
				return err
			}
			if now == c.version && !(c.behind && c.ours != s.ownWrites.Load()) {
				return f(q, c)
			}
			if asked == 0 {
				old = true // whether the write was before the moment is not known
				return nil
			}
			fresh, err := s.catchUp(ctx, q, c)
			if damaged = corrupt(err); damaged {
				return nil
			}
			if err != nil {
				return err
			}
			if now == asked {
				fresh.version = asked
				s.keep(fresh)
			} // else somebody wrote just now, and it serves this call alone
			return f(q, fresh)
		})
		switch {
		case err != nil || !old && !damaged:
			return err
		case damaged: // what is left is read slowly, and not all at one moment
			if c, err = s.catalog(ctx); err != nil {
				return err
			}
			return s.snapshot(ctx, func(q queryer) error { return f(q, c) })
		}
		c, asked = s.cached(), now
	}
}

func (s *Store) readCatalog(ctx context.Context) (*catalog, error) {
	c := s.emptyCatalog()
	was := s.cached()
	err := s.snapshots(ctx, func(q, beside queryer) error { return s.fillCatalog(ctx, q, beside, was, c) })
	if corrupt(err) {
		c, err = s.salvageCatalog(ctx)
		return c, s.wrap("read the sessions", err)
	}
	if err != nil {
		return nil, s.wrap("read the sessions", err)
	}
	s.join(c)
	return c, nil
}

// fillCatalog reads the sessions, and what the messages say of them beside,
// where there is a second transaction of the same moment. What an older catalog,
// if there is one, knows of whose the messages are is taken over as far as it
// is true.
func (s *Store) fillCatalog(ctx context.Context, q, beside queryer, was, c *catalog) error {
	carry := was != nil && was.owners.Load() != nil
	var said []activity
	hear := func(q queryer) (err error) {
		said, err = s.activity(ctx, q, "", nil, carry)
		return err
	}
	fill := func() error {
		n, err := s.one(ctx, q, `SELECT count(*) FROM sessions`)
		if err != nil {
			return err
		}
		all := enrol(int(number(n)))
		if err := s.eachSession(ctx, q, "", nil, all.add); err != nil {
			return err
		}
		c.roll = all.roll()
		if !s.schema.catchesUp() || !c.distinct() {
			return nil
		}
		now, _, _, err := s.readSigns(ctx, q, nil)
		switch {
		case err == nil:
			c.signs = &now
		case !corrupt(err): // else an index is damaged that nothing else needs here
			return err
		}
		return nil
	}
	var err error
	if beside != nil {
		err = abreast(fill, func() error { return hear(beside) })
	} else if err = fill(); err == nil {
		err = hear(q)
	}
	if err == nil {
		err = s.takeActivity(ctx, q, c.roll, said)
	}
	if err == nil && carry {
		if err = s.carryOwners(ctx, q, was, c, said); corrupt(err) {
			err = nil // a search reads around it
		}
	}
	return err
}

func (s *Store) emptyCatalog() *catalog {
	return &catalog{at: s.now(), ours: s.ownWrites.Load()}
}

// join makes conversations of the sessions that were read.
func (s *Store) join(c *catalog) {
	c.lineage = model.NewLineage(c.roll, s.schema.marked())
	c.shelf = newShelf(c, c.at, false)
}

// conversation makes the one that the session at a position belongs to.
func (c *catalog) conversation(i int) model.Conversation {
	return c.shelf.conversation(c.lineage.Root[i])
}

// conversationOf makes the one that the session with an id belongs to.
func (c *catalog) conversationOf(id string) (model.Conversation, bool) {
	i, ok := c.find(id)
	if !ok {
		return model.Conversation{}, false
	}
	return c.conversation(i), true
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
func (s *Store) sessionColumns() string {
	var names []string
	for _, name := range sessionColumns {
		names = append(names, s.schema.column("sessions", "s", name))
	}
	// Most configurations are long and carry no mark.
	config := s.schema.column("sessions", "s", "model_config")
	names = append(names, "CASE WHEN instr("+config+", '_from') > 0 THEN "+config+" END")
	return strings.Join(names, ", ")
}

// readSessions reads light rows. where is a condition on s.
func (s *Store) readSessions(ctx context.Context, q queryer, where string, args []any) (all []model.Session, err error) {
	err = s.eachSession(ctx, q, where, args, func(m *model.Session) { all = append(all, *m) })
	return all, err
}

// eachSession reads light rows one by one. where is a condition on s, "" for
// all.
func (s *Store) eachSession(ctx context.Context, q queryer, where string, args []any, each func(*model.Session)) error {
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
		ID: text(v[0]), Source: text(v[1]), Title: text(v[2]), Model: text(v[3]),
		ParentID: text(v[4]), EndReason: text(v[5]),
		StartedAt: moment(v[6]), EndedAt: moment(v[7]),
		MessageCount: int(number(v[8])), ToolCalls: int(number(v[9])),
		Usage: model.Usage{
			Input: number(v[10]), Output: number(v[11]), CacheRead: number(v[12]),
			CacheWrite: number(v[13]), Reasoning: number(v[14]), APICalls: number(v[15]),
			Cost: cost(v[16], v[17], text(v[18])),
		},
		CWD: text(v[19]), GitBranch: text(v[20]), Profile: text(v[21]),
		Archived: truth(v[22]), Pinned: truth(v[23]), Hidden: truth(v[24]), ActivityAt: moment(v[25]),
	}
	if config := text(v[26]); config != "" {
		// Junk carries no mark.
		if v, err := model.ParseJSON(config); err == nil {
			o, _ := v.(model.Object)
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

// cost reads what a session cost. Zero is an amount only where the status says
// that somebody looked; writers leave 0.0 where nothing is known.
func cost(estimated, actual any, status string) model.Cost {
	free := status == "included" || status == "free" || status == "actual"
	if f, ok := float(actual); ok && f >= 0 && (f > 0 || free) {
		return model.Cost{USD: f, Known: true}
	}
	f, ok := float(estimated)
	switch {
	case ok && f > 0:
		return model.Cost{USD: f, Known: true, Estimated: true}
	case free:
		return model.Cost{Known: true}
	}
	return model.Cost{}
}

// activity is how many messages of one kind, visible or not, a session has and
// when the last was written.
type activity struct {
	id      string
	visible bool
	count   int
	last    any
	ids     float64 // the sum of their ids, where it was asked for
}

// readActivity fills in how many messages each session has and when the last
// was written. ids are the sessions to look at.
func (s *Store) readActivity(ctx context.Context, q queryer, of *roll, ids []string) error {
	return inChunks(ids, func(where string, args []any) error {
		said, err := s.activity(ctx, q, ` WHERE session_id `+where, args, false)
		if err != nil {
			return err
		}
		return s.takeActivity(ctx, q, of, said)
	})
}

// activity reads that of the messages of which a condition is true, and where it
// is asked for the sums of their ids.
func (s *Store) activity(ctx context.Context, q queryer, where string, args []any, sums bool) (all []activity, err error) {
	// All shapes are answered from an index alone where the file has it.
	active, groups, total := "1", "session_id", "NULL"
	if sums {
		total = "total(id)"
	}
	if s.schema.has("messages", "active") {
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
		ids, _ := float(sum)
		all = append(all, activity{text(id), truth(active), int(number(count)), last, ids})
	}
	return all, rows.Err()
}

// takeActivity fills in the activity of sessions.
func (s *Store) takeActivity(ctx context.Context, q queryer, of *roll, said []activity) error {
	var odd []int
	for _, a := range said {
		i, ok := of.find(a.id)
		if !ok {
			continue // messages of a session that is not there
		}
		m := of.Session(i)
		if a.visible {
			m.Visible += a.count
		}
		if _, isText := a.last.(string); isText {
			odd = append(odd, i)
		} else if at := moment(a.last); at.After(m.LastMessageAt) {
			m.LastMessageAt = at
		}
		of.heard(i, m.Visible, m.LastMessageAt)
	}
	// Text sorts above all numbers, so one bad row hides the real maximum.
	for _, i := range odd {
		last, _, err := firstValue(ctx, q, `SELECT max(timestamp) FROM messages WHERE session_id = ? AND typeof(timestamp) <> 'text'`, of.id(i))
		if err != nil {
			return err
		}
		of.heard(i, of.Session(i).Visible, moment(last))
	}
	return nil
}
