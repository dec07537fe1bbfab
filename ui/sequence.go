package ui

import (
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// paired handles two-key sequences. done is true for the first and the second key
// of one, and for the key that gives up an unfinished one. A key that is claimed as
// text begins none, but may be the second key.
func (r *Root) paired(msg tea.KeyPressMsg, claimed bool) (cmd tea.Cmd, done bool) {
	name := shell.KeyName(msg)
	c := r.top().Context()
	keys := r.opt.Keys
	first := r.firstKey
	r.firstKey = ""
	if first != "" {
		r.toast.text = ""
		if id, ok := keys.MatchPair(c, first, name); ok {
			return r.runAction(id), true
		}
		if id, ok := keys.Match(shell.InDialog, msg); ok && id == shell.Close {
			return nil, true
		}
	}
	if !claimed && keys.BeginsPair(c, name) {
		r.firstKey = name
		return r.toast.show(shell.KeyText(name) + r.styles.Glyphs.Ellipsis), true
	}
	return nil, false
}
