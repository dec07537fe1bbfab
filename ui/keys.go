package ui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Context is a place in which keys mean something.
type Context string

// The contexts. Keys of Anywhere hold in all of them.
const (
	Anywhere     Context = "anywhere"
	InList       Context = "list"
	InTranscript Context = "transcript"
)

// Action is something a person can do. What it does in a context is up to the
// screen; its keys, letter and help text stand in the table of keymap.go.
type Action string

// Binding is one row of the key map.
type Binding struct {
	Context Context
	Action  Action
	Keys    []string // as Bubble Tea spells them: "ctrl+o", "enter", "G"
	Letter  string   // after Ctrl+X, the route that every action has
	Label   string   // of the first key in hints, "↵"; "" for its own name
	Hint    string   // one or two words for the footer
	Help    string   // a sentence for the help screen
	Footer  bool     // worth a place in the footer
}

// Keys is a key map that was found sound.
type Keys struct{ rows []Binding }

// NewKeys checks a key map. The error names the row that is wrong: an action
// that no screen knows or that has no route, a key or letter used twice in one
// context, a missing help text.
func NewKeys(rows []Binding) (Keys, error) {
	seen := map[string]Action{}
	take := func(c Context, what string, a Action) error {
		for _, in := range overlapping(c) {
			if other, ok := seen[string(in)+" "+what]; ok {
				return fmt.Errorf("key map: %s does both %q and %q in %s", what, other, a, c)
			}
		}
		seen[string(c)+" "+what] = a
		return nil
	}
	for _, b := range rows {
		if !slices.Contains(known[b.Context], b.Action) {
			return Keys{}, fmt.Errorf("key map: %s has no action %q", b.Context, b.Action)
		}
		if len(b.Keys) == 0 && b.Letter == "" {
			return Keys{}, fmt.Errorf("key map: %q in %s has no route", b.Action, b.Context)
		}
		if b.Help == "" {
			return Keys{}, fmt.Errorf("key map: %q in %s has no help text", b.Action, b.Context)
		}
		for _, k := range b.Keys {
			if err := take(b.Context, "key "+k, b.Action); err != nil {
				return Keys{}, err
			}
		}
		if b.Letter != "" {
			if err := take(b.Context, "letter "+b.Letter, b.Action); err != nil {
				return Keys{}, err
			}
		}
	}
	for c, actions := range known {
		for _, a := range actions {
			if !slices.ContainsFunc(rows, func(b Binding) bool { return b.Context == c && b.Action == a }) {
				return Keys{}, fmt.Errorf("key map: %q in %s has no route", a, c)
			}
		}
	}
	return Keys{rows}, nil
}

// overlapping gives the contexts whose keys may not be those of c.
func overlapping(c Context) []Context {
	if c == Anywhere {
		return []Context{Anywhere, InList, InTranscript}
	}
	return []Context{Anywhere, c}
}

// match gives the action of a key press in a context.
func (k Keys) match(c Context, msg tea.KeyPressMsg) (Action, bool) {
	for _, b := range k.in(c) {
		if key.Matches(msg, key.NewBinding(key.WithKeys(b.Keys...))) {
			return b.Action, true
		}
	}
	return "", false
}

// in gives the rows that hold in a context, its own before those of Anywhere.
func (k Keys) in(c Context) []Binding {
	var own, any []Binding
	for _, b := range k.rows {
		switch b.Context {
		case c:
			own = append(own, b)
		case Anywhere:
			any = append(any, b)
		}
	}
	return append(own, any...)
}

// label names the first key of a binding as a person reads it.
func (b Binding) label() string {
	if b.Label != "" {
		return b.Label
	}
	if len(b.Keys) == 0 {
		return "^X " + b.Letter
	}
	return keyLabel(b.Keys[0])
}

var keyNames = strings.NewReplacer("ctrl+", "^", "alt+", "M-", "shift+", "S-",
	"enter", "↵", "right", "→", "left", "←", "pgup", "PgUp", "pgdown", "PgDn",
	"up", "↑", "down", "↓", "esc", "Esc", "space", "Space", "tab", "Tab", "home", "Home", "end", "End")

// keyLabel writes a key as hints do: ctrl+o as ^O.
func keyLabel(k string) string {
	l := keyNames.Replace(k)
	if strings.HasPrefix(l, "^") {
		l = strings.ToUpper(l)
	}
	if len(l) > 1 && l[0] == 'f' {
		l = "F" + l[1:]
	}
	return l
}
