package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/internal/fixtures"
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
		{"search april 1989", 1, "No matches. For what began then, try started:1989-04."},
		{"search april 1989 zzyzx", 1, "No matches. Try fewer words."},
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

// What a shell shows of commands and flags has no marks of the help around the words for values.
func TestOffersHaveNoMarks(t *testing.T) {
	for _, line := range [][]string{{"--"}, {"list", "--"}, {"export", "--"}, {"init", ""}, {"help", ""}, {"help", "notes", ""}} {
		code, out, _ := run(t, home(t), "", append([]string{cobra.ShellCompRequestCmd}, line...)...)
		if code != 0 || strings.Count(out, "\t") < 2 || strings.Contains(out, "`") {
			t.Errorf("%q: %d\n%s", line, code, out)
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

// The help of every command fits a terminal of 80 columns and 60 lines, each command has one of the
// five groups, browse is the first, and --all-profiles says what the command does.
func TestHelpTexts(t *testing.T) {
	does := map[string]string{
		"browse": "list the conversations", "list": "list the conversations", "search": "search the conversations",
		"export": "export the sessions", "stats": "count the sessions", "storage": "measure the databases",
		"running": "show the open sessions", "notes": "list the notes on the conversations",
	}
	fits := func(name, text string) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > 60 || strings.Contains(text, "`") {
			t.Errorf("%s: %d lines:\n%s", name, len(lines), text)
		}
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > 80 {
				t.Errorf("%s: a line of %d columns: %s", name, n, line)
			}
		}
	}
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		text := help.Text(cmd)
		fits(cmd.CommandPath(), text)
		if f := cmd.Flags().Lookup("all-profiles"); f != nil && cmd.HasParent() {
			if want := does[cmd.Name()] + " of all profiles"; f.Usage != want {
				t.Errorf("%s: %q, want %q", cmd.Name(), f.Usage, want)
			}
			delete(does, cmd.Name())
		}
		for _, c := range cmd.Commands() {
			if !cmd.HasParent() && c.GroupID == "" {
				t.Errorf("%s has no group", c.Name())
			}
			check(c)
		}
	}
	root := Commands()
	check(root)
	fits("help query", print.LanguageHelp())
	text := help.Text(root)
	if groups := root.Groups(); len(groups) != 5 || !strings.Contains(text, groups[0].Title+":\n  browse ") {
		t.Errorf("%d groups in\n%s", len(groups), text)
	}
	if len(does) > 0 {
		t.Errorf("without --all-profiles: %v", does)
	}
	for words, want := range map[string]string{
		"list":        "--sort ORDER      order of the list: active, ",
		"[un]archive": "  [un]archive  Archive conversations, or unarchive them\n",
	} {
		if cmd, _, err := root.Find([]string{words}); err == nil && cmd != root {
			text = help.Text(cmd)
		} else {
			text = help.Text(root)
		}
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Fields with tabs are whole, and what would end one is escaped.
func TestTabSeparatedOutput(t *testing.T) {
	dir, title := home(t), strings.Repeat("A long title. ", 20)+"the end"
	line := `{"id": "tabs", "source": "cli", "model": "a\tb\\n", "started_at": 9.0, "ended_at": 9.5, "title": "` + title + `", "messages": [{"role": "user", "content": "zyzzyva here", "timestamp": 9.1}]}`
	if code, _, errs := run(t, dir, line, "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	first := "tabs\t" + title + "\t1970-01-01T00:00:09Z\tcli\ta\\tb\\\\n\t1\t\t"
	for args, want := range map[string]string{
		"list --tsv title:end":                   first + "\n",
		"search --tsv zyzzyva":                   first + "\t1\tyou\tzyzzyva here\n",
		"search --tsv --group message zyzzyva":   "\tyou\t1970-01-01T00:00:09Z\tcli\tzyzzyva here\n",
		"search --tsv --cwd /nowhere zyzzyva":    "",
		"search --tsv --all --sort cost zyzzyva": first,
	} {
		code, out, errs := run(t, dir, "", strings.Fields(args)...)
		if want == "" && (code != 1 || out != "") || !strings.Contains(out, want) || strings.Count(out, "\n") > 1 || (errs == "") != (want != "") {
			t.Errorf("%s: %d %q %q, want %q", args, code, out, errs, want)
		}
	}
}

// A pipe is told that it gets the first rows only, unless the user has said how many.
func TestAPipeIsToldOfTheLimit(t *testing.T) {
	dir := t.TempDir()
	if err := os.Rename(fixtures.Database(t, "v25.db"), filepath.Join(dir, "state.db")); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]bool{
		"list": true, "list --tsv": true, "search the": true, "search --group message the": true,
		"list -n 20": false, "list --json": false, "list source:telegram msgs:>9": false,
	} {
		_, _, errs := run(t, dir, "", strings.Fields(args)...)
		if told := strings.Contains(errs, "note: at most 20 rows are printed (--limit 0 prints all)"); told != want {
			t.Errorf("%s: %q", args, errs)
		}
	}
}

// With --read-only every command that reads works, and none that changes does.
func TestReadOnlyEverywhere(t *testing.T) {
	dir := home(t)
	for args, want := range map[string]int{
		"list": 0, "search chain": 0, "show second": 0, "lineage second": 0, "stats": 0, "storage": 0, "doctor": 0, "info": 0, "export -": 0, "resume --print second": 0,
		"rename second other": 1, "pin second": 1, "archive second": 1, "delete --yes second": 1, "prune --yes --older-than 0": 1, "storage --vacuum --yes": 1,
		"import -": 1, "doctor --migrate --yes": 2, "import --new -": 2,
	} {
		code, out, errs := run(t, dir, `{"id": "new", "source": "cli", "started_at": 9.0}`, append([]string{"--read-only"}, strings.Fields(args)...)...)
		if code != want || want > 0 && !strings.Contains(errs, "read-only") {
			t.Errorf("%s: %d, want %d: %q %q", args, code, want, out, errs)
		}
	}
	if code, out, errs := run(t, dir, "", "show", "second"); code != 0 || !strings.Contains(out, "the chain") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// Only the prompts are printed and exported, of all segments.
func TestOnlyPrompts(t *testing.T) {
	dir := t.TempDir()
	line := `{"id": "one", "source": "cli", "started_at": 9.0, "title": "two prompts", "messages": [{"role": "user", "content": "first prompt", "timestamp": 9.1}, {"role": "assistant", "content": "an answer", "timestamp": 9.2}, {"role": "user", "content": "second prompt", "timestamp": 9.3}]}`
	if code, _, errs := run(t, dir, line, "import", "--new", "-"); code != 0 {
		t.Fatal(errs)
	}
	for _, args := range []string{"show --only prompts one", "show --only prompts --format md one", "export - --format md --only prompts", "export - --format html --only prompts"} {
		code, out, errs := run(t, dir, "", strings.Fields(args)...)
		if code != 0 || !strings.Contains(out, "first prompt") || !strings.Contains(out, "second prompt") || strings.Contains(out, "an answer") {
			t.Errorf("%s: %d %q %q", args, code, out, errs)
		}
	}
}

// Info names files and versions, and nothing of a conversation; what cannot be read is a problem.
func TestInfoSaysNothingOfConversations(t *testing.T) {
	dir, _ := profilesHome(t)
	code, out, errs := run(t, dir, "", "info")
	for _, want := range []string{"version ", filepath.Join(dir, "state.db") + ", schema 11, ", "profiles  default, work\n", "terminal  "} {
		if code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("%d %q, no %q in\n%s", code, errs, want, out)
		}
	}
	for _, secret := range []string{"chain", "second", "open one"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q in\n%s", secret, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "state.db"), []byte("no database, not at all, and long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := run(t, dir, "", "info"); code != 0 || !strings.Contains(out, "problem   "+filepath.Join(dir, "state.db")) {
		t.Errorf("%d %s", code, out)
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
