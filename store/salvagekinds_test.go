package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// breaker damages a database file in ways of its own.
type breaker struct {
	*rand.Rand
	t       *testing.T
	path    string
	content []byte
	size    int
	roots   map[string]int // of tables
	log     []byte         // to lie beside the file, nil for none
}

// newBreaker reads a file. Every page of it is in the file, not in a log.
func newBreaker(t *testing.T, path string, seed uint64) *breaker {
	t.Helper()
	b := &breaker{Rand: rand.New(rand.NewPCG(seed, 0x5a17a6e)), t: t, path: path, roots: map[string]int{}}
	s := reopen(t, path)
	if err := db.EachRow(t.Context(), s.db.Pool, `SELECT name, rootpage FROM main.sqlite_schema WHERE type = 'table'`, nil, func(r db.Row) {
		b.roots[r.Text(0)] = int(r.Int(1))
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b.content = fileContent(t, path)
	b.size = int(binary.BigEndian.Uint16(b.content[16:]))
	return b
}

// write writes the file as it is damaged so far.
func (b *breaker) write() {
	b.t.Helper()
	if err := os.WriteFile(b.path, b.content, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *breaker) page(n int) []byte { return b.content[(n-1)*b.size : n*b.size] }

// tree returns the inner pages of a table, the root first, and its leaves.
func (b *breaker) tree(table string) (inner, leaves []int) {
	for left := []int{b.roots[table]}; len(left) > 0; left = left[1:] {
		p := b.page(left[0])
		if p[0] != 5 {
			leaves = append(leaves, left[0])
			continue
		}
		inner = append(inner, left[0])
		for i := range int(binary.BigEndian.Uint16(p[3:])) {
			left = append(left, int(binary.BigEndian.Uint32(p[binary.BigEndian.Uint16(p[12+2*i:]):])))
		}
		left = append(left, int(binary.BigEndian.Uint32(p[8:])))
	}
	return inner, leaves
}

func (b *breaker) one(of []int) []byte { return b.page(of[b.IntN(len(of))]) }

// otherFile returns the content of another database.
func (b *breaker) otherFile() []byte {
	return fixtures.Read(b.t, []string{"v09.db", "v14.db", "v20.db", "bad/hot-wal.db"}[b.IntN(4)])
}

// overflow returns the pages in which long values continue: no page of a tree begins with 0.
func (b *breaker) overflow() (pages []int) {
	for n := 2; n <= len(b.content)/b.size; n++ {
		if p := b.page(n); p[0] == 0 && bytes.ContainsFunc(p[4:], func(r rune) bool { return r != 0 }) {
			pages = append(pages, n)
		}
	}
	return pages
}

// change changes the list of tables by statements.
func (b *breaker) change(statements ...string) {
	c := otherConnection(b.t, b.path)
	Must(b.t, c, append([]string{`PRAGMA journal_mode = delete`, `PRAGMA writable_schema = ON`}, statements...)...)
	if err := c.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.content = fileContent(b.t, b.path)
}

// breakages are the ways.
var breakages = []struct {
	name string
	do   func(b *breaker, inner, leaves []int)
}{
	{"cut inside a page", func(b *breaker, _, _ []int) {
		pages := len(b.content) / b.size
		b.content = b.content[:(pages/4+b.IntN(3*pages/4))*b.size+1+b.IntN(b.size-1)]
	}},
	{"cut at half", func(b *breaker, _, _ []int) { b.content = b.content[:len(b.content)/2] }},
	{"an inner pointer to a cell", func(b *breaker, inner, _ []int) {
		p := b.one(inner)
		if n := int(binary.BigEndian.Uint16(p[3:])); n > 0 {
			binary.BigEndian.PutUint16(p[12+2*b.IntN(n):], uint16(b.size-1-b.IntN(3)))
		}
	}},
	{"a pointer to a cell of a leaf", func(b *breaker, _, leaves []int) {
		p := b.one(leaves)
		if n := int(binary.BigEndian.Uint16(p[3:])); n > 0 {
			binary.BigEndian.PutUint16(p[8+2*b.IntN(n):], uint16(b.Uint32()))
		}
	}},
	{"a child beyond the end", func(b *breaker, inner, _ []int) {
		p := b.one(inner)
		binary.BigEndian.PutUint32(p[8:], b.Uint32())
	}},
	{"an inner page of zeros", func(b *breaker, inner, _ []int) { clear(b.one(inner)) }},
	{"the kind of a page", func(b *breaker, inner, leaves []int) { b.one(append(inner, leaves...))[0] = byte(b.IntN(20)) }},
	{"the number of cells", func(b *breaker, _, leaves []int) {
		binary.BigEndian.PutUint16(b.one(leaves)[3:], uint16(b.Uint32()))
	}},
	{"half a leaf of another age", func(b *breaker, _, leaves []int) {
		p := b.one(leaves)
		copy(p[b.size/2:], b.one(leaves)[b.size/2:])
	}},
	{"inner keys", func(b *breaker, inner, _ []int) {
		p := b.page(inner[0])
		for i := range int(binary.BigEndian.Uint16(p[3:])) {
			p[binary.BigEndian.Uint16(p[12+2*i:])+4] ^= 0x55
		}
	}},
	{"three leaves of garbage", func(b *breaker, _, leaves []int) {
		for range 3 {
			p := b.one(leaves)
			for i := range p {
				p[i] = byte(b.Uint32())
			}
		}
	}},
	{"a header of cells", func(b *breaker, _, leaves []int) {
		p := b.one(leaves)
		for range 4 {
			p[b.IntN(b.size)] ^= byte(1 << b.IntN(8))
		}
	}},
	{"two pages in each other's place", func(b *breaker, _, leaves []int) {
		p, q := b.one(leaves), b.page(2+b.IntN(len(b.content)/b.size-1))
		kept := bytes.Clone(p)
		copy(p, q)
		copy(q, kept)
	}},
	{"a page of another database", func(b *breaker, _, leaves []int) {
		other := b.otherFile()
		copy(b.one(leaves), other[b.size*(1+b.IntN(len(other)/b.size-1)):])
	}},
	{"the first page of another database", func(b *breaker, _, _ []int) { copy(b.page(1), b.otherFile()) }},
	{"the beginning of overflow pages", func(b *breaker, _, _ []int) {
		for _, n := range b.overflow() {
			if b.IntN(4) == 0 {
				clear(b.page(n)[:4+b.IntN(60)])
			}
		}
	}},
	{"a header with fewer pages", func(b *breaker, _, _ []int) {
		pages := len(b.content) / b.size
		binary.BigEndian.PutUint32(b.content[28:], uint32(pages/3+b.IntN(pages/2)))
	}},
	{"a log of another database", func(b *breaker, _, _ []int) { b.log = fixtures.Read(b.t, "bad/hot-wal.db-wal") }},
	{"two tables with one root", func(b *breaker, _, _ []int) {
		b.change(`UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sessions') WHERE name = '` + []string{"messages", "state_meta"}[b.IntN(2)] + `'`)
	}},
	{"garbage as the text of a table", func(b *breaker, _, _ []int) {
		b.change(`UPDATE sqlite_schema SET sql = 'CREATE TABLE ' || hex(randomblob(30)) WHERE name = '` + []string{"messages", "sessions", "messages_fts", "schema_version"}[b.IntN(4)] + `'`)
	}},
	{"a page of a table in the list of free pages", func(b *breaker, _, leaves []int) {
		binary.BigEndian.PutUint32(b.content[32:], uint32(leaves[b.IntN(len(leaves))]))
		binary.BigEndian.PutUint32(b.content[36:], 1+b.Uint32()%9)
	}},
	{"two cells in one place", func(b *breaker, _, leaves []int) {
		p := b.one(leaves)
		if n := int(binary.BigEndian.Uint16(p[3:])); n > 0 {
			copy(p[8+2*b.IntN(n):][:2], p[8+2*b.IntN(n):][:2])
		}
	}},
	{"the encoding of texts", func(b *breaker, _, _ []int) { b.content[59] = byte(2 + b.IntN(2)) }},
	{"a header of an auto-vacuum", func(b *breaker, _, _ []int) {
		binary.BigEndian.PutUint32(b.content[52:], uint32(3+b.IntN(9)))
		binary.BigEndian.PutUint32(b.content[64:], uint32(b.IntN(2)))
	}},
	{"zeros in the middle", func(b *breaker, _, _ []int) {
		pages := len(b.content) / b.size
		from := pages/4 + b.IntN(pages/4)
		clear(b.content[from*b.size : (from+pages/4)*b.size])
	}},
	{"the header of a file", func(b *breaker, _, _ []int) { clear(b.content[b.IntN(16) : 16+b.IntN(84)]) }},
}

// readers are three ways to read all rows of a table, up to the first that fails, or each by its
// number.
func readers(ctx context.Context, path string, table string) (most int) {
	d := db.New(path)
	if d.Open(ctx) != nil {
		return 0
	}
	defer d.Close() //nolint:errcheck // it was only read
	count := func(query string, args ...any) int {
		found := map[int64]bool{} // a damaged page may give a row twice, or an empty one
		_ = db.EachRow(ctx, d.Pool, query, args, func(r db.Row) {
			if r[2] != nil && r.Int(0) > 0 {
				found[r.Int(0)] = true
			}
		})
		return len(found)
	}
	most = max(count(`SELECT rowid, * FROM main.`+table+` NOT INDEXED ORDER BY rowid`), count(`SELECT rowid, * FROM main.`+table+` NOT INDEXED ORDER BY rowid DESC`))
	byRowid := 0
	for id := range 700 {
		byRowid += min(1, count(`SELECT rowid, * FROM main.`+table+` NOT INDEXED WHERE rowid = ?`, id))
	}
	return max(most, byRowid)
}

// olderSQLite is the path of a SQLite shell of 3.40, whose trigrams end at a NUL; "" for none.
var olderSQLite = func() string {
	path, err := exec.LookPath("sqlite3")
	if err != nil {
		return ""
	}
	if out, err := exec.Command(path, "--version").Output(); err != nil || !bytes.HasPrefix(out, []byte("3.40.")) {
		return ""
	}
	return path
}()

// soundForOlderSQLite checks a file with SQLite 3.40, where there is one.
func soundForOlderSQLite(t *testing.T, path string) {
	t.Helper()
	if olderSQLite == "" {
		return
	}
	script := `PRAGMA integrity_check;`
	s := reopen(t, path)
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if s.db.Schema.Tables[table] != "" {
			script += `INSERT INTO ` + table + `(` + table + `) VALUES('integrity-check');`
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(copied, fileContent(t, path), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), olderSQLite, copied, script).CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && !strings.Contains(text, "no such tokenizer") || text != "ok" {
		t.Errorf("SQLite 3.40 says of the salvaged file: %s %v", out, err)
	}
}

// wholeLines counts the sessions and messages of an export, each line of which has to be whole.
func wholeLines(t *testing.T, export io.Reader) (sessions, messages int) {
	t.Helper()
	in := bufio.NewScanner(export)
	in.Buffer(nil, 1<<28)
	for in.Scan() {
		var line struct{ Messages []struct{} }
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Errorf("a torn line: %.80s: %v", in.Text(), err)
		}
		sessions, messages = sessions+1, messages+len(line.Messages)
	}
	return sessions, messages
}

// Whatever is damaged, a salvage stores at least what a reading of the tables from any end, or of
// each row by its number, gives; the new file is sound for old and new SQLite; an export writes
// whole lines, and as many messages or the advice to salvage; and no error blames the disk.
func TestSalvageReadsWhatAnyReaderReads(t *testing.T) {
	t.Parallel()
	fixtures := []string{"v04.db", "v11.db", "v16.db", "v25.db"}
	files := campaign.Length(len(breakages), len(breakages)*20)
	salvaged, pagewise, refused, least := 0, 0, 0, 0
	for n := range files {
		way := breakages[n%len(breakages)]
		table := []string{"messages", "sessions"}[n/len(breakages)%3%2]
		name := fixtures[(n+n/len(breakages))%len(fixtures)]
		what := fmt.Sprintf("%s of %s in %s, seed %d", way.name, table, name, n)
		path := fixture(t, name)
		b := newBreaker(t, path, uint64(n))
		inner, leaves := b.tree(table)
		if len(inner) == 0 {
			inner = leaves
		}
		way.do(b, inner, leaves)
		for end, content := range map[string][]byte{"": b.content, "-wal": b.log} {
			if content == nil {
				continue
			}
			if err := os.WriteFile(path+end, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]int{"sessions": readers(t.Context(), path, "sessions"), "messages": readers(t.Context(), path, "messages")}
		out := filepath.Join(t.TempDir(), "saved.db")
		var done model.Salvaged
		exported, advised := -1, false
		s, err := Open(t.Context(), path, WithClock(clock))
		if err == nil {
			var lines bytes.Buffer
			_, err := s.Export(t.Context(), &lines, model.ExportOptions{})
			if kind := kind(err); err != nil && kind != model.KindIncomplete && kind != model.KindDamaged {
				t.Errorf("%s: the export: %v", what, err)
			}
			_, exported = wholeLines(t, &lines)
			if e, ok := errors.AsType[*model.Error](err); ok {
				advised = strings.Contains(fmt.Sprint(e.Remedy), "lost ones") // of a salvage
			}
			if _, err := s.Conversations(t.Context(), query.ListOptions{}); err != nil && kind(err) != model.KindDamaged {
				t.Errorf("%s: the list: %v", what, err)
			}
			found, err := s.Check(t.Context(), true)
			if err != nil {
				t.Errorf("%s: the doctor: %v", what, err)
			}
			if done, err = s.Salvage(t.Context(), out); err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if !done.Whole() && len(found.Problems) == 0 {
				t.Errorf("%s: the doctor finds nothing, and the salvage lacks %+v", what, done)
			}
			for _, n := range found.Problems {
				if n.Kind == model.NoteUnchecked && n.Remedy != s.db.AdviseRecovery() || strings.Contains(fmt.Sprint(n), "dmesg") {
					t.Errorf("%s: the doctor says %+v", what, n)
				}
			}
			salvaged++
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		} else if done, err = SalvagePages(t.Context(), path, out, WithClock(clock)); err != nil {
			expect(t, err, model.KindDamaged)
			refused++
			continue
		} else {
			pagewise++
		}
		if done.Sessions < want["sessions"] || done.Messages < want["messages"] {
			t.Errorf("%s: salvaged %d sessions and %d messages, readers get %v", what, done.Sessions, done.Messages, want)
		}
		least += done.Messages - want["messages"]
		saved := reopen(t, out)
		if bad := texts(t, saved, `PRAGMA integrity_check`); !slices.Equal(bad, []string{"ok"}) {
			t.Errorf("%s: %v", what, bad)
		}
		var lines bytes.Buffer
		if _, err := saved.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, messages := wholeLines(t, &lines); exported >= 0 && exported < messages && !advised {
			t.Errorf("%s: %d messages are exported, %d salvaged, and the export does not say so", what, exported, messages)
		}
		if err := saved.Close(); err != nil {
			t.Error(err)
		}
		soundForOlderSQLite(t, out)
	}
	t.Logf("trust: %d files damaged in %d further ways: %d salvaged, %d of them page by page, %d without a row, %d messages more than any of three readers of SQLite; every new file sound for 3.40 (%v) and the newest, no torn line",
		files, len(breakages), salvaged+pagewise, pagewise, refused, least, olderSQLite != "")
}

// A file that is cut inside a page is damaged, and its disk is well: every call reads what there
// is, an export in whole lines.
func TestFileCutInsideAPage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v04.db", "v25.db"} {
		path := fixture(t, name)
		b := newBreaker(t, path, 1)
		if err := os.Truncate(path, int64(len(b.content)*2/3/b.size*b.size+b.size/2)); err != nil {
			t.Fatal(err)
		}
		s := reopen(t, path)
		var lines bytes.Buffer
		_, err := s.Export(t.Context(), &lines, model.ExportOptions{})
		expect(t, err, model.KindIncomplete)
		sessions, messages := wholeLines(t, &lines)
		done, err := s.Salvage(t.Context(), filepath.Join(t.TempDir(), "saved.db"))
		if err != nil || done.Whole() || done.Sessions < sessions || done.Messages < messages || sessions == 0 {
			t.Errorf("%s: %+v, %d sessions and %d messages exported: %v", name, done, sessions, messages, err)
		}
		if c := inspected(t, path, false); slices.ContainsFunc(c.Problems, func(n model.HealthNote) bool { return n.Kind == model.NoteUnchecked }) {
			t.Errorf("%s: %v", name, c.Problems)
		}
	}
}

// Frames of a damaged log that continue the one before them are read into a salvaged file, which
// says how many changes are lost, as an export does.
func TestSalvageOfADamagedLog(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v16.db")
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA journal_mode = wal`, `PRAGMA wal_autocheckpoint = 0`, session("late"))
	for n := range 30 {
		Must(t, c, fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('late', 'user', 'text %d', %d)`, n, n))
	}
	log := fileContent(t, path+"-wal")
	frames := (len(log) - 32) / (24 + 4096)
	for at, of := range map[int]string{
		32 + frames/3*(24+4096) + 24 + 500: "a page, a third of the way",
		1:                                  "the mark of a log",
		11:                                 "the size of its pages",
		14:                                 "the number of its checkpoint",
	} {
		copied := filepath.Join(t.TempDir(), "state.db")
		damaged := bytes.Clone(log)
		damaged[at]++
		for end, content := range map[string][]byte{"": fileContent(t, path), "-wal": damaged} {
			if err := os.WriteFile(copied+end, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := reopen(t, copied)
		read := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'late'`)
		done, saved := salvaged(t, s)
		if !done.LogDamaged || done.Whole() || !strings.Contains(strings.Join(done.Notes, " "), "changes after the damage cannot be read") {
			t.Errorf("%s: %+v", of, done)
		}
		if after := Count(t, saved, `SELECT count(*) FROM messages WHERE session_id = 'late'`); read >= 15 || after < 28 {
			t.Errorf("%s: %d of 30 messages are before the damage, %d in the new file", of, read, after)
		}
	}
}

// Texts with a NUL have the same trigrams for every SQLite in a file whose index holds its texts,
// whichever way they come: the index holds none.
func TestTrigramsOfEveryWriter(t *testing.T) {
	t.Parallel()
	const image = "\x00json:[{\"type\": \"text\", \"text\": \"a picture of a quagga\"}]"
	for _, name := range []string{"v11.db", "v16.db"} {
		s := openFixture(t, name)
		Must(t, otherConnection(t, s.Path()), session("ours"))
		id, err := s.AppendMessage(t.Context(), "ours", sessiondb.NewMessage{Role: "user", Content: image})
		if err != nil {
			t.Fatal(err)
		}
		const withNUL = `SELECT count(*) FROM messages_fts_trigram_content WHERE instr(CAST(c0 AS BLOB), x'00') > 0`
		if n := Count(t, s, withNUL+fmt.Sprint(` AND id = `, id)); n != 0 {
			t.Errorf("%s: the index holds the NUL of a message that was appended", name)
		}
		if n := Count(t, s, `SELECT count(*) FROM messages_fts_trigram WHERE messages_fts_trigram MATCH 'quagga'`); n != 1 {
			t.Errorf("%s: %d messages are found behind a NUL", name, n)
		}
		done, saved := salvaged(t, s)
		if n := Count(t, saved, withNUL); n != 0 || Count(t, saved, `SELECT count(*) FROM messages WHERE instr(CAST(content AS BLOB), x'00') > 0`) == 0 {
			t.Errorf("%s: %d texts of a salvaged index have a NUL", name, n)
		}
		soundForOlderSQLite(t, done.Out)
		u := deleted(t, s, model.DeleteOptions{}, "ours")
		restored(t, s, u)
		if n := Count(t, s, withNUL+fmt.Sprint(` AND id = `, id)); n != 0 {
			t.Errorf("%s: the index holds the NUL of a message that was restored", name)
		}
	}
}

// Damage of any table of a full-text index is damage of that index alone: the same note and remedy
// at opening and of the doctor, a search that answers, an export and a salvage of everything.
func TestDamageOfAnyTableOfAnIndex(t *testing.T) {
	t.Parallel()
	for _, name := range someOf([]string{"v11.db", "v25.db"}, 2) {
		for _, index := range []string{"messages_fts", "messages_fts_trigram"} {
			for _, part := range []string{"_docsize", "_idx", "_config", "_data", "_content"} {
				path := fixture(t, name)
				b := newBreaker(t, path, 1)
				if b.roots[index+part] == 0 {
					continue
				}
				clear(b.page(b.roots[index+part]))
				b.write()
				s := reopen(t, path)
				of := name + ", " + index + part
				found, err := s.Search(t.Context(), query.Parse("docker", false), query.ListOptions{})
				if err != nil || found.Conversations == 0 {
					t.Errorf("%s: a search: %d, %v", of, found.Conversations, err)
				}
				if _, err := s.Export(t.Context(), io.Discard, model.ExportOptions{}); err != nil {
					t.Errorf("%s: an export: %v", of, err)
				}
				if got := kinds(s.Notes()); !slices.Contains(got, model.NoteFTSDamaged) || slices.Contains(got, model.NoteDamaged) {
					t.Errorf("%s: the notes are %v", of, got)
				}
				c := inspected(t, path, false)
				for _, n := range c.Problems {
					if n.Kind != model.NoteFTSDamaged || n.Remedy != s.db.AdviseReindex() {
						t.Errorf("%s: the doctor finds %+v", of, n)
					}
				}
				if done, _ := salvaged(t, s); !done.Whole() || len(c.Problems) == 0 {
					t.Errorf("%s: %+v", of, done)
				}
			}
		}
	}
}

// A log beside a file that is damaged stays where it is, whoever looks at the file.
func TestLogBesideADamagedFileStays(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	b := newBreaker(t, path, 1)
	_, leaves := b.tree("messages")
	clear(b.page(leaves[len(leaves)/2]))
	b.write()
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA journal_mode = wal`, `PRAGMA wal_autocheckpoint = 0`, session("late"))
	copied := filepath.Join(t.TempDir(), "state.db")
	for _, end := range []string{"", "-wal", "-shm"} { // as a killed process leaves them
		if err := os.WriteFile(copied+end, fileContent(t, path+end), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := [2][]byte{fileContent(t, copied), fileContent(t, copied+"-wal")}
	s := reopen(t, copied)
	if _, err := s.Export(t.Context(), io.Discard, model.ExportOptions{}); err == nil {
		t.Error("the damage is not said")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before[0], fileContent(t, copied)) || !bytes.Equal(before[1], fileContent(t, copied+"-wal")) {
		t.Errorf("the log was moved: %d bytes of %d, %v, notes %v", len(fileContent(t, copied+"-wal")), len(before[1]), bytes.Equal(before[0], fileContent(t, copied)), s.Notes())
	}
}

// A salvage writes neither onto its own file nor through a symbolic link, and begins again after
// a kill, page by page too.
func TestSalvageOntoOtherFiles(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	link := filepath.Join(t.TempDir(), "link.db")
	for to, from := range map[string]string{link: path, link + "-dangling": filepath.Join(t.TempDir(), "nothing")} {
		if err := os.Symlink(from, to); err != nil {
			t.Skip(err)
		}
	}
	before := fileContent(t, path)
	for _, out := range []string{path, link, link + "-dangling"} {
		s := reopen(t, path)
		_, err := s.Salvage(t.Context(), out)
		expect(t, err, model.KindInvalid)
		_, err = SalvagePages(t.Context(), path, out)
		expect(t, err, model.KindInvalid)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(before, fileContent(t, path)) {
		t.Error("the file was changed")
	}
	if err := os.WriteFile(path, before[:len(before)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "saved.db")
	for _, left := range []string{".pages", ".incomplete"} {
		if err := os.WriteFile(out+left, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done, err := SalvagePages(t.Context(), path, out)
	if err != nil || done.Messages < 400 || done.Whole() || len(filesBeside(t, out)) != 1 {
		t.Errorf("%+v %v, beside it %v", done, err, filesBeside(t, out))
	}
}

// addRows adds ten rows that no writer wrote, of zeros, to the first leaf that has room, and writes
// the file.
func (b *breaker) addRows(leaves []int) {
	roomy := slices.IndexFunc(leaves, func(n int) bool {
		p := b.page(n)
		return int(binary.BigEndian.Uint16(p[5:])) >= 8+2*int(binary.BigEndian.Uint16(p[3:]))+20
	})
	p := b.page(leaves[roomy])
	n := int(binary.BigEndian.Uint16(p[3:]))
	clear(p[8+2*n : 8+2*n+20])
	binary.BigEndian.PutUint16(p[3:], uint16(n+10)) // ten cells at the beginning of the page
	b.write()
}

// A row that no writer wrote does not move where the next step of a measurement begins.
func TestStepsOfStorageBesideADamagedPage(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	Must(t, otherConnection(t, path), `PRAGMA journal_mode = delete`, `DROP TRIGGER messages_fts_insert`, `DROP TRIGGER messages_fts_trigram_insert`,
		`INSERT INTO messages (session_id, role, content, timestamp)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20099) SELECT (SELECT min(id) FROM sessions), 'user', 'ten bytes.', 1800000000 FROM n`)
	want := Count(t, reopen(t, path), `SELECT count(*) FROM messages`)
	b := newBreaker(t, path, 1)
	_, leaves := b.tree("messages")
	b.addRows(leaves[len(leaves)-10:])
	if m, steps := measure(t, reopen(t, path)); m.Total.Messages != want || steps != 2 {
		t.Errorf("%d messages of %d in %d steps", m.Total.Messages, want, steps)
	}
}

// Rows that a damaged page gives and no writer wrote are no messages, whoever counts.
func TestCountsBesideADamagedPage(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	want := Count(t, reopen(t, path), `SELECT count(*) FROM messages`)
	b := newBreaker(t, path, 1)
	_, leaves := b.tree("messages")
	b.addRows(leaves)
	if rows := Count(t, reopen(t, path), `SELECT count(*) FROM main.messages NOT INDEXED`); rows <= want {
		t.Fatalf("SQLite reads %d rows of %d", rows, want)
	}
	s := reopen(t, path)
	step, err := s.MeasureStorage(t.Context(), model.FromNewest)
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for _, of := range step.Sessions {
		measured += of.Messages
	}
	if c := inspected(t, path, false); measured != want || c.Messages != want {
		t.Errorf("%d messages are measured, %d inspected, and there are %d", measured, c.Messages, want)
	}
	if done, _ := salvaged(t, s); done.Messages != want {
		t.Errorf("salvaged %d messages of %d", done.Messages, want)
	}
}

// Below a pointer that is beyond the end of its page a statement reads by chance what is in memory
// there; a salvage has every message, whatever that is.
func TestSalvageBelowAPointerBeyondItsPage(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v04.db")
	want := Count(t, reopen(t, path), `SELECT count(*) FROM messages`)
	b := newBreaker(t, path, 1)
	inner, _ := b.tree("messages")
	p := b.page(inner[0])
	binary.BigEndian.PutUint16(p[12+2*(binary.BigEndian.Uint16(p[3:])/2):], uint16(b.size-2))
	b.write()
	for before := range 24 { // readings, each of which may see other rows
		s := reopen(t, path)
		for range before % 3 {
			conversations(t, s)
			if _, err := s.Export(t.Context(), io.Discard, model.ExportOptions{}); err == nil {
				t.Error("an export finds no damage")
			}
		}
		done, err := s.Salvage(t.Context(), filepath.Join(t.TempDir(), "saved.db"))
		if err = errors.Join(err, s.Close()); err != nil || done.Messages != want {
			t.Fatalf("%d of %d messages: %v", done.Messages, want, err)
		}
	}
}

// A table of which the list of tables says nothing is left out of a salvage, which has the others
// with all of their columns.
func TestSalvageWithoutTheTextOfATable(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"schema_version", "state_meta"} {
		path := fixture(t, "v16.db")
		b := newBreaker(t, path, 1)
		b.change(`UPDATE sqlite_schema SET sql = 'CREATE TABLE ' || hex('garbage') WHERE name = '` + table + `'`)
		s := reopen(t, path)
		done, saved := salvaged(t, s)
		if done.Messages != Count(t, s, `SELECT count(*) FROM messages`) || !slices.Equal(saved.db.Schema.ColumnOrder["sessions"], s.db.Schema.ColumnOrder["sessions"]) {
			t.Errorf("%s: %+v, sessions have %v", table, done, saved.db.Schema.ColumnOrder["sessions"])
		}
	}
}
