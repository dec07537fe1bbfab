package cli

import (
	"errors"
	"fmt"
	"hermes-sessions/ui/shell"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
)

// settings is what the user's own file says; the zero value is none.
type settings struct {
	Preset      string         `toml:"preset"`
	EnterLF     bool           `toml:"enter-lf"` // the terminal sends LF for Enter
	Theme       string         `toml:"theme"`
	ASCII       bool           `toml:"ascii"`
	Mouse       *bool          `toml:"mouse"` // nil for on
	Hermes      string         `toml:"hermes"`
	HermesArgs  []string       `toml:"hermes-args"`
	AfterResume string         `toml:"after-resume"`
	Remember    *bool          `toml:"remember"` // nil for on
	Keys        map[string]any `toml:"keys"`

	file string
}

// The words of the settings that are one of a few.
var (
	presets = []string{"default", "vim", "upstream"}
	afters  = []string{"leave", "return", "print"} // in the order of [ui.After]
)

// configFlag adds the flag that names another settings file.
func (a *app) configFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.config, "config", "", "read the settings of this `FILE`, or none with --config=none")
}

// readSettings reads the user's settings. A file that nobody named may be
// missing; one that is wrong anywhere is an error that names the place.
func (a *app) readSettings() error {
	file, named := a.config, a.config != ""
	if file == "none" {
		return nil
	}
	if !named {
		folder := a.userFolder("XDG_CONFIG_HOME", ".config", "APPDATA", filepath.Join("Library", "Application Support"))
		if folder == "" {
			return nil
		}
		file = filepath.Join(folder, "config.toml")
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil
	}
	s := settings{file: file}
	if err == nil {
		err = s.parse(string(text))
	}
	if err != nil {
		return a.settingsFault(file, err)
	}
	a.settings = s
	return nil
}

// settingsFault is what is wrong with a settings file.
func (a *app) settingsFault(file string, err error) error {
	return &fault{
		kind: "settings", code: 2, err: err,
		message: fmt.Sprintf("settings %s: %s", file, err),
		remedy:  "correct it, or leave it aside with --config=none",
	}
}

// parse reads settings and checks all but the keys, which only the key map can
// judge.
func (s *settings) parse(text string) error {
	read, err := toml.Decode(text, s)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("line %d: %s", wrong.Position.Line, wrong.Message)
	}
	if err != nil {
		return err
	}
	for _, unknown := range read.Undecoded() {
		if unknown[0] != "keys" { // the key map knows those
			return fmt.Errorf("there is no setting %q", unknown.String())
		}
	}
	for _, c := range []struct {
		name, value string
		words       []string
	}{{"preset", s.Preset, presets}, {"theme", s.Theme, themes}, {"after-resume", s.AfterResume, afters}} {
		if c.value != "" && !slices.Contains(c.words, c.value) {
			return fmt.Errorf("%s = %q: must be one of %s", c.name, c.value, strings.Join(c.words, ", "))
		}
	}
	_, err = s.overrides()
	return err
}

// overrides gives the user's keys: each a key, or a list of keys.
func (s *settings) overrides() (shell.Overrides, error) {
	own := shell.Overrides{}
	for context, table := range s.Keys {
		actions, ok := table.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("keys.%s must be a table of actions and their keys", context)
		}
		of := map[shell.Action][]string{}
		for action, value := range actions {
			keys := []string{}
			list, ok := value.([]any)
			if !ok {
				list = []any{value}
			}
			for _, k := range list {
				key, ok := k.(string)
				if !ok {
					return nil, fmt.Errorf("keys.%s.%s must be a key or a list of keys, as in [\"ctrl+o\", \"f4\"]", context, action)
				}
				keys = append(keys, key)
			}
			of[shell.Action(action)] = keys
		}
		own[shell.Context(context)] = of
	}
	return own, nil
}

// after gives what becomes of the browser when something is resumed.
func (s *settings) after() shell.After {
	return shell.After(max(0, slices.Index(afters, s.AfterResume)))
}

// keyMap gives the key map of a preset, "" for that of the settings, with the
// user's own keys.
func (a *app) keyMap(preset string) (shell.Keys, error) {
	if preset == "" {
		preset = a.settings.Preset
	}
	own, err := a.settings.overrides()
	if err != nil {
		return shell.Keys{}, a.settingsFault(a.settings.file, err)
	}
	keys, err := a.Keys(preset, a.settings.EnterLF, own)
	if err != nil && a.settings.file != "" {
		return shell.Keys{}, a.settingsFault(a.settings.file, err)
	}
	return keys, err
}

// userFolder gives our folder among the user's: under the variable of the XDG
// base directories, or where this system keeps such files; "" where the
// environment does not tell.
func (a *app) userFolder(xdg, unix, windows, mac string) string {
	const name = "hermes-sessions"
	if folder := a.getenv(xdg); filepath.IsAbs(folder) {
		return filepath.Join(folder, name)
	}
	home := a.getenv("HOME")
	switch runtime.GOOS {
	case "windows":
		home, unix = a.getenv(windows), ""
	case "darwin":
		unix = mac
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, unix, name)
}
