package transcript

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// numberInput is the message number being typed, as in less.
type numberInput struct {
	typing bool
	digits string
}

// goTo is the label before the number.
const goTo = " go to "

// takesNumberKey reports whether a key is input of a message number. A number does not
// begin with a zero.
func (s *Screen) takesNumberKey(msg tea.KeyPressMsg) bool {
	return s.numberInput.typing || s.pages != nil && s.rows.Len > 0 && len(msg.Text) == 1 && msg.Text[0] >= '1' && msg.Text[0] <= '9'
}

// pressNumberKey takes a key of a message number: digits, then G or Enter to go to that
// message, or % to go to that percentage of the conversation. Any other key keeps its meaning.
func (s *Screen) pressNumberKey(msg tea.KeyPressMsg) tea.Cmd {
	c := &s.numberInput
	if !s.takesNumberKey(msg) {
		return nil
	}
	key := shell.KeyName(msg)
	switch {
	case len(key) == 1 && key[0] >= '0' && key[0] <= '9':
		if len(c.digits) < 9 {
			c.digits += key
		}
		if !c.typing {
			c.typing = true
			s.Resize(s.w, s.h)
		}
		return nil
	case key == "backspace" && len(c.digits) > 1:
		c.digits = c.digits[:len(c.digits)-1]
		return nil
	}
	n, err := strconv.Atoi(c.digits)
	*c = numberInput{}
	s.Resize(s.w, s.h)
	last := len(s.pages.skeletons)
	switch key {
	case "%":
		n = 1 + min(n, 100)*(last-1)/100
	case "enter", "G", "g", "#", ":":
	case "esc", "ctrl+g", "backspace":
		return s.moved()
	default:
		return s.sh.Do(shell.PressKey{Key: msg})
	}
	if err != nil {
		return s.moved()
	}
	return s.jumpToTop(max(1, min(n, last)) - 1)
}

// GoTo goes to a message of the conversation that is being read, by its id; 0 for none.
func GoTo(s *Screen, id int64) tea.Cmd {
	if id == 0 || s.pages == nil {
		return nil
	}
	i := slices.Index(s.pages.outline.MessageIDs, id)
	if i < 0 {
		return s.sh.Refuse("this message is no longer in the transcript")
	}
	return s.jumpToTop(i)
}

// jumpToTop goes to the message at a position, which comes to the top of the window.
func (s *Screen) jumpToTop(i int) tea.Cmd {
	return s.jump(i, func() { s.show(s.visibleItem(i), 0, 0) })
}

// numberLine draws the line with the number being typed.
func (s *Screen) numberLine(w int) string {
	st := s.sh.Styles()
	left := st.Key.Render(goTo) + st.Text.Render(s.numberInput.digits)
	right := "G message of " + st.Spell(kit.Count(len(s.pages.skeletons))) + "  % of all"
	return inputLine(st, left, right, w)
}
