//go:build unix

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// ownFiles are the files that the program writes beside the database: in a folder, each as
// one that is there, and how it is written.
var ownFiles = []struct {
	name, before string
	write        func(t *testing.T, dir, file string) error
}{
	{"state.json", `{"scope": "archived"}`, func(_ *testing.T, _, file string) error { return state.State{Queries: []string{"x"}}.Write(file) }},
	{"read.json", `{}`, func(_ *testing.T, _, file string) error {
		r, err := state.OpenReadings(file, state.Databases{One: "/x.db"})
		r.Note("root", shell.LastRead{At: time.Unix(1, 0)})
		return errors.Join(err, r.Save())
	}},
	{"notes.jsonl", `{"database":"/x.db","session":"a","note":"kept","changed":"2026-01-01T00:00:00Z"}` + "\n", func(_ *testing.T, _, file string) error {
		b, err := state.OpenNotebook(file, state.Databases{One: "/x.db"}, time.Now)
		return errors.Join(err, b.Put(shell.Annotation{Root: "b", Note: "new"}))
	}},
	{"config.toml", "theme = \"dark\"\n", func(_ *testing.T, _, file string) error {
		_, err := state.Settings{File: file}.EditQueries("", &query.Named{Name: "new", Text: "docker"}, env.Vars{})
		return err
	}},
	{"plugins/" + hermes.PluginName + "/plugin.yaml", "", func(_ *testing.T, dir, _ string) error {
		_, err := hermes.WritePlugin(dir, "hermes-sessions", true)
		return err
	}},
	{"export.jsonl", "older", exportOver("jsonl")},
	{"export.md", "older", exportOver("md")},
	{"export.html", "older", exportOver("html")},
}

// exportOver replaces a file by an export.
func exportOver(format string) func(*testing.T, string, string) error {
	return func(t *testing.T, dir, file string) error {
		var said strings.Builder
		if Run(t.Context(), Process{
			Args: []string{"--db", filepath.Join(dir, "sessions.db"), "export", "--json", "--force", "--format", format, file}, Environ: env.Vars{"HOME=" + dir},
			Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said, Now: time.Now,
		}) == 0 {
			return nil
		}
		var e struct {
			Error struct{ Kind, Message, Remedy string }
		}
		if err := json.Unmarshal([]byte(said.String()), &e); err != nil {
			t.Errorf("%v: %s", err, said.String())
		}
		return &fault.Fault{Kind: e.Error.Kind, Message: e.Error.Message, Remedy: e.Error.Remedy}
	}
}

// The other half of TestFullDiskOfOwnFiles: no file may grow beyond a few bytes.
func TestFullDiskOfOwnFilesChild(t *testing.T) {
	dir := os.Getenv("CLI_TEST_FULL")
	if dir == "" {
		t.Skip("runs inside TestFullDiskOfOwnFiles")
	}
	signal.Ignore(syscall.SIGXFSZ)
	for _, f := range ownFiles {
		file := filepath.Join(dir, f.name)
		room := syscall.Rlimit{}
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 8, Max: room.Max}); err != nil {
			t.Fatal(err)
		}
		err := f.write(t, dir, file)
		if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); e != nil { // standard output may be a file
			t.Fatal(e)
		}
		if err == nil {
			t.Errorf("%s is written on a full disk", f.name)
			continue
		}
		if e := fault.Of(err); !store.IsDiskFull(err) && e.Kind != model.KindDiskFull || !strings.Contains(e.Message, "the disk is full") || !strings.Contains(e.Message, file) || e.Remedy == "" {
			t.Errorf("%s: %s: %s (%s)", f.name, e.Kind, e.Message, e.Remedy)
		}
	}
	fmt.Println("to the end")
}

// A disk that is full leaves each file of the program as it was, with nothing beside it, and
// the error names the file and a remedy. A file that may not be written stays, too.
func TestFullDiskOfOwnFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fixtures.Unpack(t, "v02.db", filepath.Join(dir, "sessions.db"))
	for _, f := range ownFiles {
		file := filepath.Join(dir, f.name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(f.before), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	unchanged := func(when string) {
		t.Helper()
		names := map[string]bool{"sessions.db": true}
		for _, f := range ownFiles {
			names[f.name] = true
			if text, err := os.ReadFile(filepath.Join(dir, f.name)); err != nil || string(text) != f.before {
				t.Errorf("%s, %s: %q %v", f.name, when, text, err)
			}
		}
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if name, _ := filepath.Rel(dir, path); err == nil && !e.IsDir() && !names[filepath.ToSlash(name)] {
				t.Errorf("left behind, %s: %s", when, name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestFullDiskOfOwnFilesChild$", "-test.v")
	cmd.Env = append(os.Environ(), "CLI_TEST_FULL="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "to the end") {
		t.Errorf("%v\n%s", err, out)
	}
	unchanged("full")
	for _, f := range ownFiles[:5] {
		file := filepath.Join(dir, f.name)
		if err := os.Chmod(file, 0o400); err != nil {
			t.Fatal(err)
		}
		if err := f.write(t, dir, file); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s, which is read-only: %v", f.name, err)
		}
	}
	unchanged("read-only")
}
