package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
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
	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/fixtures"
)

// damagedFile is a file of the set that TestCommandsOnDamagedFiles tries.
type damagedFile struct {
	name string
	of   string // the fixture before the damage; "" for one that was recorded damaged
	make func(t *testing.T, path string)
}

// damagedFiles returns the whole set: the fixtures that are damaged or odd, and each way to
// damage a database of three versions.
func damagedFiles(t *testing.T) (all []damagedFile) {
	t.Helper()
	for _, pattern := range []string{"damaged/*.db", "bad/*.db"} {
		for _, name := range fixtures.Names(t, pattern, 7) {
			all = append(all, damagedFile{name, "", func(t *testing.T, path string) { fixtures.Unpack(t, name, path) }})
		}
	}
	for _, name := range []string{"v02.db", "v11-first.db", "v25.db"} {
		for _, d := range fixtures.Damages() {
			all = append(all, damagedFile{name + ", " + d.Name, name, func(t *testing.T, path string) {
				fixtures.Unpack(t, name, path)
				d.Do(t, path)
			}})
		}
	}
	return all
}

// scanned counts what SQLite itself reads of both tables without an index: sessions, the
// messages of these, and all.
func scanned(t *testing.T, path string) (sessions, active, messages int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a view may never end
	defer cancel()
	read := func(query string, each func(a, b any, c int)) {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return
		}
		defer rows.Close()
		for rows.Next() {
			var a, b any
			var c int
			if rows.Scan(&a, &b, &c) != nil {
				return
			}
			each(a, b, c)
		}
		_ = rows.Err() // what was read until then counts
	}
	ids, seen := map[any]bool{}, map[any]bool{}
	read(`SELECT CASE typeof(id) WHEN 'text' THEN id END, 0, 0 FROM sessions NOT INDEXED`, func(id, _ any, _ int) { ids[id] = true })
	count := func(query string) {
		read(query, func(id, session any, on int) {
			if seen[id] {
				return
			}
			seen[id] = true
			messages++
			if on == 1 && ids[session] {
				active++
			}
		})
	}
	if count(`SELECT +id, CASE typeof(session_id) WHEN 'text' THEN session_id END, active FROM messages NOT INDEXED`); messages == 0 {
		count(`SELECT +id, CASE typeof(session_id) WHEN 'text' THEN session_id END, 1 FROM messages NOT INDEXED`)
	}
	return len(ids), active, messages
}

// Every command on every damaged file ends in time with exit code 0 or 1, valid JSON, and
// errors and notes that name a remedy. What an export or a salvage lacks is said, and
// gives exit code 1; a delete can be taken back.
func TestCommandsOnDamagedFiles(t *testing.T) {
	t.Parallel()
	all := damagedFiles(t)
	if !campaign.On() {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:2]
	}
	c := &damagedCommands{}
	for _, f := range all {
		dir := t.TempDir()
		path := filepath.Join(dir, "state.db")
		f.make(t, path)
		c.try(t, f, dir, path)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("trust: %d damaged files, %d commands, the longest %v, 0 hangs, 0 panics, 0 silent losses", len(all), c.runs, c.longest.Round(time.Millisecond))
}

// damagedCommands counts commands on damaged files.
type damagedCommands struct {
	runs    int
	longest time.Duration
}

// try runs every command on one file.
func (c *damagedCommands) try(t *testing.T, f damagedFile, dir, path string) {
	t.Helper()
	name := f.name
	copied := filepath.Join(t.TempDir(), "state.db") // SQLite makes files beside what it reads
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		t.Fatal(err)
	}
	alone := true
	for _, end := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + end); err == nil && info.Mode().IsRegular() {
			alone = false
		}
	}
	sessions, active, messages := 0, 0, 0
	if alone {
		sessions, active, messages = scanned(t, copied)
	}
	run := func(args string, more ...string) (int, string, string) {
		return c.run(t, name, path, slices.Concat(strings.Fields(args), more))
	}
	_, out, _ := run("list --all --limit 0 --json")
	var listed struct{ Sessions []struct{ ID string } }
	_ = json.Unmarshal([]byte(out), &listed) // run has said what is wrong with it
	run("list")
	run("search the")
	run("search --json docker")
	run("search --json --group message the")
	run("stats --json")
	run("stats --by day,model --json")
	run("storage --json")
	run("running --json")
	run("notes --json")
	run("list --json has:failed file:*")
	run("doctor")
	run("doctor --full --json")
	run("resume --print --json")
	run("prune --dry-run --older-than 1 --json")
	if len(listed.Sessions) > 0 {
		for _, i := range []int{0, len(listed.Sessions) / 2} {
			for _, args := range []string{"show --json --", "show --tools --", "lineage --json --", "files --json --"} {
				run(args, listed.Sessions[i].ID)
			}
		}
		run("compare --json --", listed.Sessions[0].ID, listed.Sessions[len(listed.Sessions)/2].ID)
	}
	code, out, errs := run("export -")
	lines, exported := 0, 0
	for line := range strings.Lines(out) {
		var row struct{ Messages []json.RawMessage }
		// Numbers that JSON does not have are as Hermes writes them.
		line = strings.NewReplacer("-Infinity", "null", "Infinity", "null", ": NaN", ": null").Replace(line)
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Errorf("%s: export: %v: %.200s", name, err, line)
		}
		lines, exported = lines+1, exported+len(row.Messages)
	}
	if code == 0 && (exported < active || lines < sessions) {
		t.Errorf("%s: export has %d of %d sessions and %d of %d messages, and nothing says so: %s", name, lines, sessions, exported, active, errs)
	}
	for _, format := range []string{"html", "md"} {
		// A document needs fewer columns, which may be readable where the whole row is not.
		said, document, _ := run("export - --format " + format)
		if said == 0 && code != 0 && (f.of == "" || document != c.undamaged(t, f.of, format)) {
			t.Errorf("%s: an export to %s says that nothing is missing", name, format)
		}
	}
	if masked, _, _ := run("export --redact -"); masked == 0 && code != 0 {
		t.Errorf("%s: a redacted export says that nothing is missing", name)
	}
	c.besideSound(t, name, path, code)
	saved := filepath.Join(dir, "saved.db")
	code, out, errs = run("doctor --salvage", saved)
	if _, err := os.Stat(saved); err == nil {
		if _, _, left := scanned(t, saved); left < messages && code == 0 {
			t.Errorf("%s: a salvage has %d of %d messages, and nothing says so: %s", name, left, messages, out)
		}
	} else if active > 0 && !strings.Contains(errs, "the list of tables in the database is damaged") && !strings.Contains(name, "endless view") && !strings.Contains(name, "a folder as") {
		t.Errorf("%s: %d messages can be read and not salvaged: %s", name, messages, errs)
	}
	if alone {
		c.compact(t, name, content, "storage --vacuum --yes", messages)
		c.compact(t, name, content, "storage --checkpoint --json", messages)
	}
	if len(listed.Sessions) > 0 && alone {
		c.deleteAndImport(t, name, dir, path, listed.Sessions[0].ID)
	}
}

// compact runs a command that may change the whole file. One that is refused changes
// nothing, any other loses nothing that could be read.
func (c *damagedCommands) compact(t *testing.T, name string, content []byte, command string, messages int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := c.run(t, name, path, strings.Fields(command))
	if after, err := os.ReadFile(path); err != nil || code != 0 && !bytes.Equal(after, content) {
		t.Errorf("%s: %s was refused and changed the file: %v %s", name, command, err, errs)
	}
	if _, _, left := scanned(t, path); code == 0 && left < messages {
		t.Errorf("%s: %d of %d messages are left after %s", name, left, messages, command)
	}
}

// besideSound lists, searches, counts and exports a file together with a sound one: what
// an export of it alone lacks, an export of both lacks too, and a list of both has all of
// the sound one.
func (c *damagedCommands) besideSound(t *testing.T, name, path string, alone int) {
	t.Helper()
	sound := filepath.Join(t.TempDir(), "state.db")
	fixtures.Unpack(t, "v16.db", sound)
	sessions, _, _ := scanned(t, sound)
	run := func(args string) (int, string, string) {
		return c.run(t, name+", beside a sound file", path, append([]string{"--db", sound}, strings.Fields(args)...))
	}
	run("search --json docker")
	run("stats --by day --json")
	code, out, errs := run("export -")
	if code == 0 && (alone != 0 || strings.Count(out, "\n") < sessions) {
		t.Errorf("%s: an export beside a sound file, with %d sessions, has %d lines and says: %s", name, sessions, strings.Count(out, "\n"), errs)
	}
	code, out, errs = run("list --all --limit 0 --json")
	var listed struct{ Sessions []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Sessions) < sessions/4 {
		t.Errorf("%s: a list beside a sound file has %d conversations: %d %v %s", name, len(listed.Sessions), code, err, errs)
	}
}

// undamaged returns the document of a fixture without a damage.
func (c *damagedCommands) undamaged(t *testing.T, name, format string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	fixtures.Unpack(t, name, path)
	_, out, _ := c.run(t, name, path, []string{"export", "-", "--format", format})
	return out
}

// deleteAndImport deletes a conversation, and takes that back.
func (c *damagedCommands) deleteAndImport(t *testing.T, name, dir, path, id string) {
	t.Helper()
	_, _, before := scanned(t, path)
	backup := filepath.Join(dir, "gone.jsonl")
	c.run(t, name, path, []string{"rename", "--", id, "another title"})
	code, _, _ := c.run(t, name, path, []string{"delete", "--yes", "--json", "--backup", backup, "--", id})
	_, _, after := scanned(t, path)
	_, err := os.Stat(backup)
	switch {
	case err != nil && after < before:
		t.Errorf("%s: %d messages are deleted without a backup", name, before-after)
	case err != nil || code != 0:
	default:
		if code, _, _ := c.run(t, name, path, []string{"import", "--json", backup}); code == 0 {
			if _, _, again := scanned(t, path); again < before {
				t.Errorf("%s: %d messages, %d after a delete, %d after its backup was imported", name, before, after, again)
			}
		}
	}
}

// run runs a command and holds it to what is promised of every one.
func (c *damagedCommands) run(t *testing.T, name, path string, args []string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	// A minute of the clock: other programs may have the processors, and one list is of 42 MB.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	began := time.Now()
	code = Run(ctx, Process{Args: append([]string{"--db", path}, args...), Environ: env.Vars{"HOME=" + filepath.Dir(path)}, Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e, Now: time.Now})
	took := time.Since(began)
	c.runs, c.longest = c.runs+1, max(c.longest, took)
	what := fmt.Sprintf("%s: %q", name, args)
	out, errs = o.String(), e.String()
	o = bytes.Buffer{} // which cobra keeps, with all that it knows of the flags of the command
	switch {
	case ctx.Err() != nil:
		t.Errorf("%s does not end", what)
	case code != 0 && code != 1:
		t.Errorf("%s: exit code %d: %s", what, code, errs)
	case code == 1 && out == "" && errs == "":
		t.Errorf("%s fails without a word", what)
	}
	asJSON := slices.Contains(args, "--json")
	if asJSON && out != "" && !json.Valid([]byte(out)) {
		t.Errorf("%s: no JSON: %.300s", what, out)
	}
	for line := range strings.Lines(errs) {
		if !asJSON {
			if !strings.HasPrefix(line, "hermes-sessions: ") && !strings.HasPrefix(line, "No ") && !strings.HasPrefix(line, "  ") { // a command
				t.Errorf("%s: %q", what, line)
			}
			continue
		}
		var object map[string]struct{ Kind, Message, Remedy string }
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Errorf("%s: %v: %q", what, err, line)
		}
		for o := range maps.Values(object) {
			if o.Kind == "" || o.Message == "" || o.Remedy == "" {
				t.Errorf("%s: no kind, words or remedy: %q", what, line)
			}
		}
	}
	return code, out, errs
}
