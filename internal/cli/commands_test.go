package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Mistyped, doubled and contradictory words are answered in one line that says what
// was probably meant.
func TestCommandLinesThatAreWrong(t *testing.T) {
	dir := home(t)
	for _, c := range []struct {
		args string
		code int
		errs string
	}{
		{"help nosuch", 2, "there is no command \"nosuch\" (see the list of commands)\n  hermes-sessions help\n"},
		{"help serach", 2, "(did you mean search?)\n  hermes-sessions help search\n"},
		{"list --sorce cli", 2, "unknown flag: --sorce (did you mean --source?)"},
		{"show x --all-profiles", 2, "(this takes one database: name the profile, or write PROFILE/ID)\n  hermes-sessions show --profile NAME\n"},
		{"lst --all", 2, "unknown flag: --all (did you mean list?)\n  hermes-sessions list\n"},
		{"lst", 1, "note: \"lst\" was searched for (did you mean the command list?)\n  hermes-sessions list --home " + dir + "\n"},
		{"list --limit -1", 2, "must be a number, 0 or more"},
		{"list --limit ten", 2, "must be a number, 0 or more"},
		{"search x --offset -1", 2, "must be a number, 0 or more"},
		{"prune --older-than -3", 2, "must be a number, 0 or more"},
		{"prune --older-than soon", 2, "must be a number, 0 or more"},
		{"list after:notaday", 1, "note: after: needs a day: today, yesterday, 7d"},
		{"list zzyzx", 1, "No sessions found."},
		{"list zzyzx --quiet", 1, ""},
		{"search zzyzx", 1, "No matches. Try another word."},
		{"search \"zzyzx\"", 1, "No matches. Try it without quotes, which find only the exact text."},
		{"search zzyzx --group message", 1, "No matches."},
		{"search !!!! ???? ****", 1, "No matches. Add a word to the symbols."},
		{"undo", 1, "Nothing to undo."},
		{"notes nosuch", 2, "notes takes no arguments, only the commands export and import"},
		{"notes export one two", 2, "notes export takes one file at most"},
		{"notes import", 2, "notes import takes one file, or - for standard input"},
		{"completion tcsh", 2, "there is no completion for \"tcsh\", only for bash, zsh, fish and powershell"},
		{"export all.docx", 2, "unknown file extension .docx (use .jsonl, .md or .html, or add --format)"},
	} {
		code, out, errs := run(t, dir, "", strings.Fields(c.args)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.errs) || c.errs == "" && errs != "" {
			t.Errorf("%s: %d, want %d\n%q\n%q", c.args, code, c.code, out, errs)
		}
	}
}

// A shell is offered the sessions of the database that flags name, which cobra reads twice.
func TestCompletionInANamedDatabase(t *testing.T) {
	dir := home(t)
	for _, named := range [][]string{{"--home", dir}, {"--db", filepath.Join(dir, "state.db")}} {
		var out, errs bytes.Buffer
		code := Run(t.Context(), Process{
			Args: append(append([]string{"__complete"}, named...), "show", ""), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
			Now: func() time.Time { return time.Unix(1_790_000_000, 0) },
		})
		if code != 0 || !strings.HasPrefix(out.String(), "open\topen one\n") {
			t.Errorf("%v: %d %q\n%s", named, code, &out, &errs)
		}
	}
}

func TestVersionFlags(t *testing.T) {
	dir := home(t)
	for _, flag := range []string{"--version", "-V"} {
		if code, out, errs := run(t, dir, "", flag); code != 0 || !strings.HasPrefix(out, "hermes-sessions ") || strings.Count(out, "\n") != 1 || errs != "" {
			t.Errorf("%s: %d %q %q", flag, code, out, errs)
		}
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	for _, cmd := range Commands().Commands() {
		if !strings.Contains(cmd.Example, "hermes-sessions ") {
			t.Errorf("%s has no example", cmd.Name())
		}
	}
}

// The texts of the help are wrapped, and --all-profiles says what the command does.
func TestHelpTexts(t *testing.T) {
	does := map[string]string{
		"browse": "list the conversations", "list": "list the conversations", "search": "search the conversations",
		"export": "export the sessions", "stats": "count the sessions", "storage": "measure the databases",
		"running": "show the open sessions", "notes": "list the notes on the conversations",
	}
	for _, cmd := range Commands().Commands() {
		for line := range strings.Lines(cmd.Long) {
			if n := utf8.RuneCountInString(line); n > 93 {
				t.Errorf("%s: a line of %d characters: %s", cmd.Name(), n, line)
			}
		}
		if f := cmd.Flags().Lookup("all-profiles"); f != nil {
			if want := does[cmd.Name()] + " of all profiles"; f.Usage != want {
				t.Errorf("%s: %q, want %q", cmd.Name(), f.Usage, want)
			}
			delete(does, cmd.Name())
		}
	}
	if len(does) > 0 {
		t.Errorf("without --all-profiles: %v", does)
	}
}

// An existing file is replaced only with --force.
func TestExportReplacesAFileOnlyWithForce(t *testing.T) {
	dir := home(t)
	file := filepath.Join(t.TempDir(), "all.jsonl")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := run(t, dir, "", "export", file)
	if kept, err := os.ReadFile(file); code != 1 || string(kept) != "mine" || err != nil || !strings.Contains(errs, "already exists (choose another name, or replace it with --force)") {
		t.Errorf("%d %q, now %q %v", code, errs, kept, err)
	}
	code, out, errs := run(t, dir, "", "export", file, "--force")
	if written, err := os.ReadFile(file); code != 0 || errs != "" || !strings.HasPrefix(out, "Exported ") || !strings.HasPrefix(string(written), "{") || err != nil {
		t.Errorf("%d %q %q, now %q %v", code, out, errs, written, err)
	}
}

// The printed command goes to the folder first: the one that is asked for, else that
// of the conversation, if it exists.
func TestThePrintedCommandChangesTheFolder(t *testing.T) {
	dir := home(t)
	folder := t.TempDir()
	if code, out, errs := run(t, dir, "", "resume", "--print", "--in", folder, "second"); code != 0 || !strings.HasPrefix(out, "cd "+folder+" && ") || !strings.Contains(out, "hermes") || !strings.Contains(out, "--resume second") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, errs := run(t, dir, "", "resume", "--print", "--in", filepath.Join(folder, "none"), "second"); code != 1 || out != "" || !strings.Contains(errs, "there is no folder") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	line := `{"id": "-odd", "source": "cli", "started_at": 9.0, "ended_at": 9.5, "title": "odd", "messages": [{"role": "user", "content": "x", "timestamp": 9.1}]}`
	if code, _, errs := run(t, dir, line, "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	if code, out, errs := run(t, dir, "", "resume", "--print", "odd"); code != 0 || !strings.Contains(out, "--resume=-odd") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// Where the command names no folder, it is that of the conversation, if it exists.
func TestThePrintedCommandChangesToTheFolderOfTheConversation(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	lines := `{"id": "here", "source": "cli", "started_at": 9.0, "ended_at": 9.5, "cwd": "` + filepath.ToSlash(folder) + `", "messages": [{"role": "user", "content": "x", "timestamp": 9.1}]}
{"id": "gone", "source": "cli", "started_at": 9.0, "ended_at": 9.5, "cwd": "` + filepath.ToSlash(folder) + `/gone", "messages": [{"role": "user", "content": "x", "timestamp": 9.1}]}`
	if code, _, errs := run(t, dir, lines, "import", "--new", "-"); code != 0 {
		t.Fatal(errs)
	}
	if code, out, errs := run(t, dir, "", "resume", "--print", "here"); code != 0 || !strings.HasPrefix(out, "cd "+filepath.ToSlash(folder)+" && ") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, errs := run(t, dir, "", "resume", "--print", "gone"); code != 0 || strings.Contains(out, "cd ") || !strings.Contains(out, "--resume gone") || !strings.Contains(errs, "no longer exists: "+filepath.ToSlash(folder)+"/gone") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestTheQuestionOfDeleteNamesWhatGoes(t *testing.T) {
	dir := home(t)
	line := `{"id": "sub", "source": "tool", "parent_session_id": "open", "model_config": "{\"_delegate_from\": \"open\"}", "started_at": 4.2, "ended_at": 4.3, "messages": [{"role": "user", "content": "x", "timestamp": 4.2}]}`
	if code, _, errs := run(t, dir, line, "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	for id, want := range map[string]string{
		"second": "Delete 'the chain' (second): 2 messages in 2 segments?",
		"open":   "Delete 'open one' (open): 2 messages, 1 subagent session?",
	} {
		if _, _, errs := run(t, dir, "", "delete", id); !strings.Contains(errs, want) {
			t.Errorf("%q, want %q", errs, want)
		}
	}
}
