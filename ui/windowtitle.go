package ui

import (
	"strings"

	"hermes-sessions/ui/kit"

	tea "charm.land/bubbletea/v2"
)

// Update implements tea.Model.
func (r *Root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := r.handle(msg)
	return r, tea.Batch(cmd, r.entitle())
}

// stringEnd ends a title for terminals that know the one-byte controls of old
// and look for them inside of UTF-8 too, as in Ü and in 本. The rest of the
// title is then text on the screen, which would stay there.
const stringEnd = "\x9c"

// entitle gives the window the title of the screen, and draws everything anew
// where a terminal may have taken it for text.
func (r *Root) entitle() tea.Cmd {
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
