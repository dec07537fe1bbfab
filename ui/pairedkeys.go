package ui

import tea "charm.land/bubbletea/v2"

// paired takes a key that may be one of two. done says that it was, or that it
// only gave up the first.
func (r *Root) paired(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	name, c, keys := keyName(msg), r.top().Context(), r.opt.Keys
	first := r.half
	r.half = ""
	if first != "" {
		r.toast.text = ""
		if id, ok := keys.both(c, first, name); ok {
			return r.perform(id), true
		}
		if id, ok := keys.match(InDialog, msg); ok && id == Back {
			return nil, true
		}
	}
	if keys.begins(c, name) {
		r.half = name
		return r.Say(keyLabel(name) + r.styles.Glyphs.Ellipsis), true
	}
	return nil, false
}
