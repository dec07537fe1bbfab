package ui

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// The whole program on an emulator goes through each view: open it, move, open what a row
// stands for, come back, at three sizes. No frame on the way is empty below its first line.
func TestJourneysThroughTheViews(t *testing.T) {
	t.Parallel()
	const ctrlX, up, down, right, esc, enter = "\x18", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b", "\r"
	type step struct{ keys, sees string }
	for name, journey := range map[string][]step{
		"running": {
			{ctrlX + "w", "waiting for you"},
			{down, "Broker upgrade plan"},
			{ctrlX + "i", "Details of “Broker upgrade plan”"},
			{esc, "waiting for you"},
			{up, "Kafka consumer"},
			{right + "f", "following"},
			{"q", "waiting for you"},
		},
		"expiring": {{ctrlX + "X", "Expires"}, {enter, "Broker upgrade plan"}, {"q", "Expires"}, {esc, "12 conversations"}},
		"usage": {
			{ctrlX + "U", "Usage · 12 months"}, {"d", "Day "}, {"d", "Week "}, {right, "Model "}, {"t", "All time"}, {right, "Source "}, {enter, "of "}, {"q", "Source "}, {"q", "12 conversations"},
		},
		"files":      {{ctrlX + "i", "Details of “Kafka consumer retries #3”"}, {esc, "12 conversations"}, {"file:broker.yaml", "file broker.yaml"}, {esc, "12 conversations"}},
		"failures":   {{"has:failed ", "with failed tool calls"}, {down, "!2"}, {right, "what does the blue light"}, {"!", "failed tool call"}, {"q", "!2"}, {esc, "12 conversations"}},
		"named":      {{"\x1b1", "▸1 work 2"}, {down, "best first"}, {right, "kafka"}, {"q", "▸1 work 2"}, {"\x1b0", "12 conversations"}},
		"new":        {{"", "• Kafka consumer"}, {right, "new since"}, {"q", "12 conversations"}},
		"notes":      {{ctrlX + "N", "Note on “Kafka"}, {"ask" + enter, "✎"}, {ctrlX + "T", "Tags on “Kafka"}, {"later" + enter, "Tags saved"}, {right, "✎ #later ask"}, {"gm", "⚑ bookmark"}, {"q", "12 conversations"}},
		"comparison": {{"\t" + down + "\t", "2 selected"}, {ctrlX + "C", "Compare · The first 3 messages are the same."}, {enter, "Restarted, it works."}, {"q", "Compare · "}, {"q", "12 conversations"}},
		"space":      {{ctrlX + "S", "Space · 900 kB"}, {down, "142 kB"}, {enter, "dead letters"}, {"q", "Space · "}, {right, "Why"}, {right, "Inactive 30 d"}, {"t", "Inactive 90 d"}, {right, "Expires"}, {"q", "12 conversations"}},
		"profiles":   {{"profile:work ", "profile work"}, {down, " work"}, {esc, "12 conversations"}},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}}[:campaign.Length(1, 3)] {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					switch name {
					case "running":
						openSessions(lib)
					case "comparison":
						parting(lib)
					}
					stored(lib)
					lib.Convs[1].ExpiresAt = uitest.Now().Add(5 * time.Hour)
					lib.Convs[2].Failed = 2
					outline, err := lib.Outline(t.Context(), lib.Convs[0].ID)
					if err != nil {
						t.Fatal(err)
					}
					read := memory{lib.Convs[0].RootID: {At: uitest.Now().Add(-time.Hour), Until: lib.Convs[0].LastActive.Add(-time.Minute), Message: outline.MessageIDs[0]}}
					s := startProgramOn(t, lib, size[0], size[1], colorprofile.TrueColor, func(o *Options) {
						o.Several, o.Memory = name == "profiles", read
						o.Annotations = &notebook{all: map[string]map[int64]shell.Annotation{}}
						withQueries(query.Named{Name: "work", Text: "kafka"})(o)
					})
					defer s.leave()
					for _, step := range journey {
						for _, key := range keysOf(step.keys) {
							if _, err := io.WriteString(s.keys, key); err != nil {
								t.Fatal(err)
							}
							s.wait(time.Second)
						}
						if text := s.wait(time.Second); !strings.Contains(text, step.sees) {
							t.Fatalf("after %q no %q in\n%s", step.keys, step.sees, text)
						}
					}
					for _, f := range s.frames {
						if first, rest, _ := strings.Cut(f.text, "\n"); strings.TrimSpace(first) != "" && strings.TrimSpace(rest) == "" {
							t.Errorf("an empty frame: %q", first)
						}
					}
				})
			})
		}
	}
}

// keysOf splits what is typed into keys: an escape sequence is one.
func keysOf(text string) (keys []string) {
	for len(text) > 0 {
		n := 1
		switch {
		case strings.HasPrefix(text, "\x1b["):
			n = 3
		case strings.HasPrefix(text, "\x1b") && len(text) > 1:
			n = 2
		}
		keys, text = append(keys, text[:n]), text[n:]
	}
	return keys
}
