package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
)

func initCommand(a *app) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:       "init bash|zsh|fish|plugin",
		Short:     "Make Hermes open this browser, by a shell function or a plugin",
		ValidArgs: []string{"bash\tfunction and key for bash", "zsh\tfunction and key for zsh", "fish\tfunction and key for fish", "plugin\tplugin for Hermes"},
		Long: `init prints a shell function called hermes. With it, "hermes sessions browse …"
opens this browser, with the profile and the flags given before "sessions"; all
other hermes commands are passed through unchanged. And at the prompt ctrl+x ctrl+h
opens the browser: the command that resumes the chosen conversation becomes the line.

  bash, in ~/.bashrc:                  eval "$(hermes-sessions init bash)"
  zsh, in ~/.zshrc:                    eval "$(hermes-sessions init zsh)"
  fish, in ~/.config/fish/config.fish: hermes-sessions init fish | source

init plugin writes a plugin for Hermes to plugins/hermes-sessions in its home. With
it, "hermes browse …" opens this browser in any shell. Enable it once with "hermes
plugins enable hermes-sessions"; to remove it, delete the folder.`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 {
				return fault.Usage("init takes one shell, bash, zsh or fish, or the word plugin")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, words []string) error {
			program, err := ownPath(a.Name)
			if err != nil {
				return err
			}
			if words[0] == "plugin" {
				return a.writePlugin(program, force)
			}
			function := hermes.ShellFunction(words[0])
			if function == "" {
				return fault.Usage("there is no function for %q, only for bash, zsh and fish", words[0])
			}
			_, err = fmt.Fprint(a.out, strings.ReplaceAll(function, "HERMES_SESSIONS", model.ShellWord(output.Clean(program))))
			return err
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "replace an existing plugin")
	return cmd
}

// ownPath returns how this program, called by a name, is called from anywhere.
func ownPath(name string) (string, error) {
	if !strings.ContainsAny(name, `/\`) {
		return name, nil
	}
	// Called by a path, it may not be among the commands.
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return path, nil
}

// writePlugin writes the plugin into the home of Hermes.
func (a *app) writePlugin(program string, force bool) error {
	if a.selection.Demo || a.selection.DB != "" {
		return fault.Usage("init plugin takes --home or --profile, not --db or --demo")
	}
	at, err := a.locate()
	if err != nil {
		return err
	}
	home := filepath.Dir(at.DB)
	if _, err := os.Stat(home); err != nil {
		return &fault.Fault{
			Kind: "absent", Code: 1, Err: err,
			Message: "there is no Hermes home at " + home, Remedy: "start Hermes once, or name its home with --home DIR",
		}
	}
	folder, err := hermes.WritePlugin(home, program, force)
	if errors.Is(err, fs.ErrExist) {
		return &fault.Fault{
			Kind: "exists", Code: 1, Err: err,
			Message: "the plugin already exists: " + folder, Remedy: "--force replaces it",
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.out.JSON(answer.Plugin{Folder: folder, Program: program})
	}
	fmt.Fprintf(a.out, "Wrote %s\nEnable it with: hermes plugins enable %s\n", output.Clean(folder), hermes.PluginName)
	return nil
}
