package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/shell"
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
		if clicked {
			return clickInBox(r, click.X, click.Y)
		}
		return r.dialogs.update(msg)
	}
	if clicked && r.h >= footerFrom && click.Y == r.h-1 {
		if r.toast.text != "" && r.toast.action != "" {
			offered := r.toast.action
			r.toast.clear()
			return r.runAction(offered)
		}
		jobs := &r.changes.jobs
		if r.toast.text != "" {
			return nil // something else is shown there
		} else if jobs.told() {
			if _, stopAt := jobs.line(r.w); click.X < stopAt {
				return nil
			}
			return r.runAction(shell.Stop)
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

// clickInBox hands a click to the box on top. Where that has nothing to click on, a hint in
// the line does what its key does.
func clickInBox(r *Root, x, y int) tea.Cmd {
	d := r.dialogs.top()
	text := d.Box(r.w, r.h)
	box := dialog.Place(r.styles.Cells, text, r.w, r.h)
	if !box.Has(x, y) {
		return nil
	}
	if c, ok := d.(shell.Clickable); ok {
		done, then := c.Click(x-box.X-dialog.TextLeft(r.w, r.h), y-box.Y-dialog.TextTop(r.w, r.h))
		if done {
			r.dialogs.remove(d)
		}
		if done || then != nil {
			return then
		}
	}
	line := ansi.Strip(strings.Split(text, "\n")[y-box.Y])
	if key := hintAt(r.styles.Cells, line, x-box.X); shell.Spelled(key) {
		return r.dialogs.update(shell.Press(key))
	}
	return nil
}

// hintAt returns the key of the hint at column x of a line, "" for none: what it does follows
// after one space.
func hintAt(measure cells.Method, line string, x int) string {
	const frame = "│|╰╯─+- "
	for hint := range strings.SplitSeq(strings.TrimRight(line, frame), " · ") {
		if x -= measure.StringWidth(hint) + 3; x < 0 {
			key, does, _ := strings.Cut(strings.TrimLeft(hint, frame), " ")
			if does == "" || does[0] == ' ' {
				key = ""
			}
			return key
		}
	}
	return ""
}
