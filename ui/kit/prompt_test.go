package kit

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/theme/cells"
)

// A text that is longer than its field uses the field, and stands still while a few letters
// are typed.
func TestALongTextInItsField(t *testing.T) {
	const w = 30
	measure, moves, before := cells.ByCodePoint, 0, 0
	for n := w; n < 4*w; n++ {
		p := NewPrompt(strings.Repeat("x", n))
		from, to, col := p.Window(measure, w)
		if col != to-from || col >= w || col < w-1-w/3 {
			t.Errorf("%d letters: %d to %d in %d columns, the cursor in %d", n, from, to, w, col)
		}
		if from != before {
			moves, before = moves+1, from
		}
	}
	if moves > 4*w/(w/3) {
		t.Errorf("the text moves %d times", moves)
	}
	if from, to, _ := new(Prompt).Window(measure, 0); from != 0 || to != 0 {
		t.Error("an empty text in no room:", from, to)
	}
}

// Deleting the word after the cursor is safe on the last character, too.
func TestDeleteWordOnTheLastCharacter(t *testing.T) {
	t.Parallel()
	p := NewPrompt("abc")
	p.Update(tea.KeyPressMsg{Code: tea.KeyLeft})
	p.Update(tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt})
	if p.input.Value() != "abc" {
		t.Errorf("%q", p.input.Value())
	}
}
