package store

import (
	"context"
	"iter"
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
	*roll
	lineage  *model.Lineage
	shelf    *shelf                 // conversations
	owners   atomic.Pointer[owners] // nil until a search asks
	surveyed surveyed
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
	if c := s.cached(); c != nil && c.version == version {
		return c, nil
	}
	c, err := s.readCatalog(ctx)
	if err != nil {
		return nil, err
	}
	c.version = version
	s.known.mu.Lock()
	s.known.catalog = c
	s.known.mu.Unlock()
	return c, nil
}

// cached gives the catalog if there is one, however old.
func (s *Store) cached() *catalog {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	return s.known.catalog
}

// moment runs f inside one read transaction, with the catalog of the same
// moment: what f finds was there at one time, whatever others write.
func (s *Store) moment(ctx context.Context, f func(queryer, *catalog) error) (err error) {
	c := s.cached()
	again := c != nil // the catalog at hand may be old
	if c == nil {
		if c, err = s.catalog(ctx); err != nil {
			return err
		}
	}
	for {
		old := false
		err := s.snapshot(ctx, func(q queryer) error {
			// The moment is that of the first question.
			rows, err := s.prepared(q).QueryContext(ctx, `SELECT 1 FROM sqlite_master LIMIT 1`)
			if err == nil {
				err = eachRecord(rows, func(Record) error { return nil })
			}
			if err != nil {
				return err
			}
			now, err := s.DataVersion(ctx)
			if err != nil {
				return err
			}
			if old = now != c.version; old && again {
				return nil
			}
			if old {
				// Somebody wrote just now. What is read here serves this call
				// alone: whether the write was before or after is not known.
				fresh := s.emptyCatalog()
				if err := s.fillCatalog(ctx, q, nil, fresh); err != nil {
					return err
				}
				s.join(fresh)
				return f(q, fresh)
			}
			return f(q, c)
		})
		if !old || !again || err != nil {
			return err
		}
		again = false
		if c, err = s.catalog(ctx); err != nil {
			return err
		}
	}
}

func (s *Store) readCatalog(ctx context.Context) (*catalog, error) {
	c := s.emptyCatalog()
	err := s.snapshots(ctx, func(q, beside queryer) error { return s.fillCatalog(ctx, q, beside, c) })
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
// where there is a second transaction of the same moment.
func (s *Store) fillCatalog(ctx context.Context, q, beside queryer, c *catalog) error {
	var said []activity
	hear := func(q queryer) (err error) {
		said, err = s.activity(ctx, q, nil)
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
		return nil
	}
	var err error
	if beside != nil {
		err = abreast(fill, func() error { return hear(beside) })
	} else if err = fill(); err == nil {
		err = hear(q)
	}
	if err != nil {
		return err
	}
	return s.takeActivity(ctx, q, c.roll, said)
}

func (s *Store) emptyCatalog() *catalog { return &catalog{at: s.now()} }

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

// conversations makes one after the other.
func (c *catalog) conversations() iter.Seq[model.Conversation] {
	return func(yield func(model.Conversation) bool) {
		for i, root := range c.lineage.Root {
			if int(root) == i && !yield(c.conversation(i)) {
				return
			}
		}
	}
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
}

// readActivity fills in how many messages each session has and when the last
// was written. ids are the sessions to look at, nil for all.
func (s *Store) readActivity(ctx context.Context, q queryer, of *roll, ids []string) error {
	said, err := s.activity(ctx, q, ids)
	if err != nil {
		return err
	}
	return s.takeActivity(ctx, q, of, said)
}

// activity reads the activity of sessions, those with ids or all for nil.
func (s *Store) activity(ctx context.Context, q queryer, ids []string) (all []activity, err error) {
	// All shapes are answered from an index alone where the file has it.
	active, groups, where := "1", "session_id", ""
	if s.schema.has("messages", "active") {
		active, groups = "coalesce(active, 1)", "session_id, active"
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	if ids != nil {
		where = " WHERE session_id IN (" + strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",") + ")"
	}
	rows, err := q.QueryContext(ctx, `SELECT session_id, `+active+`, count(*), max(timestamp) FROM messages`+where+` GROUP BY `+groups, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, active, count, last any
		if err := rows.Scan(&id, &active, &count, &last); err != nil {
			return nil, err
		}
		all = append(all, activity{text(id), truth(active), int(number(count)), last})
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
		var last any
		rows, err := q.QueryContext(ctx, `SELECT max(timestamp) FROM messages WHERE session_id = ? AND typeof(timestamp) <> 'text'`, of.id(i))
		if err != nil {
			return err
		}
		for rows.Next() {
			if err = rows.Scan(&last); err != nil {
				break
			}
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
		of.heard(i, of.Session(i).Visible, moment(last))
	}
	return nil
}
