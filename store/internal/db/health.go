package db

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// gravest are the notes that say that something is missing, or nothing can be changed. They
// come first: a screen has room for one.
var gravest = []string{model.NoteDamaged, model.NoteLogDamaged, model.NoteIndexDamaged, model.NoteUnnamed, model.NoteDangling}

// Notes says what is wrong with the database although it can be read: what
// opening has found, and what reading has found since, the gravest first.
func (d *DB) Notes() []model.HealthNote {
	d.notesMu.Lock()
	defer d.notesMu.Unlock()
	notes := slices.Clone(d.notes)
	if slices.ContainsFunc(notes, func(n model.HealthNote) bool { return n.Kind == model.NoteDamaged }) {
		// Rebuilding the indexes from damaged tables would lose what only they still hold.
		notes = slices.DeleteFunc(notes, func(n model.HealthNote) bool { return n.Kind == model.NoteIndexDamaged })
	}
	for _, kind := range slices.Backward(gravest) {
		if i := slices.IndexFunc(notes, func(n model.HealthNote) bool { return n.Kind == kind }); i > 0 {
			first := notes[i]
			copy(notes[1:], notes[:i])
			notes[0] = first
		}
	}
	return notes
}

// HasNote reports whether [DB.Notes] has one of these kinds.
func (d *DB) HasNote(kinds ...string) bool {
	return slices.ContainsFunc(d.Notes(), func(n model.HealthNote) bool { return slices.Contains(kinds, n.Kind) })
}

// AddNote records a fault that does not prevent reading, once.
func (d *DB) AddNote(kind string) {
	n := model.HealthNote{Kind: kind}
	switch kind {
	case model.NoteFTSMissing:
		n.Message = "there is no full-text index; search reads every message and is slower"
		n.Remedy = d.AdviseReindex()
	case model.NoteFTSOutOfStep:
		n.Message = "the full-text index is out of date; search may miss messages"
		n.Remedy = d.AdviseReindex()
	case model.NoteFTSDamaged:
		n.Message = "the full-text index is damaged; search reads every message and is slower"
		n.Remedy = d.AdviseReindex()
	case model.NoteNewerSchema:
		n.Message = fmt.Sprintf("written by a newer Hermes (schema %d, known up to %d); unknown parts are left alone", d.Schema.Version, NewestSchema)
		n.Remedy = model.Advise("update this program")
	case model.NoteNoVersion:
		n.Message = "the database has no schema version; it was identified by its tables and columns"
		n.Remedy = model.Advise("start Hermes once to write the version")
	case model.NoteTwoVersions:
		n.Message = fmt.Sprintf("the database has %d schema versions; it was identified by its tables and columns", d.Schema.versions)
		n.Remedy = d.AdviseStatement("remove the older versions", fmt.Sprintf(`DELETE FROM schema_version WHERE version < %d`, d.Schema.Version))
	case model.NotePostgres:
		n.Message = fmt.Sprintf("config.yaml says that Hermes uses PostgreSQL (%s); this file may be stale", d.postgresSetting())
		n.Remedy = model.AdviseToRun("list them with Hermes", "hermes sessions list")
	case model.NoteDamaged:
		n.Message = "the database is truncated or damaged; what can be read is shown, and some is missing"
		n.Remedy = d.AdviseRecovery()
	case model.NoteIndexDamaged:
		n.Message = "an index of the database disagrees with its table: sessions and messages are read without it, more slowly, and nothing can be changed"
		n.Remedy = d.AdviseIndexes()
		if len(d.Schema.NumericIDs) > 0 {
			n.Message = "session IDs are stored as text in a column of numbers, so an ID cannot be looked up: sessions and messages are read without indexes, more slowly, and nothing can be changed"
		}
	case model.NoteUnnamed:
		n.Message = "some sessions have no ID, or one that is not text, and are left out"
		n.Remedy = d.AdviseRecovery()
	case model.NoteDangling:
		n.Message = "some messages belong to sessions that have no row, and are in no list and no export"
		n.Remedy = d.AdviseRecovery()
	case model.NoteOtherCase:
		n.Message = "names of tables or columns differ in case from Hermes's: everything can be read, but nothing can be changed"
		n.Remedy = d.AdviseRecovery()
	case model.NoteFrozen:
		n.Message = "the folder cannot be written, so later changes are not shown"
		n.Remedy = model.AdviseToRun("give yourself permission to write to the folder", "chmod u+w "+model.ShellWord(filepath.Dir(d.Path)))
	case model.NoteUnshared:
		n.Message = "the database has a write-ahead log, which needs shared memory that its file system does not provide: nothing can be changed, and later changes are not shown"
		n.Remedy = d.adviseJournal()
	case model.NoteDiskFull:
		n.Message = "the disk is full or over its quota: nothing can be changed, and later changes are not shown"
		n.Remedy = AdviseSpace("free some space, then start again", d.Path)
	case model.NoteLogDamaged:
		n.Message, n.Remedy = LostInLogText(d.lostInLog), AdviseLogCopy(d.Path)
	}
	d.notesMu.Lock()
	defer d.notesMu.Unlock()
	if !slices.ContainsFunc(d.notes, func(known model.HealthNote) bool { return known.Kind == kind }) {
		d.notes = append(d.notes, n)
	}
	if kind == model.NoteDamaged || kind == model.NoteIndexDamaged {
		d.keepLog()
	}
}

// openingChecks are the checks of a database that was just opened.
type openingChecks struct{ *DB }

// readNotes looks for faults that do not prevent reading. It reads a few pages at most
// and leaves out what these do not show.
func (c openingChecks) readNotes(ctx context.Context) {
	switch {
	case c.Schema.versions == 0:
		c.AddNote(model.NoteNoVersion)
	case c.Schema.versions > 1:
		c.AddNote(model.NoteTwoVersions)
	}
	if c.Schema.otherCase {
		c.AddNote(model.NoteOtherCase)
	}
	if c.Schema.Version > NewestSchema {
		c.AddNote(model.NoteNewerSchema)
	}
	if c.postgresSetting() != "" {
		c.AddNote(model.NotePostgres)
	}
	if c.DB.HasNote(model.NoteDamaged) {
		return // the index shares the damage; one note is enough
	}
	if c.hidesIDs(ctx) {
		c.BypassIndexes()
	}
	if kind := c.ftsState(ctx); kind != "" {
		c.AddNote(kind)
	}
}

// hidesIDs reports whether a session, or a message of one, is not found by its id: a
// column that was declared a number after its rows were written makes a number of the text
// that is looked for, which an index has as text. The comparison makes a number of it, too.
func (c openingChecks) hidesIDs(ctx context.Context) bool {
	for at := range c.Schema.NumericIDs {
		table, column, _ := strings.Cut(at, ".")
		_, hidden, err := FirstValue(ctx, c.Pool, fmt.Sprintf(`SELECT 1 FROM %s NOT INDEXED WHERE typeof(%[2]s) = 'text' AND %[2]s < ''`, table, column))
		if err == nil && hidden {
			return true
		}
	}
	return false
}

// ftsState checks of the full-text index what takes a few pages: whether it is
// there, opens, has its triggers, and ends at the same message as the table.
func (c openingChecks) ftsState(ctx context.Context) string {
	if _, ok := c.Schema.Tables["messages_fts"]; !ok {
		return model.NoteFTSMissing
	}
	for _, event := range []string{"insert", "delete", "update"} {
		if _, ok := c.Schema.Tables["messages_fts_"+event]; !ok {
			return model.NoteFTSOutOfStep
		}
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if c.damagedIndex(ctx, table) {
			return model.NoteFTSDamaged
		}
	}
	var indexed, stored any
	err := c.Pool.QueryRowContext(ctx, `SELECT (SELECT max(id) FROM messages_fts_docsize), (SELECT max(id) FROM messages)`).Scan(&indexed, &stored)
	if err == nil && indexed != stored && !c.ftsIncomplete(ctx) {
		return model.NoteFTSOutOfStep
	}
	return ""
}

// damagedIndex reports whether a full-text index, or the first or the last page of one of the
// tables that it keeps, cannot be read.
func (c openingChecks) damagedIndex(ctx context.Context, table string) bool {
	made, ok := c.Schema.Tables[table]
	if !ok || !strings.HasPrefix(made, "CREATE VIRTUAL") {
		return false
	}
	for part, key := range map[string]string{"_data": "id", "_idx": "segid", "_content": "id", "_docsize": "id", "_config": "k"} {
		if _, ok := c.Schema.Tables[table+part]; !ok {
			continue
		}
		for _, order := range []string{"", " DESC"} {
			if _, _, err := FirstValue(ctx, c.Pool, `SELECT 1 FROM `+table+part+` ORDER BY `+key+order+` LIMIT 1`); IsCorrupt(err) {
				return true
			}
		}
	}
	_, _, err := FirstValue(ctx, c.Pool, `SELECT 1 FROM `+table+` WHERE `+table+` MATCH 'aaa' LIMIT 1`)
	return IsCorrupt(err)
}

// ftsIncomplete reports whether Hermes has postponed indexing
// (store/README.md#partial-rebuild).
func (c openingChecks) ftsIncomplete(ctx context.Context) bool {
	if !c.Schema.Has("state_meta", "key") {
		return false
	}
	var n int
	err := c.Pool.QueryRowContext(ctx, `SELECT count(*) FROM state_meta WHERE key = 'fts_rebuild_high_water'`).Scan(&n)
	return err == nil && n > 0
}
