//go:build !windows

package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
)

// completing is what a shell has to do to tell what it would offer behind a line. $LINE
// has the words of the line, one a line, the last of them begun. $PROGRAM is in the PATH.
var completing = map[string]struct {
	args   []string
	script string
}{
	// The script of cobra needs the package bash-completion for these two functions.
	"bash": {[]string{"--norc", "--noprofile", "-c"}, `
if [ -r /usr/share/bash-completion/bash_completion ]; then . /usr/share/bash-completion/bash_completion; fi
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
unset -f _init_completion
eval "$(hermes-sessions completion bash)"
mapfile -t COMP_WORDS <<<"$LINE"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
compopt() { :; }
__start_hermes-sessions
printf '%s\n' "${COMPREPLY[@]}"
`},
	"zsh": {[]string{"-f", "-c"}, `
compdef() { :; }
_describe() { local o; for o in "${completions[@]}"; do o=${o//\\:/:}; [[ $o == "$begun"* ]] && print -r -- "$o"; done; true; }
_arguments() { print -r -- "files: $*"; }
compadd() { print -rl -- "$@"; }
eval "$(hermes-sessions completion zsh)"
words=("${(@f)LINE}")
begun=${words[-1]//\\}
begun=${begun#[\"\']} # as zsh matches it
CURRENT=${#words}
_hermes-sessions
`},
	"fish": {[]string{"--no-config", "-c"}, `
hermes-sessions completion fish | source
complete -C (string join ' ' -- (string split \n -- $LINE))
`},
	"pwsh": {[]string{"-NoProfile", "-Command"}, `
hermes-sessions completion powershell | Out-String | Invoke-Expression
$line = $env:LINE -replace "\n", " "
[System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null).CompletionMatches | ForEach-Object { $_.CompletionText }
`},
}

// The shells that are installed offer commands, flags, sessions, values and filters.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "hermes-sessions")); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "profiles", "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(ownDemo(t), filepath.Join(home, "profiles", "work", "state.db")); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(home, "settings.toml")
	if err := os.WriteFile(settings, []byte("[queries]\nnotes = \"has:note\"\nwork = \"source:cli\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := []struct {
		line string   // with a tab for a space in a word
		want []string // some of the offers, or how they begin
		not  string
	}{
		{"li", []string{"list", "lineage"}, "search"},
		{"list --ex", []string{"--exclude-source"}, "--offset"},
		{"--demo show 2026", []string{"2026"}, ""},
		{"--demo show 2026 ", nil, "2026"},
		{"--demo delete 2026 2026", []string{"2026"}, ""},
		{"--demo export out.jsonl --session-id 2026", []string{"2026"}, ""},
		{"--demo list --source te", []string{"telegram"}, "cli"},
		{"--demo search --group message --role as", []string{"assistant"}, "user"},
		{"--demo list --scope a", []string{"archived", "all", "automation"}, "subagents"},
		{"--demo list sou", []string{"source:"}, "model:"},
		{"--demo search mod", []string{"model:"}, "source:"},
		{"--demo list is:arch", []string{"is:archived"}, "is:pinned"},
		{"--demo browse source:tele", []string{"source:telegram"}, "source:cli"},
		{"--demo show \"Docker\tb", []string{"Docker build"}, "2026"},
		{"--demo show 'Docker\tb", []string{"Docker build"}, "2026"},
		{"--demo show \"", []string{"2026"}, ""},
		{"--demo show Docker\\\tb", []string{"Docker build"}, "2026"},
		{"--demo search \"docker\tbuild\" --role as", []string{"assistant"}, "user"},
		{"--home " + home + " -p w", []string{"work"}, "default"},
		{"--home " + home + " show work/2026", []string{"work/2026"}, ""},
		{"--home " + home + " show wo", []string{"work/"}, ""},
		{"--config " + settings + " list @no", []string{"@notes"}, "@work"},
		{"help se", []string{"search"}, "show"},
		{"help que", []string{"query"}, ""},
		{"init b", []string{"bash"}, "fish"},
	}
	for k, shell := range slices.Sorted(maps.Keys(completing)) {
		c := completing[shell]
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			for i, l := range lines { // each line in one of the shells, in a campaign in all
				if (i+k)%campaign.Length(3, 1) > 0 {
					continue
				}
				cmd := exec.CommandContext(t.Context(), path, append(c.args, c.script)...)
				cmd.Env = environment(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"),
					"LINE=hermes-sessions\n"+strings.NewReplacer(" ", "\n", "\t", " ").Replace(l.line))
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", l.line, err, out)
				}
				// bash takes what is before a colon or an @ from the line.
				offers := strings.Split(strings.NewReplacer(`\:`, ":", `\ `, " ").Replace(strings.TrimSpace(string(out))), "\n")
				for _, want := range l.want {
					if shell == "bash" {
						if i := strings.IndexAny(want, ":@"); i >= 0 && i+1 < len(want) {
							want = want[i+1:]
						}
					}
					if !slices.ContainsFunc(offers, func(o string) bool { return strings.HasPrefix(o, want) }) {
						t.Errorf("%s: no %q in %q", l.line, want, offers)
					}
				}
				if l.not != "" && slices.ContainsFunc(offers, func(o string) bool { return strings.HasPrefix(o, l.not) }) {
					t.Errorf("%s: %q in %q", l.line, l.not, offers)
				}
			}
		})
	}
}

// Titles are offered in any case, a command is completed with a space, groups behind others,
// and a broken database offers nothing and says nothing.
func TestCompletionOfTitlesAndOfBrokenFiles(t *testing.T) {
	t.Parallel()
	r := run(t, "__complete", "--demo", "show", "dOCK")
	if r.code != 0 || !strings.HasPrefix(r.stdout, "Docker build") {
		t.Errorf("%+v", r)
	}
	for words, directive := range map[string]string{"sto": ":36", "mod": ":38"} {
		if r := run(t, "__complete", words); !strings.HasSuffix(r.stdout, directive+"\n") {
			t.Errorf("%s: not %s, so that a space follows a command and none a filter: %q", words, directive, r.stdout)
		}
	}
	if r := run(t, "__complete", "stats", "--by", "day,mo"); r.stdout != "day,month\nday,model\n:36\n" {
		t.Errorf("groups: %q", r.stdout)
	}
	broken := filepath.Join(t.TempDir(), "broken.db")
	if err := os.WriteFile(broken, []byte("not a database, not at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, db := range []string{broken, filepath.Join(t.TempDir(), "none.db")} {
		for _, words := range []string{"show ", "list source:", "list --source "} {
			r := run(t, append([]string{"__complete", "--db", db}, strings.Split(words, " ")...)...)
			if r.code != 0 || !strings.HasPrefix(r.stdout, ":") {
				t.Errorf("%s: %s", words, fmt.Sprint(r))
			}
		}
	}
}
