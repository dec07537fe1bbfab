package upkeep

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

const (
	// maxComparedBytes is the largest file, in bytes, of which every text is
	// compared with the index without being requested: it takes about 20 ms a megabyte.
	maxComparedBytes = 64 << 20
	// largeWALBytes is the size of a write-ahead log that some process keeps from
	// being emptied. Hermes empties it at about 4 MB.
	largeWALBytes = 64 << 20
	// maxComplaints is how many lines of one integrity check are read.
	maxComplaints = 20
)

// Check inspects the whole database and only reads; see store.Store.Check for the
// contract. Each step looks at one thing; a step that fails is itself a finding.
func (u *Upkeep) Check(ctx context.Context, thorough bool) (model.Checkup, error) {
	if err := u.db.CheckOpen(); err != nil {
		return model.Checkup{}, err
	}
	c := &checkRun{upkeep: u, Checkup: model.Checkup{Path: u.db.Path, Version: u.db.Schema.Version}}
	c.damaged = u.db.HasNote(model.NoteDamaged)
	for _, step := range []struct {
		what  string
		check func(context.Context) error
	}{
		{"the file", c.checkFile},
		{"the integrity", c.checkIntegrity},
		{"how messages are added", c.checkInserts},
		{"how changes are made", c.checkChanges},
		{"the messages", c.checkLostRows},
		{"the full-text index", c.checkIndexes},
		{"each text in the full-text index", func(ctx context.Context) error { return c.compareIndexes(ctx, thorough) }},
		{"the references between rows", c.checkReferences},
		{"the IDs", c.checkIDs},
		{"the titles", c.checkTitles},
		{"the sessions", c.checkLineage},
		{"the values", func(ctx context.Context) error { return c.checkValues(ctx, thorough) }},
	} {
		u.report(model.Progress{Step: "checking " + step.what})
		err := step.check(ctx)
		if ctx.Err() != nil {
			return c.Checkup, ctx.Err()
		}
		if err != nil && !(db.IsCorrupt(err) && (c.damaged || c.hasNote(model.NoteDamaged, model.NoteFTSDamaged))) {
			remedy := u.db.AdviseStatement("check the file with SQLite", `PRAGMA quick_check`)
			if db.LacksExtension(err) { // SQLite's shell lacks it, too
				remedy = u.db.AdviseRecovery()
			}
			c.addProblem(model.NoteUnchecked, step.what+" could not be checked: "+db.CauseOf(err), remedy)
		}
	}
	c.addOpeningNotes()
	return c.Checkup, nil
}

// checkRun is one run of Check, with what it has found so far.
type checkRun struct {
	model.Checkup
	upkeep  *Upkeep
	damaged bool // pages of the file are damaged
}

// addProblem records what is wrong.
func (c *checkRun) addProblem(kind, message string, remedy model.Remedy) {
	c.Problems = append(c.Problems, model.HealthNote{Kind: kind, Message: message, Remedy: remedy})
}

// addAdvice records what works, and is worth knowing.
func (c *checkRun) addAdvice(kind, message string, remedy model.Remedy) {
	c.Advice = append(c.Advice, model.HealthNote{Kind: kind, Message: message, Remedy: remedy})
}

// hasNote reports whether there is a finding of one of these kinds.
func (c *checkRun) hasNote(kinds ...string) bool {
	of := func(n model.HealthNote) bool { return slices.Contains(kinds, n.Kind) }
	return slices.ContainsFunc(c.Problems, of) || slices.ContainsFunc(c.Advice, of)
}

// addOpeningNotes adds the notes of opening and reading the file, unless the checks
// found the same, puts damage first, and mentions an older schema.
func (c *checkRun) addOpeningNotes() {
	for _, n := range c.upkeep.db.Notes() {
		switch {
		case c.hasNote(n.Kind) || n.Kind == model.NoteIndexDamaged && c.damaged:
		case n.Kind == model.NoteNewerSchema || n.Kind == model.NotePostgres || n.Kind == model.NoteFrozen:
			c.Advice = append(c.Advice, n)
		default:
			c.Problems = append(c.Problems, n)
		}
	}
	if c.hasNote(model.NoteDamaged, model.NoteUnnamed, model.NoteLost) {
		// To rebuild the indexes from damaged tables would lose what only they still hold.
		for i := range c.Problems {
			if p := &c.Problems[i]; p.Kind == model.NoteIndexDamaged {
				p.Remedy = c.upkeep.db.AdviseRecovery()
			}
		}
	}
	grave := func(n model.HealthNote) bool { return n.Kind == model.NoteDamaged || n.Kind == model.NoteLost }
	sort.SliceStable(c.Problems, func(i, j int) bool { return grave(c.Problems[i]) && !grave(c.Problems[j]) })
	if 0 < c.Version && c.Version < ddl.Version {
		c.addAdvice(model.NoteOlderSchema, fmt.Sprintf("schema %d is from an older Hermes; it can be read as it is, and a newer Hermes upgrades it when it starts", c.Version), c.upkeep.db.AdviseMigrate("or upgrade it now"))
	}
}

// checkFile checks the size and the rights of the file and of its -wal, and reads the
// journal mode.
func (c *checkRun) checkFile(ctx context.Context) error {
	u := c.upkeep
	info, err := os.Stat(u.db.Path)
	if err != nil {
		return err
	}
	c.Bytes = info.Size()
	c.WALBytes = u.db.WalSize()
	c.Mode = uint32(info.Mode().Perm())
	// An empty -wal comes and goes with the processes that have the file open.
	open := ""
	if readableByAll(u.db.Path) {
		open += " " + model.ShellWord(u.db.Path)
	}
	if c.WALBytes > 0 && readableByAll(u.db.Path+"-wal") {
		open += " " + model.ShellWord(u.db.Path+"-wal")
	}
	if open != "" {
		c.addAdvice(model.NoteReadableByAll, "every user of this machine can read the file and the conversations in it", model.AdviseToRun("make it private", "chmod 600"+open))
	}
	if c.WALBytes > largeWALBytes {
		c.addAdvice(model.NoteLargeWAL, fmt.Sprintf("the write-ahead log has grown to %d MB: a program that reads for a long time, or has crashed, keeps it from being emptied", c.WALBytes>>20),
			u.db.AdviseStatement("end the programs that use the file, then empty the log", `PRAGMA wal_checkpoint(TRUNCATE)`))
	}
	c.Journal, err = u.db.JournalMode(ctx, u.db.Pool)
	return err
}

// readableByAll reports whether others may read a file and come to it through
// all folders above it.
func readableByAll(path string) bool {
	if runtime.GOOS == "windows" {
		return false // rights are kept elsewhere
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o004 == 0 {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// checkIntegrity checks the pages and indexes of every ordinary table, those of the
// full-text index included. It uses one statement for each, so that no writer waits
// long.
func (c *checkRun) checkIntegrity(ctx context.Context) error {
	u := c.upkeep
	var tables []string
	for name, made := range u.db.Schema.Tables {
		if strings.HasPrefix(made, "CREATE TABLE") {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	tables = append(tables, "sqlite_schema") // with the list of free pages
	var bad, odd, index []string
	for i, name := range tables {
		u.report(model.Progress{Step: "checking the integrity", Done: int64(i), Total: int64(len(tables)), Unit: "tables"})
		into := &bad
		if strings.HasPrefix(name, "messages_fts") {
			into = &index
		}
		err := u.complaints(ctx, `PRAGMA integrity_check(`+db.Quote(name)+`)`, func(line string) {
			if isOddValueComplaint(line) {
				odd = append(odd, line)
			} else {
				*into = append(*into, line)
			}
		})
		if err != nil && !db.IsCorrupt(err) {
			return err
		}
		if err != nil && len(*into) == 0 {
			*into = append(*into, db.CauseOf(err))
		}
	}
	if len(bad) == 0 {
		// The check of one table does not see the pages of another.
		if shared, unused, err := u.db.SharesPages(ctx); shared {
			bad = append(bad, db.SharedPage)
		} else if unused > 0 && len(index) == 0 {
			c.addProblem(model.NoteDamaged, "the database is damaged: "+countNoun(unused, "page belongs", "pages belong")+" to no table, so rows may be missing", u.db.AdviseRecovery())
		} else if ctx.Err() != nil {
			return err
		}
	}
	if line := u.vacuumFlagComplaint(ctx); line != "" {
		bad = append(bad, line)
	}
	if len(bad) > 0 {
		c.damaged = true
		kind, remedy := model.NoteDamaged, u.db.AdviseRecovery()
		if !slices.ContainsFunc(bad, func(line string) bool { return !isIndexComplaint(line) }) {
			kind, remedy = model.NoteIndexDamaged, u.db.AdviseIndexes()
		}
		c.addProblem(kind, damageText(bad), remedy)
	}
	if len(index) > 0 && !c.damaged {
		c.addProblem(model.NoteFTSDamaged, "the full-text index is damaged: "+listSeveral(index), u.db.AdviseReindex())
	}
	if !c.damaged {
		// An integrity check of today's SQLite does not count the entries of such an index.
		err := db.EachRow(ctx, u.db.Pool, `SELECT name FROM sqlite_schema WHERE type = 'index' AND name IN ('idx_messages_session', 'idx_sessions_started', 'idx_sessions_source', 'idx_sessions_parent') AND sql LIKE '%) WHERE %'`, nil, func(r db.Row) {
			c.addProblem(model.NoteIndexDamaged, "the index "+r.Text(0)+" covers only some rows; Hermes never creates it that way", u.db.AdviseStatement("remove it; Hermes creates it again", "DROP INDEX "+r.Text(0)))
		})
		if err != nil {
			return err
		}
	}
	if len(odd) > 0 {
		c.addAdvice(model.NoteOddValues, "some columns have values of the wrong type, which are shown as far as possible: "+listSeveral(odd), u.db.AdviseStatement("no action needed; SQLite lists them", `PRAGMA quick_check`))
	}
	return nil
}

// checkInserts checks that deleted messages could be inserted again.
func (c *checkRun) checkInserts(ctx context.Context) error {
	e, ok := errors.AsType[*model.Error](c.upkeep.db.CheckInserts(ctx))
	if ok && ctx.Err() == nil && !c.damaged {
		c.addProblem(model.NoteUnrestorable, "messages can be read, but not deleted and restored: "+db.CauseOf(e), e.Remedy)
	}
	return nil
}

// checkChanges checks that triggers of the file let it be changed.
func (c *checkRun) checkChanges(ctx context.Context) error {
	if c.damaged {
		return nil
	}
	refused, err := c.upkeep.db.TryChanges(ctx)
	for _, e := range refused {
		c.addProblem(model.NoteRefused, "changes would be refused: "+db.CauseOf(e), e.Remedy)
	}
	return err
}

// vacuumFlagComplaint says what is wrong with the two numbers of the header that say
// whether and how the file is vacuumed by itself, "" for nothing: the largest root page,
// which is 0 without auto-vacuum, and whether a vacuum is incremental. An integrity check
// of one table does not compare them. What cannot be read is for the other checks.
func (u *Upkeep) vacuumFlagComplaint(ctx context.Context) string {
	var header []byte
	var largest uint32
	err := u.db.Pool.QueryRowContext(ctx, `SELECT substr(data, 53, 16), (SELECT max(rootpage) FROM sqlite_schema) FROM sqlite_dbpage WHERE pgno = 1`).Scan(&header, &largest)
	if err != nil || len(header) < 16 {
		return ""
	}
	stated, incremental := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[12:]) != 0
	switch {
	case stated == 0 && incremental:
		return "the header says that incremental vacuum is on, but auto-vacuum off"
	case stated != 0 && stated != largest:
		return fmt.Sprintf("the largest root page is %d, but the header says %d", largest, stated)
	}
	return ""
}

// isOddValueComplaint recognizes a complaint about a value of another type than its
// column, which does no harm here.
func isOddValueComplaint(line string) bool { return strings.Contains(line, " value in ") }

// isIndexComplaint recognizes a complaint about an index that lacks rows of its table or has
// others, which comes where all pages are sound: made anew from the table, it is right again.
func isIndexComplaint(line string) bool {
	return strings.Contains(line, " missing from index ") || strings.HasPrefix(line, "wrong # of entries in index ")
}

// complaints reads the lines of an integrity check that are not "ok".
func (u *Upkeep) complaints(ctx context.Context, query string, each func(string)) error {
	rows, err := u.db.Pool.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 0; n < maxComplaints && rows.Next(); n++ {
		var line any
		if err := rows.Scan(&line); err != nil {
			return err
		}
		// One value may hold several lines, the first of which is a heading.
		for part := range strings.Lines(db.AsText(line)) {
			if part = strings.TrimSpace(part); part != "" && part != "ok" && !strings.HasPrefix(part, "***") {
				each(part)
			}
		}
	}
	return rows.Err()
}

// listSeveral returns the first of some complaints and says how many more there are.
func listSeveral(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%s (and %d more)", lines[0], len(lines)-1)
}

// damageText says in plain words what the first of some complaints about pages means, and
// what they are.
func damageText(complaints []string) string {
	meaning := "pages have the wrong contents"
	for _, known := range []struct{ words, meaning string }{
		{"index", "an index and its table disagree"},
		{"overflow", "the rest of a long text is missing"},
		{"reelist", "the list of free pages is wrong"},
		{"out of order", "rows are not in their order"},
		{"vacuum", "the header is wrong"},
		{"root page", "the header is wrong"},
	} {
		if strings.Contains(complaints[0], known.words) {
			meaning = known.meaning
			break
		}
	}
	return "the database is damaged, " + meaning + ": " + listSeveral(complaints)
}

// checkLostRows counts sessions and messages, and in a damaged file the messages that
// cannot be read in full.
func (c *checkRun) checkLostRows(ctx context.Context) error {
	u := c.upkeep
	if !c.damaged {
		return errors.Join(
			u.db.Pool.QueryRowContext(ctx, `SELECT count(*) FROM sessions`).Scan(&c.Sessions),
			u.db.Pool.QueryRowContext(ctx, `SELECT count(*) FROM messages`).Scan(&c.Messages))
	}
	readable := map[int64]bool{}
	if _, err := u.sessions.Salvage.Rows(ctx, "messages", `SELECT m.id, m.session_id, `+u.db.SelectColumns("messages", "m")+` FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r db.Row) {
		if r[1] != nil { // damaged pages give rows that no writer wrote
			readable[r.Int(0)] = true
		}
	}); err != nil {
		return err
	}
	sessions, err := u.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return err
	}
	c.Sessions, c.Messages = sessions.Len(), len(readable)
	lost := 0
	// By the index alone.
	err = db.EachRow(ctx, u.db.Pool, `SELECT session_id, id FROM main.messages ORDER BY session_id, timestamp`, nil, func(r db.Row) {
		if !readable[r.Int(1)] {
			lost++
		}
	})
	switch {
	case lost > 0:
		c.addProblem(model.NoteLost, fmt.Sprintf("%s cannot be read; %d can", model.Quantity(lost, "message"), c.Messages), u.db.AdviseRecovery())
	case db.IsCorrupt(err):
		c.addProblem(model.NoteLost, fmt.Sprintf("some messages cannot be read; %d can", c.Messages), u.db.AdviseRecovery())
	}
	return err
}

// countNoun returns a number with its noun.
func countNoun(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// checkReferences counts rows that refer to a row that does not exist. SQLite looks rows up in
// their index, so of damaged ones it would say that rows are missing which are there.
func (c *checkRun) checkReferences(ctx context.Context) error {
	if c.damaged {
		return nil
	}
	return db.EachRow(ctx, c.upkeep.db.Pool, `SELECT "table", parent, count(*) FROM temp.pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2`, nil, func(r db.Row) {
		child := r.Text(0)
		parent := r.Text(1)
		n := int(r.Int(2))
		if child == "sessions" && parent == "sessions" {
			return // checkLineage names these sessions
		}
		if child == "messages" && parent == "sessions" {
			c.addProblem(model.NoteDangling, countNoun(n, "message belongs to a session without a row, and is in no list or export", "messages belong to sessions without rows, and are in no list or export"),
				c.upkeep.db.AdviseRecovery())
			return
		}
		c.addAdvice(model.NoteDangling, countNoun(n, "row of "+child+" refers", "rows of "+child+" refer")+" to a row of "+parent+" that does not exist; not shown",
			c.upkeep.db.AdviseStatement("no action needed; SQLite lists them", `PRAGMA foreign_key_check(`+db.Quote(child)+`)`))
	})
}

// checkTitles finds titles that two sessions have. Hermes of schema 11 refuses to
// open such a file where it has to make titles unique (store/README.md#q15).
func (c *checkRun) checkTitles(ctx context.Context) error {
	u := c.upkeep
	if !u.db.Schema.Has("sessions", "title") {
		return nil
	}
	var n int
	if err := scanCount(ctx, u.db.Pool, &n, `SELECT count(*) FROM (SELECT 1 FROM sessions WHERE title IS NOT NULL GROUP BY title HAVING count(*) > 1)`); err != nil || n == 0 {
		return err
	}
	remedy := model.Remedy{Kind: model.RemedyRename, Text: "give all but one of them another title"}
	if u.db.Schema.Version <= ddl.Version {
		remedy = u.db.AdviseMigrate("number the titles")
	}
	c.addProblem(model.NoteDuplicateTitles, countNoun(n, "title belongs", "titles belong")+" to more than one session; some versions of Hermes do not open such a file", remedy)
	return nil
}

// checkIDs finds sessions without an id by which a call can name them.
func (c *checkRun) checkIDs(ctx context.Context) error {
	var n int
	err := scanCount(ctx, c.upkeep.db.Pool, &n, `SELECT count(*) FROM sessions WHERE `+c.upkeep.db.Schema.UnnamedSessions())
	if err == nil && n > 0 {
		c.addProblem(model.NoteUnnamed, countNoun(n, "session has no ID, or one that is not text: it is", "sessions have no ID, or one that is not text: they are")+" left out", c.upkeep.db.AdviseRecovery())
	}
	return err
}

// checkLineage finds parents that do not exist, and cycles of parents.
func (c *checkRun) checkLineage(ctx context.Context) error {
	u := c.upkeep
	known, err := u.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return err
	}
	orphans := 0
	for i, m := range known.All() {
		if m.ParentID == "" || known.Lineage.Parent[i] >= 0 {
			continue
		}
		if _, ok := known.Position(m.ParentID); !ok {
			orphans++
			continue
		}
		c.addProblem(model.NoteCycles, "session "+m.ID+" is its own ancestor; it is shown as a root, but Hermes may hang when it lists sessions",
			u.db.AdviseStatement("remove its parent", `UPDATE sessions SET parent_session_id = NULL WHERE id = '`+strings.ReplaceAll(m.ID, "'", "''")+`'`))
	}
	if orphans > 0 {
		c.addAdvice(model.NoteOrphans, countNoun(orphans, "session names a parent that does not exist; it is shown as a root", "sessions name parents that do not exist; they are shown as roots"),
			model.Advise("no action needed"))
	}
	return nil
}
