package list

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/theme"
)

// The hint is whole also in a narrow window, before the chips, which repeat what is typed.
func TestRemarksInNarrowWindows(t *testing.T) {
	s := theme.Setup{}.Styles()
	m := remarks{chips: []string{"expiring", "in ~/src"}, hint: "Hermes deletes old ones; pinned ones stay"}
	for _, c := range []struct {
		w    int
		want string
	}{
		{70, "  expiring   in ~/src   Hermes deletes old ones; pinned ones stay"},
		{60, " Hermes deletes old ones; pinned ones stay  expiring "},
		{42, " Hermes deletes old ones; pinned ones stay"},
		{41, " Hermes deletes old ones  expiring "},
		{30, " Hermes deletes old ones"},
		{20, " Hermes deletes old| ones  expiring "},
	} {
		if got := ansi.Strip(strings.Join(chipLines(s, m, c.w), "|")); got != c.want {
			t.Errorf("in %d columns: %q, want %q", c.w, got, c.want)
		}
	}
	two := remarks{hint: "a: Hermes deletes old ones; pinned ones stay · b: not known; look there"}
	if got, want := ansi.Strip(strings.Join(chipLines(s, two, 60), "|")), " a: Hermes deletes old ones · b: not known"; got != want {
		t.Errorf("of two databases: %q, want %q", got, want)
	}
}
