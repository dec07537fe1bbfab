package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// More of SQLite's result codes.
const (
	sqliteConstraint           = 19
	sqliteConstraintForeignKey = 19 | 3<<8
	sqliteConstraintPrimaryKey = 19 | 6<<8
	sqliteConstraintUnique     = 19 | 8<<8
	sqliteConstraintRowid      = 19 | 10<<8
)

// Restore puts back what a Delete removed: every row as it was, ids, parents
// and transcript files included; the full-text index follows by itself. What
// is there already, equal, is left alone, so Restore may be called again.
//
// Up to 128 KB, counted as in Delete, come back in one transaction, whole or not at all.
// More come in parts of about 30 ms with pauses, sessions first, so that nobody
// else waits long to write; when ctx ends between two parts the error is of
// kind partly and Restore can be called again to go on.
//
// A parent that does not exist any more is left out, one that did not exist
// before either is not; a link is only put back where the child has found no
// other parent. The error is of kind
// title-in-use (Candidates names the session) or exists where another session has
// taken the title or the id: then nothing was changed.
func (s *Store) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error {
	mine, ok := u.(*undo)
	if !ok || mine == nil || mine.rows.forget {
		return fmt.Errorf("restore into %s: not an undo that holds anything", s.path)
	}
	r := &restorer{s: s, rows: mine.rows, drop: o.DropTitles, tell: o.Progress}
	return r.run(ctx)
}

// restorer puts the rows of one backup back.
type restorer struct {
	s    *Store
	rows *spool
	drop bool // titles that are taken
	skip bool // what exists and differs, and bad lines, instead of failing; for Import

	strict bool // but not bad lines
	worst  int  // the last bad line that was reported
	bad    ImportReport
	tell   func(done, total int)

	total, done int // messages
	pace        pace
	fresh       ImportReport
	skipped     map[string]bool // ids of sessions that exist and differ
	loose       []*kept         // links to parents that were not there before either
	dangling    map[string]bool // the sessions that have them
}

// restoring is what one transaction knows.
type restoring struct {
	t      *tx
	tables map[string]*target

	waiting gathered // messages that wait to be put back
	kept    []*kept  // the lines they come from
}

// target is a table to insert into.
type target struct {
	columns  map[string]bool
	required map[string]bool // NOT NULL: where nothing is known the default stands
	rowid    bool
}

func (r *restorer) run(ctx context.Context) error {
	if r.tell == nil {
		r.tell = func(int, int) {}
	}
	r.skipped = map[string]bool{}
	r.loose, r.dangling = nil, map[string]bool{}
	size := 0
	if err := r.each(func(k *kept) error {
		if k.dangling {
			r.loose, r.dangling[text(k.link)] = append(r.loose, k), true
		}
		if k.table == "messages" {
			r.total++
		}
		if k.file == "" {
			size += k.cost()
		}
		return nil
	}); err != nil {
		return r.s.wrap("read the backup for", err)
	}
	var err error
	if size <= wholeBytes {
		err = r.step(ctx, func(t *tx) error {
			r.fresh, r.done = ImportReport{}, 0
			r.skipped = map[string]bool{}
			return r.all(ctx, t)
		})
	} else {
		err = r.inParts(ctx)
	}
	if err == nil {
		err = r.dangle(ctx)
	}
	if err != nil {
		return err
	}
	r.fresh.add(r.bad)
	r.tell(r.done, r.total)
	return r.files()
}

// each gives the lines of the backup.
func (r *restorer) each(f func(*kept) error) error {
	return eachLine(r.rows.reader(), func(n int, line []byte) error {
		k, ok, err := parseKept(string(line))
		switch {
		case err != nil && r.skip && !r.strict:
			if n > r.worst {
				r.worst = n
				r.bad.bad(n, err)
			}
			return nil
		case err != nil:
			return r.s.badLine(n, err)
		case !ok:
			return nil
		}
		return f(&k)
	})
}

// The order in which rows come back: prompts before the sessions that name
// them, sessions before their messages (the index of newer files looks them
// up), parents when all sessions are there.
const passes = 4

// pass reports what a line has to do in one of the passes.
func pass(k *kept) int {
	switch {
	case k.table == "system_prompts":
		return 0
	case k.table == "sessions":
		return 1
	case k.table != "":
		return 2
	}
	return 3
}

// all puts everything back in one transaction.
func (r *restorer) all(ctx context.Context, t *tx) error {
	in := &restoring{t: t, tables: map[string]*target{}}
	for p := range passes {
		if err := r.each(func(k *kept) error { return r.put(ctx, in, k, p) }); err != nil {
			return err
		}
		if err := r.scatter(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// gather collects messages, to put back many with one statement.
func (r *restorer) gather(ctx context.Context, in *restoring, k *kept) error {
	tg, err := in.target(ctx, "messages")
	if err != nil {
		return err
	}
	row := r.known(tg, k)
	if !in.waiting.fits(row) {
		if err := r.scatter(ctx, in); err != nil {
			return err
		}
	}
	in.waiting.add(row)
	in.kept = append(in.kept, k)
	return nil
}

// scatter puts the collected messages back. If one of them is there already,
// each is looked at by itself.
func (r *restorer) scatter(ctx context.Context, in *restoring) error {
	kept, rows := in.kept, in.waiting.take()
	in.kept = nil
	if len(rows) == 0 {
		return nil
	}
	err := in.insert(ctx, "messages", rows...)
	if code(err) == sqliteConstraint {
		for _, k := range kept {
			if err := r.message(ctx, in, k); err != nil {
				return err
			}
		}
		return nil
	}
	if err == nil {
		r.fresh.Messages += len(rows)
		r.done += len(rows)
	}
	return err
}

// known gives the columns of a row that the table has, and reports the others.
func (r *restorer) known(tg *target, k *kept) model.Object {
	columns := make(model.Object, 0, len(k.row)+1)
	for _, f := range k.row {
		if !tg.columns[f.Name] {
			r.fresh.unknown(k.table + "." + f.Name)
			continue
		}
		columns = append(columns, f)
	}
	return columns
}

// put does what a line asks for in a pass.
func (r *restorer) put(ctx context.Context, in *restoring, k *kept, p int) error {
	if k.file != "" {
		return nil
	}
	if p == 3 {
		switch {
		case k.dangling || k.table == "sessions" && r.dangling[text(k.get("id"))]:
			return nil // see dangle
		case k.link != nil:
			return r.link(ctx, in.t, k.link, k.parent)
		case k.table == "sessions" && k.get("parent_session_id") != nil && !r.skipped[text(k.get("id"))]:
			return r.link(ctx, in.t, k.get("id"), k.get("parent_session_id"))
		}
		return nil
	}
	if pass(k) != p {
		return nil
	}
	switch k.table {
	case "sessions":
		return r.session(ctx, in, k)
	case "messages":
		if r.skipped[text(k.get("session_id"))] {
			return nil
		}
		return r.gather(ctx, in, k)
	}
	if id := k.get("session_id"); id != nil && r.skipped[text(id)] {
		return nil
	}
	_, err := r.row(ctx, in, k)
	return err
}

// link gives a session its parent back, if it has none and the parent is there.
func (r *restorer) link(ctx context.Context, t *tx, id, parent any) error {
	n, err := t.exec(ctx, `UPDATE sessions SET parent_session_id = ?2 WHERE id = ?1 AND parent_session_id IS NULL
		AND EXISTS (SELECT 1 FROM sessions WHERE id = ?2)`, id, parent)
	if err != nil || n > 0 {
		return err
	}
	if _, linked, err := t.one(ctx, `SELECT 1 FROM sessions WHERE id = ? AND parent_session_id IS NOT NULL`, id); err != nil || linked {
		return err
	}
	r.fresh.Unlinked++
	return nil
}

// dangle gives sessions their parent back that is not there and was not there
// before: SQLite has to be told not to look.
func (r *restorer) dangle(ctx context.Context) error {
	for some := range slices.Chunk(r.loose, perStatement) {
		if err := pause(ctx, breath); err != nil {
			return err
		}
		if err := r.s.writeUnreferenced(ctx, "restore into", func(t *tx) error {
			for _, k := range some {
				if r.skipped[text(k.link)] {
					continue
				}
				if _, err := t.exec(ctx, `UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL`, k.parent, k.link); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// session puts one session back, without its parent if that is not there yet.
func (r *restorer) session(ctx context.Context, in *restoring, k *kept) error {
	id := k.get("id")
	parent := k.get("parent_session_id")
	_, there, err := in.t.one(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	if err != nil {
		return err
	}
	if there {
		same, err := r.same(ctx, in, k, "id", "parent_session_id")
		if err != nil || same {
			return err
		}
		if !r.skip {
			return &Error{
				Kind: KindExists, Path: r.s.path,
				Message: fmt.Sprintf("there is another session with the id %s by now; nothing was restored", text(id)),
				Remedy:  "hermes-sessions show " + model.ShellWord(text(id)),
			}
		}
		r.skipped[text(id)] = true
		r.fresh.Skipped++
		return nil
	}
	if parent != nil {
		_, there, err := in.t.one(ctx, `SELECT 1 FROM sessions WHERE id = ?`, parent)
		if err != nil {
			return err
		}
		if !there {
			k.row = slices.Clone(k.row)
			k.set("parent_session_id", nil)
			defer k.set("parent_session_id", parent)
		}
	}
	added, err := r.row(ctx, in, k)
	if c := full(err); c == sqliteConstraintUnique {
		title := text(k.get("title"))
		owner, taken, err2 := in.t.one(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
		if err2 != nil || !taken {
			return errors.Join(err, err2)
		}
		if !r.drop {
			return r.s.titleInUse(title, text(owner))
		}
		k.set("title", nil)
		r.fresh.Untitled++
		added, err = r.row(ctx, in, k)
	}
	if err != nil {
		return err
	}
	if added {
		r.fresh.Sessions++
	}
	return nil
}

func (k *kept) set(column string, v any) {
	for i := range k.row {
		if k.row[i].Name == column {
			k.row[i].Value = v
		}
	}
}

// message puts one message back.
func (r *restorer) message(ctx context.Context, in *restoring, k *kept) error {
	added, err := r.row(ctx, in, k)
	if c := full(err); c == sqliteConstraintPrimaryKey || c == sqliteConstraintRowid {
		same, err := r.same(ctx, in, k, "id", "")
		if err != nil {
			return err
		}
		if !same {
			if !r.skip {
				return &Error{
					Kind: KindExists, Path: r.s.path,
					Message: fmt.Sprintf("another message has the number %v by now; nothing was restored", k.get("id")),
					Remedy:  "import the backup into another database",
				}
			}
			again := *k
			again.row = slices.Clone(k.row)
			again.set("id", nil)
			if added, err = r.row(ctx, in, &again); err != nil {
				return err
			}
			r.fresh.Renumbered++
		}
		if added {
			r.fresh.Messages++
		}
		r.done++
		return nil
	}
	if err != nil {
		return err
	}
	r.fresh.Messages++
	r.done++
	return nil
}

// same reports whether the row with the same key is equal to the one kept, one
// column left out.
func (r *restorer) same(ctx context.Context, in *restoring, k *kept, key, except string) (bool, error) {
	tg, err := in.target(ctx, k.table)
	if err != nil {
		return false, err
	}
	var names []string
	var want []any
	for _, f := range k.row {
		if tg.columns[f.Name] && f.Name != except {
			names, want = append(names, "+"+quote(f.Name)), append(want, f.Value)
		}
	}
	rows, err := in.t.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+quote(k.table)+` WHERE `+quote(key)+` = ?`, k.get(key))
	if err != nil {
		return false, err
	}
	defer rows.Close()
	have := make([]any, len(names))
	into := make([]any, len(names))
	for i := range have {
		into[i] = &have[i]
	}
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(into...); err != nil {
		return false, err
	}
	return reflect.DeepEqual(have, want), nil
}

// target looks at a table once per transaction.
func (in *restoring) target(ctx context.Context, table string) (*target, error) {
	if tg := in.tables[table]; tg != nil {
		return tg, nil
	}
	tg := &target{columns: map[string]bool{}, required: map[string]bool{}}
	in.tables[table] = tg
	ddl, ok := in.t.schema.tables[table]
	if !ok {
		return tg, nil
	}
	columns, rowid, err := columnsOf(ctx, in.t, table, ddl)
	if err != nil {
		return nil, err
	}
	tg.rowid = rowid
	for _, c := range columns {
		tg.columns[c] = true
	}
	rows, err := in.t.QueryContext(ctx, `SELECT name FROM pragma_table_info(?) WHERE "notnull" AND dflt_value IS NOT NULL`, table)
	if err != nil {
		return nil, err
	}
	return tg, eachRecord(rows, func(r Record) error {
		tg.required[text(r[0].Value)] = true
		return nil
	})
}

// restorable are the tables that a backup may fill: not the bookkeeping of
// Hermes, whatever a file says.
func restorable(t *tx, table string) bool {
	switch table {
	case "sessions", "messages", "system_prompts":
		return true
	}
	return strings.Contains(strings.ToLower(t.schema.tables[table]), "references sessions")
}

// row inserts a row as it was. Columns and tables that the database does not
// have are left out and reported. Of tables other than sessions and messages
// an equal row may be there already; added then is false.
func (r *restorer) row(ctx context.Context, in *restoring, k *kept) (added bool, err error) {
	tg, err := in.target(ctx, k.table)
	if err != nil {
		return false, err
	}
	if len(tg.columns) == 0 || !restorable(in.t, k.table) {
		r.fresh.unknown(k.table)
		return false, nil
	}
	columns := r.known(tg, k)
	if tg.rowid && k.rowid != nil {
		// Its old place, unless another row has that by now.
		_, taken, err := in.t.one(ctx, `SELECT 1 FROM `+quote(k.table)+` WHERE rowid = ?`, k.rowid)
		if err != nil {
			return false, err
		}
		if !taken {
			columns = append(columns, model.Field{Name: "rowid", Value: k.rowid})
		}
	}
	err = in.insert(ctx, k.table, columns)
	if c := full(err); k.table != "sessions" && k.table != "messages" && (c == sqliteConstraintPrimaryKey || c == sqliteConstraintUnique || c == sqliteConstraintRowid) {
		return false, nil // somebody has made it anew
	}
	if full(err) == sqliteConstraintForeignKey {
		return false, fmt.Errorf("a row of %s refers to what is gone: %w", k.table, err)
	}
	return err == nil, err
}

// inParts puts much back without keeping others from writing for long. The
// conflicts are looked for first, so that none is met half way.
func (r *restorer) inParts(ctx context.Context) error {
	if err := r.conflicts(ctx); err != nil {
		return err
	}
	for p := range passes {
		var some []*kept
		size := 0
		flush := func() error {
			if len(some) == 0 {
				return nil
			}
			before, done := r.fresh, r.done
			err := r.step(ctx, func(t *tx) error {
				r.pace.took(size)
				r.fresh, r.done = before, done
				in := &restoring{t: t, tables: map[string]*target{}}
				// A part of a long conversation was kept newest first.
				slices.SortStableFunc(some, func(a, b *kept) int { return cmp.Compare(number(a.get("id")), number(b.get("id"))) })
				for _, k := range some {
					if err := r.put(ctx, in, k, p); err != nil {
						return err
					}
				}
				return r.scatter(ctx, in)
			})
			if err != nil {
				r.fresh, r.done = before, done
			}
			some, size = some[:0], 0
			r.tell(r.done, r.total)
			return err
		}
		err := r.each(func(k *kept) error {
			if k.file != "" || p < 3 && pass(k) != p || p == 3 && k.link == nil && k.table != "sessions" {
				return nil
			}
			cost := k.cost()
			if size+cost > r.pace.bytes() {
				if err := flush(); err != nil {
					return err
				}
			}
			some, size = append(some, k), size+cost
			return nil
		})
		if err == nil {
			err = flush()
		}
		if err != nil {
			if r.fresh.Sessions == 0 && r.done == 0 {
				return err
			}
			return &Error{
				Kind: KindPartly, Path: r.s.path, Err: err,
				Message: fmt.Sprintf("stopped when %d of %d messages were back: %s", r.done, r.total, why(err)),
				Remedy:  "restore again to go on",
			}
		}
	}
	return nil
}

// conflicts tries the sessions without changing anything.
func (r *restorer) conflicts(ctx context.Context) error {
	if r.skip {
		return nil
	}
	return r.s.look(ctx, func(t *tx) error {
		in := &restoring{t: t, tables: map[string]*target{}}
		return r.each(func(k *kept) error {
			if k.table != "sessions" {
				return nil
			}
			if _, there, err := t.one(ctx, `SELECT 1 FROM sessions WHERE id = ?`, k.get("id")); err != nil {
				return err
			} else if there {
				return r.session(ctx, in, k)
			}
			title := k.get("title")
			if title == nil || r.drop || t.schema.tables["idx_sessions_title_unique"] == "" {
				return nil
			}
			owner, taken, err := t.one(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
			if err != nil || !taken {
				return err
			}
			return r.s.titleInUse(text(title), text(owner))
		})
	})
}

// step makes one transaction.
func (r *restorer) step(ctx context.Context, f func(*tx) error) error {
	return r.pace.step(ctx, r.s, "restore into", func(t *tx) error {
		if err := r.s.mayChangeMessages(t); r.total > 0 && err != nil {
			return err
		}
		return f(t)
	})
}

// files puts the transcript files back.
func (r *restorer) files() error {
	back := returning{dir: r.s.transcripts}
	err := r.each(func(k *kept) error {
		if k.file == "" {
			return nil
		}
		return back.put(k)
	})
	if err = errors.Join(err, back.close()); err != nil {
		return fmt.Errorf("the sessions are back in %s, but not all of their files: %w", r.s.path, err)
	}
	return nil
}
