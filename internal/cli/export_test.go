package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
)

// full is standard output on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// An answer that finds no room is an error, also if it says that nothing was found.
func TestAnswersToAFullDisk(t *testing.T) {
	dir := home(t)
	for _, line := range []string{"list", "list --json", "list zebra --json", "search zebra --json", "running --json", "undo --json", "files first --json"} {
		var errs bytes.Buffer
		code := Run(t.Context(), Process{Args: append([]string{"--home", dir}, strings.Fields(line)...), Stdin: strings.NewReader(""), Stdout: full{}, Stderr: &errs, Now: time.Now})
		if code != 1 || !strings.Contains(errs.String(), "free some space") {
			t.Errorf("%s: %d %q", line, code, errs.String())
		}
	}
}

// An export that finds no room says so and what to do.
func TestExportToAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	dir := home(t)
	code, out, errs := run(t, dir, "", "export", "--json", "/dev/full")
	var e struct {
		Error struct{ Kind, Message, Remedy string }
	}
	if err := json.Unmarshal([]byte(errs), &e); err != nil || code != 1 || out != "" || e.Error.Kind != model.KindDiskFull || e.Error.Remedy == "" {
		t.Errorf("%d %q %q %v", code, out, errs, err)
	}
}

// Of a damaged file an export has all that can be read; that something is
// missing is said, and fails.
func TestExportOfADamagedFile(t *testing.T) {
	dir := home(t)
	var messages []string
	for i := range 12 {
		messages = append(messages, fmt.Sprintf(`{"role": "user", "content": "needle%02d%s", "timestamp": %d.0}`, i, strings.Repeat(" word", 600), i))
	}
	code, _, errs := run(t, dir, `{"id": "big", "source": "cli", "started_at": 9.0, "messages": [`+strings.Join(messages, ", ")+"]}\n", "import", "-")
	if code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(dir, "state.db")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	at := bytes.Index(file, []byte("biguserneedle05")) / page * page // where the message lies
	if at <= 0 {
		t.Fatal("the message is nowhere")
	}
	clear(file[at : at+page])
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	all := filepath.Join(dir, "all.jsonl")
	code, out, errs := run(t, dir, "", "export", all)
	if code != 1 || out != "" || !strings.Contains(errs, "at least 0 sessions and 1 message could not be read; everything else was exported") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	lines, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if has := bytes.Contains(lines, fmt.Appendf(nil, "needle%02d", i)); has != (i != 5) {
			t.Errorf("message %d is exported: %v", i, has)
		}
	}
	if n := bytes.Count(lines, []byte("\n")); n != 5 {
		t.Errorf("%d sessions were exported", n)
	}
}

// Beside a log that is damaged an export writes what is before the damage, says what it lacks, and
// advises to save what is behind it before the log is emptied.
func TestExportBesideADamagedLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	fixtures.Unpack(t, "bad/hot-wal.db", path)
	log := fixtures.Read(t, "bad/hot-wal.db-wal")
	const header, frame = 32, 24 + 4096
	log[header+(len(log)-header)/frame/2*frame+24+500]++ // in a page, halfway
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t, dir, "", "export", "-")
	salvage, empty := strings.Index(errs, "doctor --salvage"), strings.Index(errs, "empty the log")
	if code != 1 || strings.Count(out, "\n") < 5 || !strings.Contains(errs, "after the damage cannot be read") || salvage < 0 || empty < salvage {
		t.Errorf("%d, %d lines, %s", code, strings.Count(out, "\n"), errs)
	}
}

// Pictures are shown in Markdown with a switch alone; a link that runs something is text with it too.
func TestPicturesOfAnExport(t *testing.T) {
	t.Parallel()
	dir := home(t)
	const content = "![a](https://example.org/p.png) [b](javascript:alert(1)) ![c](javascript:alert(2))"
	if code, _, errs := run(t, dir, `{"id": "pictures", "source": "cli", "started_at": 9.0, "messages": [{"role": "user", "content": "`+content+`", "timestamp": 9.0}]}`, "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	for flag, want := range map[string]string{
		"--pictures=false": `\![a](https://example.org/p.png) [b\](javascript:alert(1)) \![c\](javascript:alert(2))`,
		"--pictures":       `![a](https://example.org/p.png) [b\](javascript:alert(1)) ![c\](javascript:alert(2))`,
	} {
		if code, out, errs := run(t, dir, "", "export", "-", "--format", "md", "--session-id", "pictures", flag); code != 0 || !strings.Contains(out, "\n"+want+"\n") {
			t.Errorf("%s: %d %s%s", flag, code, out, errs)
		}
	}
}

// Whole conversations go into the documents, each once, whichever of their
// sessions is named; the form follows the name of the file.
func TestExportDocuments(t *testing.T) {
	dir := home(t)
	for _, c := range []struct {
		name string
		args []string
		has  []string
		not  []string
	}{
		{"one.html", []string{"--session-id", "first", "--session-id", "second"}, []string{"the chain", "one", "two", "segment 2 of 2"}, []string{"three"}},
		{"one.MD", []string{"--session-id", "first"}, []string{"# the chain", "one", "two", "segment 2 of 2"}, []string{"three"}},
		{"all.htm", nil, []string{"one", "two", "three", "other"}, nil},
		{"tele.txt", []string{"--format", "md", "--source", "telegram"}, []string{"# other"}, []string{"three"}},
		{"plain.jsonl", []string{"--session-id", "second"}, []string{`"id": "second"`, `"title": "the chain"`}, []string{`"first", "source"`}},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		code, out, errs := run(t, dir, "", append([]string{"export", file}, c.args...)...)
		if code != 0 || !strings.Contains(out, "Exported ") || errs != "" {
			t.Errorf("%s: %d %q %q", c.name, code, out, errs)
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", c.name, info.Mode(), err)
		}
		text := string(b)
		if strings.HasPrefix(text, "<!doctype") {
			text = strictly(t, text)
		}
		for _, s := range c.has {
			if strings.Count(text, s) < 1 || strings.Count(text, "the chain") > 2 { // in a page it is the title of the window too
				t.Errorf("%s: %q in\n%s", c.name, s, text)
			}
		}
		for _, s := range c.not {
			if strings.Contains(text, s) {
				t.Errorf("%s has %q:\n%s", c.name, s, text)
			}
		}
	}
}

// An export through a symbolic link says where it went.
func TestExportThroughASymbolicLink(t *testing.T) {
	dir := home(t)
	there, link := filepath.Join(t.TempDir(), "there.jsonl"), filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(there, link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege there:", err)
		}
		t.Fatal(err)
	}
	code, _, errs := run(t, dir, "", "export", "--force", link)
	if code != 0 || !strings.Contains(errs, "is a symbolic link; its target was written: ") || !strings.Contains(errs, "there.jsonl") {
		t.Errorf("%d %s", code, errs)
	}
	if data, err := os.ReadFile(there); err != nil || len(data) == 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if code, _, errs := run(t, dir, "", "export", "--force", there); code != 0 || errs != "" {
		t.Errorf("%d %s", code, errs)
	}
}

// An export says how many messages it leaves out because they were rewound or compacted.
func TestExportSaysWhatItLeavesOut(t *testing.T) {
	dir := home(t)
	damage(t, filepath.Join(dir, "state.db"), `ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
		UPDATE messages SET active = 0 WHERE session_id IN ('first', 'open')`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "note: 2 rewound or compacted messages are not in the export (the database keeps them)\n"},
		{[]string{"--session-id", "open"}, "note: 1 rewound or compacted message is not in the export (the database keeps them)\n"},
		{[]string{"--json"}, `"message":"2 rewound or compacted messages are not in the export"`},
		{[]string{"--source", "telegram"}, ""},
		{[]string{"--format", "md"}, ""},
		{[]string{"--quiet"}, ""},
	} {
		code, _, errs := run(t, dir, "", append([]string{"export", "--force", filepath.Join(t.TempDir(), "out.jsonl")}, c.args...)...)
		if code != 0 || c.want == "" && errs != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d %s", c.args, code, errs)
		}
	}
}
