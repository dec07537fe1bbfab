package help

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
)

// AddCompletion adds the command completion, which prints a script for a shell on the output that
// root has now: that of cobra, patched. args are those of a run; where a script asks for offers, the
// texts of the flags are made ready for it.
func AddCompletion(root *cobra.Command, args []string) {
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, cobra.ShellCompRequestCmd) }) {
		unquote(root)
	}
	out, script := root.OutOrStdout(), &strings.Builder{}
	root.SetOut(script)
	root.InitDefaultCompletionCmd()
	root.SetOut(out)
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	cmd.Args = func(_ *cobra.Command, words []string) error {
		if len(words) > 0 {
			return fault.Usage("there is no completion for %q, only for bash, zsh, fish and powershell", words[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Short = "Print the completion for a shell"
	cmd.Long = `completion prints a script with which a shell completes commands, flags, sessions, filters
and their values.

  bash, in ~/.bashrc:                  source <(hermes-sessions completion bash)
  zsh, in ~/.zshrc after compinit:     source <(hermes-sessions completion zsh)
  fish, in ~/.config/fish/config.fish: hermes-sessions completion fish | source
  PowerShell, in its profile:
    hermes-sessions completion powershell | Out-String | Invoke-Expression

That of bash needs the package bash-completion.`
	cmd.Example = "  source <(hermes-sessions completion bash)\n  hermes-sessions completion fish | source"
	for _, shell := range cmd.Commands() {
		generate := shell.RunE
		shell.Short = "Print the completion for " + shell.Name()
		shell.Long = shell.Short + ". How it is installed: hermes-sessions help completion"
		shell.Args = func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return fault.Usage("completion %s takes no arguments, got %q", cmd.Name(), words[0])
			}
			return nil
		}
		shell.RunE = func(cmd *cobra.Command, words []string) error {
			err := generate(cmd, words)
			_, writing := io.WriteString(out, patch(cmd.Name(), script.String()))
			return errors.Join(err, writing)
		}
	}
}

// patches are lines of cobra's scripts, each followed by its replacement, by shell. The scripts run
// the typed line as it is, which fails behind an open quote, and offer words that do not fit it; that
// of fish also takes a word with quotes or backslashes for its text.
var patches = map[string][]string{
	"bash": {
		// A named query, @name, is one word.
		"        _init_completion -n =:", "        _init_completion -n =:@",
		"sessions_init_completion -n =:", "sessions_init_completion -n =:@",
		`_handle_special_char "$cur" =`, `_handle_special_char "$cur" @
    __hermes-sessions_handle_special_char "$cur" =`,
		"    local out directive\n", `    local out directive quote=
    if [[ ${cur} == [\"\']* ]]; then
        quote=${cur:0:1}
        cur=${cur:1}
    fi
`,
		`[[ -z ${cur} && ${lastChar}`, `[[ -z ${cur}${quote} && ${lastChar}`,
		`$(eval "${requestComp}" 2`, `$(eval "${requestComp}${quote}" 2`,
		`[[ "${completions[*]}" != *$tab* ]]`, `[[ -z ${quote} && "${completions[*]}" != *$tab* ]]`,
		"        # Strip any description and escape the completion to handled", "        [[ -n ${quote} ]] && return 0\n        # Strip any description and escape the completion to handled",
		`        printf -v comp "%q"`, `        comp=${compline%%$tab*}
        # Readline keeps the quote and closes it, so nothing in the word may end it or be expanded.
        [[ -n ${quote} && ${comp} == *["${quote}"\\\$\` + "`" + `\!]* ]] && continue
        [[ -n ${quote} ]] || printf -v comp "%q"`,
		`COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]%%$tab*}")`, `COMPREPLY[0]=${COMPREPLY[0]%%$tab*}
        [[ -n ${quote} ]] || COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]}")`,
		`[[ "$comp" == *${char}* &&`, `[[ -z ${quote} && "$comp" == *${char}* &&`,
	},
	"zsh": {
		`$(eval ${requestComp} 2>/dev/null)`, `$(eval ${requestComp} 2>/dev/null || eval "${requestComp}\"" 2>/dev/null || eval "${requestComp}'" 2>/dev/null)`,
	},
	"fish": {
		"set -l args (commandline -opc)", "set -l args (string escape -- (commandline -opc))",
		"set -l lastArg (string escape -- (commandline -ct))", `set -l raw (commandline -ct)
    set -l lastArg (begin
            string unescape -- "$raw"; or string unescape -- "$raw\""; or string unescape -- "$raw'"
        end | string escape)
    test -n "$lastArg"; or set lastArg "''"`,
	},
}

// patch returns a script of cobra that offers words behind an open quote too.
func patch(shell, script string) string {
	return strings.NewReplacer(patches[shell]...).Replace(script)
}
