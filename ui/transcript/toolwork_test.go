package transcript

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// The line of folded tool work says what a call worked on, however narrow it is.
func TestALineOfToolWorkNamesAnObjectAtEveryWidth(t *testing.T) {
	t.Parallel()
	calls := []model.CallGroup{
		{Name: "patch", Count: 1, Objects: []string{".dockerignore"}},
		{Name: "write_file", Count: 1, Objects: []string{"Dockerfile"}},
		{Name: "terminal", Count: 2, Objects: []string{"docker build --no-cache -t larder .", "docker images larder"}},
	}
	for width, want := range map[int]string{
		100: "▸ patch .dockerignore · write_file Dockerfile · terminal ×2 docker build --no-cache -t larder .; do…",
		72:  "▸ patch .dockerignore · write_file Dockerfile · terminal ×2 docker buil…",
		56:  "▸ patch .dockerig… · write_file Dockerfile · terminal ×2",
		40:  "▸ patch · write_file Dockerfile · 2 more",
		30:  "▸ patch .dockerignore · 3 more",
		20:  "▸ patch · write_fil…",
	} {
		buf := buffer{renderer: &renderer{styles: theme.New(theme.Mono, false)}, width: width}
		got := ansi.Strip(buf.groups("▸ ", calls, "", 0, width))
		if got != want || cells.ByCodePoint.StringWidth(got) > width {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

// Of tools with little room, the line names what the one worked on that failed.
func TestALineOfToolWorkNamesWhatFailed(t *testing.T) {
	t.Parallel()
	calls := []model.CallGroup{
		{Name: "read_file", Count: 2, Objects: []string{"Dockerfile", ".dockerignore"}},
		{Name: "terminal", Count: 1, Objects: []string{"docker build --no-cache -t larder ."}},
	}
	for failing, want := range map[string]string{
		"":          "▸ read_file ×2 Dockerfile, .d… · terminal",
		"terminal":  "▸ read_file ×2 · terminal docker build -…",
		"read_file": "▸ read_file ×2 Dockerfile, .d… · terminal",
	} {
		buf := buffer{renderer: &renderer{styles: theme.New(theme.Mono, false)}, width: 41}
		if got := ansi.Strip(buf.groups("▸ ", calls, failing, 0, 41)); got != want {
			t.Errorf("%q failed: %q, want %q", failing, got, want)
		}
	}
}
