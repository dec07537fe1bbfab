package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Conversations answers the list. Total and Hidden count everything that
// matches, whatever the page holds, unless the query can do without and the
// database is a large one that was not listed yet: then the page is Partial,
// and the totals are those of what had to be read for it. Who has some
// thousand messages is then believed to have as many as its writer counted.
// All else in a page with RowsOnly is exactly that of the whole list. With
// Glance others may stand on it where clocks were set back, or where the file
// keeps apart from the messages when a session was last active.
func (s *Store) Conversations(ctx context.Context, q model.ListQuery) (model.Page, error) {
	if q.Glance || q.RowsOnly {
		page, ok, err := s.glance(ctx, q)
		if err != nil {
			return model.Page{}, err
		}
		if ok {
			return page, s.dress(ctx, page.Conversations)
		}
	}
	c, err := s.catalog(ctx)
	if err != nil {
		return model.Page{}, err
	}
	shelf := c.shelf
	if q.Sessions {
		shelf = newShelf(c, s.now(), true)
	}
	v, err := s.sift(ctx, c, shelf, q, false)
	if err != nil {
		return model.Page{}, err
	}
	page := v.page(shelf)
	return page, s.dress(ctx, page.Conversations)
}

// Conversation gives the one that a session belongs to.
func (s *Store) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	c, err := s.familyOf(ctx, id)
	if err != nil {
		return model.Conversation{}, err
	}
	m, ok := c.conversationOf(id)
	if !ok {
		return model.Conversation{}, s.notFound(id)
	}
	one := []model.Conversation{m}
	err = s.dress(ctx, one)
	return one[0], err
}

// page picks what is asked for, previews and states left open.
func (v *sieve) page(all *shelf) model.Page {
	q := v.query
	page := model.Page{Hints: v.hints}
	keeps, shows := v.of(all), shown(q)
	var found []int32
	for _, n := range all.inOrder(q.Sort) {
		switch {
		case !keeps(n):
		case shows[all.scopes[n]]:
			found = append(found, n)
		default:
			page.Hidden++
		}
	}
	page.Total = len(found)
	if q.PinnedFirst && q.Sort == model.ByActivity {
		found = all.pinnedFirst(found)
	}
	from := min(max(q.Offset, 0), len(found))
	found = found[from:]
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	page.Conversations = make([]model.Conversation, len(found))
	for i, n := range found {
		page.Conversations[i] = all.conversation(n)
	}
	return page
}

// pinnedFirst puts what is pinned before all others. A conversation is as its
// tip is, so only those with a pinned session are looked at.
func (h *shelf) pinnedFirst(in []int32) []int32 {
	pinned := map[int32]bool{}
	for i := range h.sessions.rows {
		if h.sessions.rows[i].pinned {
			n := h.of(int32(i))
			pinned[n] = h.conversation(n).Pinned
		}
	}
	if len(pinned) == 0 {
		return in
	}
	out := make([]int32, 0, len(in))
	for _, first := range []bool{true, false} {
		for _, n := range in {
			if pinned[n] == first {
				out = append(out, n)
			}
		}
	}
	return out
}

// dress is what only messages can tell about a session.
type dress struct {
	first    string // the first user message, as upstream previews it
	preview  string // the first that says anything
	lastRole string
}

// dressKey changes when a session's messages do.
type dressKey struct {
	id      string
	visible int
	last    time.Time
}

// dressKey gives the key of a session as the catalog knows it, if there is one.
func (c *catalog) dressKey(id string) dressKey {
	if c == nil {
		return dressKey{id: id}
	}
	i, ok := c.find(id)
	if !ok {
		return dressKey{id: id}
	}
	return c.dressKeyAt(i)
}

// dressKeys gives dressKey; the first sessions of some conversations it has not
// to look for.
func (c *catalog) dressKeys(numbers []int32) func(id string) dressKey {
	at := make(map[string]int, len(numbers))
	for _, n := range numbers {
		at[c.id(int(n))] = int(n)
	}
	return func(id string) dressKey {
		if n, ok := at[id]; ok {
			return c.dressKeyAt(n)
		}
		return c.dressKey(id)
	}
}

// dressKeyAt gives that of the session at a position.
func (c *catalog) dressKeyAt(i int) dressKey {
	visible, last := c.said(i)
	return dressKey{c.id(i), visible, last}
}

// maxDressed bounds the memory of what was found out.
const maxDressed = 20_000

// dress fills in Preview and State of the conversations of one page: reading
// messages for all of them would cost more than the whole list (store/README.md#q29).
func (s *Store) dress(ctx context.Context, page []model.Conversation) error {
	return s.dressBy(ctx, page, s.cached().dressKey)
}

// dressBy fills in Preview and State of the conversations of one page. key gives
// the key of a session by its id, by which what was found out before is looked up.
func (s *Store) dressBy(ctx context.Context, page []model.Conversation, key func(id string) dressKey) error {
	// The preview is the first thing the user said: in the root, or where the
	// root has nothing in the segments after it.
	for depth := 0; ; depth++ {
		var ids []string
		for i := range page {
			m := &page[i]
			if depth == 0 {
				ids = append(ids, m.ID)
			}
			if depth < len(m.Segments) && m.Preview == "" {
				ids = append(ids, m.Segments[depth])
			}
		}
		if len(ids) == 0 {
			break
		}
		found, err := s.dresses(ctx, ids, key)
		if err != nil {
			return err
		}
		for i := range page {
			m := &page[i]
			if depth < len(m.Segments) && m.Preview == "" {
				m.Preview = found[m.Segments[depth]].preview
			}
			if depth == 0 {
				m.State = model.StateOf(m, found[m.ID].lastRole, s.now())
			}
		}
	}
	return nil
}

// dressed reports whether all that it takes to dress conversations is in the
// memory, as far as the first session of each tells.
func (s *Store) dressed(c *catalog, numbers []int32) bool {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	for _, n := range numbers {
		if _, ok := s.known.dressed[c.dressKeyAt(int(n))]; !ok {
			return false
		}
	}
	return true
}

// dresses looks up sessions, in the memory first.
func (s *Store) dresses(ctx context.Context, ids []string, key func(string) dressKey) (map[string]dress, error) {
	found := make(map[string]dress, len(ids))
	var missing []string
	s.known.mu.Lock()
	for _, id := range ids {
		if _, ok := found[id]; ok {
			continue
		}
		d, ok := s.known.dressed[key(id)]
		if !ok {
			missing = append(missing, id)
		}
		found[id] = d
	}
	s.known.mu.Unlock()
	for chunk := range slices.Chunk(missing, 250) {
		silent, err := s.readDresses(ctx, chunk, "content IS NOT NULL", func(id, said, role string) {
			found[id] = dress{first: said, preview: said, lastRole: role}
		})
		if err == nil && len(silent) > 0 {
			_, err = s.readDresses(ctx, silent, "trim(content, char(9, 10, 13, 32)) <> ''", func(id, said, _ string) {
				d := found[id]
				d.preview = said
				found[id] = d
			})
		}
		if corrupt(err) {
			s.note(NoteDamaged) // and the row does without
		} else if err != nil {
			return nil, s.wrap("read previews", err)
		}
	}
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	if len(s.known.dressed) > maxDressed {
		clear(s.known.dressed)
	}
	for _, id := range missing {
		s.known.dressed[key(id)] = found[id]
	}
	return found, nil
}

// lookAhead is how many messages may stand before the first of the user's.
const lookAhead = "64"

// readDresses looks up the first user message that fulfils a condition and
// the role of the last visible message. silent are the sessions whose user
// message is there and says nothing.
func (s *Store) readDresses(ctx context.Context, ids []string, condition string, each func(id, said, role string)) (silent []string, err error) {
	defer func() {
		if corrupt(err) && len(ids) > 1 {
			silent, err = s.salvageDresses(ctx, ids, condition, each)
		}
	}()
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	rows, err := s.db.QueryContext(ctx, `WITH want(id) AS (VALUES `+strings.TrimSuffix(strings.Repeat("(?),", len(ids)), ",")+`)
		SELECT want.id,
			(SELECT content FROM (SELECT role, content FROM messages m
				WHERE m.session_id = want.id AND `+s.schema.said("m")+s.schema.unlessHidden("m")+`
				ORDER BY timestamp, id LIMIT `+lookAhead+`)
				WHERE role = 'user' AND `+condition+` LIMIT 1),
			(SELECT role FROM messages m WHERE m.session_id = want.id AND `+s.schema.visible("m")+`
				ORDER BY timestamp DESC, id DESC LIMIT 1)
		FROM want`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var content, role any
		if err := rows.Scan(&id, &content, &role); err != nil {
			return nil, err
		}
		// What can not be decoded still makes a preview of what is there.
		said, _ := model.DecodeContent(text(content))
		if said.Text == "" && len(said.Media) > 0 {
			said.Text = "[" + strings.Join(said.Media, ", ") + "]"
		}
		preview := model.Preview(said.Text)
		if preview == "" && content != nil {
			silent = append(silent, id)
		}
		each(id, preview, text(role))
	}
	return silent, rows.Err()
}
