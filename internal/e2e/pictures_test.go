//go:build !windows

package e2e

import (
	"fmt"
	"testing"
)

// The pictures of the README are journeys through the demo. They run as tests
// too: what a picture promises is on the screen. With -screens=FOLDER each
// leaves the bytes that screenshots/make.sh draws.
func TestPictures(t *testing.T) {
	t.Parallel()
	const hero = "Docker build fails"
	for _, p := range []struct {
		name, scheme string
		w, h         int
		journey      func(u user)
	}{
		{"list", "dark", 120, 34, func(u user) {
			u.Sees("Running")
			u.Sees("Yesterday")
			u.Sees("● you") // the preview of the current row
		}},
		{"search", "dark", 120, 34, func(u user) {
			u.Types("docker")
			u.Sees("Best first")
			u.Sees(hero)
			u.Sees("● you")
		}},
		{"transcript", "dark", 120, 34, func(u user) {
			u.Types("docker build")
			u.Sees("6 conversations") // the answer to all of it
			u.Press("Right")
			u.Sees("What was wrong")
		}},
		{"lineage", "dark", 164, 34, func(u user) {
			u.Types("pantry app")
			u.Sees("▸ ✓ Rewrite the pantry")
			u.Press("Ctrl+L")
			u.Sees("segment 3 of 3, the tip")
			u.Sees("the other 35") // its transcript, beside the tree
		}},
		{"light", "light", 100, 30, func(u user) {
			u.Types("recipe")
			u.Sees("Best first")
			u.Sees("● you")
		}},
		{"narrow", "dark", 60, 24, func(u user) {
			u.Sees("Running")
			u.Press("Down", "Down")
			u.Sees("Release notes")
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, p.w, p.h, nil, "--demo", "--theme", p.scheme)
			s.Sees("conversations")
			p.journey(s)
			s.picture(fmt.Sprintf("%s.%dx%d.%s", p.name, p.w, p.h, p.scheme))
		})
	}
}
