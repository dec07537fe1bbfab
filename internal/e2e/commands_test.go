package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// The program writes the demo as the file has it that other tests let it copy. This test
// runs before those beside which others run, so that it may take that file away.
func TestTheProgramWritesTheDemo(t *testing.T) {
	if writtenDemo == "" {
		t.Skip("in a campaign the program always writes it")
	}
	copied := run(t, "--demo", "export", "-")
	if err := os.Rename(writtenDemo, writtenDemo+".away"); err != nil {
		t.Fatal(err)
	}
	written := run(t, "--demo", "export", "-")
	if err := os.Rename(writtenDemo+".away", writtenDemo); err != nil {
		t.Fatal(err)
	}
	if copied.code != 0 || copied.stdout == "" || copied.stdout != written.stdout {
		t.Errorf("copied: code %d, %d bytes; written: code %d, %d bytes", copied.code, len(copied.stdout), written.code, len(written.stdout))
	}
}

// The flags for the version print what the command version prints.
func TestVersionFlags(t *testing.T) {
	t.Parallel()
	want := run(t, "version")
	if !strings.HasPrefix(want.stdout, "hermes-sessions test (") {
		t.Fatalf("version prints %q", want.stdout)
	}
	for _, flag := range []string{"--version", "-V"} {
		if got := run(t, flag); got.code != 0 || got.stdout != want.stdout || got.stderr != "" {
			t.Errorf("%s: code %d, %q %q, want %q", flag, got.code, got.stdout, got.stderr, want.stdout)
		}
	}
}

// Every way a run can end has its exit code, its one line on standard error,
// and nothing on the wrong stream.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{args: "version", stdout: "hermes-sessions test"},
		{args: "--help", stdout: "Find:\n  browse"},
		{args: "list --help", stdout: "--offset"},
		{args: "delete --help", stdout: "  -y, --yes          do not ask"},
		{args: "export --help", stdout: "      --redact[=secrets]  mask keys"},
		{args: "help delete", stdout: "      --json          print JSON, including errors"},
		{args: "help query", stdout: "  source:  where it came from"},
		{args: "info", stdout: "terminal "},
		{args: "--demo list --tsv --limit 1", stdout: "\t"},
		{args: "list --tsv --wide", code: 2, stderr: "--tsv takes no --json or --wide"},
		{args: "--demo search docker --tsv --sort cost --all", stdout: "\t"},
		{args: "--demo search docker --group message --tsv", stdout: "\t"},
		{args: "search docker --group message --sort cost", code: 2, stderr: "--sort cost needs --group conversation"},
		{args: "search docker --sort oldest", code: 2, stderr: "--sort oldest needs --group message"},
		{args: "--demo show --only prompts my proj", stdout: "my project #3"},
		{args: "export all.jsonl --only prompts", code: 2, stderr: "--only prompts needs a document"},
		{args: "completion bash", stdout: "__hermes-sessions"},
		{args: "completion zsh", stdout: "#compdef"},
		{args: "completion fish", stdout: "complete -c hermes-sessions"},
		{args: "completion powershell", stdout: "Register-ArgumentCompleter"},
		{args: "--demo list", stdout: "Last Active", stderr: "note: at most 20 rows are printed (--limit 0 prints all)"},
		{args: "--demo --plain", stdout: "  1  "},
		{args: "--demo", stdout: "  1  "},
		{args: "--demo docker", stdout: "match"},
		{args: "--demo search docker", stdout: "Docker", stderr: "note: 1 hidden (--scope all)"},
		{args: "--demo search fixing the dcoker biuld", stdout: `"dcoker" is not in any conversation: showing "docker"`},
		{args: "--demo search fixing the dcoker biuld --words all", code: 1},
		{args: "search docker --words most", code: 2, stderr: "must be one of any, all"},
		{args: "search docker --group message --words any", code: 2, stderr: "--words any needs --group conversation"},
		{args: "search docker --group message --scope archived", code: 2, stderr: "--scope needs --group conversation"},
		{args: "--demo search docker --group message --role user --sort oldest", stdout: "#"},
		{args: "--demo resume --print", stdout: "hermes --resume ", stderr: "the newest of all is taken"},
		{args: "--demo lineage my project", stdout: "└─ § my project #3"},
		{args: "--demo lineage --ascii my project", stdout: "`- S my project #3"},
		{args: "--demo show MY proj", stdout: "my project #3"},
		{args: "--demo show docker", code: 1, stderr: "'docker' matches 3 sessions: "},
		{args: "--demo show risoto", code: 1, stderr: "'My risotto is wallpaper paste'?)"},
		{args: "--demo resume --print wallpaper", stdout: "hermes --resume "},
		{args: "--demo delete --yes wallpaper", code: 1, stderr: "'wallpaper' is only part of the title of "},
		{args: "--demo undo", code: 1}, // "Nothing to undo." on standard error
		{args: "--demo lineage zzyzxqqq", code: 1, stderr: "Session 'zzyzxqqq' not found."},
		{args: "notes --demo", code: 1},
		{args: "notes import nowhere.jsonl", code: 1, stderr: "nowhere.jsonl"},
		{args: "files", code: 2, stderr: "files needs the ID of a session"},
		{args: "lineage", code: 2, stderr: "lineage needs the ID of a session"},
		{args: "--demo search zzyzxqqq", code: 1},
		{args: "--demo list --source nobody", code: 1},
		{args: "--demo show zzyzxqqq", code: 1, stderr: "Session 'zzyzxqqq' not found."},
		{args: "--demo resume zzyzxqqq", code: 1, stderr: "Session 'zzyzxqqq' not found."},
		{args: "--demo export out.jsonl", stdout: "sessions to out.jsonl"},
		{args: "--demo --print-id", code: 1, stderr: "choosing needs a terminal"},
		{args: "", code: 1, stderr: "--demo"},
		{args: "list", code: 1, stderr: filepath.Join(".hermes", "state.db")},
		{args: "-p none list", code: 1, stderr: "hermes profile create none"},
		{args: "--db nothere.db list", code: 1, stderr: "nothere.db"},
		{args: "--nope", code: 2, stderr: "unknown flag: --nope"},
		{args: "list --sort size", code: 2, stderr: "must be one of active, started, title, messages, cost"},
		{args: "--demo stats --by month,source", stdout: "telegram"},
		{args: "--demo stats --by tool --started 7d", stdout: "Calls"},
		{args: "--demo stats --by model --started 1999", code: 1}, // "No sessions found." on standard error
		{args: "--demo stats --by size", code: 2, stderr: "\"size\" must be one of day, week"},
		{args: "--demo stats --by day --started soon", code: 2, stderr: `invalid --started "soon": must be like 7d`},
		{args: "--demo stats --started 7d", code: 2, stderr: "--started needs --by"},
		{args: "stats words", code: 2, stderr: "stats takes no arguments"},
		{args: "compare", code: 2, stderr: "compare takes one or two sessions"},
		{args: "storage --yes", code: 2, stderr: "--yes needs --vacuum"},
		{args: "search", code: 2, stderr: "search needs a query"},
		{args: "search x --role user", code: 2, stderr: "--role needs --group message"},
		{args: "search x --sort oldest", code: 2, stderr: "--sort oldest needs --group message"},
		{args: "show", code: 2, stderr: "show needs the ID of a session"},
		{args: "export", code: 2, stderr: "export takes one file"},
		{args: "--demo --db x", code: 2, stderr: "--demo takes no --db"},
	} {
		if i%campaign.Length(5, 1) > 0 { // internal/docs runs commands for all codes in this process
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			r := run(t, strings.Fields(c.args)...)
			if r.code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", r.code, c.code, r.stdout, r.stderr)
			}
			if !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) {
				t.Errorf("stdout %q\nstderr %q", r.stdout, r.stderr)
			}
			switch {
			case c.code == 0 && c.stderr == "" && r.stderr != "":
				t.Errorf("stderr %q", r.stderr)
			case c.stderr != "" && (strings.Count(strings.ReplaceAll(r.stderr, "\n  ", " "), "\n") != 1 || !strings.HasPrefix(r.stderr, "hermes-sessions: ")):
				t.Errorf("not one line: %q", r.stderr)
			case c.code != 0 && c.stderr != "" && r.stdout != "":
				t.Errorf("stdout %q", r.stdout)
			}
			if strings.ContainsRune(r.stdout+r.stderr, '\x1b') {
				t.Errorf("escape codes without a terminal: %q", r.stdout+r.stderr)
			}
		})
	}
}

// With --json every answer and every error is JSON with the documented keys.
func TestJSON(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		args string
		code int
		keys string
	}{
		{"--demo list", 0, "hidden sessions total"},
		{"--demo list --all --limit 3", 0, "hidden sessions total"},
		{"--demo list --source nobody", 1, "hidden sessions total"},
		{"--demo search docker", 0, "close conversations further hidden read_as total without_quotes"},
		{"--demo search zzyzxqqq", 1, "close conversations further hidden read_as total without_quotes"},
		{"--demo search fixing the dcoker biuld", 0, "close conversations further hidden read_as total without_quotes"},
		{"--demo search docker --explain", 0, "close conversations explain further hidden read_as total without_quotes"},
		{"--demo search docker --group message", 0, "hits total"},
		{"--demo search zzyzxqqq --group message", 1, "hits total"},
		{"--demo docker", 0, "close conversations further hidden read_as total without_quotes"},
		{"--demo", 0, "hidden sessions total"},
		{"--demo resume --print wallpaper", 0, "command folder id"},
		{"--demo lineage my project", 0, "archived children end_reason ended_at fork id kind last_active message_count model parent_id preview segment segments source started_at state tip_id title tool_call_count total usage"},
		{"--demo lineage zzyzxqqq", 1, "error"},
		{"--demo undo", 1, "messages undone"},
		{"--demo show risoto", 1, "error"},
		{"--demo stats --by day,model", 0, "by rows total"},
		{"--demo stats --by day --started 1999", 1, "by rows total"},
		{"info --demo", 0, "build bytes database hermes journal problems profile profiles schema settings state terminal"},
		{"config --config=x.toml", 0, "exists file"},
		{"version", 0, "arch commit date go json os version"},
		{"list", 1, "error"},
		{"--demo show zzyzxqqq", 1, "error"},
		{"--nope", 2, "error"},
		{"list --sort size", 2, "error"},
	} {
		if i%campaign.Length(3, 1) > 0 {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			r := run(t, append(strings.Fields(c.args), "--json")...)
			if r.code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", r.code, c.code, r.stdout, r.stderr)
			}
			text, other := r.stdout, r.stderr
			if c.keys == "error" {
				text, other = other, text
			}
			if other != "" {
				t.Errorf("on the other stream: %q", other)
			}
			var v map[string]json.RawMessage
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got := strings.Join(sortedKeys(v), " "); got != c.keys {
				t.Errorf("keys %q, want %q", got, c.keys)
			}
			if c.keys == "error" {
				var e struct{ Kind, Message, Remedy string }
				if err := json.Unmarshal(v["error"], &e); err != nil || e.Kind == "" || e.Message == "" || e.Remedy == "" {
					t.Errorf("%v: %s", err, text)
				}
			}
		})
	}
}

// A session object has the raw columns of the tip, and the computed values.
func TestSessionObject(t *testing.T) {
	t.Parallel()
	r := run(t, "--demo", "--json", "list", "--limit", "1")
	var answer struct{ Sessions []map[string]any }
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil || len(answer.Sessions) != 1 {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	for _, key := range []string{
		"id", "source", "user_id", "model", "model_config", "parent_session_id", "started_at", "ended_at",
		"end_reason", "message_count", "tool_call_count", "input_tokens", "output_tokens", "title",
		"preview", "last_active", "root_id", "segments", "delegates", "branches",
	} {
		if _, ok := answer.Sessions[0][key]; !ok {
			t.Errorf("no %q", key)
		}
	}
}

// A hit has the documented keys, and its marks are those of the documented
// call.
func TestHitObject(t *testing.T) {
	t.Parallel()
	r := run(t, "--demo", "--json", "search", "docker", "--group", "message", "--limit", "1")
	var answer struct{ Hits []map[string]any }
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil || len(answer.Hits) != 1 {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	want := "context id model role session_id session_started snippet source timestamp tool_name"
	if got := strings.Join(sortedKeys(answer.Hits[0]), " "); got != want {
		t.Errorf("keys %q, want %q", got, want)
	}
	if s := answer.Hits[0]["snippet"].(string); !strings.Contains(s, ">>>") || !strings.Contains(s, "<<<") {
		t.Errorf("snippet %q", s)
	}
}

// A title may end in a number like a message's anchor does; an id with a
// message shows the conversation from there on.
func TestShow(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v11.db")
	fixtures.Unpack(t, "v11.db", db)
	r := run(t, "--db", db, "show", "my project #2", "--json")
	type session struct {
		ID, Title string
		Messages  []struct {
			ID      int64
			Content any
		}
	}
	var shown session
	if err := json.Unmarshal([]byte(r.stdout), &shown); err != nil || shown.Title != "my project #2" || len(shown.Messages) == 0 {
		t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	last := shown.Messages[len(shown.Messages)-1].ID
	anchor := shown.ID + "#" + jsonText(t, last)
	r = run(t, "--db", db, "show", anchor, "--json")
	var again session
	if err := json.Unmarshal([]byte(r.stdout), &again); err != nil || len(again.Messages) != len(shown.Messages) {
		t.Fatalf("show %s: %v\n%s%s", anchor, err, r.stdout, r.stderr)
	}
	for _, format := range []string{"text", "md"} {
		if r := run(t, "--db", db, "show", anchor, "--format", format); r.code != 0 || strings.TrimSpace(r.stdout) == "" {
			t.Errorf("%s: %+v", format, r)
		}
	}
	if r := run(t, "--db", db, "show", shown.ID+"#999999"); r.code != 1 || !strings.Contains(r.stderr, "no message 999999") {
		t.Errorf("%+v", r)
	}
}

// Ids can be completed by the shell, with their titles.
func TestCompletionOfIDs(t *testing.T) {
	t.Parallel()
	r := run(t, "__complete", "--demo", "show", "20")
	id, title, ok := strings.Cut(strings.SplitN(r.stdout, "\n", 2)[0], "\t")
	if r.code != 0 || !ok || !strings.HasPrefix(id, "20") || title == "" {
		t.Errorf("%+v", r)
	}
}

// The recap is upstream's panel with the speakers of this program: who said what, shortened.
func TestShowRecap(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v11.db")
	fixtures.Unpack(t, "v11.db", db)
	r := run(t, "--db", db, "show", "my project #2", "--recap")
	if r.code != 0 || !strings.Contains(r.stdout, "  ● you: ") || !strings.Contains(r.stdout, "  ◆ hermes: ") {
		t.Errorf("%+v", r)
	}
}

// The log of --debug is private and has no text of messages.
func TestDebugFileHasNoMessageText(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "debug.log")
	r := run(t, "--demo", "--debug", log, "list", "--json", "--limit", "1")
	var answer struct {
		Sessions []struct{ Title, Preview string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil || len(answer.Sessions) != 1 {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	text := contents(t, log)
	if !strings.Contains(text, "code=0") {
		t.Errorf("the log is %q", text)
	}
	for _, secret := range []string{answer.Sessions[0].Title, answer.Sessions[0].Preview} {
		if secret != "" && strings.Contains(text, secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
}

// What export writes is one object per line with its messages, the same to a
// file and to standard output; a database is never written over.
func TestExport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out.jsonl")
	db := filepath.Join(t.TempDir(), "state.db")
	fixtures.Unpack(t, "v11.db", db)
	before := contents(t, db)
	r := run(t, "--db", db, "export", file)
	if r.code != 0 || !strings.HasPrefix(r.stdout, "Exported ") {
		t.Fatalf("%+v", r)
	}
	piped := run(t, "--db", db, "export", "-")
	if piped.code != 0 || piped.stdout == "" {
		t.Fatalf("exit code %d, %s", piped.code, piped.stderr)
	}
	lines := strings.Split(strings.TrimSuffix(contents(t, file), "\n"), "\n")
	again := strings.Split(strings.TrimSuffix(piped.stdout, "\n"), "\n")
	if len(lines) != len(again) {
		t.Errorf("%d lines in the file, %d piped", len(lines), len(again))
	}
	for i, line := range lines {
		var file, pipe struct {
			ID       string
			Messages []struct{ ID int64 }
		}
		if err := json.Unmarshal([]byte(line), &file); err != nil || file.ID == "" {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if err := json.Unmarshal([]byte(again[i]), &pipe); err != nil || pipe.ID != file.ID || len(pipe.Messages) != len(file.Messages) {
			t.Fatalf("line %d differs when piped: %v", i+1, err)
		}
	}
	for _, target := range []string{db, db + "-wal"} {
		if r := run(t, "--db", db, "export", target); r.code != 2 || !strings.Contains(r.stderr, "the session database itself") {
			t.Errorf("export to %s: %+v", target, r)
		}
	}
	if r := run(t, "--db", db, "--debug", db, "list"); r.code != 2 {
		t.Errorf("debug into the database: %+v", r)
	}
	if contents(t, db) != before {
		t.Error("the database has changed")
	}
}
