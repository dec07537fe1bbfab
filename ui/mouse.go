package ui

import (
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// mouse routes what the mouse does: to the dialog on top, the hints in the
// bottom line, or the screen. With Shift it selects text in the terminal: most terminals
// keep that to themselves, and those that report it too are not answered.
func (r *Root) mouse(msg tea.MouseMsg) tea.Cmd {
	if msg.Mouse().Mod.Contains(tea.ModShift) {
		return nil
	}
	click, clicked := msg.(tea.MouseClickMsg)
	clicked = clicked && click.Button == tea.MouseLeft
	if len(r.dialogs) > 0 {
		d := r.dialogs.top()
		c, ok := d.(shell.Clickable)
		if !clicked || !ok {
			return r.dialogs.update(msg)
		}
		box := dialog.Place(r.styles.Cells, d.Box(r.w, r.h), r.w, r.h)
		if !box.Has(click.X, click.Y) {
			return nil
		}
		done, then := c.Click(click.X-box.X-dialog.TextLeft(r.w, r.h), click.Y-box.Y-dialog.TextTop(r.w, r.h))
		if done {
			r.dialogs.remove(d)
		}
		return then
	}
	if clicked && r.h >= footerFrom && click.Y == r.h-1 {
		if r.toast.text != "" && r.toast.action != "" {
			offered := r.toast.action
			r.toast.clear()
			return r.runAction(offered)
		}
		if r.toast.text != "" || r.changes.jobs.line() != "" {
			return nil // something else is shown there
		}
		for _, h := range r.placedHints() {
			if click.X >= h.x && click.X < h.x+h.wide {
				return r.runAction(h.action)
			}
		}
		return nil
	}
	return r.top().Update(msg)
}
