package ui

import (
	"slices"
	"strings"

	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// allCommands are the actions of the screen, in the order of the key map, and its
// other commands; those that only move about come last.
func (r *Root) allCommands() []shell.Command {
	var all, moving []shell.Command
	can := map[shell.Action]shell.Handler{}
	for _, a := range r.can() {
		can[a.Action] = a
	}
	for _, b := range r.opt.Keys.In(r.top().Context()) {
		a, ok := can[b.Action]
		if !ok || !a.Offered() || b.Action == shell.Commands {
			continue
		}
		c := shell.Command{
			Words: wordsOf.Replace(string(b.Action)), Help: b.Help, Also: b.Hint, Note: r.styles.Spell(b.KeyText()), Why: a.Why, Do: a.Do,
		}
		if shell.MovesOnly(b.Action) {
			moving = append(moving, c)
		} else {
			all = append(all, c)
		}
	}
	if c, ok := r.top().(shell.Commander); ok {
		all = append(all, c.Commands()...)
	}
	return slices.Concat(all, r.themeCommands(), moving)
}

// wordsOf writes the name of an action as words.
var wordsOf = strings.NewReplacer("-", " ", "tui", "TUI")

// openPalette opens the palette, and requests the data that some of its commands
// need for their texts.
func (r *Root) openPalette() tea.Cmd {
	open := r.Open(dialog.NewPalette(r, shell.OpenPalette{Title: "Commands", Commands: r.allCommands}))
	if c, ok := r.top().(shell.Commander); ok {
		return tea.Batch(open, c.LoadCommands())
	}
	return open
}
