package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// toastTime is how long a toast stays.
const toastTime = 4 * time.Second

// toast is a line in the place of the hints. It goes away by itself; one with an
// error stays until a key is pressed, and an answer to a key stays no longer than that.
type toast struct {
	id     int // keeps an old timer from clearing a newer line
	text   string
	bad    bool         // it shows an error
	answer bool         // it says why a key has done nothing
	action shell.Action // what a click on it does, "" for nothing
}

type toastExpired struct{ id int }

// say shows a sentence for a few seconds.
func (t *toast) say(text string) tea.Cmd { return t.show(kit.Capitalize(text)) }

// show shows a line as it is for a few seconds.
func (t *toast) show(text string) tea.Cmd {
	*t = toast{id: t.id + 1, text: kit.CleanLine(text)}
	id := t.id
	return tea.Tick(toastTime, func(time.Time) tea.Msg { return toastExpired{id} })
}

// refuse says why a key does nothing, for a few seconds or until the next key, which it
// would seem to be about.
func (t *toast) refuse(text string) tea.Cmd {
	then := t.say(text)
	t.answer = true
	return then
}

// pressed removes what stays only until a key is pressed.
func (t *toast) pressed() {
	if t.bad || t.answer {
		t.clear()
	}
}

// fail shows an error until a key is pressed.
func (t *toast) fail(text string) {
	*t = toast{id: t.id + 1, text: kit.CleanLine(kit.Capitalize(text)), bad: true}
}

// clear removes the line and its action.
func (t *toast) clear() { *t = toast{id: t.id} }

// leave removes a line that was about the screen that is left. An error stays until a key
// is pressed, and a line with an action as long as the action is offered.
func (t *toast) leave() {
	if !t.bad && t.action == "" {
		t.clear()
	}
}

// expire removes the line that a timer belongs to.
func (t *toast) expire(m toastExpired) {
	if m.id == t.id {
		t.text = ""
	}
}
