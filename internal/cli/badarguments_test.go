package cli

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/cputime"
)

// Whatever a command line holds, a command ends soon, with a known exit code, and what it
// says about it is short, readable and without control characters.
func TestBadArguments(t *testing.T) {
	t.Chdir(t.TempDir()) // exports write files
	dir := home(t)
	huge := strings.Repeat("x", 1<<20)
	var lines [][]string
	for _, cmd := range Commands().Commands() {
		name := cmd.Name()
		if name == "completion" || name == "help" || cmd.Hidden {
			continue
		}
		// Other commands read their arguments in the same way.
		all := campaign.On() || name == "list" || name == "export" || name == "delete"
		var always []string
		if name == "resume" {
			always = []string{"--print"}
		}
		bad := [][]string{
			{"\xff\xfe\x80"},
			{huge},
			nil,
			{""},
			{" "},
			{"--nosuch"},
			{"-Z"},
			{"--db"},
			{"a\x00b"},
			{"\x1b[31mred\x1b]0;x\a"},
			{"--", "-x"},
			{"nosuch", "nosuch"},
			{"--db", "", "--db", "\xff"},
			{"--json", "--json", "\xff"},
			{"--profile", "../../x"},
			{"--home=" + huge[:1<<17]},
		}
		if !all {
			bad = bad[:2]
		}
		for _, words := range bad {
			lines = append(lines, append(append([]string{name}, always...), words...))
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if all && f.Value.Type() != "bool" && f.Name != "hermes" && f.Name != "hermes-arg" {
				lines = append(lines, append([]string{name, "--" + f.Name + "=\xff", "x"}, always...), append([]string{name, "--" + f.Name + "=" + huge, "x"}, always...), append([]string{name, "--" + f.Name + "=", "x"}, always...))
			}
		})
	}
	for _, args := range lines {
		var code int
		var out, errs string
		took := cputime.Of(func() { code, out, errs = run(t, dir, "", args...) })
		at := strings.Join(args, " ")
		if len(at) > 60 {
			at = at[:60] + "…"
		}
		if took > 10*time.Second { // 0.2 as a rule; the race detector makes it thirty times as much
			t.Errorf("%q took %s", at, took)
		}
		if code < 0 || code > 2 {
			t.Errorf("%q: exit code %d", at, code)
		}
		odd := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
		if !utf8.ValidString(errs) || strings.ContainsFunc(errs, odd) || len(errs) > 3000 || strings.Contains(errs, "panic") {
			t.Errorf("%q: %d bytes on standard error: %.300q", at, len(errs), errs)
		}
		if code == 2 && (!isDiagnostic(errs) && !strings.Contains(at, "--json") || out != "") {
			t.Errorf("%q: %.300q %.300q", at, out, errs)
		}
		if len(errs) == 0 && code == 2 || strings.Contains(errs, "Error:") {
			t.Errorf("%q: %d %q", at, code, errs)
		}
	}
}

// Flags that contradict each other or come twice, and files that are not there, are answered in
// one line.
func TestContradictoryFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := home(t)
	for _, c := range []struct {
		args string
		code int
		errs string
	}{
		{"list --demo --home x", 2, "--demo takes no"},
		{"doctor --full --migrate", 2, "--migrate cannot be combined with --full or --demo"},
		{"doctor --salvage x --full", 2, "--salvage cannot be combined with"},
		{"doctor --yes", 2, "need --migrate"},
		{"search x --role user", 2, "--role needs --group message"},
		{"search x --sort oldest", 2, "--sort oldest needs"},
		{"show first --recap --format md", 2, "--recap is text"},
		{"import - --schema 11", 2, "--schema needs --new"},
		{"browse --height 2", 2, "--height needs 3 lines or more"},
		{"list --limit 5 --limit 2", 0, ""},
		{"list --sort cost --sort nosuch", 2, `invalid --sort "nosuch": must be one of active, started, title, messages, cost (see the help)`},
		{"search x --sort costs", 2, "did you mean cost?"},
		{"list --limit -3", 2, `invalid --limit "-3": must be a number, 0 or more`},
		{"list --wide=maybe", 2, `invalid --wide "maybe": must be true or false`},
		{"list --source a\"b", 2, "must be words with commas between them, and quotes in pairs"},
		{"export - --redact=email", 2, "must be one of secrets, emails, paths (did you mean emails?)"},
		{"list --limit", 2, "--limit needs a value: --limit NUMBER"},
		{"list -p", 2, "--profile needs a value: --profile NAME"},
		{"list -limit 3", 2, "unknown flag: -limit (did you mean --limit?)"},
		{"list -wx", 2, "unknown flag: -x (see the help; put -- before words that begin with -)"},
		{"export a.jsonl b.jsonl", 2, "export takes one file, or - for standard output; --session-id chooses a session"},
		{"export", 2, "export takes one file"},
		{"stats stats", 2, "stats takes no arguments"},
		{"rename first", -1, ""},
		{"delete", 2, "delete needs the ID"},
		{"--list list", 2, "unknown flag: --list"},
		{"import missing.jsonl", 1, "(check the name of the file)"},
		{"import .", 2, "import takes a file, and . is a folder"},
		{"notes import missing.jsonl", 1, "missing.jsonl: no such file or directory (check the name of the file)"},
		{"notes export notes.jsonl", 1, "notes need a home folder (set HOME or XDG_STATE_HOME)"},
		{"export . --format jsonl --force", 1, "export: .: is a directory (name a file in it)"},
		{"export - --source nosuch", 1, "No sessions found."},
		{"list --debug .", 1, "the file of --debug: .: is a directory (name a file in it)"},
		{"list --debug missing/log", 1, "missing/log: no such file or directory (check the name of the folder, or create it)"},
		{"completion bash zsh", 2, `completion bash takes no arguments, got "zsh"`},
		{"init sh", 2, `there is no function for "sh"`},
		{"browse zzyzx", 1, "No sessions found."},
		{"export missing/a.jsonl", 1, "(check the name of the folder, or create it)"},
		{"export missing/a.html", 1, "(check the name of the folder, or create it)"},
		{"delete first --yes --backup missing/a.jsonl", 1, "(check the name of the folder, or create it)"},
	} {
		code, _, errs := run(t, dir, "", strings.Fields(c.args)...)
		if c.code >= 0 && code != c.code || !strings.Contains(errs, c.errs) || c.code == 2 && !isDiagnostic(errs) {
			t.Errorf("%s: %d, want %d: %q", c.args, code, c.code, errs)
		}
	}
}

// An empty value, as of a variable that is not set, chooses neither the default database nor
// every source, and never deletes without the backup that was asked for.
func TestEmptyValues(t *testing.T) {
	dir := home(t)
	for _, args := range [][]string{
		{"list", "--db", ""},
		{"list", "--profile="},
		{"list", "--source", ""},
		{"list", "--exclude-source="},
		{"prune", "--source", "", "--older-than", "0", "--yes"},
		{"prune", "--backup", "", "--older-than", "0", "--yes"},
		{"delete", "first", "--backup", "", "--yes"},
		{"export", "-", "--source", ""},
		{"export", "-", "--session-id", ""},
		{"export", ""},
		{"import", ""},
		{"resume", ""},
		{"resume", " ", "--print"},
		{"show", "first", "--redact="},
		{"stats", "--by="},
	} {
		code, out, errs := run(t, dir, "", args...)
		if code != 2 || out != "" || !isDiagnostic(errs) {
			t.Errorf("%q: %d %q %q", args, code, out, errs)
		}
	}
	if _, out, _ := run(t, dir, "", "stats"); !strings.Contains(out, "Total sessions: 4") {
		t.Error(out)
	}
}

// A blank word is not worth searching for.
func TestNoSearchIsOfferedForABlankWord(t *testing.T) {
	if code, _, errs := run(t, home(t), "", "stats", " "); code != 2 || strings.Contains(errs, "browse") {
		t.Errorf("%d %q", code, errs)
	}
}

// isDiagnostic reports whether a text is one error or note: a line, and below it at most
// the command that helps, or a line of JSON.
func isDiagnostic(text string) bool {
	line, command, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(line, "{") {
		return command == ""
	}
	return strings.HasPrefix(line, "hermes-sessions: ") && (command == "" || strings.HasPrefix(command, "  hermes-sessions ") && strings.Count(command, "\n") == 1)
}
