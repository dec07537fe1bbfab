//go:build !windows

package e2e

import (
	"testing"
	"time"

	"hermes-sessions/internal/testing/picture"
)

// hero is the conversation that the pictures search for.
const hero = "Docker build fails"

// The pictures of the README are journeys through the demo. They run as tests
// too, by themselves some of them: what a picture promises is on the screen. make screenshots
// draws them. Queries are pasted: of a query that is typed, the answer to its first letters can
// have the same counts, and a key that comes then finds rows of the previous query.
func TestPictures(t *testing.T) {
	t.Parallel()
	for i, p := range []struct {
		name, theme string
		w, h        int
		description string
		journey     func(u user)
	}{
		{"list", "dark", 120, 34, "The list of conversations, with a preview of the current one", func(u user) {
			u.Sees("Running")
			u.Sees("Yesterday")
			u.Sees("3,712 quantities") // the preview of the current row
		}},
		{"search", "dark", 120, 34, "A search: conversations with all words, and the closest matches below", func(u user) {
			u.Pastes("docker build")
			u.Sees("best first")
			u.Sees(hero)
			u.Sees("Closest")
			u.Sees("● you")
		}},
		{"transcript", "dark", 120, 34, "The transcript of a conversation, opened at the words that were searched for", func(u user) {
			u.Pastes("docker build")
			u.Sees("6 conversations")
			u.Press("Right")
			u.Sees("What was wrong")
		}},
		{"lineage", "dark", 164, 34, "The sessions of a conversation as a tree, with the transcript of one", func(u user) {
			u.Pastes("pantry app")
			u.Sees("▸   Rewrite the pantry")
			u.Press("Ctrl+L")
			u.Sees("segment 3 of 3, the tip")
			u.Sees("the other 35") // its transcript, beside the tree
		}},
		{"delete", "dark", 100, 28, "The question before a conversation is deleted", func(u user) {
			u.Pastes("pantry app")
			u.Sees("1 conversation ·")
			u.Press("Ctrl+D")
			u.Sees("Undo with alt+z")
		}},
		{"actions", "dark", 100, 28, "What can be done with a conversation, by letter", func(u user) {
			u.Pastes("docker build")
			u.Sees("6 conversations")
			u.Press("Ctrl+X")
			u.Sees("Actions")
		}},
		{"usage", "harbor", 120, 34, "A year of usage as a calendar, and the days below it, in harbor, a dark palette", func(u user) {
			u.Press("Ctrl+X")
			u.Sees("Actions")
			u.Types("U")
			u.Sees("tokens out")
		}},
		{"comparison", "dark", 120, 18, "Two branches of a conversation, and what each did after they diverge", func(u user) {
			u.Pastes("bakery app")
			u.Sees("3 conversations")
			u.Press("Tab", "Tab")
			u.Sees("2 selected")
			u.Press("Ctrl+X")
			u.Sees("Actions")
			u.Types("C")
			u.Sees("The first 2 messages are the same")
			u.Sees("Miga it is")
		}},
		{"light", "linen", 120, 26, "A search in linen, a light palette", func(u user) {
			u.Pastes("recipe")
			u.Sees("best first")
			u.Sees("● you")
		}},
		{"sixteen", "ansi16", 100, 28, "A transcript in the sixteen colors of the terminal", func(u user) {
			u.Pastes("docker build")
			u.Sees("6 conversations")
			u.Press("Right")
			u.Sees("What was wrong")
		}},
		{"narrow", "dark", 60, 20, "The list in 60 columns", func(u user) {
			u.Sees("Running")
			u.Press("Down", "Down")
			u.Sees("Release notes")
		}},
	} {
		if !drawing() && i%3 > 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--demo", "--theme", p.theme}
			s := open(t, p.w, p.h, nil, args...)
			s.Sees("120 conversations")
			p.journey(s)
			if drawing() {
				keepPicture(t, p.name, picture.Draw(s.shot(), schemeOf(args), p.description))
			}
		})
	}
}

// director takes the film: a frame after each step of a journey.
type director struct {
	*console
	frames []picture.Frame
}

// take adds what is on the screen, when a picture is wanted.
func (d *director) take(keys string, hold time.Duration) {
	d.t.Helper()
	if drawing() {
		d.frames = append(d.frames, picture.Frame{Screen: d.shot(), Keys: keys, Hold: hold * time.Millisecond})
	}
}

// types sends text letter by letter.
func (d *director) types(text string) {
	d.t.Helper()
	for _, letter := range text {
		d.Types(string(letter))
		d.take("", 130)
	}
}

// press sends a key, and holds the screen that comes of it.
func (d *director) press(key, shown, sees string, hold time.Duration) {
	d.t.Helper()
	d.Press(key)
	d.Sees(sees)
	d.take(shown, hold)
}

// letter sends one letter as a key.
func (d *director) letter(key, sees string, hold time.Duration) {
	d.t.Helper()
	d.Types(key)
	d.Sees(sees)
	d.take(key, hold)
}

// The film of the README: search, read, fold, lineage, resume.
func TestFilm(t *testing.T) {
	t.Parallel()
	args := []string{"--demo", "--theme", "dark"}
	d := &director{console: openConsole(t, 120, 30, environment(t), program, args...)}
	d.Sees("Running")
	d.Sees("● you")
	d.take("", 1600)
	d.types("pantry app")
	d.Sees("▸   Rewrite the pantry")
	d.Sees("Closest")
	d.take("", 2200)
	d.press("Right", "→", "match 1 of 2", 2200)
	d.letter("J", "2 / 38", 600)
	d.press("Enter", "enter", "▾ terminal find", 2000)
	d.press("Enter", "enter", "▸ terminal find", 800)
	d.letter("]", "8 / 38", 1200)
	d.letter("l", "segment 1 of 3", 1800)
	d.press("Down", "↓", "Port barcode.py to Go; all", 500)
	d.press("Down", "↓", "segment 2 of 3", 500)
	d.press("Down", "↓", "segment 3 of 3", 1400)
	d.letter("r", "hermes --resume", 3000)
	if drawing() {
		keepPicture(t, "film", picture.Film(d.frames, schemeOf(args), "Searching a conversation, reading it, its lineage, and resuming it"))
	}
}
