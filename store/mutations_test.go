package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// mutations is how many mutated files TestMutatedFiles tries.
var mutations = flag.Int("mutations", campaign.Length(2, 200), "mutated files to try")

// keptMutations are seeds of mutations on which the store was wrong once.
var keptMutations = []uint64{}

// mutationLimit is how long one call may take on a mutated file.
const mutationLimit = 10 * time.Second

// A real file that was damaged at random is read or refused: every call ends in time,
// with an answer, a note or an error with a remedy. The doctor calls nothing healthy
// that SQLite cannot read; an export without a note has every message that a scan of the
// table reads; a salvage gives a sound file.
func TestMutatedFiles(t *testing.T) {
	t.Parallel()
	names := Versions(t)
	tried, refused, damaged, lossy := 0, 0, 0, 0
	seeds := slices.Clone(keptMutations)
	for n := range *mutations {
		seeds = append(seeds, uint64(1_000+n))
	}
	for _, seed := range seeds {
		name := names[seed%uint64(len(names))]
		path := fixture(t, name)
		original := scanned(path)
		what := fmt.Sprintf("seed %d, %s: %s", seed, name, fixtures.Mutate(t, path, seed))
		m := tryMutated(t, path, what, original)
		tried++
		if m.refused {
			refused++
		}
		if m.damaged {
			damaged++
		}
		if m.lossy {
			lossy++
		}
	}
	t.Logf("trust: %d mutated files: %d refused, %d found damaged, %d with losses, 0 silent losses, 0 hangs, 0 called healthy that SQLite cannot read", tried, refused, damaged, lossy)
}

// mutated is what became of a mutated file.
type mutated struct{ refused, damaged, lossy bool }

// tryMutated holds the calls on a mutated file to what is promised.
func tryMutated(t *testing.T, path, what string, original scan) (m mutated) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	truth := scanned(path)
	timed := func(name string, call func() error) error {
		began := time.Now()
		err := call()
		if took := time.Since(began); took > mutationLimit {
			t.Errorf("%s: %s takes %v", what, name, took)
		}
		if e, ok := errors.AsType[*model.Error](err); err != nil && (!ok || e.Remedy.Text == "" || e.Message == "") {
			t.Errorf("%s: %s: no kind or no remedy: %v", what, name, err)
		}
		return err
	}
	var s *Store
	if err := timed("Open", func() (err error) { s, err = Open(ctx, path, WithClock(clock)); return err }); err != nil {
		if truth.readable {
			t.Errorf("%s: SQLite reads it, and it is refused: %v", what, err)
		}
		return mutated{refused: true}
	}
	defer s.Close() //nolint:errcheck // nothing was written
	_ = timed("Conversations", func() error {
		_, err := s.Conversations(ctx, query.ListOptions{Scope: everyConversation.Scope})
		return err
	})
	_ = timed("Search", func() error { _, err := s.Search(ctx, query.Parse("the", false), everyConversation); return err })
	_ = timed("Stats", func() error { _, err := s.Stats(ctx); return err })
	var lines bytes.Buffer
	exporting := timed("Export", func() error { _, err := s.Export(ctx, &lines, model.ExportOptions{}); return err })
	exported := 0
	for line := range bytes.Lines(lines.Bytes()) {
		var row struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Errorf("%s: not JSON: %.80s", what, line)
		}
		exported += len(row.Messages)
	}
	if exporting == nil && len(s.Notes()) == 0 && exported < truth.active {
		t.Errorf("%s: %d of %d messages were exported, and nothing says so", what, exported, truth.active)
	}
	var c model.Checkup
	_ = timed("Check", func() (err error) { c, err = s.Check(ctx, true); return err })
	if c.Healthy() && !truth.sound {
		t.Errorf("%s: it is called healthy, and SQLite says %s", what, truth.complaint)
	}
	m.damaged = !c.Healthy()
	var done model.Salvaged
	out := filepath.Join(t.TempDir(), "saved.db")
	if err := timed("Salvage", func() (err error) { done, err = s.Salvage(ctx, out); return err }); err != nil {
		return m
	}
	m.lossy = !done.Whole()
	if after := scanned(out); !after.sound || after.messages != done.Messages {
		t.Errorf("%s: the salvaged file has %d of %d messages: %s", what, after.messages, done.Messages, after.complaint)
	}
	if done.Whole() && done.Messages != original.messages {
		t.Errorf("%s: %d of %d messages were salvaged, and nothing is said to be lost", what, done.Messages, original.messages)
	}
	if done.Messages < truth.messages && done.Whole() {
		t.Errorf("%s: %d of %d messages that SQLite reads were salvaged", what, done.Messages, truth.messages)
	}
	return m
}

// scan is what SQLite itself reads of a file.
type scan struct {
	readable         bool // both tables, to the end
	messages, active int
	sound            bool
	complaint        string
}

// scanned reads both tables of a file without an index, and checks it.
func scanned(path string) (s scan) {
	q, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return s
	}
	defer q.Close()
	count := func(query string) (n int, err error) {
		rows, err := q.Query(query)
		if err != nil {
			return 0, err
		}
		err = db.ScanRecords(rows, func(db.Record) error { n++; return nil })
		return n, err
	}
	var messages, sessions error
	s.messages, messages = count(`SELECT * FROM messages NOT INDEXED`)
	_, sessions = count(`SELECT * FROM sessions NOT INDEXED`)
	s.readable = messages == nil && sessions == nil
	// Hermes exports the active ones, of sessions that are there.
	sc, err := db.ReadSchema(context.Background(), q)
	if err == nil {
		s.active, _ = count(`SELECT id FROM messages m NOT INDEXED WHERE ` + sc.ActiveRows("m") + ` AND session_id IN (SELECT +id FROM sessions NOT INDEXED)`)
	}
	rows, err := q.Query(`PRAGMA integrity_check`)
	if err == nil {
		err = db.ScanRecords(rows, func(r db.Record) error {
			for line := range strings.Lines(db.AsText(r[0].Value)) {
				line = strings.TrimSpace(line)
				if line != "ok" && !strings.HasPrefix(line, "***") && !strings.Contains(line, " value in ") && !older(line) {
					s.complaint = line
				}
			}
			return nil
		})
	}
	if err = errors.Join(err, messages, sessions); err != nil {
		s.complaint = err.Error()
	}
	s.sound = s.complaint == ""
	return s
}
