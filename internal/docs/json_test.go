package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/cli"
	"hermes-sessions/internal/fixtures"
)

// run runs a command line with --json in this process, without a terminal.
func run(t *testing.T, args ...string) (code int, out, errs []byte) {
	t.Helper()
	var o, e bytes.Buffer
	var environ []string
	if slices.Contains(args, "notes") { // they are kept beside the database here
		environ = []string{"XDG_STATE_HOME=" + filepath.Dir(args[1])}
	}
	code = cli.Run(context.WithoutCancel(t.Context()), cli.Process{
		Args: append(args, "--json"), Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e, Environ: environ,
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	return code, o.Bytes(), e.Bytes()
}

// parse reads exactly one JSON value.
func parse(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&v); err == nil && d.More() {
		err = fmt.Errorf("more than one value")
	}
	return v, err
}

// sessionOf returns a session with messages, of a title if it has one.
func sessionOf(t *testing.T, db, order string, words ...string) (id string) {
	t.Helper()
	_, out, errs := run(t, append([]string{"--db", db, "list", "--sort", order, "--limit", "1"}, words...)...)
	var list struct{ Sessions []struct{ ID string } }
	if err := json.Unmarshal(out, &list); err != nil || len(list.Sessions) == 0 {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	return list.Sessions[0].ID
}

// Every command prints what its schema says, on databases of old and new versions.
func TestCommandsKeepTheContract(t *testing.T) {
	c := newContract(t)
	types := map[string]*object{}
	for _, d := range answers {
		types[d.schema] = c.object(reflect.TypeOf(d.value))
	}
	versions := []string{"v07.db", "v11.db", "v25.db", "v31.db"}
	if campaign.On() {
		versions = fixtures.Names(t, "v??.db", 20)
	}
	covered := map[string]bool{}
	t.Run("init plugin", func(t *testing.T) {
		code, out, errs := run(t, "--home", t.TempDir(), "init", "plugin")
		v, err := parse(out)
		if code != 0 || err != nil {
			t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
		}
		c.checkObject(t, "init plugin", types["init-plugin"], v)
		covered["init-plugin"] = true
	})
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			db := fixtures.Database(t, version)
			id, withFile := sessionOf(t, db, "messages"), sessionOf(t, db, "messages", "--scope", "all", "file:*")
			file := filepath.Join(t.TempDir(), "all.jsonl")
			notes := filepath.Join(t.TempDir(), "notes.jsonl")
			if err := os.WriteFile(notes, []byte(`{"database": "`+filepath.ToSlash(db)+`", "session": "gone", "note": "x", "tags": ["y"]}`), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range []struct {
				args   string
				code   int
				schema string
			}{
				{"list", 0, "list"},
				{"list --all --full", 0, "list"},
				{"list source:nowhere", 1, "list"},
				{"list is:pinned", -1, "list"}, // a note where the file knows no pins
				{"search the", 0, "search"},
				{"undo", 1, "undo"}, // nothing was interrupted
				{"search the docker bild --explain", 0, "search"},
				{"search zzyzxqqq", 1, "search"},
				{"search the --group message --explain", 0, "search-messages"},
				{"search zzyzxqqq --group message", 1, "search-messages"},
				{"browse", 0, "list"},
				{"show " + id, 0, "show"},
				{"show " + id + " --format json", 0, "show"},
				{"lineage " + id, 0, "lineage"},
				{"files " + withFile, -1, "files"}, // a search finds what was compacted away, too
				{"notes import " + notes, 0, "notes-imported"},
				{"notes", 0, "notes"},
				{"notes export " + notes + ".new", 0, "notes-exported"},
				{"resume " + id, 0, "resume"},
				{"resume " + id + " --print", 0, "resume"},
				{"running", map[bool]int{false: 1}[version == "v31.db"], "running"}, // where the others have no process at work
				{"stats", 0, "stats"},
				{"compare " + id + " " + sessionOf(t, db, "started"), 0, "compare"},
				{"compare " + id + " " + id, 2, "error"},
				{"storage", 0, "storage"},
				{"storage --db " + fixtures.Database(t, version), 0, "storage-several"},
				{"storage --checkpoint", 0, "storage-compacted"},
				{"storage --vacuum --yes", 0, "storage-compacted"},
				{"stats --by day,model", 0, "stats-by"},
				{"stats --by tool --started 2026", -1, "stats-by"},
				{"doctor", -1, "doctor"},
				{"doctor --salvage " + file + ".db", -1, "doctor-salvage"},
				{"export " + file, 0, "export"},
				{"import " + file, 0, "import"},
				{"prune --dry-run --older-than 0", 0, "prune-dry-run"},
				{"info", 0, "info"},
				{"config --config " + notes + ".toml", 0, "config"},
				{"version", 0, "version"},
				{"show zzyzxqqq", 1, "error"},
				{"show", 2, "error"},
				{"--nope", 2, "error"},
				{"pin " + id, -1, "flag"},
				{"archive " + id, -1, "flag"},
				{"rename " + id + " A title of its own", -1, "rename"}, // the first versions have no titles
				{"delete --yes --segment " + id, 0, "delete"},
				{"prune --yes --older-than 0", 0, "prune"},
				{"doctor --migrate --yes", -1, "doctor-migrate"},
			} {
				code, out, errs := run(t, append([]string{"--db", db}, strings.Fields(command.args)...)...)
				at := version + " " + command.args
				o, text := types[command.schema], out
				if code != 0 && len(out) == 0 {
					if command.code == 0 {
						t.Errorf("%s: exit code %d: %s", at, code, errs)
						continue
					}
					o, text = types["error"], errs
				}
				if command.code >= 0 && code != command.code {
					t.Errorf("%s: exit code %d, want %d: %s", at, code, command.code, errs)
				}
				v, err := parse(text)
				if err != nil {
					t.Errorf("%s: %v: %.300s", at, err, text)
					continue
				}
				c.checkObject(t, at, o, v)
				covered[command.schema] = covered[command.schema] || o == types[command.schema]
				for line := range strings.Lines(string(errs)) {
					note, err := parse([]byte(line))
					kind := types["error"]
					if m, ok := note.(map[string]any); ok && m["note"] != nil {
						kind = types["note"]
						covered["note"] = true
					}
					if err != nil {
						t.Errorf("%s: standard error: %v: %s", at, err, line)
						continue
					}
					c.checkObject(t, at, kind, note)
				}
			}
		})
	}
	for _, d := range answers {
		if !covered[d.schema] {
			t.Errorf("no command printed %s", d.schema)
		}
	}
}

// Lists have the system prompts of sessions, which are half of their bytes, only with --full.
func TestListsHaveSystemPromptsOnlyIfAsked(t *testing.T) {
	db := fixtures.Database(t, "v11.db")
	for _, command := range []string{"list --all --limit 0", "search the", "prune --dry-run --older-than 0"} {
		for full, want := range map[string]bool{"": false, " --full": true} {
			_, out, errs := run(t, append([]string{"--db", db, "--json"}, strings.Fields(command+full)...)...)
			if got := strings.Contains(string(out), `"system_prompt": "`); got != want || len(out) == 0 {
				t.Errorf("%s%s: system prompts %t, want %t %s", command, full, got, want, errs)
			}
		}
	}
}

// What show prints with --json is a line of an export, and import takes it back.
func TestShowCanBeImported(t *testing.T) {
	for _, version := range []string{"v11.db", "v25.db", "v31.db"} {
		db := fixtures.Database(t, version)
		id := sessionOf(t, db, "messages")
		_, shown, _ := run(t, "--db", db, "show", id)
		_, exported, _ := run(t, "--db", db, "export", "-", "--session-id", id)
		if len(shown) == 0 || !bytes.Equal(shown, exported) {
			t.Errorf("%s: show prints %d bytes, export %d", version, len(shown), len(exported))
		}
		var out, errs bytes.Buffer
		fresh := filepath.Join(t.TempDir(), "state.db")
		code := cli.Run(t.Context(), cli.Process{
			Args: []string{"--db", fresh, "import", "-", "--new", "--json"}, Stdin: bytes.NewReader(shown), Stdout: &out, Stderr: &errs, Now: time.Now,
		})
		if code != 0 || !strings.Contains(out.String(), `"imported": 1`) {
			t.Errorf("%s: exit code %d: %s%s", version, code, &out, &errs)
		}
	}
}

// An instant is the same number in every answer.
func TestTimesAreTheSameEverywhere(t *testing.T) {
	db := fixtures.Database(t, "v25.db")
	times := map[string]map[string]json.Number{} // of sessions: by name of the answer
	add := func(id, where string, v json.Number) {
		if times[id] == nil {
			times[id] = map[string]json.Number{}
		}
		times[id][where] = v
	}
	type row struct {
		ID      string
		Started json.Number `json:"started_at"`
		Best    struct {
			Session string      `json:"session_id"`
			Started json.Number `json:"session_started"`
		}
	}
	var found struct{ Conversations []row }
	_, out, _ := run(t, "--db", db, "search", "the", "--limit", "0")
	if err := json.Unmarshal(out, &found); err != nil || len(found.Conversations) == 0 {
		t.Fatal(err, string(out))
	}
	for _, r := range found.Conversations {
		add(r.ID, "search", r.Started)
		add(r.ID, "best", r.Best.Started)
		var node struct {
			Children []json.RawMessage
			row
		}
		_, out, _ := run(t, "--db", db, "lineage", r.ID)
		if err := json.Unmarshal(out, &node); err != nil {
			t.Fatal(err)
		}
		if node.ID == r.ID {
			add(r.ID, "lineage", node.Started)
		}
	}
	var all struct{ Sessions []row }
	_, out, _ = run(t, "--db", db, "list", "--all", "--limit", "0")
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all.Sessions {
		add(r.ID, "list", r.Started)
	}
	for id, by := range times {
		var first json.Number
		for _, where := range slices.Sorted(maps.Keys(by)) {
			if first == "" {
				first = by[where]
			} else if by[where] != first {
				t.Errorf("%s started at %v", id, by)
				break
			}
		}
	}
}
