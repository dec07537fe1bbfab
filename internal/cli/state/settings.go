package state

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// Settings is what the user's settings file says; the zero value is that of a
// missing file.
type Settings struct {
	Preset      string         `toml:"preset"`   // of the key map
	EnterLF     bool           `toml:"enter-lf"` // the terminal sends LF for Enter
	Theme       string         `toml:"theme"`
	Plain       bool           `toml:"plain"` // a prompt instead of the full screen
	ASCII       bool           `toml:"ascii"` // draw with ASCII only
	Mouse       *bool          `toml:"mouse"` // nil for on
	Motion      string         `toml:"motion"`
	Order       string         `toml:"order"` // of the list, the value of --sort; "" for the default
	Hermes      string         `toml:"hermes"`
	HermesArgs  []string       `toml:"hermes-args"`
	AfterResume string         `toml:"after-resume"`
	AllProfiles bool           `toml:"all-profiles"` // the browser lists all profiles where no flag names a database
	Remember    *bool          `toml:"remember"`     // nil for on
	UndoDays    *int           `toml:"undo-days"`    // nil for the default
	UndoMB      *int           `toml:"undo-mb"`      // nil for the default
	Redact      Redact         `toml:"redact"`
	Keys        map[string]any `toml:"keys"`
	Queries     map[string]any `toml:"queries"`

	Columns  []string                     `toml:"columns"` // of the list, nil for all that there is room for
	Themes   map[string]map[string]string `toml:"themes"`
	Commands map[string]Command           `toml:"commands"`

	Overrides shell.Overrides    `toml:"-"` // the keys
	Named     []query.Named      `toml:"-"` // the queries, in the order of the file
	Own       []shell.OwnCommand `toml:"-"` // the commands, in the order of the file
	File      string             `toml:"-"` // where they were read, "" for nowhere
	none      bool               // they are not to be read
}

// The values of the settings that are one of a few words.
var (
	presets     = []string{"default", "vim", "upstream"}
	motions     = []string{"full", "reduced"}
	afterResume = []string{"leave", "return", "print", "tmux"} // in the order of [shell.After]
)

// orders are the values of the setting order and of --sort.
func orders() (names []string) {
	for _, o := range query.Orders() {
		names = append(names, o.String())
	}
	return names
}

// ListOrder returns the order in which the list opens.
func (s Settings) ListOrder() query.Order {
	return query.Orders()[max(0, slices.Index(orders(), s.Order))]
}

// Themes are the values of the setting theme and of --theme; the first is the
// default.
func Themes() []string {
	var names []string
	for _, t := range theme.Themes() {
		names = append(names, t.Name)
	}
	return names
}

// ReadSettings reads a settings file: the one that is named, none for "none", and
// config.toml in the user's folder for "", which may be missing. Anything wrong in
// the file is a fault that names the place.
func ReadSettings(named string, environ env.Vars) (Settings, error) {
	file := named
	switch named {
	case "none":
		return Settings{none: true}, nil
	case "":
		folder := environ.ConfigFolder()
		if folder == "" {
			return Settings{}, nil
		}
		file = filepath.Join(folder, "config.toml")
	}
	text, err := os.ReadFile(file)
	if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && named == "" {
		return Settings{}, nil
	}
	s := Settings{File: file}
	if err == nil {
		err = s.parse(string(text))
	}
	if err != nil {
		return Settings{}, s.Fault(err)
	}
	return s, nil
}

// Fault says that something in the settings file is wrong.
func (s Settings) Fault(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // the file is named
	}
	setting := err.Error()
	if unknown, ok := errors.AsType[*shell.UnknownName](err); ok {
		if near := fault.Nearest(unknown.Name, unknown.Known); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		} else if len(unknown.Known) < 20 { // few enough to name
			err = fmt.Errorf("%w, only %s", err, strings.Join(unknown.Known, ", "))
		}
		setting = unknown.Setting + ":"
	}
	if text, unread := os.ReadFile(s.File); unread == nil {
		line := lineOf(string(text), setting)
		if row, ok := errors.AsType[*shell.RowError](err); ok {
			line = lineOfRow(settingLines(string(text)), row)
		}
		if line > 0 {
			err = fmt.Errorf("line %d: %w", line, err)
		}
	}
	return &fault.Fault{
		Kind: "settings", Code: 2, Err: err,
		Message: fmt.Sprintf("settings %s: %s", s.File, err),
		Remedy:  "correct it, or ignore it with --config=none",
	}
}

// lineOfRow returns the line that a row of the key map comes from, or the one that it clashes
// with, 0 where both are the program's own.
func lineOfRow(lines map[string]int, row *shell.RowError) int {
	for _, a := range []shell.Action{row.Action, row.Other} {
		for _, name := range []string{fmt.Sprintf("commands.%s", a), fmt.Sprintf("keys.%s.%s", row.Context, a)} {
			if line := lines[name]; line > 0 {
				return line
			}
		}
	}
	return 0
}

// parse reads settings from TOML and checks all of them but the names of actions
// and keys, which only the key map knows.
func (s *Settings) parse(text string) error {
	read, err := toml.Decode(text, s)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("line %d: %s", wrong.Position.Line, wrong.Message)
	}
	m := wrongType.FindStringSubmatch(fmt.Sprint(err))
	switch {
	case m != nil:
		return fmt.Errorf("line %s: %s must be %s", m[1], m[2], kinds[m[3]])
	case err != nil:
		return err
	case read.IsDefined("keys") && s.Keys == nil:
		return errors.New("keys must be a table of screens")
	case read.IsDefined("commands") && s.Commands == nil:
		return errors.New("commands must be a table of commands")
	case read.IsDefined("redact", "patterns") && s.Redact.Patterns == nil:
		return errors.New("redact.patterns must be a table of names and patterns")
	}
	for _, unknown := range read.Undecoded() {
		if unknown[0] != "keys" && unknown[0] != "queries" {
			names := append(SettingNames(), "redact.always", "redact.also", "redact.patterns")
			if len(unknown) == 3 {
				for _, part := range tags(reflect.TypeFor[Command]()) {
					names = append(names, "commands."+unknown[1]+"."+part)
				}
			}
			return noSetting(strings.Join(unknown, "."), names)
		}
	}
	if err = cmp.Or(s.checkThemes(read.Keys()), s.checkColumns()); err != nil {
		return err
	}
	for _, c := range s.choices() {
		if c.value != "" && !slices.Contains(c.words, c.value) {
			return fmt.Errorf("%s = %q: must be one of %s", c.name, c.value, strings.Join(c.words, ", "))
		}
	}
	for name, n := range map[string]*int{"undo-days": s.UndoDays, "undo-mb": s.UndoMB} {
		if n != nil && (*n < 0 || *n > 1_000_000) {
			return fmt.Errorf("%s = %d: must be from 0 to 1000000", name, *n)
		}
	}
	if s.Named, err = named(s.Queries, read.Keys()); err != nil {
		return err
	}
	if s.Own, err = commands(s.Commands, read.Keys(), runtime.GOOS == "windows"); err != nil {
		return err
	}
	if _, err = s.Redact.Rules(nil); err != nil {
		return err
	}
	if s.Keys != nil {
		s.Overrides, err = overrides(s.Keys)
	}
	return err
}

// noSetting says that there is no setting of a name, and which of those that there are was
// probably meant.
func noSetting(name string, names []string) error {
	if near := fault.Nearest(name, names); near != "" {
		return fmt.Errorf("there is no setting %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no setting %q", name)
}

// wrongType is what the parser says where the value of a setting has another type, and
// kinds names the types of settings.
var (
	wrongType = regexp.MustCompile(`^toml: (?:line (\d+) )?\(last key "(.*)"\): .*(?:has type|expected) (boolean|integer|slice|string|table)\b`)
	kinds     = map[string]string{"boolean": "true or false", "integer": "a whole number", "slice": "a list", "string": "text in quotes", "table": "a table"}
)

// overrides returns the user's keys by context and action. Each is a key or a
// list of keys in the file; an empty list takes the keys of an action away.
func overrides(tables map[string]any) (shell.Overrides, error) {
	own := shell.Overrides{}
	for context, table := range tables {
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

// After returns what the browser does when a conversation is resumed.
func (s Settings) After() shell.After {
	return shell.After(max(0, slices.Index(afterResume, s.AfterResume)))
}

// UndoLimits returns how long, and how much of, what is deleted is kept for an undo.
func (s Settings) UndoLimits() model.UndoLimits {
	days, megabytes := 7, 1000
	if s.UndoDays != nil {
		days = *s.UndoDays
	}
	if s.UndoMB != nil {
		megabytes = *s.UndoMB
	}
	return model.UndoLimits{Days: days, Bytes: int64(megabytes) * 1e6}
}

// SettingNames returns the names of all settings, for the manual.
func SettingNames() []string { return tags(reflect.TypeFor[Settings]()) }

// tags returns the names that the fields of a type have in the file.
func tags(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("toml"); name != "-" && name != "" {
			names = append(names, name)
		}
	}
	return names
}
