package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/theme"
	"hermes-sessions/ui/uitest"
)

// Every kind of message in both themes; a theme changes no character.
func TestTranscriptThemes(t *testing.T) {
	for name, msgs := range uitest.Kinds() {
		for _, width := range []int{100, 80, 40} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				dark := drawnWith(msgs, width, theme.New(theme.Dark, false))
				light := drawnWith(msgs, width, theme.New(theme.Light, false))
				if uitest.Trimmed(ansi.Strip(dark)) != uitest.Trimmed(ansi.Strip(light)) {
					t.Errorf("dark\n%s\nlight\n%s", ansi.Strip(dark), ansi.Strip(light))
				}
				if dark == light {
					t.Error("both themes look the same")
				}
				golden.RequireEqual(t, strings.ReplaceAll("dark\n"+dark+"light\n"+light, "\x1b", "␛"))
			})
		}
	}
}
