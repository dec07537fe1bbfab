package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
)

func configCommand(a *app) *cobra.Command {
	var init, edit, check bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the path of the settings file; write, edit or check it",
		Long: `config prints the path of the settings file, which is optional. With --init
it writes one that shows each setting with its default and changes nothing;
a file that is there stays as it is.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := state.SettingsFile(a.configFile, a.Environ)
			if err != nil {
				return err
			}
			switch {
			case init:
				err = initSettings(file)
			case edit:
				err = a.editSettings(cmd, file)
			}
			if err != nil {
				return err
			}
			if check || edit {
				s, err := a.readSettings()
				if err != nil {
					return err
				}
				for _, former := range s.Overrides.FormerNames() {
					a.printNote(fault.Fault{Kind: "settings", Message: former})
				}
			}
			_, absent := os.Stat(file)
			if a.json {
				return a.out.JSON(answer.Config{File: file, Exists: absent == nil})
			}
			switch {
			case check && absent != nil:
				fmt.Fprintf(a.out, "There is no %s; all settings have their defaults\n", output.Clean(file))
			case check:
				fmt.Fprintf(a.out, "No problems in %s\n", output.Clean(file))
			default:
				fmt.Fprintln(a.out, output.Clean(file))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&init, "init", false, "write a file with all defaults, if there is none")
	f.BoolVar(&edit, "edit", false, "open the file in $EDITOR, then check it")
	f.BoolVar(&check, "check", false, "say what is wrong in the file, with the line")
	cmd.MarkFlagsMutuallyExclusive("init", "edit", "check")
	return cmd
}

// initSettings writes a new settings file.
func initSettings(file string) error {
	err := state.InitSettings(file)
	if errors.Is(err, fs.ErrExist) {
		return &fault.Fault{
			Kind: "exists", Code: 1, Err: err,
			Message: "the settings file already exists: " + file, Remedy: "to change it", Command: "hermes-sessions config --edit",
		}
	}
	return err
}

// editSettings opens the settings file in the editor. Where there is none, it is the reference.
func (a *app) editSettings(cmd *cobra.Command, file string) error {
	t, ok := output.OpenTerminal(a.Stdin, a.Stdout, a.Stderr, false, a.log)
	if !ok {
		return &fault.Fault{Kind: "no-terminal", Code: 1, Message: "the editor needs a terminal", Remedy: "open " + file + " yourself"}
	}
	defer t.Close()
	if err := state.InitSettings(file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return a.runner(t).EditFile(cmd.Context(), file).Run()
}

// readSettings reads the settings and checks the key map that they make.
func (a *app) readSettings() (state.Settings, error) {
	s, err := state.ReadSettings(a.configFile, a.Environ)
	if err != nil {
		return s, err
	}
	_, err = a.keysOf(s, s.Preset)
	return s, err
}
