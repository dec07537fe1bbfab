package upkeep

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/salvage"
)

// incompleteSalvage is appended to the name of a new file that is being written.
const incompleteSalvage = ".incomplete"

// Salvage copies all readable rows to a new file; see store.Store.Salvage for the
// contract.
func (u *Upkeep) Salvage(ctx context.Context, out string) (done model.Salvaged, err error) {
	if err := u.db.CheckOpen(); err != nil {
		return model.Salvaged{}, err
	}
	for _, end := range []string{"", "-wal", "-journal"} {
		_, err := os.Lstat(out + end)
		if err == nil {
			return model.Salvaged{}, ExistsError(out + end)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return model.Salvaged{}, fmt.Errorf("salvage into %s: %w", out, err)
		}
	}
	incomplete := out + incompleteSalvage
	remove := func() error {
		for _, end := range []string{"", "-journal"} {
			if err := os.Remove(incomplete + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if err := remove(); err != nil { // of a run that was killed
		return model.Salvaged{}, fmt.Errorf("salvage into %s: %w", out, err)
	}
	run := &salvageRun{upkeep: u, Salvaged: model.Salvaged{Path: u.db.Path, Out: out}}
	if err := run.write(ctx, incomplete); err != nil {
		if db.IsDiskFull(err) {
			err = FullError(out, err)
		}
		return model.Salvaged{}, errors.Join(u.db.WrapError("salvage", err), remove())
	}
	if _, err := os.Lstat(out); err == nil {
		return model.Salvaged{}, errors.Join(ExistsError(out), remove())
	}
	if err := os.Rename(incomplete, out); err != nil {
		return model.Salvaged{}, fmt.Errorf("salvage into %s: %w", out, errors.Join(err, remove()))
	}
	db.SyncFolder(filepath.Dir(out))
	return run.Salvaged, nil
}

// ExistsError refuses to write over a file.
func ExistsError(path string) *model.Error {
	return &model.Error{
		Kind: model.KindInvalid, Path: path, Err: fs.ErrExist,
		Message: "this file already exists; nothing was written", Remedy: model.Advise("name a file that does not exist"),
	}
}

// FullError says that the disk of the new file has no room.
func FullError(out string, err error) *model.Error {
	return &model.Error{
		Kind: model.KindDiskFull, Path: out, Err: err, Message: "the disk is full or over its quota; nothing was written",
		Remedy: db.AdviseSpace("free some space, or name a file on another disk", out),
	}
}

// salvageRun writes one new file.
type salvageRun struct {
	model.Salvaged
	upkeep *Upkeep
	conn   *sql.Conn // to the new file
	plan   salvagePlan

	sessionIDs map[string]bool  // sessions whose row was read
	messages   map[string]int   // messages that were stored, by session
	startedAt  map[string]any   // the time of the first one
	gaps       map[string]bool  // tables with pages that could not be read
	lost       map[string]int   // rows that were read and could not be stored, by table
	sequences  map[string]int64 // the last number that AUTOINCREMENT gave, by table
	behind     *salvage.Behind  // rows behind the damage of the log; nil for none
	added      int              // of these
	standIns   []string         // sessions of which only messages are left
	copied     int64            // rows
}

// write writes the new file, checks it, and brings it to disk.
func (r *salvageRun) write(ctx context.Context, path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if r.behind, err = r.upkeep.sessions.Salvage.Behind(ctx, "sessions", "messages"); err != nil {
		return err
	}
	if r.behind != nil {
		defer func() { err = errors.Join(err, r.behind.Close()) }()
	}
	own, known := r.upkeep.salvagePlans(ctx)
	if own != nil {
		err := r.fill(ctx, path, *own)
		if err == nil {
			return f.Sync()
		}
		if ctx.Err() != nil || db.IsDiskFull(err) {
			return err
		}
		known.notes = append(known.notes, fmt.Sprintf("schema %d could not be recreated (%s); the new file has schema %d", own.version, db.CauseOf(err), known.version))
		// Empty, as SQLite takes it. The descriptor stays: no connection is open now.
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	if err := r.fill(ctx, path, known); err != nil {
		return err
	}
	return f.Sync()
}

// fill writes the new file by one plan.
func (r *salvageRun) fill(ctx context.Context, path string, plan salvagePlan) (err error) {
	r.Salvaged = model.Salvaged{Path: r.Path, Out: r.Out, Version: plan.version, Notes: slices.Clone(plan.notes)}
	r.plan = plan
	r.standIns = nil
	r.copied = 0
	r.added = 0
	r.sessionIDs = map[string]bool{}
	r.messages = map[string]int{}
	r.startedAt = map[string]any{}
	r.gaps = map[string]bool{}
	r.lost = map[string]int{}
	r.sequences = map[string]int64{}
	uri, err := db.FileURI(path)
	if err != nil {
		return err
	}
	// The rollback journal stays in memory: a file that is not complete is removed.
	into, err := sql.Open("sqlite", uri+"?mode=rw&_pragma=journal_mode(memory)&_pragma=synchronous(off)&_pragma=foreign_keys(0)&_pragma=trusted_schema(0)&_pragma=ignore_check_constraints(1)&_pragma=cache_size(-4000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	into.SetMaxOpenConns(1)
	if r.conn, err = db.Isolated(ctx, into); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.conn.Close()) }()
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"", func(ctx context.Context) error { return r.exec(ctx, `BEGIN`) }},
		{"", r.createTables},
		{"copying rows", r.copyTables},
		{"", r.noteLog},
		{"", r.completeSessions},
		{"", r.stateVersion},
		{"creating the indexes", r.createIndexes},
		{"", func(ctx context.Context) error { return r.exec(ctx, `COMMIT`) }},
		{"checking the new file", r.checkResult},
		{"", r.fitTrigrams},
		{"looking for lost rows", r.findLosses},
	} {
		if step.what != "" {
			r.upkeep.report(model.Progress{Step: step.what})
		}
		debug.FreeOSMemory() // SQLite needs room for the longest text several times, and does not see what is free here
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *salvageRun) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := r.conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.60s: %w", strings.Join(strings.Fields(s), " "), err)
		}
	}
	return nil
}

// checkResult checks the new file as a whole, its full-text index included.
func (r *salvageRun) checkResult(ctx context.Context) error {
	for _, table := range r.plan.fullText {
		// 1 compares the index with the text wherever that is stored.
		if err := r.exec(ctx, `INSERT INTO `+db.Quote(table)+`(`+db.Quote(table)+`, rank) VALUES('integrity-check', 1)`); err != nil {
			return err
		}
	}
	complaints, err := db.QueryTexts(ctx, r.conn, `PRAGMA integrity_check`)
	for line := range strings.Lines(strings.Join(complaints, "\n")) {
		if line = strings.TrimSpace(line); line != "ok" && !strings.HasPrefix(line, "***") && !isOddValueComplaint(line) {
			return fmt.Errorf("the new file failed its check: %s", line)
		}
	}
	return err
}

// noteLog says what of a damaged log the new file has.
func (r *salvageRun) noteLog(context.Context) error {
	if r.behind != nil {
		r.LogDamaged = true
		r.Notes = append(r.Notes, db.LostInLogText(r.behind.Lost)+" as a whole; "+countNoun(r.added, "row", "rows")+" of sessions and messages behind it are intact, and were added or replace older ones")
	}
	return nil
}

// fitTrigrams leaves the trigrams of texts with a NUL as the writer of the file makes them.
func (r *salvageRun) fitTrigrams(ctx context.Context) error {
	for _, s := range r.plan.virtual {
		if s.name == "messages_fts_trigram" && db.HasExternalContent(s.sql) {
			return db.FitFilledTrigrams(ctx, r.conn, s.sql, r.upkeep.db)
		}
	}
	return nil
}

// findLosses lists what the new file lacks, by conversation.
func (r *salvageRun) findLosses(ctx context.Context) error {
	u := r.upkeep
	damaged, tables, err := r.damage(ctx)
	if err != nil {
		return err
	}
	known, err := u.sessions.CurrentSnapshot(ctx)
	left, unread := u.sessions.Salvage.BySession(ctx)
	err = cmp.Or(err, unread)
	if db.ResultCode(err) == db.SQLiteError && ctx.Err() == nil { // an index or a column needs a collation that is not here
		r.Incomplete = true
		r.Notes = append(r.Notes, "the conversations cannot be listed ("+db.CauseOf(err)+"), so what they lost is unknown")
		return nil
	}
	if err != nil {
		return err
	}
	lost := map[int]*model.LostConversation{} // by the position of the root
	at := func(i int) *model.LostConversation {
		root := int(known.Lineage.Root[i])
		if lost[root] == nil {
			c := known.ConversationAt(root)
			lost[root] = &model.LostConversation{ID: c.ID, Title: c.Title}
			for _, id := range c.Segments {
				lost[root].Left += r.messages[id]
			}
		}
		return lost[root]
	}
	// What a sound file states about itself is no sign of a loss.
	if damaged {
		for i, m := range known.All() {
			missing := m.MessageCount - r.messages[m.ID]
			if s := left[m.ID]; s != nil {
				missing = max(missing, s.Indexed-r.messages[m.ID])
			}
			if missing > 0 {
				at(i).Messages += missing
			}
			if !r.sessionIDs[m.ID] {
				at(i).Sessions++
			}
		}
	}
	for _, root := range slices.Sorted(maps.Keys(lost)) {
		r.Lost = append(r.Lost, *lost[root])
	}
	for _, id := range r.standIns {
		if _, ok := known.Position(id); damaged && !ok {
			r.Lost = append(r.Lost, model.LostConversation{ID: id, Sessions: 1, Left: r.messages[id]})
		}
	}
	sort.Slice(r.Lost, func(i, j int) bool { return r.Lost[i].ID < r.Lost[j].ID })
	r.Incomplete = tables
	for _, table := range r.plan.copied {
		if n := r.lost[table]; n > 0 || r.gaps[table] && table != "sessions" && table != "messages" {
			r.LostRows = append(r.LostRows, model.LostRows{Table: table, Rows: n})
		}
	}
	return nil
}

// treeNumber matches the first page of the table or index that a line of an integrity
// check is about.
var treeNumber = regexp.MustCompile(`[Tt]ree (\d+) `)

// damage finds whether the file is damaged, and whether pages of its tables are: a
// damaged index, by contrast, loses nothing.
func (r *salvageRun) damage(ctx context.Context) (damaged, tables bool, err error) {
	u := r.upkeep
	for _, gap := range r.gaps {
		tables = tables || gap
	}
	damaged = tables || u.db.HasNote(model.NoteDamaged, model.NoteIndexDamaged)
	ofTables := map[string]bool{}
	err = db.EachRow(ctx, u.db.Pool, `SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'messages_fts%'`, nil, func(row db.Row) {
		ofTables[row.Text(0)] = true
	})
	for name := range u.db.Schema.Tables {
		if err == nil && slices.Contains(r.plan.copied, name) {
			err = u.complaints(ctx, `PRAGMA integrity_check(`+db.Quote(name)+`)`, func(line string) {
				damaged = damaged || !isOddValueComplaint(line)
				if m := treeNumber.FindStringSubmatch(line); m != nil {
					tables = tables || ofTables[m[1]]
				}
			})
		}
	}
	switch {
	case db.IsCorrupt(err): // the check itself breaks off
		damaged = true
		tables = true
		err = nil
	case db.ResultCode(err) == db.SQLiteError && ctx.Err() == nil: // an index has an expression or a collation that cannot be used
		damaged, err = true, nil
	}
	return damaged, tables, err
}
