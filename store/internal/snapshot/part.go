package snapshot

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// part is what a [Snapshot] of some sessions has beside them: which sessions were
// asked of it, and what all sessions have.
type part struct {
	total         int                     // sessions in the file
	titles        func() *match.TextIndex // of all sessions with a title, made when first wanted
	titleRows     []int64                 // their rowids
	sources       []string                // of all sessions
	newestOnly    bool                    // a search may leave out all but the newest messages
	stats         []messageStats          // of all sessions, nil where they were not read
	messageIDs    map[int64]string        // message → id of its session, as far as it was looked up
	requested     map[string]bool         // ids of sessions that were read, where they exist
	requestedRows map[int64]bool          // rowids of sessions

	mu          sync.Mutex // for the fields below
	missing     map[string]bool
	missingRows map[int64]bool
	cut         bool // a search left messages out
}

// NewPart returns a snapshot without a session, in a read transaction of a version of
// the file. It notes which sessions are requested of it, for [Sessions.ExtendPart]. A
// search of a few messages needs no other: it is read 20 times as fast as all sessions.
// With newestOnly a search of many messages may leave out all but the newest. The error is
// [ErrPart] where sessions have no rowids.
func (s *Sessions) NewPart(ctx context.Context, q db.Querier, version int64, newestOnly bool) (*Snapshot, error) {
	if s.db.Schema.RowKey("sessions") != "rowid" {
		return nil, ErrPart
	}
	p := &part{newestOnly: newestOnly, messageIDs: map[int64]string{}, requested: map[string]bool{}, requestedRows: map[int64]bool{}, missing: map[string]bool{}, missingRows: map[int64]bool{}}
	total, err := db.QueryValue(ctx, q, `SELECT count(*) FROM sessions`)
	if err != nil {
		return nil, err
	}
	p.total = int(db.AsInt(total))
	var titles []string
	if s.db.Schema.Has("sessions", "title") {
		err := db.EachRow(ctx, q, `SELECT rowid, title FROM sessions WHERE title IS NOT NULL`, nil, func(r db.Row) {
			p.titleRows = append(p.titleRows, r.Int(0))
			titles = append(titles, r.Text(1))
		})
		if err != nil {
			return nil, err
		}
	}
	p.titles = sync.OnceValue(func() *match.TextIndex { return match.NewTextIndex(titles) })
	if p.sources, err = db.QueryTexts(ctx, q, `SELECT DISTINCT source FROM sessions`); err != nil {
		return nil, err
	}
	snap, err := s.newSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	snap.DataVersion = version
	snap.part = p
	snap.Table = sessiontable.NewBuilder(0).Build()
	snap.linkConversations(s.db.Schema)
	return snap, nil
}

// IsPart reports whether the snapshot has only the sessions that were requested of it.
func (snap *Snapshot) IsPart() bool { return snap.part != nil }

// NewestOnly reports whether this is a part of which a search reads only the newest messages
// where many match.
func (snap *Snapshot) NewestOnly() bool { return snap.part != nil && snap.part.newestOnly }

// Cut notes that a search has left messages out.
func (snap *Snapshot) Cut() { snap.part.cut = true }

// WasCut reports whether a search has left messages out.
func (snap *Snapshot) WasCut() bool { return snap.part != nil && snap.part.cut }

// SessionCount returns how many sessions the file has.
func (snap *Snapshot) SessionCount() int {
	if snap.part != nil {
		return snap.part.total
	}
	return snap.Len()
}

// Requested returns how many sessions were requested of a part so far.
func (snap *Snapshot) Requested() int {
	snap.part.mu.Lock()
	defer snap.part.mu.Unlock()
	return len(snap.part.requested) + len(snap.part.requestedRows) + len(snap.part.missing) + len(snap.part.missingRows)
}

// Complete reports whether the snapshot has all sessions that were requested of it.
func (snap *Snapshot) Complete() bool {
	if snap.part == nil {
		return true
	}
	snap.part.mu.Lock()
	defer snap.part.mu.Unlock()
	return len(snap.part.missing)+len(snap.part.missingRows) == 0
}

// Request notes that a part is to have the session with an id.
func (snap *Snapshot) Request(id string) {
	if p := snap.part; p != nil && !p.requested[id] {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.missing[id] = true
	}
}

// RequestTitles notes that a part is to have the sessions whose titles match.
func (snap *Snapshot) RequestTitles(m *match.Matcher) {
	if snap.part != nil {
		for row := range snap.titled(m) {
			snap.requestRow(row)
		}
	}
}

// titled returns the rowids of the sessions of the file whose titles match.
func (snap *Snapshot) titled(m *match.Matcher) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, n := range m.MatchIndex(snap.part.titles()) {
			if !yield(snap.part.titleRows[n]) {
				return
			}
		}
	}
}

// TitledSessions returns the ids of the sessions of the file whose titles match, also those that
// a part lacks.
func (s *Sessions) TitledSessions(ctx context.Context, q db.Querier, part *Snapshot, m *match.Matcher) ([]string, error) {
	return db.QueryTexts(ctx, q, sessionsOfRows, db.JSONList(part.titled(m)))
}

// sessionsOfRows is the ids of the sessions with the rowids of a list.
const sessionsOfRows = `SELECT s.id FROM temp.json_each(?) j CROSS JOIN sessions s ON s.rowid = j.value`

// requestRow notes that a part is to have the session with a rowid.
func (snap *Snapshot) requestRow(row int64) {
	if p := snap.part; !p.requestedRows[row] {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.missingRows[row] = true
	}
}

// RequestNames notes that a part is to have the conversations whose ids begin with a prefix (in
// either case; none for an empty prefix). The error is [ErrPart] where one of the words, which
// are in lower case, is a source.
func (snap *Snapshot) RequestNames(ctx context.Context, q db.Querier, words []string, prefix string) error {
	for _, source := range snap.part.sources {
		if slices.Contains(words, strings.ToLower(source)) {
			return ErrPart
		}
	}
	if prefix == "" {
		return nil
	}
	return db.EachRow(ctx, q, `SELECT rowid FROM sessions WHERE id LIKE ? ESCAPE '\'`, []any{likePrefix(prefix)}, func(r db.Row) {
		snap.requestRow(r.Int(0))
	})
}

// likePrefix returns the pattern of LIKE, with a backslash as ESCAPE, of what begins with a text.
func likePrefix(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// ExtendPart returns a part with the sessions that were requested of snap, and their
// families. Each of them equals the one in the whole snapshot, and their order is the same.
func (s *Sessions) ExtendPart(ctx context.Context, q db.Querier, snap *Snapshot) (*Snapshot, error) {
	old := snap.part
	p := &part{
		newestOnly: old.newestOnly, cut: old.cut, total: old.total, titles: old.titles, titleRows: old.titleRows, sources: old.sources, stats: old.stats, messageIDs: old.messageIDs,
		requested: maps.Clone(old.requested), requestedRows: maps.Clone(old.requestedRows), missing: map[string]bool{}, missingRows: map[int64]bool{},
	}
	maps.Copy(p.requested, old.missing)
	maps.Copy(p.requestedRows, old.missingRows)
	named, err := db.QueryTexts(ctx, q, sessionsOfRows, db.JSONList(maps.Keys(p.requestedRows)))
	if err != nil {
		return nil, err
	}
	d, err := s.newSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	d.readAt = snap.readAt
	d.ownWrites = snap.ownWrites
	d.DataVersion = snap.DataVersion
	d.part = p
	if d.Table, d.doubts, err = s.familiesInOrder(ctx, q, slices.AppendSeq(named, maps.Keys(p.requested)), p.stats); err != nil {
		return nil, err
	}
	for id := range p.requested {
		if s.Indexes.inDoubt(d, id) { // or there is no such session
			return nil, ErrPart
		}
	}
	if d.Len() > 0 && s.Indexes.inDoubt(d, d.ID(0)) {
		return nil, ErrPart
	}
	d.linkConversations(s.db.Schema)
	return d, nil
}

// ErrPart says that all sessions have to be read: too many are needed, or an index may
// lack some.
var ErrPart = errors.New("all sessions are needed")

// familiesInOrder reads some sessions, their ancestors and all descendants of those, in
// the order of the table, with the counts of their messages, and returns the doubts that
// arise. stats has those of all sessions, nil where they were not read.
func (s *Sessions) familiesInOrder(ctx context.Context, q db.Querier, ids []string, stats []messageStats) (*sessiontable.Table, doubts, error) {
	all := sessiontable.NewBuilder(len(ids))
	var members []string
	if len(ids) > 0 {
		err := s.eachSession(ctx, q, familyCondition(len(ids))+` ORDER BY s.rowid`, db.BindArgs(ids), func(m *model.Session) {
			all.Add(m)
			members = append(members, m.ID)
		})
		if err != nil {
			return nil, doubts{}, err
		}
	}
	table := all.Build()
	if stats == nil {
		found, err := s.readMessageStats(ctx, q, table, members)
		return table, found, err
	}
	var found doubts
	stats = slices.DeleteFunc(slices.Clone(stats), func(a messageStats) bool { _, ok := table.Position(a.id); return !ok })
	err := s.addMessageStats(ctx, q, table, db.BindArgs(members), stats, &found)
	if err == nil {
		err = s.Indexes.addNewest(ctx, q, &found)
	}
	return table, found, err
}

// KeepStats gives a part the stats of all sessions, so that the next part does not read those of
// its own; nil where they were not read.
func (snap *Snapshot) KeepStats(stats []messageStats) { snap.part.stats = stats }

// RememberSession notes the session of a message, for the next part.
func (snap *Snapshot) RememberSession(message int64, id string) {
	if snap.part != nil {
		snap.part.messageIDs[message] = id
	}
}

// KnownMessages returns the number of messages whose sessions are known, see RememberSession.
func (snap *Snapshot) KnownMessages() int { return len(snap.part.messageIDs) }

// KnownSession returns the id of the session of a message, if it was noted.
func (snap *Snapshot) KnownSession(message int64) (id string, ok bool) {
	if snap.part == nil {
		return "", false
	}
	id, ok = snap.part.messageIDs[message]
	return id, ok
}
