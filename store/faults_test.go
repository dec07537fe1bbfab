//go:build unix

package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/faultvfs"
)

// allFaults is whether TestFaultsAtEveryStep tries every kind of fault at every step.
var allFaults = flag.Bool("faults", false, "try every kind of fault at every step of every call")

// faultTry is one call that meets one fault.
type faultTry struct {
	call publicCall
	kind faultvfs.Kind
	step int // 0 for no fault
	loss faultvfs.Loss
}

// String says which call meets what.
func (f faultTry) String() string {
	text := fmt.Sprintf("%s, %v at step %d", f.call.name, f.kind, f.step)
	if f.kind == faultvfs.PowerCut || f.kind == faultvfs.LostSyncs {
		text += fmt.Sprintf(", loss %d", f.loss)
	}
	return text
}

// outcome is what a call left.
type outcome struct {
	answer  string
	err     error
	noted   bool              // a note says that something could not be read
	before  map[string]string // what the file held, by session
	after   map[string]string
	steps   map[faultvfs.Kind][]int
	struck  int
	problem string // what is not sound
	took    time.Duration
}

// noted is an answer that says itself whether something could not be read.
type noted struct {
	Answer any
	lacks  bool
}

// meet makes a call on a copy of a history and lets it meet a fault.
func meet(t *testing.T, files map[string][]byte, f faultTry, random *rand.Rand) (o outcome) {
	t.Helper()
	root, err := os.MkdirTemp("", "fault")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	folder, other, left := filepath.Join(root, "disk"), filepath.Join(root, "other"), filepath.Join(root, "left")
	for _, dir := range []string{folder, other, left} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	disk, err := faultvfs.Watch(folder)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "state.db")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var s *Store
	do := func(ctx context.Context) (any, error) { return f.call.bare(ctx, path) }
	if f.call.bare == nil {
		if s, err = Open(ctx, path, WithClock(clock)); err != nil {
			t.Fatal(err)
		}
		do = f.call.prepare(t, s, other)
	}
	if f.call.writes && f.step == 0 {
		o.before, o.problem = contentOf(path)
	}
	disk.Arm(f.kind, f.step)
	began := time.Now()
	answer, err := do(ctx)
	o.took, o.err = time.Since(began), err
	o.steps = map[faultvfs.Kind][]int{}
	for _, kind := range faultvfs.Kinds {
		o.steps[kind] = disk.Steps(kind)
	}
	cut := f.step > 0 && (f.kind == faultvfs.PowerCut || f.kind == faultvfs.LostSyncs)
	if cut {
		if err := disk.CutPower(left, f.loss, random); err != nil {
			t.Fatal(err)
		}
	} else {
		o.struck = disk.Disarm()
	}
	if s != nil {
		o.noted = len(s.Notes()) > 0
		_ = s.Close() // a disk that fails lets it fail
	}
	if cut {
		o.struck = disk.Disarm()
		path = filepath.Join(left, "state.db")
	}
	disk.End()
	if !f.call.writes && cut {
		return o
	}
	if n, ok := answer.(noted); ok {
		o.noted = o.noted || n.lacks
	}
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	o.answer = string(text)
	if f.call.writes {
		o.after, o.problem = contentOf(path)
	}
	return o
}

// contentOf reads what a file holds, by session, and checks the pages and the index.
func contentOf(path string) (content map[string]string, problem string) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(1000)")
	if err != nil {
		return nil, err.Error()
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var result string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&result); err != nil || result != "ok" {
		return nil, fmt.Sprint(result, " ", err)
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, err := db.Exec(`INSERT INTO ` + table + `(` + table + `) VALUES ('integrity-check')`); err != nil {
			return nil, table + ": " + err.Error()
		}
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM (SELECT id FROM messages EXCEPT SELECT id FROM ` + table + `_docsize)`).Scan(&n); err != nil || n > 0 {
			return nil, fmt.Sprint(table, " lacks ", n, " rows ", err)
		}
	}
	content = map[string]string{}
	for _, query := range []string{
		`SELECT id, * FROM sessions ORDER BY id`, `SELECT session_id, * FROM messages ORDER BY id`,
		`SELECT 'meta', * FROM state_meta ORDER BY key`, `SELECT 'version', * FROM schema_version`,
		`SELECT 'schema', name, sql FROM sqlite_master ORDER BY name`,
	} {
		rows, err := db.Query(query)
		if err != nil {
			return nil, err.Error()
		}
		columns, err := rows.Columns()
		if err != nil {
			return nil, err.Error()
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return nil, err.Error()
			}
			content[fmt.Sprint(values[0])] += fmt.Sprintln(values[1:]...)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err.Error()
		}
	}
	return content, ""
}

// judge says what is wrong with the outcome of a call that met a fault, "" for nothing.
// whole is the outcome without one.
func judge(f faultTry, whole, o outcome) string {
	typed := o.err == nil
	if e, ok := errors.AsType[*model.Error](o.err); ok {
		typed = e.Kind != "" && e.Message != "" && e.Remedy.Text != "" && !strings.ContainsAny(e.Message+e.Remedy.Text, "\n\r")
	}
	cut := f.kind == faultvfs.PowerCut || f.kind == faultvfs.LostSyncs
	switch {
	case !typed:
		return fmt.Sprintf("the error has no kind or remedy: %T %v", o.err, o.err)
	case o.took > 10*time.Second:
		return fmt.Sprintf("it took %v", o.took)
	case !f.call.writes && !cut && o.err == nil && o.answer != whole.answer && !o.noted:
		return fmt.Sprintf("another answer, and no note: %.300s, want %.300s", o.answer, whole.answer)
	case !f.call.writes:
		return ""
	case o.problem != "":
		return "the file is not sound: " + o.problem
	}
	made, unmade := true, true
	keys := map[string]bool{}
	for _, content := range []map[string]string{whole.before, whole.after, o.after} {
		for id := range content {
			keys[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		is, was, will := o.after[id], whole.before[id], whole.after[id]
		if is != was && is != will {
			return fmt.Sprintf("%s is neither as it was nor as it should be:\n%.500s", id, is)
		}
		made, unmade = made && is == will, unmade && is == was
	}
	switch {
	case !made && !unmade && !f.call.parts:
		return "some sessions are as they were, others as they should be"
	case !made && o.err == nil && f.kind != faultvfs.LostSyncs:
		return "it was said to be done, and is not"
	}
	return ""
}

// faultCounts counts tries by kind of fault.
type faultCounts struct {
	points map[string]bool // call and step
	tries  map[faultvfs.Kind]int
	failed map[faultvfs.Kind]int // calls that gave an error
}

// add counts a try.
func (c *faultCounts) add(journal string, f faultTry, o outcome) {
	c.points[fmt.Sprint(journal, f.call.name, f.step)] = true
	c.tries[f.kind]++
	if o.err != nil {
		c.failed[f.kind]++
	}
}

// A disk that fails at any step of any call leaves the file sound. The error says so with
// a remedy; each session is as it was or as it should be, what was said to be done is
// done, after a power cut too, and a reading that lacks something has a note.
func TestFaultsAtEveryStep(t *testing.T) {
	t.Parallel()
	faultvfs.Register()
	counts := &faultCounts{points: map[string]bool{}, tries: map[faultvfs.Kind]int{}, failed: map[faultvfs.Kind]int{}}
	calls := slices.Concat(writingCalls(), readingCalls())
	slices.SortStableFunc(calls, func(a, b publicCall) int { return cmp.Compare(a.name, b.name) })
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for j, journal := range []string{"wal", "delete"} {
		files := faultyHistory(t, journal)
		for n, call := range calls {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			if !campaign.On() && !*allFaults && (n+j+int(seed%5))%5 > 0 {
				continue
			}
			whole := meet(t, files, faultTry{call: call}, random)
			if whole.err != nil || whole.problem != "" {
				t.Fatalf("%s: %v %s", call.name, whole.err, whole.problem)
			}
			for _, f := range faultsOf(call, whole, n+j, random) {
				o := meet(t, files, f, random)
				counts.add(journal, f, o)
				if wrong := judge(f, whole, o); wrong != "" {
					t.Errorf("%s: %v: %s", journal, f, wrong)
				}
			}
		}
	}
	total, failed := 0, 0
	var kinds []string
	for _, kind := range faultvfs.Kinds {
		total += counts.tries[kind]
		failed += counts.failed[kind]
		kinds = append(kinds, fmt.Sprintf("%v %d", kind, counts.tries[kind]))
	}
	t.Logf("trust: %d calls in 2 journal modes, %d steps, %d faults (%s), %d answered by an error", len(calls), len(counts.points), total, strings.Join(kinds, ", "), failed)
}

// faultsOf returns the faults that a call meets: in the quick form one at some step, in a
// campaign one at each step, and with -faults each kind at each step.
func faultsOf(call publicCall, whole outcome, n int, random *rand.Rand) (faults []faultTry) {
	byStep := map[int][]faultTry{}
	for _, kind := range faultvfs.Kinds {
		losses := []faultvfs.Loss{faultvfs.LoseAll}
		switch {
		case !call.writes && (kind == faultvfs.PowerCut || kind == faultvfs.LostSyncs):
			continue // nothing is written
		case kind == faultvfs.PowerCut:
			losses = faultvfs.Losses
		case kind == faultvfs.LostSyncs:
			losses = []faultvfs.Loss{faultvfs.LoseNone, faultvfs.LoseLatest} // in order, which no journal can do without
		}
		for _, step := range whole.steps[kind] {
			for _, loss := range losses {
				byStep[step] = append(byStep[step], faultTry{call, kind, step, loss})
			}
		}
	}
	steps := slices.Sorted(maps.Keys(byStep))
	switch {
	case *allFaults:
		for _, step := range steps {
			faults = append(faults, byStep[step]...)
		}
	case campaign.On():
		for _, step := range steps {
			faults = append(faults, byStep[step][(step+n)%len(byStep[step])])
		}
	case len(steps) > 0:
		at := byStep[steps[random.IntN(len(steps))]]
		faults = append(faults, at[random.IntN(len(at))])
	}
	return faults
}
