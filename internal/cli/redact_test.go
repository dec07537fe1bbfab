package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
)

// withSecrets is a home with a conversation that has invented secrets everywhere.
func withSecrets(t *testing.T) (dir string, secrets []string) {
	t.Helper()
	dir = home(t)
	token, pass := "gh"+"p_"+strings.Repeat("aB3dE5gH7", 4), "tr0ub4dor"
	arguments, err := json.Marshal(`{"command": "export DB_PASSWORD=` + pass + `; echo 'a@b.example'"}`)
	if err != nil {
		t.Fatal(err)
	}
	line := `{"id": "planted", "source": "cli", "title": "about ` + token + `", "started_at": 5.0, "ended_at": 9.0, "messages": [` +
		`{"role": "user", "content": "use ` + token + ` please, in /home/ada/larder", "timestamp": 5.5},` +
		`{"role": "assistant", "content": "", "reasoning": "the key ` + token + `", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": ` + string(arguments) + `}}], "timestamp": 6.0},` +
		`{"role": "tool", "tool_call_id": "call_1", "tool_name": "terminal", "content": "{\"password\": \"` + pass + `\", \"n\": 5}", "timestamp": 7.0}]}` + "\n"
	if code, _, errs := run(t, dir, line, "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	return dir, []string{token, pass}
}

// No planted secret is in any form of an export, nor in show; what was masked is counted.
func TestRedactedExports(t *testing.T) {
	dir, secrets := withSecrets(t)
	for _, args := range []string{
		"export - --redact --format jsonl", "export - --redact --format md", "export - --redact --format html", "show planted --redact --tools --reasoning",
		"show planted --json --redact", "show planted --redact --recap", "show planted --redact --format md --tools --reasoning",
	} {
		code, out, errs := run(t, dir, "", strings.Fields(args)...)
		if code != 0 || !strings.Contains(errs, "GitHub token: ") || !strings.Contains(out, "[redacted: GitHub token]") {
			t.Errorf("%s: %d %q\n%s", args, code, errs, out)
		}
		for _, s := range secrets {
			if strings.Contains(out, s) {
				t.Errorf("%s has %s", args, s)
			}
		}
	}
	if _, out, _ := run(t, dir, "", "export", "-"); !strings.Contains(out, secrets[0]) || !strings.Contains(out, "a@b.example") {
		t.Error("an export without --redact lacks something")
	}
	if code, _, errs := run(t, dir, "", "export", "-", "--redact=names"); code != 2 || !strings.Contains(errs, `invalid --redact "names": must be one of secrets, emails, paths`) {
		t.Errorf("%d %q", code, errs)
	}
}

// At least 98 of 100 planted secrets are in no form of a redacted export: not where a person
// wrote them, not in reasoning, not in the arguments and the result of a tool.
func TestPlantedSecretsInExports(t *testing.T) {
	dir := home(t)
	g := fixtures.Invent(11, 12)
	var secrets []string
	var lines strings.Builder
	plant := func(before, secret, after string) {
		// Headings and lists of prompts shorten a prompt, anywhere in a secret.
		text := strings.Repeat("a ", len(secrets)*7%60/2) + before + secret + after
		inside, err := json.Marshal(map[string]string{"command": text})
		if err != nil {
			t.Fatal(err)
		}
		call := map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "terminal", "arguments": string(inside)}}
		line, err := json.Marshal(map[string]any{"id": fmt.Sprint("planted-", len(secrets)), "source": "cli", "started_at": 5.0, "messages": []any{
			map[string]any{"role": "user", "content": text, "timestamp": 5.0},
			map[string]any{"role": "assistant", "content": "", "reasoning": text, "tool_calls": []any{call}, "timestamp": 6.0},
			map[string]any{"role": "tool", "tool_call_id": "call_1", "tool_name": "terminal", "content": string(inside), "timestamp": 7.0},
		}})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		secrets = append(secrets, secret)
	}
	for _, kind := range slices.Sorted(maps.Keys(g.Secrets())) {
		plant("Use ", g.Secrets()[kind], " please.")
	}
	for _, kind := range slices.Sorted(maps.Keys(g.Planted())) {
		p := g.Planted()[kind] // no two share a secret
		plant(p[0], p[1], p[2])
	}
	if code, _, errs := run(t, dir, lines.String(), "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	for _, form := range []string{"md", "html", "jsonl"} {
		// A page may escape what Markdown or JSON would read as its own.
		read := strings.NewReplacer(`\`, "").Replace
		if form == "html" {
			read = func(page string) string { return strictly(t, page) }
		}
		_, plain, _ := run(t, dir, "", "export", "-", "--format", form)
		code, redacted, errs := run(t, dir, "", "export", "-", "--format", form, "--redact")
		if code != 0 {
			t.Fatal(form, errs)
		}
		plain, redacted = read(plain), read(redacted)
		missed := 0
		for _, secret := range secrets {
			if !fixtures.Survives(read(secret), plain) {
				t.Errorf("%s without --redact lacks %s", form, secret)
			}
			if fixtures.Survives(read(secret), redacted) {
				missed++
				t.Logf("%s --redact has %s", form, secret)
			}
		}
		if missed*100 > len(secrets)*2 {
			t.Errorf("%s: %d of %d secrets are not masked", form, missed, len(secrets))
		}
	}
}

// Redacted JSON lines are a whole export: they come back with all rows and references.
func TestRedactedLinesAreImported(t *testing.T) {
	dir, _ := withSecrets(t)
	file := filepath.Join(dir, "all.jsonl")
	code, out, errs := run(t, dir, "", "export", file, "--redact=emails,paths", "--json")
	var done struct{ Redacted map[string]int }
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 || done.Redacted["GitHub token"] != 3 || done.Redacted["password"] != 2 || done.Redacted["e-mail address"] != 1 || done.Redacted["home folder"] != 1 {
		t.Fatalf("%d %s %s %v", code, out, errs, err)
	}
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if code, _, errs := run(t, other, string(lines), "import", "-", "--new"); code != 0 {
		t.Fatal(errs)
	}
	_, before, _ := run(t, dir, "", "export", "-", "--redact=emails,paths", "-q")
	_, after, _ := run(t, other, "", "export", "-")
	for _, want := range []string{`"tool_call_id": "call_1"`, `"content": "use [redacted: GitHub token] please, in [redacted: home folder]/larder"`, `\"command\": \"export DB_PASSWORD=[redacted: password]; echo '[redacted: e-mail address]'\"`} {
		if !strings.Contains(before, want) || !strings.Contains(after, want) {
			t.Errorf("no %s in\n%s\n%s", want, before, after)
		}
	}
}

// The user's own patterns are in the settings, and hold for the command line and the browser.
func TestOwnPatterns(t *testing.T) {
	dir, _ := withSecrets(t)
	file := filepath.Join(dir, "own.toml")
	if err := os.WriteFile(file, []byte("[redact]\nalways = true\nalso = [\"paths\"]\n[redact.patterns]\n\"polite word\" = 'please'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := run(t, dir, "", "show", "planted", "--redact", "--config", file); !strings.Contains(out, "[redacted: polite word]") || !strings.Contains(out, "[redacted: home folder]/larder") || !strings.Contains(errs, "polite word: 1") {
		t.Errorf("%s\n%s", out, errs)
	}
	if _, out, _ := run(t, dir, "", "show", "planted", "--config", file); strings.Contains(out, "[redacted") {
		t.Errorf("masked without --redact:\n%s", out)
	}
	a := &app{}
	var err error
	if a.settings, err = state.ReadSettings(file, nil); err != nil {
		t.Fatal(err)
	}
	m := a.alwaysMasker()
	if got := m.Text("please, /home/ada/x"); got != "[redacted: polite word], [redacted: home folder]/x" || m.Counts.String() != "home folder: 1, polite word: 1" {
		t.Error(got, m.Counts)
	}
	if (&app{}).alwaysMasker() != nil {
		t.Error("masks without settings")
	}
}

// The suggested name of a file has no secret of the title either.
func TestFileNamesHaveNoSecrets(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + strings.Repeat("aB3dE5gH7", 4)
	if got, want := export.FileName(model.Conversation{Session: model.Session{Title: "Deploy with " + token}}), "deploy-with-redacted-github-token"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
