package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// The path is printed, a file is written once, and what is wrong in it is said with its line.
func TestConfig(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "hermes-sessions", "config.toml")
	do := func(args ...string) (code int, out, errs string) {
		t.Helper()
		var o, e bytes.Buffer
		code = Run(context.WithoutCancel(t.Context()), Process{
			Args: append([]string{"config"}, args...), Environ: env.Vars{"XDG_CONFIG_HOME=" + folder}, Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e, Now: time.Now,
			Keys: func(_ string, _ bool, own shell.Overrides, commands []shell.Binding) (shell.Keys, error) {
				rows, err := shell.Rebind(uitest.Bindings(t), own)
				if err != nil {
					return shell.Keys{}, err
				}
				return shell.NewKeys(append(rows, commands...), shell.Searches)
			},
		})
		return code, o.String(), e.String()
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, _ := do(); code != 0 || out != file+"\n" {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := do("--check"); code != 0 || !strings.HasPrefix(out, "There is no ") {
		t.Errorf("%d %q", code, out)
	}
	if code, out, errs := do("--init"); code != 0 || out != file+"\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, _ := do("--check"); code != 0 || out != "No problems in "+file+"\n" {
		t.Errorf("%d %q", code, out)
	}
	write("theme = \"dark\"\n")
	if code, _, errs := do("--init"); code != 1 || !strings.Contains(errs, "already exists") || !strings.Contains(errs, "config --edit") {
		t.Errorf("%d %q", code, errs)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "theme = \"dark\"\n" {
		t.Errorf("overwritten: %q, %v", text, err)
	}
	for text, want := range map[string]string{
		"\ntheme = \"pink\"\n":                                       "line 2: theme",
		"[keys.list]\nfilter = \"f5\"\n\n":                           "line 2: key map: key f5 does both",
		"[keys.list]\ncopy = \"ctrl+o\"\n":                           "key map: key ctrl+o does both",
		"mouse = true\n[commands.x]\nrun = \"ls\"\nletter = \"d\"\n": "line 2: key map: letter d does both",
		"[keys.clean-up]\nselect = \"f9\"\n[keys.running]\nresume = \"f9\"\n[keys.list]\nnext-hit = \"f9\"\n": `line 6: key map: list has no action "next-hit"`,
	} {
		write(text)
		if code, _, errs := do("--check"); code != 2 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: %d %q, want %s", text, code, errs, want)
		}
	}
	// An earlier version had these names.
	write("[keys.clean-up]\nselect = \"f9\"\n[keys.running]\nresume = \"f9\"\n[keys.list]\nscope = \"f6\"\n")
	want := "hermes-sessions: note: [keys.clean-up] is [keys.space] now\nhermes-sessions: note: [keys.running] has no effect: what runs is in the list, with [keys.list]\n"
	if code, _, errs := do("--check"); code != 0 || errs != want {
		t.Errorf("a file of an earlier version: %d %q", code, errs)
	}
	for _, args := range [][]string{{"--edit"}, {"--config=none"}, {"--init", "--check"}} {
		if code, _, errs := do(args...); code == 0 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: %d %q", args, code, errs)
		}
	}
}
