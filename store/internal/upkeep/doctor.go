package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// Checkup is what a look at a whole database found.
type Checkup struct {
	Path     string
	Version  int // schema version that the file states, 0 where it states none
	Journal  string
	Bytes    int64 // size of the file
	WALBytes int64 // and of its -wal
	Mode     fs.FileMode

	Sessions, Messages int // rows, whether or not they are shown
	Index              IndexCheck

	Problems []model.HealthNote // what is wrong, the gravest first; none: the file is healthy
	Advice   []model.HealthNote // what works, and is worth knowing
}

// Healthy reports whether nothing is wrong.
func (c *Checkup) Healthy() bool { return len(c.Problems) == 0 }

// IndexCheck says how the messages are indexed (store/README.md#fts-layouts).
type IndexCheck struct {
	Layout   string // "none", "inline", "external", "storage 1" to "storage 3"
	Words    TableCheck
	Trigrams TableCheck
	CJK      bool // the third index, which only Hermes can write
	Stale    bool // Hermes has put the index aside
	Pending  int  // messages that a rebuild of Hermes has yet to reach
	Compared bool // every text was compared with the index, not only the row numbers
}

// TableCheck counts where a full-text table and the messages differ.
type TableCheck struct {
	Present        bool
	Missing, Extra int // messages that it lacks; rows without a message
}

// What only [Upkeep.Check] finds.
const (
	NoteReadableByAll   = "readable-by-all"
	NoteLargeWAL        = "large-wal"
	NoteOlderSchema     = "older-schema"
	NoteDuplicateTitles = "duplicate-titles"
	NoteOrphans         = "orphans"
	NoteCycles          = "cycles"
	NoteDangling        = "dangling-rows"
	NoteLost            = "unreadable-messages"
	NoteOddValues       = "odd-values"
	NoteNotCompared     = "not-compared"
	NoteUnchecked       = "unchecked"
	NoteSlowSearch      = "slow-search"
)

const (
	// maxComparedRows is the largest file, in bytes, of which every text is
	// compared with the index unasked: it takes about 20 ms a megabyte.
	maxComparedRows = 64 << 20
	// LargeWALBytes is a write-ahead log that somebody keeps from being emptied,
	// in bytes. Hermes empties it at about 4 MB.
	LargeWALBytes = 64 << 20
	// maxComplaints is how many lines of one integrity check are read.
	maxComplaints = 20
)

// Check looks at the whole database and says what is wrong, with the remedy
// for each. It only reads, whatever it finds, and it can be cancelled. Pages,
// indexes and row numbers are checked always; that each text stands in the
// full-text index as it is written only up to 64 MB, or when thorough is set:
// that takes about 20 s a gigabyte, during which nobody can write to a file
// that is not in WAL mode.
//
// What can not be checked is itself a finding. The error is that of ctx.
func (u *Upkeep) Check(ctx context.Context, thorough bool) (Checkup, error) {
	c := &checkRun{store: u, Checkup: Checkup{Path: u.db.Path, Version: u.db.Schema.Version}}
	c.damaged = slices.ContainsFunc(u.db.Notes(), func(n model.HealthNote) bool { return n.Kind == db.NoteDamaged })
	for _, step := range []struct {
		what string
		look func(context.Context) error
	}{
		{"the file", c.checkFile},
		{"the integrity", c.checkIntegrity},
		{"the messages", c.checkLostRows},
		{"the full-text index", c.checkIndexes},
		{"each text in the full-text index", func(ctx context.Context) error { return c.compareIndexes(ctx, thorough) }},
		{"the ties between rows", c.checkReferences},
		{"the titles", c.checkTitles},
		{"the sessions", c.checkLineage},
	} {
		err := step.look(ctx)
		if ctx.Err() != nil {
			return c.Checkup, ctx.Err()
		}
		if err != nil && !(db.IsCorrupt(err) && c.hasNote(db.NoteDamaged, db.NoteFTSDamaged)) {
			c.addProblem(NoteUnchecked, step.what+" could not be checked: "+db.CauseOf(err), u.db.ShownStatement(`PRAGMA quick_check`))
		}
	}
	c.checkOpening()
	return c.Checkup, nil
}

// checkRun is a Checkup in the making.
type checkRun struct {
	Checkup
	store   *Upkeep
	damaged bool // pages of the file are
}

func (c *checkRun) addProblem(kind, message, remedy string) {
	c.Problems = append(c.Problems, model.HealthNote{Kind: kind, Message: message, Remedy: remedy})
}

func (c *checkRun) addAdvice(kind, message, remedy string) {
	c.Advice = append(c.Advice, model.HealthNote{Kind: kind, Message: message, Remedy: remedy})
}

// hasNote reports whether there is a finding of one of these kinds.
func (c *checkRun) hasNote(kinds ...string) bool {
	of := func(n model.HealthNote) bool { return slices.Contains(kinds, n.Kind) }
	return slices.ContainsFunc(c.Problems, of) || slices.ContainsFunc(c.Advice, of)
}

// checkOpening takes over what opening and reading the file came across, unless the
// checks have said it better. Damage comes first of all.
func (c *checkRun) checkOpening() {
	for _, n := range c.store.db.Notes() {
		switch {
		case c.hasNote(n.Kind):
		case n.Kind == db.NoteNewerSchema || n.Kind == db.NotePostgres || n.Kind == db.NoteFrozen:
			c.Advice = append(c.Advice, n)
		default:
			c.Problems = append(c.Problems, n)
		}
	}
	grave := func(n model.HealthNote) bool { return n.Kind == db.NoteDamaged || n.Kind == NoteLost }
	slices.SortStableFunc(c.Problems, func(a, b model.HealthNote) int {
		switch {
		case grave(a) == grave(b):
			return 0
		case grave(a):
			return -1
		}
		return 1
	})
	if 0 < c.Version && c.Version < ddl.Version {
		c.addAdvice(NoteOlderSchema, fmt.Sprintf("schema %d is of an older Hermes; it can be read as it is, and Hermes brings it to its own at the next start", c.Version), c.store.db.MigrateCommand())
	}
}

// checkFile looks at the file from outside, and at its journal.
func (c *checkRun) checkFile(ctx context.Context) error {
	s := c.store
	info, err := os.Stat(s.db.Path)
	if err != nil {
		return err
	}
	c.Bytes, c.WALBytes, c.Mode = info.Size(), s.db.WalSize(), info.Mode().Perm()
	// An empty -wal comes and goes with whoever has the file open.
	open := ""
	if readableByAll(s.db.Path) {
		open += " " + model.ShellWord(s.db.Path)
	}
	if c.WALBytes > 0 && readableByAll(s.db.Path+"-wal") {
		open += " " + model.ShellWord(s.db.Path+"-wal")
	}
	if open != "" {
		c.addProblem(NoteReadableByAll, "everybody on this machine can read the file and what was said in it", "chmod 600"+open)
	}
	if c.WALBytes > LargeWALBytes {
		c.addAdvice(NoteLargeWAL, fmt.Sprintf("the write-ahead log holds %d MB; a program that reads for long, or died, keeps it from being emptied", c.WALBytes>>20),
			"end what uses the file, then: "+s.db.ShownStatement(`PRAGMA wal_checkpoint(TRUNCATE)`))
	}
	return s.db.Pool.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&c.Journal)
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
// full-text index included. One statement each, so that nobody waits long.
func (c *checkRun) checkIntegrity(ctx context.Context) error {
	s := c.store
	var tables []string
	for name, made := range s.db.Schema.Tables {
		if strings.HasPrefix(made, "CREATE TABLE") {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	var bad, odd, index []string
	for _, name := range tables {
		into := &bad
		if strings.HasPrefix(name, "messages_fts") {
			into = &index
		}
		err := s.complaints(ctx, `PRAGMA integrity_check(`+db.Quote(name)+`)`, func(line string) {
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
	if len(bad) > 0 {
		c.damaged = true
		c.addProblem(db.NoteDamaged, "the database is damaged: "+listSeveral(bad), s.db.RecoveryAdvice())
	}
	if len(index) > 0 && !c.damaged {
		c.addProblem(db.NoteFTSDamaged, "the full-text index is damaged: "+listSeveral(index), s.db.RecoveryAdvice())
	}
	if len(odd) > 0 {
		c.addAdvice(NoteOddValues, "some columns hold values of another kind, which are shown as well as they can be: "+listSeveral(odd), s.db.ShownStatement(`PRAGMA quick_check`))
	}
	return nil
}

// isOddValueComplaint recognises a complaint about a value that SQLite would not have
// stored so; it harms nobody here.
func isOddValueComplaint(line string) bool { return strings.Contains(line, " value in ") }

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

// listSeveral gives the first of some complaints and says how many more there are.
func listSeveral(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%s (and %d more)", lines[0], len(lines)-1)
}

// checkLostRows counts the messages of a damaged file that can not be read in full.
func (c *checkRun) checkLostRows(ctx context.Context) error {
	s := c.store
	if !c.damaged {
		return errors.Join(
			s.db.Pool.QueryRowContext(ctx, `SELECT count(*) FROM sessions`).Scan(&c.Sessions),
			s.db.Pool.QueryRowContext(ctx, `SELECT count(*) FROM messages`).Scan(&c.Messages))
	}
	whole := map[int64]bool{}
	if err := s.sessions.SalvageRows(ctx, `SELECT m.id, `+s.db.SelectColumns("messages", "m")+` FROM messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r db.Record) {
		whole[db.AsInt(r[0].Value)] = true
	}); err != nil {
		return err
	}
	sessions, err := s.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return err
	}
	c.Sessions, c.Messages = sessions.Len(), len(whole)
	gone := 0
	rows, err := s.db.Pool.QueryContext(ctx, `SELECT session_id, id FROM messages ORDER BY session_id, timestamp`) // by the index alone
	if err == nil {
		err = db.ScanRecords(rows, func(r db.Record) error {
			if !whole[db.AsInt(r[1].Value)] {
				gone++
			}
			return nil
		})
	}
	switch {
	case gone > 0:
		c.addProblem(NoteLost, fmt.Sprintf("%s can not be read; %d can", countNoun(gone, "message", "messages"), c.Messages), s.db.RecoveryAdvice())
	case db.IsCorrupt(err):
		c.addProblem(NoteLost, fmt.Sprintf("some messages can not be read; %d can", c.Messages), s.db.RecoveryAdvice())
	}
	return err
}

func countNoun(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// checkIndexes finds the layout of the full-text index and counts where its row
// numbers and those of the messages differ.
func (c *checkRun) checkIndexes(ctx context.Context) error {
	s, x := c.store, &c.Index
	x.CJK = slices.ContainsFunc(db.CjkTriggers[:], func(name string) bool { _, ok := s.db.Schema.Tables[name]; return ok })
	if x.CJK {
		c.addAdvice(db.KindTokenizer, "the index messages_fts_cjk needs a tokenizer that only Hermes loads, so messages can not be deleted or changed from here", "hermes sessions delete ID")
	}
	words, ok := s.db.Schema.Tables["messages_fts"]
	if !ok {
		x.Layout = "none"
		c.addProblem(db.NoteFTSMissing, "there is no full-text index; search reads every message and is slower", s.db.ReindexCommand())
		return nil
	}
	if c.damaged {
		x.Layout = s.FtsLayout("")
		return nil // the index shares the damage
	}
	var slow []string // why search is slow
	err := s.db.ReadTx(ctx, func(q db.Querier) error {
		marks := map[string]string{}
		if s.db.Schema.Has("state_meta", "value") {
			rows, err := q.QueryContext(ctx, `SELECT key, value FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`)
			if err == nil {
				err = db.ScanRecords(rows, func(r db.Record) error {
					marks[db.AsText(r[0].Value)] = db.AsText(r[1].Value)
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
		x.Layout = s.FtsLayout(marks["fts_storage_version"])
		_, x.Stale = marks["fts_stale"]
		// A rebuild has reached messages up to low and leaves those above high.
		low, high := int64(-1), int64(-1)
		if mark, ok := marks["fts_rebuild_high_water"]; ok {
			low, high = db.AsInt(marks["fts_rebuild_progress"]), db.AsInt(mark)
			if err := scanCount(ctx, q, &x.Pending, `SELECT count(*) FROM messages WHERE id > ? AND id <= ?`, low, high); err != nil {
				return err
			}
		}
		if x.Stale {
			return nil
		}
		var err error
		if slow, err = s.search.UnsupportedIndexes(ctx, q); err != nil {
			return err
		}
		if err := x.Words.compare(ctx, q, "messages_fts", words, low, high); err != nil {
			return err
		}
		if made, ok := s.db.Schema.Tables["messages_fts_trigram"]; ok {
			return x.Trigrams.compare(ctx, q, "messages_fts_trigram", made, low, high)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(slow) > 0 && !x.Stale {
		c.addAdvice(NoteSlowSearch, "search asks SQLite's own full-text engine, which is slower: "+strings.Join(slow, "; "), s.db.ReindexCommand())
	}
	switch missing := s.missingIndexParts(); {
	case x.Stale:
		c.addProblem(db.NoteFTSOutOfStep, "Hermes has put its full-text index aside; search reads every message and is slower", s.db.ReindexCommand())
	case x.Pending > 0:
		c.addAdvice(db.NoteFTSOutOfStep, fmt.Sprintf("Hermes is rebuilding its full-text index; %s to go, which search reads one by one", countNoun(x.Pending, "message", "messages")), "hermes sessions optimize-storage")
	case len(missing) > 0:
		c.addProblem(db.NoteFTSOutOfStep, "parts of the full-text index are missing, so new messages are not indexed: "+strings.Join(missing, ", "), s.db.ReindexCommand())
	}
	if off := max(x.Words.Missing, x.Trigrams.Missing); off > 0 {
		c.addProblem(db.NoteFTSOutOfStep, fmt.Sprintf("the full-text index lacks %s; search reads them one by one, Hermes does not find them", countNoun(off, "message", "messages")), s.db.ReindexCommand())
	}
	if off := max(x.Words.Extra, x.Trigrams.Extra); off > 0 {
		c.addProblem(db.NoteFTSOutOfStep, "the full-text index still holds "+countNoun(off, "message that is", "messages that are")+" gone", s.db.ReindexCommand())
	}
	return nil
}

// FtsLayout names the shape of the full-text index; stated is what Hermes has
// noted of it, if anything.
func (u *Upkeep) FtsLayout(stated string) string {
	words, trigrams := u.db.Schema.Tables["messages_fts"], u.db.Schema.Tables["messages_fts_trigram"]
	switch {
	case !db.HasExternalContent(words):
		return "inline"
	case !strings.Contains(words, "tool_name"):
		return "external"
	case stated != "":
		return "storage " + stated
	case strings.Contains(words, "messages_fts_src"):
		return "storage 3"
	case trigrams != "" && !strings.Contains(trigrams, "tool_calls"):
		return "storage 2"
	}
	return "storage 1"
}

// missingIndexParts names the tables and triggers of the full-text index that
// the file should have and does not. Trigrams came with version 10.
func (u *Upkeep) missingIndexParts() (missing []string) {
	tables := []string{"messages_fts"}
	if u.db.Schema.Version >= 10 {
		tables = append(tables, "messages_fts_trigram")
	}
	for _, table := range tables {
		for _, part := range []string{"", "_insert", "_delete", "_update"} {
			if _, ok := u.db.Schema.Tables[table+part]; !ok {
				missing = append(missing, table+part)
			}
		}
	}
	return missing
}

// contentTable finds the table or view that holds the text of a full-text one.
var contentTable = regexp.MustCompile(`\bcontent\s*=\s*['"]?(\w+)`)

// compare counts what a full-text table lacks and what it has too much, by row
// numbers alone. Messages after low and up to high are not expected in it.
func (t *TableCheck) compare(ctx context.Context, q db.Querier, table, made string, low, high int64) error {
	t.Present = true
	source, expected := "messages", ""
	if m := contentTable.FindStringSubmatch(made); m != nil {
		source = m[1] // which leaves out what this index leaves out by design
		if table == "messages_fts_trigram" && !strings.Contains(made, "tool_name") {
			expected = " AND m.content IS NOT NULL" // version 10 left those out when it made the index
		}
	}
	return errors.Join(
		scanCount(ctx, q, &t.Missing, `SELECT count(*) FROM `+db.Quote(source)+` m WHERE NOT (m.id > ? AND m.id <= ?)`+expected+` AND `+db.NotIndexedCondition(table), low, high),
		scanCount(ctx, q, &t.Extra, `SELECT count(*) FROM `+table+`_docsize d WHERE NOT EXISTS (SELECT 1 FROM `+db.Quote(source)+` m WHERE m.id = d.id)`))
}

// scanCount reads one number.
func scanCount(ctx context.Context, q db.Querier, into *int, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return db.ScanRecords(rows, func(r db.Record) error {
		*into = int(db.AsInt(r[0].Value))
		return nil
	})
}

// compareIndexes lets SQLite compare the full-text index with every text. The PRAGMA
// reads, unlike FTS5's own command of that name.
func (c *checkRun) compareIndexes(ctx context.Context, thorough bool) error {
	s, x := c.store, &c.Index
	if x.Layout == "none" || x.Stale || c.damaged {
		return nil
	}
	if !thorough && c.Bytes > maxComparedRows {
		c.addAdvice(NoteNotCompared, fmt.Sprintf("whether each text stands in the index as it is written was not looked at: it takes about %d s", c.Bytes/50e6+1), "hermes-sessions doctor --full --db "+model.ShellWord(s.db.Path))
		return nil
	}
	var bad, damage []string
	look := func(query string) error {
		err := s.complaints(ctx, query, func(line string) {
			switch {
			case strings.Contains(line, "messages_fts"):
				bad = append(bad, line)
			case !isOddValueComplaint(line):
				damage = append(damage, line)
			}
		})
		if db.IsCorrupt(err) {
			bad, err = append(bad, db.CauseOf(err)), nil
		}
		return err
	}
	if thorough {
		// The whole file in one go, so that pages which nobody owns, or two
		// tables own, are found as well.
		if err := look(`PRAGMA integrity_check`); err != nil {
			return err
		}
		if len(damage) > 0 {
			c.damaged = true
			c.addProblem(db.NoteDamaged, "the database is damaged: "+listSeveral(damage), s.db.RecoveryAdvice())
			return nil
		}
	} else {
		for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
			if _, ok := s.db.Schema.Tables[table]; !ok {
				continue
			}
			if err := look(`PRAGMA quick_check(` + table + `)`); err != nil {
				return err
			}
		}
		bad = append(bad, damage...)
	}
	x.Compared = true
	if len(bad) == 0 || c.hasNote(db.NoteFTSDamaged, db.NoteFTSOutOfStep, db.NoteFTSMissing) {
		return nil
	}
	if !slices.ContainsFunc(bad, func(line string) bool { return !strings.Contains(line, "messages_fts_trigram") }) {
		// Older SQLite cut a text at a NUL when it made trigrams, and content
		// with images begins with one. It is not plain text anyway.
		var marked int
		if err := scanCount(ctx, s.db.Pool, &marked, `SELECT EXISTS (SELECT 1 FROM messages WHERE content >= char(0) AND content < char(1))`); err != nil || marked > 0 {
			return err
		}
	}
	c.addProblem(db.NoteFTSDamaged, "the full-text index does not hold what the messages say: "+listSeveral(bad), s.db.ReindexCommand())
	return nil
}

// checkReferences counts rows that refer to a row that is not there.
func (c *checkRun) checkReferences(ctx context.Context) error {
	rows, err := c.store.db.Pool.QueryContext(ctx, `SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	return db.ScanRecords(rows, func(r db.Record) error {
		child, parent, n := db.AsText(r[0].Value), db.AsText(r[1].Value), int(db.AsInt(r[2].Value))
		if child == "sessions" && parent == "sessions" {
			return nil // said by the lineage, which knows them by name
		}
		c.addAdvice(NoteDangling, fmt.Sprintf("%s of %s without the row of %s that it belongs to: not shown", countNoun(n, "row", "rows"), child, parent),
			c.store.db.ShownStatement(`PRAGMA foreign_key_check(`+db.Quote(child)+`)`))
		return nil
	})
}

// checkTitles looks for titles that two sessions have. Hermes of schema 11 refuses
// to open such a file where it has to make them unique (store/README.md#q15).
func (c *checkRun) checkTitles(ctx context.Context) error {
	s := c.store
	if !s.db.Schema.Has("sessions", "title") {
		return nil
	}
	var n int
	if err := scanCount(ctx, s.db.Pool, &n, `SELECT count(*) FROM (SELECT 1 FROM sessions WHERE title IS NOT NULL GROUP BY title HAVING count(*) > 1)`); err != nil || n == 0 {
		return err
	}
	remedy := "hermes-sessions rename ID TITLE"
	if s.db.Schema.Version <= ddl.Version {
		remedy = s.db.MigrateCommand()
	}
	c.addProblem(NoteDuplicateTitles, countNoun(n, "title belongs", "titles belong")+" to more than one session; some versions of Hermes do not open such a file", remedy)
	return nil
}

// checkLineage looks for parents that are not there or go round in a ring.
func (c *checkRun) checkLineage(ctx context.Context) error {
	s := c.store
	known, err := s.sessions.CurrentSnapshot(ctx)
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
		c.addProblem(NoteCycles, "session "+m.ID+" is its own ancestor; it is shown as a root, but Hermes may hang when it lists sessions",
			s.db.ShownStatement(`UPDATE sessions SET parent_session_id = NULL WHERE id = '`+strings.ReplaceAll(m.ID, "'", "''")+`'`))
	}
	if orphans > 0 {
		c.addAdvice(NoteOrphans, countNoun(orphans, "session names a parent that is not there; it is shown as a root", "sessions name parents that are not there; they are shown as roots"),
			"nothing is to be done")
	}
	return nil
}
