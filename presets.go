package main

import (
	"fmt"

	"hermes-sessions/ui"
)

// keys gives the key map of a preset with the user's own keys, checked. The
// error names the row that is wrong.
func keys(preset string, own ui.Overrides) (ui.Keys, error) {
	typing, overrides := ui.Searches, ui.Overrides{}
	switch preset {
	case "", "default":
	case "vim":
		typing, overrides = ui.ActsAlways, vim()
	case "upstream":
		typing, overrides = ui.ActsFirst, upstream()
	default:
		return ui.Keys{}, fmt.Errorf("there is no preset %q, only default, vim and upstream", preset)
	}
	rows := keymap()
	for _, o := range []ui.Overrides{overrides, own} {
		var err error
		if rows, err = ui.Rebind(rows, o); err != nil {
			return ui.Keys{}, err
		}
	}
	return ui.NewKeys(rows, typing)
}

// vim starts the list with letters that act; / or i begins a query, Esc ends
// typing it. The transcript has these keys in every preset.
func vim() ui.Overrides {
	return ui.Overrides{
		ui.InList: {
			ui.Up:         {"k", "up", "ctrl+p", "ctrl+k"},
			ui.Down:       {"j", "down", "ctrl+n", "ctrl+j"},
			ui.PageUp:     {"ctrl+b", "pgup"},
			ui.PageDown:   {"ctrl+f", "space", "pgdown"},
			ui.First:      {"g", "ctrl+home", "home"},
			ui.Last:       {"G", "shift+g", "ctrl+end", "end"},
			ui.Resume:     {"enter", "r"},
			ui.Open:       {"l", "right", "ctrl+t"},
			ui.Type:       {"i", "/"},
			ui.Copy:       {"y", "ctrl+y"},
			ui.Delete:     {"d", "ctrl+d", "delete"},
			ui.Undo:       {"u", "alt+z"},
			ui.Mark:       {"m", "tab"},
			ui.MarkRange:  {"v", "alt+v"},
			ui.CycleScope: {"o", "ctrl+o"},
			ui.CycleSort:  {"s", "ctrl+s"},
			ui.Preview:    {"p", "ctrl+/", "ctrl+_", "f3"},
			ui.Back:       {"q", "esc", "ctrl+g"},
		},
	}
}

// upstream lets q quit and d delete on an empty query, as Hermes's own picker
// does.
func upstream() ui.Overrides {
	return ui.Overrides{
		ui.InList: {
			ui.Back:   {"esc", "ctrl+g", "q"},
			ui.Delete: {"ctrl+d", "delete", "d"},
		},
	}
}
