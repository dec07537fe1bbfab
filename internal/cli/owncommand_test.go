//go:build !windows

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/internal/sourcetree"
	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/ui/shell"
)

// commander runs commands of one's own on a conversation with an odd title.
type commander struct {
	t      *testing.T
	a      *app
	h      history
	of     model.Conversation
	folder string // of the conversation
	home   string // whose bin has the only programs besides those of the system
}

const oddTitle = `it's "$(touch pwned)" ; & | > x ` + "`touch pwned`" + ` %PATH% !x! \`

func newCommander(t *testing.T, settings string) *commander {
	t.Helper()
	c := &commander{t: t, home: t.TempDir(), folder: filepath.Join(t.TempDir(), "the $(touch pwned) 'folder'")}
	db := fixtures.Database(t, "v25.db")
	file := filepath.Join(c.home, "config.toml")
	for _, err := range []error{os.Mkdir(c.folder, 0o700), os.Mkdir(filepath.Join(c.home, "bin"), 0o700), os.WriteFile(file, []byte(settings), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	q := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const id = "own"
	fixtures.Exec(t, db, "INSERT INTO sessions (id, source, title, started_at, ended_at, cwd) VALUES ('own', 'cli', "+q(oddTitle+"\nnext line\x1b[2J")+", 1789000000, 1789000001, "+q(c.folder)+")",
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('own', 'user', 'hello', 1789000000)")
	if c.of, err = s.Conversation(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	environ := env.Vars{"HOME=" + c.home, "PATH=" + filepath.Join(c.home, "bin") + ":/usr/bin:/bin", "SHELL=" + filepath.Join(c.home, "bin", "mysh"), "TZ=UTC"}
	c.a = &app{Process: Process{Environ: environ, Stderr: io.Discard, Now: func() time.Time { return time.Unix(1_790_000_000, 0).UTC() }}, log: slog.New(slog.DiscardHandler)}
	if c.a.settings, err = state.ReadSettings(file, environ); err != nil {
		t.Fatal(err)
	}
	l := live.New(t.Context(), s, nil)
	c.h = history{Library: federation.Only(l), One: l, At: hermes.Location{DB: db, Profile: "work"}}
	return c
}

// run runs a command on the conversation and returns what it has written.
func (c *commander) run(ctx context.Context, o shell.OwnCommand) (string, error) {
	var out bytes.Buffer
	err := c.a.outside(c.h, output.Terminal{}).Command(ctx, shell.RunCommand{Command: o, One: c.of, Of: shell.Single(c.of)}, &out).Run()
	if _, there := os.Stat("pwned"); there == nil {
		c.t.Error("a value has been run")
	}
	return out.String(), err
}

// exampleSettings are the ten commands of the manual.
func exampleSettings(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sourcetree.Root(t), "docs/commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "## Ten to begin with\n\n```toml\n")
	part, _, ok := strings.Cut(part, "```")
	if !ok {
		t.Fatal("the manual has no examples")
	}
	return part
}

// Each example of the manual does what it says, with programs that tell how they were called.
func TestTheExamplesOfTheManualRun(t *testing.T) {
	c := newCommander(t, exampleSettings(t))
	const fake = `#!/bin/sh
printf '%s' "${0##*/}"; printf '<%s>' "$@"; printf ' in %s\n' "$PWD"
for a; do case $a in *.md) head -c 20 "$a" | head -1;; esac; done
[ "$1" ] || head -1
`
	for _, name := range []string{"code", "git", "gh", "glow", "hermes", "hermes-sessions", "wl-copy", "mysh", "tmux"} {
		if err := os.WriteFile(filepath.Join(c.home, "bin", name), []byte(fake), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	title := oddTitle + " next line" // as one line, without what clears the screen
	id := c.of.ID
	want := map[string]string{
		"open-folder":   "code<" + c.folder + "> in " + here,
		"git-log":       "git<-C><" + c.folder + "><log><--oneline><-50> in " + here,
		"issue":         "gh<issue><create><--title><" + title + "><--body-file><FILE><--editor> in " + c.folder + "\n# ",
		"page":          "glow<-p><FILE> in " + here + "\n# ",
		"summary":       "hermes<chat><-q><Summarize in five lines the conversation in the file FILE> in " + here,
		"changed-files": "hermes-sessions<--db><" + c.h.At.DB + "><files><" + id + "> in " + here,
		"copy-text":     "wl-copy<> in " + here + "\n# ",
		"shell":         "mysh<> in " + c.folder,
		"window":        "tmux<new-window><-c><" + c.folder + "><-n><" + title + "> in " + here,
		"journal":       "",
	}
	if len(c.a.settings.Own) != 10 {
		t.Errorf("%d examples, not ten", len(c.a.settings.Own))
	}
	temporary := regexp.MustCompile(regexp.QuoteMeta(os.TempDir()) + `/hermes-sessions-[^>]*?\.md`)
	for _, o := range c.a.settings.Own {
		out, err := c.run(t.Context(), o)
		out = temporary.ReplaceAllString(out, "FILE")
		if w, ok := want[string(o.Action)]; !ok || err != nil || !strings.HasPrefix(out, w) || w == "" && out != "" {
			t.Errorf("%s: %q, %v\nwant %q", o.Action, out, err, w)
		}
	}
	if text, err := os.ReadFile(filepath.Join(c.home, "journal.txt")); err != nil || !strings.HasSuffix(string(text), " "+id+"\n") {
		t.Errorf("%q, %v", text, err)
	}
}

// Commands that fail, write without end, hang or look for the terminal do no harm.
func TestBadCommands(t *testing.T) {
	c := newCommander(t, `
[commands.fails]
letter = "O"
run = "echo why >&2; exit 3"
[commands.prints]
letter = "G"
run = "head -c 100000000 /dev/zero"
[commands.draws]
letter = "H"
run = "echo drawn >/dev/tty"
[commands.hangs]
letter = "J"
run = "sleep 100 & echo $!; wait"
[commands.leaves]
letter = "K"
run = "sleep 3 & echo started"
[commands.reads]
letter = "L"
run = "cat; echo {title} {selection}"
`)
	by := map[shell.Action]shell.OwnCommand{}
	for _, o := range c.a.settings.Own {
		by[o.Action] = o
	}
	if out, err := c.run(t.Context(), by["fails"]); out != "why\n" || fmt.Sprint(err) != "exit status 3" {
		t.Errorf("%q %v", out, err)
	}
	if out, err := c.run(t.Context(), by["prints"]); len(out) != 100_000_000 || err != nil {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if out, err := c.run(t.Context(), by["draws"]); err == nil {
		t.Errorf("it got the terminal: %q", out)
	}
	if out, err := c.run(t.Context(), by["leaves"]); out != "started\n" || err != nil {
		t.Errorf("%q %v", out, err)
	}
	if out, err := c.run(t.Context(), by["reads"]); out != oddTitle+" next line "+c.of.ID+"\n" || err != nil {
		t.Errorf("%q %v", out, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, stop)
	out, err := c.run(ctx, by["hangs"])
	if err == nil {
		t.Error("stopping it is no end")
	}
	if runtime.GOOS == "linux" {
		for end := time.Now().Add(time.Minute); ; runtime.Gosched() { // a signal takes effect when the process next runs
			status, _ := os.ReadFile("/proc/" + strings.TrimSpace(out) + "/stat")
			if text := string(status); text == "" || strings.Contains(text, ") Z ") {
				break
			} else if time.Now().After(end) {
				t.Fatalf("what it has started goes on: %q", text)
			}
		}
	}
	c.of.ID = "gone"
	if _, err := c.run(t.Context(), by["fails"]); err == nil {
		t.Error("a conversation that is gone")
	}
	if !slices.ContainsFunc(c.a.settings.Own, func(o shell.OwnCommand) bool { return slices.Equal(o.Needs, []string{"title", "selection"}) }) {
		t.Error("what a command needs")
	}
}
