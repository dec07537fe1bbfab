package ui

import (
	"io"
	"strings"
	"testing"
	"time"

	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"

	"github.com/charmbracelet/x/ansi"
)

// The emulator is one of the terminals that end a title in the middle of some
// letters, and print the rest of it.
func TestNoTitleIsLeftOnTheScreen(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"Ünïcödé & friends", "日本語の文章", "“quoted”"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Convs = nil
			addConversation(lib, nil, uitest.Said("user", "hello"))
			lib.Convs[0].Title = title
			s := startProgram(t, lib, 120, 40)
			defer s.leave()
			for _, key := range []string{"\x0c", "\r", "l", "\r", "q", "q", "\x1b[C"} {
				io.WriteString(s.keys, key)
				s.wait(time.Second)
				want := strings.Split(ansi.Strip(s.root.View().Content), "\n")
				for y, line := range strings.Split(s.text(), "\n") {
					if got := strings.TrimRight(line, " "); y < len(want) && got != strings.TrimRight(want[y], " ") {
						t.Fatalf("%s: after %q line %d is %q, want %q", title, key, y, got, want[y])
					}
				}
			}
			if s.root.top().Context() != shell.InTranscript {
				t.Fatalf("not open:\n%s", s.text())
			}
		})
	}
}
