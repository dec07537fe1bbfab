package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A key of the key map may be two, one pressed after the other: "d d". The
// first of them does nothing by itself, and any other key than the second
// forgets it.

// parts gives the keys of which a key of the key map is made.
func parts(k string) []string {
	if k == " " {
		return []string{k}
	}
	return strings.Split(k, " ")
}

// begins reports whether a key is the first of two in a context.
func (k Keys) begins(c Context, name string) bool {
	return slices.ContainsFunc(k.rows, func(b Binding) bool {
		return b.Context == c && slices.ContainsFunc(b.Keys, func(key string) bool {
			return strings.HasPrefix(key, name+" ") && len(parts(key)) == 2
		})
	})
}

// both gives the action of two keys in a context.
func (k Keys) both(c Context, first, second string) (Action, bool) {
	for _, b := range k.rows {
		if b.Context == c && slices.Contains(b.Keys, first+" "+second) {
			return b.Action, true
		}
	}
	return "", false
}

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
