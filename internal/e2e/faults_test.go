//go:build !windows

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// badFile is something that is not the database one hopes for.
type badFile struct {
	name string
	make func(t *testing.T, dir string) string // gives the path to open
}

func badFiles(t *testing.T) []badFile {
	t.Helper()
	var files []badFile
	damaged := fixtures.Names(t, "damaged/*.db", 7)
	if !campaign.On() {
		damaged = damaged[3:4] // in which reading looped once
	}
	for _, recorded := range slices.Concat(fixtures.Names(t, "bad/*.db", 20), damaged) {
		name := path.Base(recorded)
		files = append(files, badFile{name, func(t *testing.T, dir string) string {
			path := filepath.Join(dir, name)
			fixtures.Unpack(t, recorded, path)
			return path
		}})
	}
	return append(files,
		badFile{"a folder", func(_ *testing.T, dir string) string { return dir }},
		badFile{"nothing", func(_ *testing.T, dir string) string { return filepath.Join(dir, "nothing.db") }},
		badFile{"below a file", func(t *testing.T, dir string) string {
			fixtures.Unpack(t, "v11.db", filepath.Join(dir, "file"))
			return filepath.Join(dir, "file", "state.db")
		}},
		badFile{"a pipe", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "pipe.db")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}},
		badFile{"a device", func(*testing.T, string) string { return os.DevNull }},
		badFile{"a loop of links", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "loop.db")
			if err := os.Symlink(path, path); err != nil {
				t.Fatal(err)
			}
			return path
		}},
		badFile{"without permission", func(t *testing.T, dir string) string {
			if os.Getuid() == 0 {
				t.Skip("root can read every file")
			}
			path := filepath.Join(dir, "closed.db")
			fixtures.Unpack(t, "v11.db", path)
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			return path
		}},
	)
}

// limit is how much CPU time a command may take on a bad file.
const limit = 2 * time.Second

// Whatever is wrong with a file, a command says so in one line or reads what
// there is; it does not hang, and leaves every byte as it was.
func TestBadFilesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	for i, f := range badFiles(t) {
		if i%2 == 0 && !campaign.On() { // TestBadFilesOnTheScreen opens it
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			commands := []string{"list --all --limit 0", "list --json", "search the", "search --json the", "export -", "export - --format html", "export - --format md", "resume --print", "stats", "doctor", "doctor --full --json", "doctor --salvage saved.db", "--plain"}
			for k, args := range commands {
				if (i+k)%campaign.Length(len(commands), 1) > 0 { // one for each file
					continue
				}
				dir := t.TempDir()
				path := f.make(t, dir)
				before := folderOrClosed(t, dir, path)
				r := run(t, append([]string{"--db", path}, strings.Fields(args)...)...)
				if r.cpu > limit {
					t.Errorf("%s took %v of CPU time", args, r.cpu)
				}
				if r.code != 0 && r.code != 1 {
					t.Errorf("%s: exit code %d\n%s", args, r.code, r.stderr)
				}
				if r.code == 1 && r.stdout == "" && r.stderr == "" && !strings.HasPrefix(args, "search") && !strings.HasPrefix(args, "export -") {
					t.Errorf("%s failed without a word", args)
				}
				if strings.Contains(r.stderr, "goroutine ") || strings.Count(r.stderr, "\nhermes-sessions: ") > 2 { // an error and two notes, or three notes
					t.Errorf("%s: %s", args, r.stderr)
				}
				if args != "export -" && strings.ContainsAny(r.stdout+r.stderr, "\x1b\u009b\u202e\x00") {
					t.Errorf("%s: not harmless: %q", args, r.stdout+r.stderr)
				}
				same(t, args, before, folderOrClosed(t, dir, path))
			}
		})
	}
}

// The same on the screen: a notice or one line, and Ctrl+C always leaves.
func TestBadFilesOnTheScreen(t *testing.T) {
	t.Parallel()
	for i, f := range badFiles(t) {
		if i%campaign.Length(2, 1) > 0 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := f.make(t, dir)
			before := folderOrClosed(t, dir, path)
			c := openConsole(t, 90, 20, environment(t), program, "--db", path)
			c.until("it opens or says why not", func(text string) bool {
				return c.onScreen() && text != "" || strings.Contains(text, "hermes-sessions: ")
			})
			if c.onScreen() {
				c.Press("Ctrl+C")
				c.exits(130)
			} else {
				c.exits(1)
			}
			c.restored()
			if strings.Contains(c.text(), "goroutine ") {
				t.Error(c.text())
			}
			same(t, "browsing", before, folderOrClosed(t, dir, path))
		})
	}
}

// What a damaged file still gives is not taken for the whole: a note says so, and the exit
// code.
func TestDamageIsReported(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "truncated.db")
	fixtures.Unpack(t, "bad/truncated.db", db)
	r := run(t, "--db", db, "list")
	if r.code != 1 || r.stdout == "" || !strings.HasPrefix(r.stderr, "hermes-sessions: note: ") || strings.Count(r.stderr, "hermes-sessions: ") != 1 {
		t.Errorf("%+v", r)
	}
	if r := run(t, "--db", db, "list", "--json"); r.code != 1 || r.stdout == "" || !strings.HasPrefix(r.stderr, `{"note":{"kind":"damaged",`) {
		t.Errorf("%+v", r)
	}
}

// A reader that has enough is no failure, and the database is closed for it.
func TestReaderThatStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "v11.db")
	fixtures.Unpack(t, "v11.db", db)
	before := folder(t, dir)
	for _, args := range []string{"export -", "list --all --limit 0 --json"} {
		cmd := exec.CommandContext(t.Context(), program, append([]string{"--db", db}, strings.Fields(args)...)...)
		cmd.Env = environment(t)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = in
		if err := errors.Join(out.Close(), cmd.Start(), in.Close()); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v, %q", args, err, stderr.String())
		}
		same(t, args, before, folder(t, dir))
	}
}
