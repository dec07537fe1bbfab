package shell

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// namedKeys are the keys that have a name of several letters.
var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "esc": tea.KeyEscape, "space": tea.KeySpace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "insert": tea.KeyInsert, "delete": tea.KeyDelete,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

// Press makes the message of a key from its name in the key map. A name that no terminal sends
// gives a key that means nothing.
func Press(name string) (m tea.KeyPressMsg) {
	for {
		mod, rest, ok := strings.Cut(name, "+")
		bit, known := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		if !ok || !known {
			break
		}
		m.Mod |= bit
		name = rest
	}
	if c, ok := namedKeys[name]; ok {
		m.Code = c
	} else if r, n := utf8.DecodeRuneInString(name); n == len(name) && n > 0 {
		m.Code = r
		if m.Mod&^tea.ModShift == 0 {
			m.Text = name
		}
	}
	if name == "space" && m.Mod == 0 {
		m.Text = " "
	}
	return m
}
