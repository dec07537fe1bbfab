package state

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// Look returns what the settings say about how the screens look.
func (s Settings) Look() shell.Look {
	l := shell.Look{Theme: s.Theme, Columns: s.Columns}
	if l.Theme == "" {
		l.Theme = Themes()[0]
	}
	for _, name := range slices.Sorted(maps.Keys(s.Themes)) {
		l.Themes = append(l.Themes, theme.Own(name, baseOf(s.Themes[name]), s.Themes[name]))
	}
	return l
}

// baseOf returns the theme that one of the user's own changes.
func baseOf(own map[string]string) string {
	if base, ok := own["base"]; ok {
		return base
	}
	return Themes()[0]
}

// themes returns the names of all themes, the user's own last.
func (s Settings) themes() []string { return append(Themes(), slices.Sorted(maps.Keys(s.Themes))...) }

// checkThemes checks the user's own themes, in the order of the file.
func (s Settings) checkThemes(order []toml.Key) error {
	for _, k := range order {
		if k[0] != "themes" || len(k) < 2 {
			if len(k) == 1 && k[0] == "themes" && s.Themes == nil {
				return errors.New("themes must be a table of themes")
			}
			continue
		}
		at := "themes." + k[1]
		odd := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }
		switch {
		case slices.Contains(Themes(), k[1]):
			return fmt.Errorf("%s: there is a theme of this name already", at)
		case k[1] == "" || strings.ContainsFunc(k[1], odd):
			return fmt.Errorf("%s: a name has letters, digits, - and _", at)
		case s.Themes[k[1]] == nil:
			return fmt.Errorf("%s: must be a table of colors", at)
		case len(k) == 2:
			continue
		}
		value := s.Themes[k[1]][k[2]]
		at += "." + k[2]
		roles := theme.Roles()
		switch {
		case k[2] == "base" && !slices.Contains(Themes(), value):
			return fmt.Errorf("%s: %s", at, unknown("theme", value, Themes()))
		case k[2] == "base":
		case !slices.Contains(roles, k[2]):
			return fmt.Errorf("%s: %s", at, unknown("color", k[2], append(roles, "base")))
		case !theme.Valid(value):
			return fmt.Errorf("%s: there is no color %q; write #RRGGBB", at, value)
		}
	}
	return nil
}

// checkColumns checks the columns of the list.
func (s Settings) checkColumns() error {
	for i, c := range s.Columns {
		switch {
		case !slices.Contains(shell.Columns(), c):
			return fmt.Errorf("columns: %s", unknown("column", c, shell.Columns()))
		case slices.Contains(s.Columns[:i], c):
			return fmt.Errorf("columns: %q is there twice", c)
		}
	}
	return nil
}
