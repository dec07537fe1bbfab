//go:build !windows

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// With the shell's function, hermes sessions browse is this browser and every
// other call is Hermes's own, word by word, with its exit code.
func TestTheShellFunctionTakesOnlyBrowse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, code := range map[string]string{"hermes": "7", "hermes-sessions": "3"} {
		script := "#!/bin/sh\nprintf '" + name + "'\nfor a in \"$@\"; do printf '<%s>' \"$a\"; done\necho\nexit " + code + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	function := map[string]string{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		function[shell] = strings.ReplaceAll(run(t, "init", shell).stdout, program, "hermes-sessions")
	}
	calls := []struct{ call, want string }{
		{`hermes sessions browse`, "hermes-sessions<browse> 3"},
		{`hermes sessions browse --source 'two words' ''`, "hermes-sessions<browse><--source><two words><> 3"},
		{`hermes -p work sessions browse x`, "hermes-sessions<browse><--profile=work><x> 3"},
		{`hermes --profile=work --tui -m 'a b' sessions browse`, "hermes-sessions<browse><--profile=work><--hermes-arg=--tui><--hermes-arg=-m><--hermes-arg=a b> 3"},
		{`hermes`, "hermes 7"},
		{`hermes ''`, "hermes<> 7"},
		{`hermes chat -q 'sessions browse' "it's"`, "hermes<chat><-q><sessions browse><it's> 7"},
		{`hermes sessions list --limit 3`, "hermes<sessions><list><--limit><3> 7"},
		{`hermes sessions`, "hermes<sessions> 7"},
		{`hermes -p work sessions delete browse`, "hermes<-p><work><sessions><delete><browse> 7"},
		{`hermes --unknown sessions browse`, "hermes<--unknown><sessions><browse> 7"},
		{`hermes -p sessions browse`, "hermes<-p><sessions><browse> 7"},
	}
	for _, c := range []struct {
		shell, before string
		args          []string
	}{
		{"bash", "set -eu\n", []string{"--norc", "--noprofile"}},
		{"zsh", "setopt no_unset err_exit\n", []string{"-f"}},
		{"fish", "", []string{"--no-config"}},
	} {
		t.Run(c.shell, func(t *testing.T) {
			path, err := exec.LookPath(c.shell)
			if err != nil {
				t.Skip(c.shell + " is not installed")
			}
			for _, call := range calls {
				script := c.before + function[c.shell] + call.call + " && c=0 || c=$?\necho $c"
				if c.shell == "fish" {
					script = function["fish"] + call.call + "\necho $status"
				}
				cmd := exec.CommandContext(t.Context(), path, append(c.args, "-c", script)...)
				cmd.Env = environment(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				if got := strings.Join(strings.Fields(strings.ReplaceAll(string(out), " ", "\x00")), " "); err != nil || strings.ReplaceAll(got, "\x00", " ") != call.want {
					t.Errorf("%s\ngot  %q %v\nwant %q", call.call, out, err, call.want)
				}
			}
		})
	}
	// Where this program is gone, Hermes still answers.
	if path, err := exec.LookPath("bash"); err == nil {
		if err := os.Remove(filepath.Join(dir, "hermes-sessions")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), path, "--norc", "--noprofile", "-c", function["bash"]+"hermes sessions browse; echo $?")
		cmd.Env = environment(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hermes<sessions><browse>\n7\n" {
			t.Errorf("without this program: %q %v", out, err)
		}
	}
	if r := run(t, "init", "tcsh"); r.code != 2 || !strings.Contains(r.stderr, "only for bash, zsh and fish") {
		t.Errorf("%+v", r)
	}
}

// At the prompt of a shell, ctrl+x ctrl+h opens the browser; the command that resumes the chosen
// conversation becomes the line, and leaving the browser keeps the line.
func TestTheKeyAtThePrompt(t *testing.T) {
	t.Parallel()
	for _, shell := range []struct {
		name string
		args []string
		file string // that it reads at the start, in its folder
	}{
		{"bash", []string{"--noprofile", "-i"}, ".bashrc"},
		{"zsh", []string{"-d", "-i"}, ".zshrc"},
		{"fish", []string{"-i"}, "fish/config.fish"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skip(shell.name + " is not installed")
			}
			home, db := t.TempDir(), ownDemo(t)
			function := run(t, "init", shell.name).stdout
			// The history of this test, and a prompt to wait for.
			text := strings.ReplaceAll(function, program+" ", program+" --db "+db+" ")
			if shell.name == "fish" {
				text += "function fish_prompt; echo 'ready> '; end\nfunction fish_greeting; end\n"
			} else {
				text = "PS1='ready> '\n" + text
			}
			rc := filepath.Join(home, shell.file)
			if err := os.MkdirAll(filepath.Dir(rc), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			to := lookFor(t, "--demo")
			s := openConsole(t, 110, 30, environment(t, "HOME="+home, "ZDOTDIR="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "HISTFILE="), path, shell.args...)
			s.Sees("ready>")
			s.Types("echo kept")
			s.Types("\x18\x08")
			s.Sees(to.other)
			s.Press("Esc")
			s.Loses(to.other)
			s.Sees("echo kept")
			s.Types("\x15\x18\x08")
			find(s, to)
			s.Press("Enter")
			s.Sees("--resume " + to.id)
			s.Types("\x15")
			s.Loses("--resume")
			s.Types("exit\n")
			s.exits(0)
		})
	}
}
