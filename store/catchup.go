package store

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// signs are what shows that sessions came, went or got another title since a
// moment, or that messages came. An index alone answers for each.
type signs struct {
	seed        maphash.Seed
	ids, titles uint64 // of all, as the index has them in a row
	last        int64  // the greatest id of a message

	inactive uint64        // of the messages that were taken back or compacted
	asleep   *ftsindex.Set // these
}

// Questions for the signs.
const (
	allIDs      = `SELECT group_concat(id, char(10)) FROM sessions`
	allTitles   = `SELECT group_concat(title, char(10)) FROM sessions WHERE title IS NOT NULL`
	lastMessage = `SELECT max(id) FROM messages`
	allInactive = `SELECT group_concat(id) FROM messages WHERE coalesce(active, 1) <> 1`
)

// How much may have happened for it to be looked at piece by piece.
const (
	catchUpMessages = 10_000
	catchUpSessions = 500
)

// catchesUp reports whether the file has the indexes that signs are read from,
// and whether what is deleted is gone from its full-text tables.
func (s schema) catchesUp() bool {
	_, titled := s.tables["idx_sessions_title_unique"]
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, ok := s.tables[table]; ok && !s.mirrored(table) {
			return false
		}
	}
	return titled
}

// readSigns reads the signs of a moment, and the texts that they are of. was are
// earlier ones, if there are any.
func (s *Store) readSigns(ctx context.Context, q queryer, was *signs) (m signs, ids, titles string, err error) {
	if was == nil {
		was = &signs{seed: maphash.MakeSeed()}
	}
	m.seed = was.seed
	read := func(query string) (v any) {
		if err == nil {
			v, err = s.one(ctx, q, query)
		}
		return v
	}
	m.last = number(read(lastMessage))
	ids, titles = text(read(allIDs)), text(read(allTitles))
	m.ids, m.titles = maphash.String(m.seed, ids), maphash.String(m.seed, titles)
	if s.schema.has("messages", "active") {
		inactive := text(read(allInactive))
		m.inactive, m.asleep = maphash.String(m.seed, inactive), was.asleep
		if m.asleep == nil || m.inactive != was.inactive {
			m.asleep = &ftsindex.Set{}
			for id := range idsIn([]byte(inactive)) {
				m.asleep.Add(id)
			}
		}
	}
	return m, ids, titles, err
}

// catchUp gives a catalog of the moment that q is at, made of an older one and
// of what happened since: sessions that came, went, have other titles, or were
// written to or taken back from, and those that these hang on or that hang on
// them. What else may be otherwise of a session, such as a pin, it says as the
// older one does: to ask for that means to read every row. After a change of
// this store's own every row is read: whoever made it wants to see it.
func (s *Store) catchUp(ctx context.Context, q queryer, was *catalog) (*catalog, error) {
	c, err := s.caughtUp(ctx, q, was)
	if c != nil || err != nil {
		return c, err
	}
	c = s.emptyCatalog()
	if err := s.fillCatalog(ctx, q, nil, was, c); err != nil {
		return nil, err
	}
	s.join(c)
	return c, nil
}

// distinct reports whether every session has an id of its own.
func (r *roll) distinct() bool {
	for n, i := range r.byID {
		if id := r.id(int(i)); id == "" || n > 0 && id == r.id(int(r.byID[n-1])) {
			return false
		}
	}
	return true
}

// sessionChanges is what happened to sessions since an older catalog was read.
type sessionChanges struct {
	gone, came []string // ids
	again      []string // ids to be read again, those that came among them
	counted    []string // of these, whose messages are counted again, however many they are
}

// caughtUp gives a catalog made of an older one and of what happened since, as
// catchUp says, or nil where too much happened.
func (s *Store) caughtUp(ctx context.Context, q queryer, was *catalog) (*catalog, error) {
	if was.signs == nil || was.ours != s.ownWrites.Load() {
		return nil, nil
	}
	now, ids, titles, err := s.readSigns(ctx, q, was.signs)
	if err != nil {
		return nil, err
	}
	ch, err := s.changesSince(ctx, q, was, &now, ids, titles)
	if ch == nil || err != nil {
		return nil, err
	}
	c := &catalog{at: was.at, ours: was.ours, signs: &now, roll: was.roll, lineage: was.lineage, shelf: was.shelf, behind: true}
	if o := was.owners.Load(); o == nil || o.homeless == 0 || len(ch.came) == 0 { // else a message without a session may have one now
		c.owners.Store(o)
	}
	if len(ch.again)+len(ch.gone) == 0 {
		return c, nil
	}
	sessions, err := s.readChanged(ctx, q, was, ch)
	if sessions == nil || err != nil {
		return nil, err
	}
	var changed []int32
	if c.roll, changed, err = s.rollSince(ctx, q, was, &now, ch, sessions); c.roll == nil || err != nil {
		return nil, err
	}
	var families []int32
	c.lineage, families = was.lineage.With(c.roll, changed, c.find)
	families = append(families, changed...) // those that are gone too
	slices.Sort(families)
	c.shelf = was.shelf.with(c, slices.Compact(families))
	return c, nil
}

// changesSince finds what happened since an older catalog was read, by the signs
// of now and the ids and titles that they are of. It gives nil where that is too
// much to be looked at piece by piece.
func (s *Store) changesSince(ctx context.Context, q queryer, was *catalog, now *signs, ids, titles string) (*sessionChanges, error) {
	ch := &sessionChanges{}
	if now.ids != was.signs.ids {
		ch.gone, ch.came = differences(was.roll.ids(), ids)
		ch.again = append(ch.again, ch.came...)
	}
	if now.titles != was.signs.titles {
		lost, got := differences(was.titles(), titles)
		if len(got) > catchUpSessions {
			return nil, nil
		}
		titled, err := s.retitled(ctx, q, was, lost, got)
		if err != nil {
			return nil, err
		}
		ch.again = append(ch.again, titled...)
	}
	if now.last > was.signs.last {
		if now.last-was.signs.last > catchUpMessages {
			return nil, nil
		}
		wrote, err := s.ids(ctx, q, `SELECT DISTINCT session_id FROM messages NOT INDEXED WHERE id > ?`, was.signs.last)
		if err != nil {
			return nil, err
		}
		ch.again = append(ch.again, wrote...)
	}
	if now.inactive != was.signs.inactive {
		turned := ftsindex.Without(now.asleep, was.signs.asleep)
		turned.Union(ftsindex.Without(was.signs.asleep, now.asleep))
		if turned.Len() > catchUpMessages {
			return nil, nil
		}
		var err error
		if ch.counted, err = s.ids(ctx, q, `SELECT DISTINCT m.session_id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, list(turned.All())); err != nil {
			return nil, err
		}
		ch.again = append(ch.again, ch.counted...)
	}
	if len(ch.again)+len(ch.gone) > catchUpSessions {
		return nil, nil
	}
	return ch, nil
}

// retitled gives the ids of the sessions that have lost or got a title.
func (s *Store) retitled(ctx context.Context, q queryer, was *catalog, lost, got []string) (ids []string, err error) {
	had := map[string]bool{}
	for _, title := range lost {
		had[title] = true
	}
	for i := range was.there() {
		if had[was.title(i)] {
			ids = append(ids, was.id(i))
		}
	}
	err = inChunks(got, func(where string, args []any) error {
		named, err := s.ids(ctx, q, `SELECT id FROM sessions WHERE title `+where, args...)
		ids = append(ids, named...)
		return err
	})
	return ids, err
}

// readChanged reads the sessions that changed, and those that hang on one that
// came or went or on which one that came hangs. It gives nil where an id can not
// be told from the lines of all ids.
func (s *Store) readChanged(ctx context.Context, q queryer, was *catalog, ch *sessionChanges) (map[string]model.Session, error) {
	sessions := map[string]model.Session{}
	for _, part := range []struct {
		condition string
		ids       []string
	}{
		{`s.id THESE`, ch.again},
		{`s.parent_session_id THESE`, slices.Concat(ch.came, ch.gone)},
		{`s.id IN (SELECT parent_session_id FROM sessions WHERE id THESE)`, ch.came},
	} {
		err := inChunks(part.ids, func(where string, args []any) error {
			return s.eachSession(ctx, q, strings.ReplaceAll(part.condition, "THESE", where), args, func(m *model.Session) { sessions[m.ID] = *m })
		})
		if err != nil {
			return nil, err
		}
	}
	for _, id := range ch.again {
		_, read := sessions[id]
		_, known := was.find(id)
		if !read && (known && !slices.Contains(ch.gone, id) || slices.Contains(ch.came, id)) {
			return nil, nil // an id that is no text, or more than one line of it
		}
	}
	return sessions, nil
}

// rollSince gives the roll of an older catalog with the sessions that changed,
// and their positions in it; nil where too many have changed since that roll was
// read as a whole. Their messages are counted, of giants only the new ones.
func (s *Store) rollSince(ctx context.Context, q queryer, was *catalog, now *signs, ch *sessionChanges, sessions map[string]model.Session) (*roll, []int32, error) {
	var members []string // whose messages are counted
	var some []model.Session
	for id, m := range sessions {
		if i, ok := was.find(id); ok {
			old := was.Session(i)
			m.Visible, m.LastMessageAt = old.Visible, old.LastMessageAt
		}
		if m.Visible < giant || slices.Contains(ch.counted, id) {
			m.Visible, m.LastMessageAt = 0, time.Time{}
			members = append(members, id)
		}
		some = append(some, m)
	}
	r, changed := was.roll.with(some, ch.gone)
	if len(r.sessions) > catchUpSessions {
		return nil, nil, nil
	}
	if len(members) < len(some) && now.last > was.signs.last {
		said, err := s.activity(ctx, q, ` NOT INDEXED WHERE id > ?`, []any{was.signs.last}, false)
		if err == nil {
			err = s.takeActivity(ctx, q, r, said)
		}
		if err != nil {
			return nil, nil, err
		}
		for _, id := range members {
			if i, ok := r.find(id); ok {
				r.heard(i, 0, time.Time{})
			}
		}
	}
	if len(members) > 0 {
		if err := s.readActivity(ctx, q, r, members); err != nil {
			return nil, nil, err
		}
	}
	return r, changed, nil
}

// differences compares what was known with the lines that there are.
func differences(known iter.Seq[string], lines string) (gone, came []string) {
	count := map[string]int{}
	for line := range known {
		count[line]++
	}
	if lines != "" {
		for line := range strings.SplitSeq(lines, "\n") {
			count[line]--
		}
	}
	for line, n := range count {
		switch {
		case n > 0:
			gone = append(gone, line)
		case n < 0:
			came = append(came, line)
		}
	}
	return gone, came
}

// ids gives the ids of all sessions that are there.
func (r *roll) ids() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.there() {
			if !yield(r.id(i)) {
				return
			}
		}
	}
}

// titles gives the titles of those that have one.
func (r *roll) titles() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.there() {
			if title := r.title(i); title != "" && !yield(title) {
				return
			}
		}
	}
}
