package ui

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/demo"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/uitest"
)

// drawn is what Bubble Tea's renderer leaves of a line on a terminal of w columns.
func drawn(line string, w int, measure cells.Method) string {
	screen := uv.NewScreenBuffer(w, 1)
	screen.Method = ansi.Method(measure)
	uv.NewStyledString(line).Draw(screen, screen.Bounds())
	return strings.TrimRight(screen.Line(0).String(), " ")
}

// hardTexts are texts that wcwidth and graphemes measure differently, and some that
// look as if they did.
func hardTexts() []string {
	return []string{
		"family 👨‍👩‍👧‍👦, couple 👩‍❤️‍👨, cat 🐈‍⬛", "hands 👍🏻👍🏽 👍🏿 and 👩🏽‍🚀", "flags 🇩🇪🇫🇷 🏳️‍🌈 🏴‍☠️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
		"keys 1️⃣ #️⃣ *️⃣ hearts ❤️ ❤ warning ⚠️", "क्षत्रिय स्त्री हिन्दी पढ़ना सिखाना", "กำลังทำน้ำแข็ง ไทย",
		"الكسور للأطفال ٢٠٢٦", "\u1112\u1161\u11ab\u1100\u1173\u11af 한글", "e\u0301a\u0308 日本語 ｶﾞ",
	}
}

// hardHistory has the conversations of the demo that are hard to measure, and one that is
// made of hard texts only.
func hardHistory(t *testing.T) *uitest.Fake {
	t.Helper()
	sessions, messages, err := demo.History(uitest.Now())
	if err != nil {
		t.Fatal(err)
	}
	lib := &uitest.Fake{Messages: map[string][]model.Message{}}
	next := int64(1)
	add := func(id, title, source string, said []model.Message) {
		for i := range said {
			said[i].ID, said[i].SessionID = next, id
			next++
		}
		lib.Convs = append(lib.Convs, model.Conversation{
			Session: model.Session{ID: id, Title: title, Source: source, StartedAt: uitest.Now().Add(-time.Hour), VisibleMessages: len(said)},
			RootID:  id, Segments: []string{id}, Messages: len(said), LastActive: uitest.Now().Add(-time.Minute), Preview: title + " " + title,
		})
		lib.Messages[id] = said
	}
	hard := hardTexts()
	table := "| what | shown | value |\n|---|---|---|\n"
	for i, h := range hard {
		table += fmt.Sprintf("| %s | `%s` | –0.%d |\n", h, h, i)
	}
	add("hard", hard[0]+" "+hard[1], "👩🏽‍🚀app", []model.Message{
		uitest.Said("user", strings.Join(hard, " · ")),
		uitest.Said("assistant", "# "+hard[0]+"\n\n"+strings.Join(hard, " ")+"\n\n- "+strings.Join(hard, "\n- ")+"\n\n> "+strings.Join(hard, " ")),
		uitest.Said("assistant", table),
		uitest.Said("assistant", "```text\n"+strings.Join(hard, "   ")+"\n```"),
		uitest.Calls(hard[4], uitest.Call("1", "terminal", `{"command":"echo `+hard[0]+hard[5]+`"}`)),
		uitest.Result("1", "terminal", strings.Join(hard, "\n")),
	})
	for i, h := range hard {
		add(fmt.Sprint("h", i), h+" "+hard[(i+1)%len(hard)], "cli", []model.Message{uitest.Said("user", h)})
	}
	for _, s := range sessions {
		var said []model.Message
		odd := s.Title != nil && ansi.StringWidth(*s.Title) != ansi.StringWidthWc(*s.Title)
		for _, m := range messages {
			if m.Session == s && m.Content != nil && (m.Role == "user" || m.Role == "assistant") {
				odd = odd || ansi.StringWidth(*m.Content) != ansi.StringWidthWc(*m.Content)
				said = append(said, uitest.Said(m.Role, *m.Content))
			}
		}
		if odd && s.Title != nil {
			add(s.ID, *s.Title, s.Source, said)
		}
	}
	if len(lib.Convs) < len(hard)+4 {
		t.Fatalf("the demo has only %d conversations that are hard to measure", len(lib.Convs)-len(hard)-1)
	}
	return lib
}

// Every line of every screen survives the renderer, whichever way that measures: the
// driver compares each line with what is drawn of it.
func TestNothingIsClippedWhicheverWayTextIsMeasured(t *testing.T) {
	t.Parallel()
	for i, measure := range []cells.Method{cells.ByCodePoint, cells.ByGrapheme} {
		for k, size := range [][2]int{{30, 8}, {80, 24}, {120, 40}, {160, 50}, {60, 20}, {100, 30}, {200, 50}} {
			if !campaign.On() && ((i+k)%2 > 0 || k > 3) {
				continue // the first sizes in one way, each way at two of them
			}
			t.Run(fmt.Sprintf("%d-%dx%d", measure, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, _ *uitest.Fake) {
					d := start(t, hardHistory(t), size[0], size[1])
					if measure == cells.ByGrapheme {
						d.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
						d.settle()
					}
					for range d.lib.Convs {
						d.keys("down")
					}
					for i := range d.lib.Convs {
						d.keys("right")
						for range 8 {
							d.keys("pgdown")
						}
						if i < 2 {
							d.keys("O", "pgup", "pgup", "\\", "/").types("हि").keys("enter", "n", "esc", "esc")
						}
						d.keys("f3", "esc", "up")
					}
					d.keys("home")
					for _, box := range []string{"ctrl+x", "ctrl+r", "ctrl+d", "ctrl+y", "f1"} {
						d.keys(box).straight().keys("esc")
					}
					d.keys("right", "i").straight().keys("esc", "e").straight().keys("esc", "l", "esc", "esc")
					d.types("👨‍👩‍👧‍👦 हिन्दी กำ").keys("left", "left", "esc").types("हिन्दी").keys("right", "n", "n", "esc")
				})
			})
		}
	}
}

// straight checks that the right edge of a box is in one column.
func (d *driver) straight() *driver {
	d.t.Helper()
	edge := -1
	for _, l := range strings.Split(ansi.Strip(d.root.View().Content), "\n") {
		l = strings.TrimRight(l, " ")
		if end := strings.LastIndexAny(l, "╮│╯"); end >= 0 && len(d.root.dialogs) > 0 && (strings.Contains(l, "╮") || edge >= 0) {
			at := d.root.styles.Cells.StringWidth(l[:end])
			if edge >= 0 && at != edge {
				d.t.Fatalf("an edge in column %d and one in %d:\n%s", edge, at, d.screen())
			}
			if edge = at; strings.Contains(l, "╯") {
				break
			}
		}
	}
	return d
}

// The columns of a table stand below each other, whichever way text is measured.
func TestTablesAreStraightWhicheverWayTextIsMeasured(t *testing.T) {
	t.Parallel()
	for _, measure := range []cells.Method{cells.ByCodePoint, cells.ByGrapheme} {
		at(t, func(t *testing.T, _ *uitest.Fake) {
			lib := hardHistory(t)
			said := "| what | value |\n|---|---|\n"
			for i, h := range hardTexts() {
				said += fmt.Sprintf("| %s | v%d |\n", h, i)
			}
			table := uitest.Said("assistant", said)
			table.ID, table.SessionID = 1, "hard"
			lib.Convs, lib.Messages = lib.Convs[:1], map[string][]model.Message{"hard": {table}}
			d := start(t, lib, 120, 40)
			if measure == cells.ByGrapheme {
				d.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet})
			}
			d.keys("right")
			columns := map[int]int{}
			for _, l := range strings.Split(d.screen(), "\n") {
				if before, after, ok := strings.Cut(l, "│ v"); ok && len(after) == 1 {
					columns[measure.StringWidth(before)]++
				}
			}
			if len(columns) != 1 || slices.Max(slices.Collect(maps.Values(columns))) != len(hardTexts()) {
				t.Errorf("method %d: the second column begins at %v:\n%s", measure, columns, d.screen())
			}
		})
	}
}

// Emoji sequences are taken apart until the terminal reports mode 2027.
func TestEmojiSequencesUntilTheTerminalReportsMode2027(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Convs[0].Title = "one 👨‍👩‍👧 👍🏽 ❤️ end"
		s := startProgram(t, lib, 100, 20)
		if text := s.text(); !strings.Contains(text, "one 👨👩👧 👍   ❤ end") {
			t.Errorf("before the report:\n%s", text)
		}
		io.WriteString(s.keys, "\x1b[?2027;2$y")
		if text := s.wait(time.Second); s.root.styles.Cells != cells.ByGrapheme || !strings.Contains(s.root.View().Content, "one 👨‍👩‍👧 👍🏽 ❤️ end") {
			t.Errorf("after the report:\n%s", text)
		}
		s.leave()
	})
}

// Text is measured by cells only: what these packages have for it counts by grapheme.
func TestTextIsMeasuredByCells(t *testing.T) {
	t.Parallel()
	measures := regexp.MustCompile(`\b(ansi\.(StringWidth|Truncate|Cut|Wrap|Wordwrap|Hardwrap|TruncateLeft|WcWidth|GraphemeWidth)|lipgloss\.(Width|Height|Size|Wrap|StyleRanges|Place\w*|Join\w*|NewLayer|NewCompositor)|runewidth\.\w+|uniseg\.\w+)\b|\.(Width|MaxWidth|Border|Padding|Margin|Align)\([^)]`)
	err := filepath.WalkDir(".", func(path string, f fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(src), "\n") {
			if found := measures.FindString(line); found != "" {
				t.Errorf("%s:%d: %s", path, i+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
