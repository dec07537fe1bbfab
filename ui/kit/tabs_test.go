package kit

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/theme"
)

// A click on a tab shows its list. Where the tabs do not fit, they come in pages, and a
// click beside them goes to the list before or after the one that is shown.
func TestTabsAreFoundWhereTheyAreDrawn(t *testing.T) {
	s := theme.Setup{}.Styles()
	tabs := Tabs{Names: []string{"Conversations", "Sources", "Months"}, Shown: 1}
	clicks := func(w int) (all []int) {
		for x := range w {
			all = append(all, tabs.At(s, x, w))
		}
		return all
	}

	line := ansi.Strip(tabs.Line(s, 40))
	for i, name := range tabs.Names {
		at := strings.Index(line, name)
		if got := clicks(40)[at-1 : at+len(name)+1]; slices.Min(got) != i || slices.Max(got) != i {
			t.Errorf("clicks on %s show %v", name, got)
		}
	}
	if got := clicks(40); got[0] != -1 || got[39] != -1 {
		t.Errorf("clicks beside the tabs show %d and %d", got[0], got[39])
	}

	line = ansi.Strip(tabs.Line(s, 20))
	if line != " ←  Sources  →" {
		t.Fatalf("in 20 columns: %q", line)
	}
	got := clicks(20)
	for what, want := range map[string]int{"←": 0, "Sources": 1, "→": 2} {
		if x := len([]rune(line[:strings.Index(line, what)])); got[x] != want {
			t.Errorf("a click on %s shows %d, want %d", what, got[x], want)
		}
	}

	tabs = Tabs{Names: []string{"Time", "Models", "Profiles", "Sources", "Folders", "Tools", "Hours"}}
	var lines []string
	for i := range tabs.Names {
		tabs.Shown = i
		line := ansi.Strip(tabs.Line(s, 41))
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
		if x := len([]rune(line[:strings.Index(line, tabs.Names[i])])); tabs.At(s, x, 41) != i {
			t.Errorf("a click on %s shows %d", tabs.Names[i], tabs.At(s, x, 41))
		}
	}
	if want := []string{" ←  Time   Models   Profiles  →", " ←  Sources   Folders   Tools   Hours  →"}; !slices.Equal(lines, want) {
		t.Errorf("the pages are %q", lines)
	}
}
