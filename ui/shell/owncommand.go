package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// OwnCommand is a command that the settings add: a command line for the shell, run on the
// current conversation.
type OwnCommand struct {
	Action Action // its name
	Key    string // "" for none
	Letter string // after the key of [More], "" for none
	Help   string
	Line   string   // for the shell; the values of its placeholders are in the environment
	Needs  []string // the placeholders that it has: "folder"
	On     []Context
	Then   Then
}

// Then is what follows a command of the user's own.
type Then int

// What can follow.
const (
	ThenReturn Then = iota // the browser, when the command has ended
	ThenReload             // the browser, which reads everything again
	ThenShow               // the output, in a box; the command does not get the terminal
	ThenLeave              // the shell: the browser ends first
)

// RunCommand runs a command on a conversation and on those that are selected.
type RunCommand struct {
	Command OwnCommand
	One     model.Conversation
	Of      Subjects
}

func (RunCommand) request() {}

// Bindings returns the rows that commands add to the key map.
func Bindings(commands []OwnCommand) (rows []Binding) {
	for _, c := range commands {
		for _, in := range c.On {
			b := Binding{Context: in, Action: c.Action, Letter: c.Letter, Hint: c.Words(), Help: c.Help, Place: OnPage}
			if c.Key != "" {
				b.Keys = []string{c.Key}
			}
			rows = append(rows, b)
		}
	}
	return rows
}

// Words returns the name as menus write it.
func (c OwnCommand) Words() string { return strings.ReplaceAll(string(c.Action), "-", " ") }

// ownHandlers are the commands of the user's own. one gives the current conversation, of those
// that are selected; why is the reason why there are none.
func ownHandlers(sh Shell, why string, one func() model.Conversation, of func() Subjects) (all []Handler) {
	env := sh.Env()
	for _, c := range env.Commands {
		no := why
		switch {
		case no != "":
		case env.Outside.Command == nil:
			no = "no commands can be run here"
		case c.Then == ThenLeave && env.Choose:
			no = "a script waits for the choice"
		case slices.Contains(c.Needs, "folder") && one().CWD == "":
			no = "the conversation has no folder"
		}
		all = append(all, NewHandler(c.Action, no, func() tea.Cmd { return sh.Do(RunCommand{Command: c, One: one(), Of: of()}) }))
	}
	return all
}
