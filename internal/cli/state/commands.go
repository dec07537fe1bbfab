package state

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/ui/shell"
)

// Command is a command of the user's own, as the settings file has it.
type Command struct {
	Run     string   `toml:"run"` // for the shell, with placeholders
	Key     string   `toml:"key"`
	Letter  string   `toml:"letter"` // after the key of the menu
	Help    string   `toml:"help"`
	Screens []string `toml:"screens"`
	Then    string   `toml:"then"`
}

// The values of what a command says, the first by default where one is needed.
var (
	thens        = []string{"return", "reload", "show", "leave"} // in the order of [shell.Then]
	commandsOn   = []string{"list", "transcript", "lineage", "space"}
	placeholders = []string{"id", "title", "folder", "profile", "database", "file", "selection"}
)

// commands returns the commands of a decoded table, in the order in which they are in the file.
func commands(table map[string]Command, order []toml.Key, windows bool) (all []shell.OwnCommand, err error) {
	for _, k := range order {
		if len(k) != 2 || k[0] != "commands" {
			continue
		}
		c, err := table[k[1]].own(k[1], windows)
		if err != nil {
			return nil, fmt.Errorf("commands.%s%w", k[1], err)
		}
		all = append(all, c)
	}
	return all, nil
}

// own checks a command. The error begins with the part that is wrong: ".run: ".
func (c Command) own(name string, windows bool) (shell.OwnCommand, error) {
	o := shell.OwnCommand{Action: shell.Action(name), Key: c.Key, Letter: c.Letter, Help: c.Help}
	odd := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }
	switch {
	case name == "" || strings.ContainsFunc(name, odd):
		return o, errors.New(": a name has letters, digits, - and _")
	case strings.TrimSpace(c.Run) == "":
		return o, errors.New(": there is nothing to run; say run = \"…\"")
	case c.Key == "" && c.Letter == "":
		return o, errors.New(": a command needs a key, or a letter for the menu")
	case len([]rune(c.Letter)) > 1 || strings.ContainsFunc(c.Letter, func(r rune) bool { return !unicode.IsGraphic(r) || r == ' ' || r == '-' }):
		return o, errors.New(".letter: must be one character, which is not -")
	case strings.ContainsFunc(c.Help, unicode.IsControl):
		return o, errors.New(".help: must be one line")
	}
	if o.Help == "" {
		o.Help = "Run " + strings.Join(strings.Fields(strings.Map(graphic, c.Run)), " ")
	}
	if len(c.Screens) == 0 {
		c.Screens = commandsOn[:2]
	}
	for _, s := range c.Screens {
		if !slices.Contains(commandsOn, s) {
			return o, fmt.Errorf(".screens: %s", unknown("screen with commands", s, commandsOn))
		}
		if on := shell.Context(s); !slices.Contains(o.On, on) {
			o.On = append(o.On, on)
		}
	}
	if i := slices.Index(thens, c.Then); i >= 0 {
		o.Then = shell.Then(i)
	} else if c.Then != "" {
		return o, fmt.Errorf(".then: must be one of %s", strings.Join(thens, ", "))
	}
	var err error
	o.Line, o.Needs, err = shellLine(c.Run, windows)
	return o, err
}

// graphic replaces what cannot be drawn by a space.
func graphic(r rune) rune {
	if !unicode.IsGraphic(r) {
		return ' '
	}
	return r
}

// unknown returns the message about a name that does not exist, with the closest known name or all of them.
func unknown(what, name string, known []string) string {
	if near := fault.Nearest(name, known); near != "" {
		return fmt.Sprintf("there is no %s %q; did you mean %s?", what, name, near)
	}
	return fmt.Sprintf("there is no %s %q, only %s", what, name, strings.Join(known, ", "))
}

// placeholder matches {name}, which means nothing to a shell, unlike ${name}.
var placeholder = regexp.MustCompile(`^\{([a-z]+)\}`)

// PlaceholderVariable returns the name of the environment variable that has the value of a
// placeholder.
func PlaceholderVariable(name string) string { return "HERMES_SESSIONS_" + strings.ToUpper(name) }

// shellLine returns a command line for the shell, sh or cmd, with a quoted variable in place of
// each placeholder: a value is never a part of what the shell reads, whatever is in it. The
// selection is one word for each conversation: the arguments of sh. Where quotes stand around a
// placeholder they would end those of the variable, which is an error.
func shellLine(run string, windows bool) (line string, needs []string, err error) {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(run); i++ {
		c := run[i]
		switch {
		case c == '\\' && quote != '\'' && !windows && i+1 < len(run):
			b.WriteByte(c)
			i++
			c = run[i]
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'' && !windows):
			quote = c
		case c == '{' && (i == 0 || run[i-1] != '$'):
			m := placeholder.FindStringSubmatch(run[i:])
			if m == nil {
				break
			}
			if !slices.Contains(placeholders, m[1]) {
				if near := fault.Nearest(m[1], placeholders); near != "" {
					return "", nil, fmt.Errorf(".run: there is no placeholder {%s}; did you mean {%s}?", m[1], near)
				}
				break // the shell's own, or awk's
			}
			if quote != 0 {
				return "", nil, fmt.Errorf(".run: %s stands in quotes; take them away, it is quoted already", m[0])
			}
			b.WriteString(variable(m[1], windows))
			if !slices.Contains(needs, m[1]) {
				needs = append(needs, m[1])
			}
			i += len(m[0]) - 1
			continue
		}
		b.WriteByte(c)
	}
	for _, name := range placeholders { // by its variable, as inside quotes
		if !slices.Contains(needs, name) && strings.Contains(run, PlaceholderVariable(name)) {
			needs = append(needs, name)
		}
	}
	return b.String(), needs, nil
}

// variable returns what the shell replaces by the value of a placeholder. cmd replaces !NAME!
// when it has read the line.
func variable(name string, windows bool) string {
	switch {
	case windows && name == "selection":
		return "!" + PlaceholderVariable(name) + "!" // each id has quotes
	case windows:
		return `"!` + PlaceholderVariable(name) + `!"`
	case name == "selection":
		return `"$@"`
	}
	return `"$` + PlaceholderVariable(name) + `"`
}
