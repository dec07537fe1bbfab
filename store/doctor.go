package store

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

	Problems []model.Note // what is wrong, the gravest first; none: the file is healthy
	Advice   []model.Note // what works, and is worth knowing
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
	Present          bool
	Missing, Surplus int // messages that it lacks; rows without a message
}

// What only [Store.Check] finds.
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
	// comparable is the largest file, in bytes, of which every text is
	// compared with the index unasked: it takes about 20 ms a megabyte.
	comparable = 64 << 20
	// largeWAL is a write-ahead log that somebody keeps from being emptied,
	// in bytes. Hermes empties it at about 4 MB.
	largeWAL = 64 << 20
	// mostComplaints is how many lines of one integrity check are read.
	mostComplaints = 20
)

// Check looks at the whole database and says what is wrong, with the remedy
// for each. It only reads, whatever it finds, and it can be cancelled. Pages,
// indexes and row numbers are checked always; that each text stands in the
// full-text index as it is written only up to 64 MB, or when thorough is set:
// that takes about 20 s a gigabyte, during which nobody can write to a file
// that is not in WAL mode.
//
// What can not be checked is itself a finding. The error is that of ctx.
func (s *Store) Check(ctx context.Context, thorough bool) (Checkup, error) {
	c := &checkup{store: s, Checkup: Checkup{Path: s.path, Version: s.schema.version}}
	c.damaged = slices.ContainsFunc(s.Notes(), func(n model.Note) bool { return n.Kind == NoteDamaged })
	for _, step := range []struct {
		what string
		look func(context.Context) error
	}{
		{"the file", c.file},
		{"the integrity", c.integrity},
		{"the messages", c.lost},
		{"the full-text index", c.index},
		{"each text in the full-text index", func(ctx context.Context) error { return c.compare(ctx, thorough) }},
		{"the ties between rows", c.ties},
		{"the titles", c.titles},
		{"the sessions", c.lineage},
	} {
		err := step.look(ctx)
		if ctx.Err() != nil {
			return c.Checkup, ctx.Err()
		}
		if err != nil && !(corrupt(err) && c.said(NoteDamaged, NoteFTSDamaged)) {
			c.problem(NoteUnchecked, step.what+" could not be checked: "+why(err), s.shown(`PRAGMA quick_check`))
		}
	}
	c.opening()
	return c.Checkup, nil
}

// checkup is a Checkup in the making.
type checkup struct {
	Checkup
	store   *Store
	damaged bool // pages of the file are
}

func (c *checkup) problem(kind, message, remedy string) {
	c.Problems = append(c.Problems, model.Note{Kind: kind, Message: message, Remedy: remedy})
}

func (c *checkup) advise(kind, message, remedy string) {
	c.Advice = append(c.Advice, model.Note{Kind: kind, Message: message, Remedy: remedy})
}

// said reports whether there is a finding of one of these kinds.
func (c *checkup) said(kinds ...string) bool {
	of := func(n model.Note) bool { return slices.Contains(kinds, n.Kind) }
	return slices.ContainsFunc(c.Problems, of) || slices.ContainsFunc(c.Advice, of)
}

// shown is the command with which a person runs a statement on the file.
func (s *Store) shown(statement string) string {
	return "sqlite3 " + model.ShellWord(s.path) + " " + model.ShellWord(statement)
}

// migration is the command that repairs a file of version 1 to 11, and
// reindex the one that makes the full-text index anew.
func (s *Store) migration() string {
	return "hermes-sessions doctor --migrate --db " + model.ShellWord(s.path)
}

func (s *Store) reindex() string {
	if s.schema.version <= ddl.Version {
		return s.migration()
	}
	return "hermes sessions optimize-storage"
}

// opening takes over what opening and reading the file came across, unless the
// checks have said it better. Damage comes first of all.
func (c *checkup) opening() {
	for _, n := range c.store.Notes() {
		switch {
		case c.said(n.Kind):
		case n.Kind == NoteNewerSchema || n.Kind == NotePostgres || n.Kind == NoteFrozen:
			c.Advice = append(c.Advice, n)
		default:
			c.Problems = append(c.Problems, n)
		}
	}
	grave := func(n model.Note) bool { return n.Kind == NoteDamaged || n.Kind == NoteLost }
	slices.SortStableFunc(c.Problems, func(a, b model.Note) int {
		switch {
		case grave(a) == grave(b):
			return 0
		case grave(a):
			return -1
		}
		return 1
	})
	if 0 < c.Version && c.Version < ddl.Version {
		c.advise(NoteOlderSchema, fmt.Sprintf("schema %d is of an older Hermes; it can be read as it is, and Hermes brings it to its own at the next start", c.Version), c.store.migration())
	}
}

// file looks at the file from outside, and at its journal.
func (c *checkup) file(ctx context.Context) error {
	s := c.store
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	c.Bytes, c.WALBytes, c.Mode = info.Size(), s.walSize(), info.Mode().Perm()
	// An empty -wal comes and goes with whoever has the file open.
	open := ""
	if readableByAll(s.path) {
		open += " " + model.ShellWord(s.path)
	}
	if c.WALBytes > 0 && readableByAll(s.path+"-wal") {
		open += " " + model.ShellWord(s.path+"-wal")
	}
	if open != "" {
		c.problem(NoteReadableByAll, "everybody on this machine can read the file and what was said in it", "chmod 600"+open)
	}
	if c.WALBytes > largeWAL {
		c.advise(NoteLargeWAL, fmt.Sprintf("the write-ahead log holds %d MB; a program that reads for long, or died, keeps it from being emptied", c.WALBytes>>20),
			"end what uses the file, then: "+s.shown(`PRAGMA wal_checkpoint(TRUNCATE)`))
	}
	return s.db.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&c.Journal)
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

// integrity checks the pages and indexes of every ordinary table, those of the
// full-text index included. One statement each, so that nobody waits long.
func (c *checkup) integrity(ctx context.Context) error {
	s := c.store
	var tables []string
	for name, made := range s.schema.tables {
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
		err := s.complaints(ctx, `PRAGMA integrity_check(`+quote(name)+`)`, func(line string) {
			if oddValue(line) {
				odd = append(odd, line)
			} else {
				*into = append(*into, line)
			}
		})
		if err != nil && !corrupt(err) {
			return err
		}
		if err != nil && len(*into) == 0 {
			*into = append(*into, why(err))
		}
	}
	if len(bad) > 0 {
		c.damaged = true
		c.problem(NoteDamaged, "the database is damaged: "+several(bad), s.recovery())
	}
	if len(index) > 0 && !c.damaged {
		c.problem(NoteFTSDamaged, "the full-text index is damaged: "+several(index), s.recovery())
	}
	if len(odd) > 0 {
		c.advise(NoteOddValues, "some columns hold values of another kind, which are shown as well as they can be: "+several(odd), s.shown(`PRAGMA quick_check`))
	}
	return nil
}

// oddValue recognises a complaint about a value that SQLite would not have
// stored so; it harms nobody here.
func oddValue(line string) bool { return strings.Contains(line, " value in ") }

// complaints reads the lines of an integrity check that are not "ok".
func (s *Store) complaints(ctx context.Context, query string, each func(string)) error {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 0; n < mostComplaints && rows.Next(); n++ {
		var line any
		if err := rows.Scan(&line); err != nil {
			return err
		}
		// One value may hold several lines, the first of which is a heading.
		for part := range strings.Lines(text(line)) {
			if part = strings.TrimSpace(part); part != "" && part != "ok" && !strings.HasPrefix(part, "***") {
				each(part)
			}
		}
	}
	return rows.Err()
}

// several gives the first of some complaints and says how many more there are.
func several(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%s (and %d more)", lines[0], len(lines)-1)
}

// lost counts the messages of a damaged file that can not be read in full.
func (c *checkup) lost(ctx context.Context) error {
	s := c.store
	if !c.damaged {
		return errors.Join(
			s.db.QueryRowContext(ctx, `SELECT count(*) FROM sessions`).Scan(&c.Sessions),
			s.db.QueryRowContext(ctx, `SELECT count(*) FROM messages`).Scan(&c.Messages))
	}
	whole := map[int64]bool{}
	if err := s.walk(ctx, `SELECT m.id, `+s.columns("messages", "m")+` FROM messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r Record) {
		whole[number(r[0].Value)] = true
	}); err != nil {
		return err
	}
	sessions, err := s.catalog(ctx)
	if err != nil {
		return err
	}
	c.Sessions, c.Messages = sessions.Len(), len(whole)
	gone := 0
	rows, err := s.db.QueryContext(ctx, `SELECT session_id, id FROM messages ORDER BY session_id, timestamp`) // by the index alone
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			if !whole[number(r[1].Value)] {
				gone++
			}
			return nil
		})
	}
	switch {
	case gone > 0:
		c.problem(NoteLost, fmt.Sprintf("%s can not be read; %d can", plural(gone, "message", "messages"), c.Messages), s.recovery())
	case corrupt(err):
		c.problem(NoteLost, fmt.Sprintf("some messages can not be read; %d can", c.Messages), s.recovery())
	}
	return err
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// index finds the layout of the full-text index and counts where its row
// numbers and those of the messages differ.
func (c *checkup) index(ctx context.Context) error {
	s, x := c.store, &c.Index
	x.CJK = slices.ContainsFunc(cjkTriggers[:], func(name string) bool { _, ok := s.schema.tables[name]; return ok })
	if x.CJK {
		c.advise(KindTokenizer, "the index messages_fts_cjk needs a tokenizer that only Hermes loads, so messages can not be deleted or changed from here", "hermes sessions delete ID")
	}
	words, ok := s.schema.tables["messages_fts"]
	if !ok {
		x.Layout = "none"
		c.problem(NoteFTSMissing, "there is no full-text index; search reads every message and is slower", s.reindex())
		return nil
	}
	if c.damaged {
		x.Layout = s.layout("")
		return nil // the index shares the damage
	}
	err := s.snapshot(ctx, func(q queryer) error {
		marks := map[string]string{}
		if s.schema.has("state_meta", "value") {
			rows, err := q.QueryContext(ctx, `SELECT key, value FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`)
			if err == nil {
				err = eachRecord(rows, func(r Record) error {
					marks[text(r[0].Value)] = text(r[1].Value)
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
		x.Layout = s.layout(marks["fts_storage_version"])
		_, x.Stale = marks["fts_stale"]
		// A rebuild has reached messages up to low and leaves those above high.
		low, high := int64(-1), int64(-1)
		if mark, ok := marks["fts_rebuild_high_water"]; ok {
			low, high = number(marks["fts_rebuild_progress"]), number(mark)
			if err := ask(ctx, q, &x.Pending, `SELECT count(*) FROM messages WHERE id > ? AND id <= ?`, low, high); err != nil {
				return err
			}
		}
		if x.Stale {
			return nil
		}
		if err := s.pages.examine(ctx, q, s.schema.tables); err != nil {
			return err
		}
		if err := x.Words.compare(ctx, q, "messages_fts", words, low, high); err != nil {
			return err
		}
		if made, ok := s.schema.tables["messages_fts_trigram"]; ok {
			return x.Trigrams.compare(ctx, q, "messages_fts_trigram", made, low, high)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if why := s.pages.refusals(); len(why) > 0 && !x.Stale {
		c.advise(NoteSlowSearch, "search asks SQLite's own full-text engine, which is slower: "+strings.Join(why, "; "), s.reindex())
	}
	switch missing := s.missingIndexParts(); {
	case x.Stale:
		c.problem(NoteFTSOutOfStep, "Hermes has put its full-text index aside; search reads every message and is slower", s.reindex())
	case x.Pending > 0:
		c.advise(NoteFTSOutOfStep, fmt.Sprintf("Hermes is rebuilding its full-text index; %s to go, which search reads one by one", plural(x.Pending, "message", "messages")), "hermes sessions optimize-storage")
	case len(missing) > 0:
		c.problem(NoteFTSOutOfStep, "parts of the full-text index are missing, so new messages are not indexed: "+strings.Join(missing, ", "), s.reindex())
	}
	if off := max(x.Words.Missing, x.Trigrams.Missing); off > 0 {
		c.problem(NoteFTSOutOfStep, fmt.Sprintf("the full-text index lacks %s; search reads them one by one, Hermes does not find them", plural(off, "message", "messages")), s.reindex())
	}
	if off := max(x.Words.Surplus, x.Trigrams.Surplus); off > 0 {
		c.problem(NoteFTSOutOfStep, "the full-text index still holds "+plural(off, "message that is", "messages that are")+" gone", s.reindex())
	}
	return nil
}

// layout names the shape of the full-text index; stated is what Hermes has
// noted of it, if anything.
func (s *Store) layout(stated string) string {
	words, trigrams := s.schema.tables["messages_fts"], s.schema.tables["messages_fts_trigram"]
	switch {
	case !external(words):
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
func (s *Store) missingIndexParts() (missing []string) {
	tables := []string{"messages_fts"}
	if s.schema.version >= 10 {
		tables = append(tables, "messages_fts_trigram")
	}
	for _, table := range tables {
		for _, part := range []string{"", "_insert", "_delete", "_update"} {
			if _, ok := s.schema.tables[table+part]; !ok {
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
func (t *TableCheck) compare(ctx context.Context, q queryer, table, made string, low, high int64) error {
	t.Present = true
	source, expected := "messages", ""
	if m := contentTable.FindStringSubmatch(made); m != nil {
		source = m[1] // which leaves out what this index leaves out by design
		if table == "messages_fts_trigram" && !strings.Contains(made, "tool_name") {
			expected = " AND m.content IS NOT NULL" // version 10 left those out when it made the index
		}
	}
	return errors.Join(
		ask(ctx, q, &t.Missing, `SELECT count(*) FROM `+quote(source)+` m WHERE NOT (m.id > ? AND m.id <= ?)`+expected+` AND `+notIn(table), low, high),
		ask(ctx, q, &t.Surplus, `SELECT count(*) FROM `+table+`_docsize d WHERE NOT EXISTS (SELECT 1 FROM `+quote(source)+` m WHERE m.id = d.id)`))
}

// ask reads one number.
func ask(ctx context.Context, q queryer, into *int, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return eachRecord(rows, func(r Record) error {
		*into = int(number(r[0].Value))
		return nil
	})
}

// compare lets SQLite compare the full-text index with every text. The PRAGMA
// reads, unlike FTS5's own command of that name.
func (c *checkup) compare(ctx context.Context, thorough bool) error {
	s, x := c.store, &c.Index
	if x.Layout == "none" || x.Stale || c.damaged {
		return nil
	}
	if !thorough && c.Bytes > comparable {
		c.advise(NoteNotCompared, fmt.Sprintf("whether each text stands in the index as it is written was not looked at: it takes about %d s", c.Bytes/50e6+1), "hermes-sessions doctor --full --db "+model.ShellWord(s.path))
		return nil
	}
	var bad, damage []string
	look := func(query string) error {
		err := s.complaints(ctx, query, func(line string) {
			switch {
			case strings.Contains(line, "messages_fts"):
				bad = append(bad, line)
			case !oddValue(line):
				damage = append(damage, line)
			}
		})
		if corrupt(err) {
			bad, err = append(bad, why(err)), nil
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
			c.problem(NoteDamaged, "the database is damaged: "+several(damage), s.recovery())
			return nil
		}
	} else {
		for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
			if _, ok := s.schema.tables[table]; !ok {
				continue
			}
			if err := look(`PRAGMA quick_check(` + table + `)`); err != nil {
				return err
			}
		}
		bad = append(bad, damage...)
	}
	x.Compared = true
	if len(bad) == 0 || c.said(NoteFTSDamaged, NoteFTSOutOfStep, NoteFTSMissing) {
		return nil
	}
	if !slices.ContainsFunc(bad, func(line string) bool { return !strings.Contains(line, "messages_fts_trigram") }) {
		// Older SQLite cut a text at a NUL when it made trigrams, and content
		// with images begins with one. It is not plain text anyway.
		var marked int
		if err := ask(ctx, s.db, &marked, `SELECT EXISTS (SELECT 1 FROM messages WHERE content >= char(0) AND content < char(1))`); err != nil || marked > 0 {
			return err
		}
	}
	c.problem(NoteFTSDamaged, "the full-text index does not hold what the messages say: "+several(bad), s.reindex())
	return nil
}

// ties counts rows that refer to a row that is not there.
func (c *checkup) ties(ctx context.Context) error {
	rows, err := c.store.db.QueryContext(ctx, `SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	return eachRecord(rows, func(r Record) error {
		child, parent, n := text(r[0].Value), text(r[1].Value), int(number(r[2].Value))
		if child == "sessions" && parent == "sessions" {
			return nil // said by the lineage, which knows them by name
		}
		c.advise(NoteDangling, fmt.Sprintf("%s of %s without the row of %s that it belongs to: not shown", plural(n, "row", "rows"), child, parent),
			c.store.shown(`PRAGMA foreign_key_check(`+quote(child)+`)`))
		return nil
	})
}

// titles looks for titles that two sessions have. Hermes of schema 11 refuses
// to open such a file where it has to make them unique (store/README.md#q15).
func (c *checkup) titles(ctx context.Context) error {
	s := c.store
	if !s.schema.has("sessions", "title") {
		return nil
	}
	var n int
	if err := ask(ctx, s.db, &n, `SELECT count(*) FROM (SELECT 1 FROM sessions WHERE title IS NOT NULL GROUP BY title HAVING count(*) > 1)`); err != nil || n == 0 {
		return err
	}
	remedy := "hermes-sessions rename ID TITLE"
	if s.schema.version <= ddl.Version {
		remedy = s.migration()
	}
	c.problem(NoteDuplicateTitles, plural(n, "title belongs", "titles belong")+" to more than one session; some versions of Hermes do not open such a file", remedy)
	return nil
}

// lineage looks for parents that are not there or go round in a ring.
func (c *checkup) lineage(ctx context.Context) error {
	s := c.store
	known, err := s.catalog(ctx)
	if err != nil {
		return err
	}
	orphans := 0
	for i, m := range known.all() {
		if m.ParentID == "" || known.lineage.Parent[i] >= 0 {
			continue
		}
		if _, ok := known.find(m.ParentID); !ok {
			orphans++
			continue
		}
		c.problem(NoteCycles, "session "+m.ID+" is its own ancestor; it is shown as a root, but Hermes may hang when it lists sessions",
			s.shown(`UPDATE sessions SET parent_session_id = NULL WHERE id = '`+strings.ReplaceAll(m.ID, "'", "''")+`'`))
	}
	if orphans > 0 {
		c.advise(NoteOrphans, plural(orphans, "session names a parent that is not there; it is shown as a root", "sessions name parents that are not there; they are shown as roots"),
			"nothing is to be done")
	}
	return nil
}
