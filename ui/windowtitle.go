package ui

import (
	"strings"

	"hermes-sessions/ui/kit"

	tea "charm.land/bubbletea/v2"
)

// stringEnd is the one-byte control that ends a title. Some terminals look for it
// inside of UTF-8 too, as in Ü and in 本, and write the rest of the title on the
// screen, where it would stay.
const stringEnd = "\x9c"

// updateTitle sets the title of the window to that of the screen, and redraws everything
// where a terminal may have written a part of it on the screen.
func (r *Root) updateTitle() tea.Cmd {
	if len(r.screens) == 0 {
		return nil
	}
	raw := r.top().Heading()
	if raw == r.title.raw {
		return nil
	}
	r.title.raw, r.title.clean = raw, kit.CleanLine(raw)
	if strings.Contains(r.title.clean, stringEnd) && r.opt.Height == 0 {
		return tea.ClearScreen
	}
	return nil
}
