package main

import (
	"fmt"
	"slices"

	"hermes-sessions/ui"
)

// keys gives the key map of a preset with the user's own keys, checked. With
// feeds, Enter may come as a line feed. The error names the row that is wrong.
func keys(preset string, feeds bool, own ui.Overrides) (ui.Keys, error) {
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
	rows, err := ui.Rebind(keymap(), overrides)
	if err != nil {
		return ui.Keys{}, err
	}
	if feeds {
		rows = lineFeeds(rows)
	}
	if rows, err = ui.Rebind(rows, own); err != nil {
		return ui.Keys{}, err
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
			ui.PageDown:   {"ctrl+f", "pgdown"},
			ui.First:      {"g", "ctrl+home", "home"},
			ui.Last:       {"G", "shift+g", "ctrl+end", "end"},
			ui.Resume:     {"enter", "r"},
			ui.Open:       {"l", "right", "ctrl+t"},
			ui.Type:       {"i", "/"},
			ui.Copy:       {"y y", "ctrl+y"},
			ui.Delete:     {"d d", "ctrl+d", "delete"},
			ui.Undo:       {"u", "alt+z"},
			ui.Mark:       {"space", "m", "tab"},
			ui.MarkRange:  {"v", "alt+v"},
			ui.CycleScope: {"o", "ctrl+o"},
			ui.CycleSort:  {"s", "ctrl+s"},
			ui.Preview:    {"p", "ctrl+/", "ctrl+_", "f3"},
			ui.Back:       {"q", "esc", "ctrl+g"},
		},
	}
}

// upstream lets q quit and d delete on an empty query, as Hermes's own picker
// does (store/README.md#command-line).
func upstream() ui.Overrides {
	return ui.Overrides{
		ui.InList: {
			ui.Back:   {"esc", "ctrl+g", "q"},
			ui.Delete: {"ctrl+d", "delete", "d"},
		},
	}
}

// lineFeeds is for terminals whose Enter sends a line feed, which arrives as
// Ctrl+J: that key then does what Enter does, and nothing else.
func lineFeeds(rows []ui.Binding) []ui.Binding {
	for i := range rows {
		rows[i].Keys = slices.DeleteFunc(rows[i].Keys, func(k string) bool { return k == "ctrl+j" })
		if slices.Contains(rows[i].Keys, "enter") {
			rows[i].Keys = append(rows[i].Keys, "ctrl+j")
		}
	}
	return rows
}
