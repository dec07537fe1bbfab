package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hermes-sessions/model"
)

const replans = 3 // how often a plan is made anew because others write

var errChanged = errors.New("changed meanwhile")

// PlanDelete says what Delete would remove, without changing anything. The
// error says why Delete would refuse; the counts are given all the same.
func (s *Store) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	p, err := s.plan(ctx, func(c *catalog) (choice, error) { return chosen(c, ids, o.Segment), nil })
	if o.Skip && err == nil {
		p, err = s.fit(ctx, ids, nil)
	}
	if err != nil {
		return model.Deletion{}, err
	}
	left, err := s.leftovers(p.catalog, p.goes)
	if err != nil {
		return p.Deletion, err
	}
	p.Files = left.count()
	if err := left.close(); err != nil {
		return p.Deletion, err
	}
	return p.Deletion, s.refusal(ctx, p)
}

// refusal asks now what the transaction will ask again.
func (s *Store) refusal(ctx context.Context, p *plan) error {
	if err := s.unwritable(); err != nil {
		return err
	}
	if err := s.soundIndex(ctx); err != nil {
		return err
	}
	return s.look(ctx, func(t *tx) error {
		if p.Messages > 0 {
			if err := s.mayChangeMessages(t); err != nil {
				return err
			}
		}
		held, err := holding(ctx, t, p.Sessions)
		if err != nil {
			return err
		}
		for _, table := range held {
			return s.heldBy(table)
		}
		return s.notInUse(ctx, t, p.Sessions...)
	})
}

// look runs f with what a transaction gives, on a connection that can not
// write, so that f finds out beforehand what a change would meet.
func (s *Store) look(ctx context.Context, f func(*tx) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return s.wrap("look at", err)
	}
	defer conn.Close()
	t := &tx{conn: conn, now: seconds(s.now())}
	if t.schema, err = inspect(ctx, t); err != nil {
		return s.wrap("look at", err)
	}
	return s.wrap("look at", f(t))
}

// Delete removes the conversations that the sessions with these ids belong
// to: all their segments, and the delegates under them to any depth. Branches
// stay and lose their parent (store/README.md#deletion). See
// [model.DeleteOptions] for a single segment.
//
// A conversation of up to 128 KB, counting a quarter of a kilobyte for each row
// besides its text, goes in one transaction, whole or not at all; short ones go
// together as they fit. A longer one goes in parts of
// about 30 ms with pauses between, newest first, each session with its last
// messages, delegates before the sessions that started them: nobody else waits
// long to write, but a crash leaves its beginning. One message is never
// divided; a megabyte of text takes about a second. When ctx ends, or
// something fails, between two transactions, the error is of kind partly and
// the Undo holds what is gone by then. With nothing removed the Undo is nil.
//
// The error is an [*Error]: not-found where none of ids exists, changed where
// the sessions are not what o.Expect says or others change them all the time,
// in-use where another process is writing them, index where the full-text index
// is damaged and might not take them back, tokenizer, refused (with the
// words of a newer Hermes), read-only, locked, disk-full. Transcript files
// are removed after their session; those that can not be are in FilesLeft.
func (s *Store) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	if o.Skip {
		return s.deleteFit(ctx, ids, o)
	}
	return s.delete(ctx, o, func(c *catalog) (choice, error) { return chosen(c, ids, o.Segment), nil })
}

// choice is what a delete picks out of a catalog.
type choice struct {
	goes    []model.Removal
	stay    []int    // without their parent
	missing []string // ids that are not there
}

type chooser func(*catalog) (choice, error)

// named chooses what goes with the sessions of these ids.
func chosen(c *catalog, ids []string, segment bool) (ch choice) {
	var positions []int
	missing := map[string]bool{}
	for _, id := range ids {
		if i, ok := c.find(id); ok {
			positions = append(positions, i)
		} else if !missing[id] {
			missing[id] = true
			ch.missing = append(ch.missing, id)
		}
	}
	ch.goes, ch.stay = c.lineage.Remove(positions, segment)
	return ch
}

// plan is what is going to be deleted, by what the catalog says.
type plan struct {
	model.Deletion
	catalog  *catalog
	removals []removal
	goes     map[string]bool
}

// removal is what only makes sense to delete as a whole.
type removal struct {
	ids      []string // each before the one that it hangs on
	messages int
}

func (s *Store) plan(ctx context.Context, choose chooser) (*plan, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	ch, err := choose(c)
	if err != nil {
		return nil, err
	}
	if len(ch.goes) == 0 && len(ch.missing) > 0 {
		return nil, s.notFound(ch.missing[0])
	}
	p := &plan{catalog: c, goes: map[string]bool{}}
	p.Missing = ch.missing
	now := s.now()
	for _, g := range ch.goes {
		var r removal
		for _, i := range g.Goes {
			m := c.Session(i)
			r.ids = append(r.ids, m.ID)
			p.goes[m.ID] = true
			if m.Live(now) {
				p.Running = append(p.Running, m.ID)
			}
		}
		p.Asked += g.Asked
		p.Delegates += len(g.Goes) - g.Asked
		p.Sessions = append(p.Sessions, r.ids...)
		p.removals = append(p.removals, r)
	}
	for _, i := range ch.stay {
		p.Stay = append(p.Stay, c.id(i))
	}
	messages, err := s.countMessages(ctx, p.Sessions)
	if err != nil {
		return nil, s.wrap("count the messages of", err)
	}
	for i := range p.removals {
		for _, id := range p.removals[i].ids {
			p.removals[i].messages += messages[id]
		}
		p.Messages += p.removals[i].messages
		p.Parts = append(p.Parts, p.removals[i].part())
	}
	return p, nil
}

// countMessages counts all rows, visible or not.
func (s *Store) countMessages(ctx context.Context, ids []string) (map[string]int, error) {
	counts := map[string]int{}
	return counts, inChunks(ids, func(where string, args []any) error {
		rows, err := s.db.QueryContext(ctx, `SELECT session_id, count(*) FROM messages WHERE session_id `+where+` GROUP BY session_id`, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id any
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				return err
			}
			counts[text(id)] = n
		}
		return rows.Err()
	})
}

// expected refuses where something else would go than was agreed to.
func (p *plan) expected(s *Store, want *model.Deletion) error {
	if want == nil {
		return nil
	}
	have, agreed := slices.Sorted(slices.Values(p.Sessions)), slices.Sorted(slices.Values(want.Sessions))
	stays, stayed := slices.Sorted(slices.Values(p.Stay)), slices.Sorted(slices.Values(want.Stay))
	if slices.Equal(have, agreed) && p.Messages == want.Messages && slices.Equal(stays, stayed) {
		return nil
	}
	return s.changed(nil)
}

func (s *Store) changed(err error) *Error {
	return &Error{
		Kind: KindChanged, Path: s.path, Err: err,
		Message: "another program has changed these sessions meanwhile; nothing was removed",
		Remedy:  "look at them again, then delete",
	}
}

// undo is what a delete removed: lines of a backup.
type undo struct {
	gone model.Deletion
	rows *spool
}

func (u *undo) Gone() model.Deletion { return u.gone }

func (u *undo) Close() error { return u.rows.close() }

// deleter carries out one plan.
type deleter struct {
	s     *Store
	plan  *plan
	undo  *undo
	files *leftovers
	tell  func(done, total int)

	prompts map[string]bool // hashes of the prompts that were kept
	hashes  []string        // of the sessions that the running transaction takes

	done int // messages gone
	pace pace
	skip bool // what can not go
}

func (s *Store) delete(ctx context.Context, o model.DeleteOptions, choose chooser) (model.Undo, error) {
	for try := 1; ; try++ {
		p, err := s.plan(ctx, choose)
		if err != nil {
			return nil, err
		}
		if err := p.expected(s, o.Expect); err != nil {
			return nil, err
		}
		u, err := s.carryOut(ctx, p, o)
		switch {
		case !errors.Is(err, errChanged):
		case u == nil && o.Expect == nil && try < replans:
			continue
		case u == nil:
			err = s.changed(err)
		}
		if u == nil {
			return nil, err // a nil *undo is no nil Undo
		}
		return u, err
	}
}

// carryOut deletes what was planned. The undo is nil where nothing is gone.
func (s *Store) carryOut(ctx context.Context, p *plan, o model.DeleteOptions) (_ *undo, err error) {
	if s.writer.forbidden {
		return nil, s.readOnlyFault(nil)
	}
	rows := &spool{forget: o.Forget && o.Backup == ""}
	if len(p.Sessions) == 0 {
		return &undo{rows: rows, gone: p.Deletion}, nil
	}
	if err := s.soundIndex(ctx); err != nil {
		return nil, err
	}
	if o.Backup != "" {
		if rows, err = spoolInto(o.Backup); err != nil {
			return nil, err
		}
	}
	d := &deleter{s: s, plan: p, undo: &undo{rows: rows}, tell: o.Progress, prompts: map[string]bool{}}
	d.skip = o.Skip
	d.undo.gone = model.Deletion{Missing: p.Missing, Refused: p.Refused}
	if d.tell == nil {
		d.tell = func(int, int) {}
	}
	if d.files, err = s.leftovers(p.catalog, p.goes); err != nil {
		return nil, errors.Join(err, d.abandon(o.Backup))
	}
	defer func() { err = errors.Join(err, d.files.close()) }()
	if _, err := fmt.Fprintf(rows, "{%q: %d, \"schema\": %d}\n", backupMark, backupVersion, s.schema.version); err != nil {
		return nil, errors.Join(err, d.abandon(o.Backup))
	}
	if err = d.run(ctx); err == nil {
		return d.undo, nil
	}
	if len(d.undo.gone.Sessions) == 0 && d.done == 0 {
		return nil, errors.Join(err, d.abandon(o.Backup))
	}
	return d.undo, &Error{
		Kind: KindPartly, Path: s.path, Err: err,
		Message: fmt.Sprintf("stopped when %d of %d sessions and %d of %d messages were gone: %s",
			len(d.undo.gone.Sessions), len(p.Sessions), d.done, p.Messages, why(err)),
		Remedy: "delete again to go on, or undo to take it back",
	}
}

// abandon forgets an undo that holds nothing.
func (d *deleter) abandon(backup string) error {
	err := d.undo.rows.close()
	if backup != "" {
		err = errors.Join(err, os.Remove(backup))
	}
	return err
}

// run goes through the plan, conversation by conversation: small ones
// together, a large one in parts.
func (d *deleter) run(ctx context.Context) error {
	most := len(d.plan.removals)
	for rest := d.plan.removals; len(rest) > 0; {
		n, err := d.whole(ctx, rest[:min(most, len(rest))])
		if err != nil && d.skip && passesOver(err) {
			// One of them changed since the plan was made; ever fewer at a
			// time leave it alone.
			if most = min(most, len(rest)) / 2; most == 0 {
				refuse(&d.undo.gone, rest[0], err)
				rest, most = rest[1:], 1
			}
			continue
		}
		if err != nil {
			return err
		}
		most = min(2*most, len(d.plan.removals))
		if n == 0 {
			if err := d.parts(ctx, rest[0]); err != nil {
				return err
			}
			n = 1
		}
		rest = rest[n:]
	}
	return nil
}

// step makes one transaction.
func (d *deleter) step(ctx context.Context, f func(*tx) error) error {
	start := d.undo.rows.size
	err := d.pace.step(ctx, d.s, "delete from", func(t *tx) error {
		if err := d.undo.rows.rewind(start); err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
		// What is gone must be safe before it is gone.
		return d.undo.rows.flush()
	})
	if err != nil {
		return errors.Join(err, d.undo.rows.rewind(start))
	}
	return nil
}

// whole deletes conversations with all that is theirs in one transaction, as
// many of the first as it should take, and says how many those were. None are
// where the first alone is too much.
func (d *deleter) whole(ctx context.Context, removals []removal) (n int, err error) {
	some := d.oneTransaction(removals)
	if len(some) == 0 {
		return 0, nil
	}
	start := d.undo.rows.size
	for _, r := range some {
		for _, id := range r.ids {
			if err := d.files.keep(id, d.undo.rows); err != nil {
				return 0, errors.Join(err, d.undo.rows.rewind(start))
			}
		}
	}
	var ids []string
	messages := 0
	err = d.step(ctx, func(t *tx) error {
		ids, messages, n = nil, 0, 0
		k, err := newKeeper(ctx, t, "messages")
		if err != nil {
			return err
		}
		size := 0
		for _, r := range some {
			before, more, full := d.undo.rows.size, 0, false
			size += len(r.ids) * rowBytes
			err := inChunks(r.ids, func(where string, args []any) error {
				if full {
					return nil
				}
				took, err := k.keep(ctx, t, d.undo.rows, `session_id `+where+` ORDER BY id`, args, func(v []any) bool {
					size += sizeOf(v)
					full = size > max(wholeBytes, d.pace.bytes())
					return !full
				})
				more += took
				return err
			})
			if err != nil {
				return err
			}
			if full {
				if err := d.undo.rows.rewind(before); err != nil {
					return err
				}
				break
			}
			ids, messages, n = append(ids, r.ids...), messages+more, n+1
		}
		if n == 0 {
			return nil
		}
		d.pace.took(size)
		if err := d.check(ctx, t, ids); err != nil {
			return err
		}
		if messages > 0 {
			if err := d.s.mayChangeMessages(t); err != nil {
				return err
			}
			if err := inChunks(ids, func(where string, args []any) error {
				return removeMessages(ctx, t, `session_id `+where, args...)
			}); err != nil {
				return err
			}
		}
		return d.sessions(ctx, t, ids)
	})
	if err != nil || n == 0 {
		d.files.forget(some[0].ids)
		return 0, errors.Join(err, d.undo.rows.rewind(start))
	}
	d.gone(ids, messages)
	return n, nil
}

// oneTransaction gives as many of the first removals as may go in one transaction by
// the number of their rows; none where the first alone is too much.
func (d *deleter) oneTransaction(removals []removal) (some []removal) {
	least := 0 // bytes
	for _, r := range removals {
		least += (r.messages + len(r.ids)) * rowBytes
		if len(some) > 0 && least > d.pace.bytes() {
			break
		}
		some = append(some, r)
	}
	if (some[0].messages+len(some[0].ids))*rowBytes > max(wholeBytes, d.pace.bytes()) {
		return nil
	}
	return some
}

// parts deletes one conversation that is too large to be deleted at once. What
// would refuse any of it refuses before the first part.
func (d *deleter) parts(ctx context.Context, r removal) error {
	if err := d.s.look(ctx, func(t *tx) error { return d.check(ctx, t, r.ids) }); err != nil {
		return err
	}
	for _, id := range r.ids {
		start := d.undo.rows.size
		if err := d.files.keep(id, d.undo.rows); err != nil {
			return errors.Join(err, d.undo.rows.rewind(start))
		}
		for last := int64(-1); ; {
			var taken []int64
			finished := false
			until := last
			err := d.step(ctx, func(t *tx) (err error) {
				until = last // this may be another try
				if taken, finished, err = d.takePart(ctx, t, id, &until); err != nil || !finished {
					return err
				}
				return d.sessions(ctx, t, []string{id})
			})
			if err != nil {
				return err
			}
			last = until
			if !finished {
				d.gone(nil, len(taken))
				continue
			}
			d.gone([]string{id}, len(taken))
			break
		}
	}
	return nil
}

// takePart deletes the newest messages of a session. finished says that none
// are left. last is the newest message when the session's turn came: what
// others write after that is not ours to delete.
func (d *deleter) takePart(ctx context.Context, t *tx, id string, last *int64) (taken []int64, finished bool, err error) {
	if err := d.s.notInUse(ctx, t, id); err != nil {
		return nil, false, err
	}
	if *last < 0 {
		if err := d.check(ctx, t, []string{id}); err != nil {
			return nil, false, err
		}
		v, _, err := t.one(ctx, `SELECT coalesce(max(id), 0) FROM messages WHERE session_id = ?`, id)
		if err != nil {
			return nil, false, err
		}
		*last = number(v)
	}
	k, err := newKeeper(ctx, t, "messages")
	if err != nil {
		return nil, false, err
	}
	at, size, full := slices.Index(k.columns, "id"), 0, false
	// In the order of the index by session and time, so that nothing is sorted.
	_, err = k.keep(ctx, t, d.undo.rows, `session_id = ? AND id <= ? ORDER BY timestamp DESC, id DESC`,
		[]any{id, *last}, func(v []any) bool {
			size += sizeOf(v)
			if full = len(taken) > 0 && size > d.pace.bytes(); full {
				size -= sizeOf(v)
				return false
			}
			taken = append(taken, number(v[at]))
			return true
		})
	if err != nil {
		return nil, false, err
	}
	d.pace.took(size)
	if len(taken) > 0 {
		if err := d.s.mayChangeMessages(t); err != nil {
			return nil, false, err
		}
	}
	err = inChunks(taken, func(where string, args []any) error { return removeMessages(ctx, t, `id `+where, args...) })
	if err != nil {
		return nil, false, err
	}
	if full {
		return taken, false, nil
	}
	if _, more, err := t.one(ctx, `SELECT 1 FROM messages WHERE session_id = ? LIMIT 1`, id); err != nil || more {
		return nil, false, errors.Join(err, errChanged)
	}
	return taken, true, nil
}

// check makes sure that the sessions are still what the plan was made for:
// nobody is writing them, and nothing new hangs on them.
func (d *deleter) check(ctx context.Context, t *tx, ids []string) error {
	if err := d.s.notInUse(ctx, t, ids...); err != nil {
		return err
	}
	c := d.plan.catalog
	found := 0
	err := inChunks(ids, func(where string, args []any) error {
		rows, err := d.s.readSessions(ctx, t, `s.id `+where, args)
		found += len(rows)
		for i := range rows {
			at, _ := c.find(rows[i].ID)
			now, was := &rows[i], c.Session(at)
			if now.ParentID != was.ParentID && now.ParentID != "" || now.EndReason != was.EndReason && now.EndReason != "" ||
				now.DelegateFrom != was.DelegateFrom || now.BranchedFrom != was.BranchedFrom {
				return errChanged
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if found != len(ids) {
		return errChanged
	}
	return inChunks(ids, func(where string, args []any) error {
		rows, err := d.s.readSessions(ctx, t, `s.parent_session_id `+where, args)
		for i := range rows {
			if d.plan.goes[rows[i].ID] {
				continue
			}
			at, known := c.find(rows[i].ID)
			if !known || c.Session(at).ParentID != rows[i].ParentID {
				return errChanged
			}
		}
		return err
	})
}

// sessions deletes rows of sessions whose messages are gone, and what belongs
// to them. What stays loses its parent.
func (d *deleter) sessions(ctx context.Context, t *tx, ids []string) error {
	// Parents and children may run in a ring and lie in different statements;
	// the transaction as a whole keeps every reference whole.
	if _, err := t.exec(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	k, err := newKeeper(ctx, t, "sessions")
	if err != nil {
		return err
	}
	hash := slices.Index(k.columns, "system_prompt_hash")
	d.hashes = d.hashes[:0]
	err = inChunks(ids, func(where string, args []any) error {
		_, err := k.keep(ctx, t, d.undo.rows, `id `+where, args, func(v []any) bool {
			if hash >= 0 && v[hash] != nil {
				d.hashes = append(d.hashes, text(v[hash]))
			}
			return true
		})
		return err
	})
	if err != nil {
		return err
	}
	if err := d.dangling(ctx, t, ids); err != nil {
		return err
	}
	if err := d.dependents(ctx, t, ids); err != nil {
		return err
	}
	if err := d.unlink(ctx, t, ids); err != nil {
		return err
	}
	err = inChunks(ids, func(where string, args []any) error {
		_, err := t.exec(ctx, `DELETE FROM sessions WHERE id `+where, args...)
		return err
	})
	if err != nil {
		return err
	}
	return d.systemPrompts(ctx, t)
}

// dangling keeps which sessions name a parent that is not there, so that they
// can come back so.
func (d *deleter) dangling(ctx context.Context, t *tx, ids []string) error {
	return inChunks(ids, func(where string, args []any) error {
		rows, err := t.QueryContext(ctx, `SELECT +s.id, +s.parent_session_id FROM sessions s WHERE s.id `+where+`
			AND s.parent_session_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)`, args...)
		if err != nil {
			return err
		}
		return eachRecord(rows, func(r Record) error {
			b := appendStored([]byte(`{"link": `), r[0].Value)
			b = appendStored(append(b, `, "parent": `...), r[1].Value)
			_, err := d.undo.rows.Write(append(b, ", \"dangling\": true}\n"...))
			return err
		})
	})
}

// unlink takes the parent from sessions that stay.
func (d *deleter) unlink(ctx context.Context, t *tx, ids []string) error {
	going := make(map[string]bool, len(ids))
	for _, id := range ids {
		going[id] = true
	}
	var orphans []any
	err := inChunks(ids, func(where string, args []any) error {
		rows, err := t.QueryContext(ctx, `SELECT +id, +parent_session_id FROM sessions WHERE parent_session_id `+where, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent any
			if err := rows.Scan(&id, &parent); err != nil {
				return err
			}
			if going[text(id)] {
				continue
			}
			b := appendStored([]byte(`{"link": `), id)
			b = appendStored(append(b, `, "parent": `...), parent)
			if _, err := d.undo.rows.Write(append(b, "}\n"...)); err != nil {
				return err
			}
			orphans = append(orphans, id)
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	return inChunks(orphans, func(where string, args []any) error {
		_, err := t.exec(ctx, `UPDATE sessions SET parent_session_id = NULL WHERE id `+where, args...)
		return err
	})
}

// dependents keeps and deletes the rows of other tables that belong to
// sessions: usage by model, chats bound to a session. Most go by themselves
// with the session; early session_model_usage does not. A table that is not
// known keeps its rows: SQLite then refuses.
func (d *deleter) dependents(ctx context.Context, t *tx, ids []string) error {
	tables, err := referring(ctx, t)
	if err != nil {
		return err
	}
	for _, r := range tables {
		k, err := newKeeper(ctx, t, r.table)
		if err != nil {
			return err
		}
		err = inChunks(ids, func(where string, args []any) error {
			n, err := k.keep(ctx, t, d.undo.rows, quote(r.column)+" "+where, args, nil)
			if err != nil || n == 0 {
				return err
			}
			switch {
			case r.action == "CASCADE":
			case r.ours():
				_, err = t.exec(ctx, `DELETE FROM session_model_usage WHERE `+quote(r.column)+" "+where, args...)
			default:
				return d.s.heldBy(r.table)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reference is a column of another table that names a session.
type reference struct {
	table, column string
	action        string // ON DELETE
}

// ours reports whether a row that refers to a session goes with it: by itself,
// or because it is known to be only about that session.
func (r reference) ours() bool { return r.action == "CASCADE" || r.table == "session_model_usage" }

// heldBy says that a table keeps a session.
func (s *Store) heldBy(table string) *Error {
	return &Error{
		Kind: KindRefused, Path: s.path,
		Message: fmt.Sprintf("a newer Hermes still refers to the session in its table %s", table),
		Remedy:  "make this change with the Hermes that wrote the file",
	}
}

// holding gives those of the sessions that a table keeps, and which.
func holding(ctx context.Context, t *tx, ids []string) (map[string]string, error) {
	tables, err := referring(ctx, t)
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for _, r := range tables {
		if r.ours() {
			continue
		}
		err := inChunks(ids, func(where string, args []any) error {
			rows, err := t.QueryContext(ctx, `SELECT `+quote(r.column)+` FROM `+quote(r.table)+` WHERE `+quote(r.column)+" "+where, args...)
			if err != nil {
				return err
			}
			return eachRecord(rows, func(row Record) error {
				held[text(row[0].Value)] = r.table
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return held, nil
}

// referring finds the tables that refer to sessions, without messages and
// sessions themselves.
func referring(ctx context.Context, t *tx) (all []reference, err error) {
	var tables []string
	for name, ddl := range t.schema.tables {
		ddl = strings.ToLower(ddl)
		if name != "sessions" && name != "messages" && strings.HasPrefix(ddl, "create table") && strings.Contains(ddl, "references") {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	for _, name := range tables {
		if all, err = references(ctx, t, all, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// references appends the columns of one table that refer to sessions.
func references(ctx context.Context, t *tx, all []reference, table string) ([]reference, error) {
	rows, err := t.QueryContext(ctx, `SELECT "from", on_delete FROM pragma_foreign_key_list(?) WHERE lower("table") = 'sessions'`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r := reference{table: table}
		if err := rows.Scan(&r.column, &r.action); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// systemPrompts keeps the prompts of deleted sessions and deletes those that
// only they used. Others that nobody uses were there before and stay.
func (d *deleter) systemPrompts(ctx context.Context, t *tx) error {
	if len(d.hashes) == 0 || !t.schema.has("system_prompts", "hash") {
		return nil
	}
	slices.Sort(d.hashes)
	d.hashes = slices.Compact(d.hashes)
	k, err := newKeeper(ctx, t, "system_prompts")
	if err != nil {
		return err
	}
	// One that another session still uses may be gone when this one comes back.
	fresh := slices.DeleteFunc(slices.Clone(d.hashes), func(h string) bool { return d.prompts[h] })
	err = inChunks(fresh, func(where string, args []any) error {
		_, err := k.keep(ctx, t, d.undo.rows, `hash `+where, args, nil)
		return err
	})
	if err != nil {
		return err
	}
	return inChunks(d.hashes, func(where string, args []any) error {
		_, err := t.exec(ctx, `DELETE FROM system_prompts WHERE hash `+where+`
			AND NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = system_prompts.hash)`, args...)
		return err
	})
}

// gone takes note of what a transaction has removed for good, and removes the
// files of its sessions.
func (d *deleter) gone(ids []string, messages int) {
	g := &d.undo.gone
	for _, id := range ids {
		g.Sessions = append(g.Sessions, id)
		n, left := d.files.remove(id)
		g.Files += n
		g.FilesLeft = append(g.FilesLeft, left...)
	}
	if len(ids) > 0 {
		for _, h := range d.hashes {
			d.prompts[h] = true
		}
	}
	g.Messages += messages
	d.done += messages
	d.tell(d.done, max(d.plan.Messages, d.done))
	if len(g.Sessions) == len(d.plan.Sessions) {
		g.Asked, g.Delegates, g.Stay, g.Running = d.plan.Asked, d.plan.Delegates, d.plan.Stay, d.plan.Running
	}
}
