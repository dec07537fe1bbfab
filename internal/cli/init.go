package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/shellfunction"
	"hermes-sessions/model"
)

func initCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "init bash|zsh|fish",
		Short:     "Print a shell function: hermes sessions browse opens this browser",
		ValidArgs: []string{"bash", "zsh", "fish"},
		Long: `init prints a shell function called hermes. With it, "hermes sessions browse …"
opens this browser, with the profile and the flags given before "sessions"; every
other call of hermes is passed through unchanged.

  bash, in ~/.bashrc:                  eval "$(hermes-sessions init bash)"
  zsh, in ~/.zshrc:                    eval "$(hermes-sessions init zsh)"
  fish, in ~/.config/fish/config.fish: hermes-sessions init fish | source`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 {
				return fault.Usage("init takes one shell: bash, zsh or fish")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, words []string) error {
			function := shellfunction.Of(words[0])
			if function == "" {
				return fault.Usage("there is no function for %s, only for bash, zsh and fish", words[0])
			}
			name := a.Name
			if strings.ContainsAny(name, `/\`) {
				// Called by a path, it may not be among the commands.
				path, err := filepath.Abs(name)
				if err != nil {
					return fmt.Errorf("find %s: %w", name, err)
				}
				name = path
			}
			_, err := fmt.Fprint(a.out, strings.ReplaceAll(function, "HERMES_SESSIONS", model.ShellWord(output.Clean(name))))
			return err
		},
	}
}
