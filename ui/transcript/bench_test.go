package transcript

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/cputime"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// longTranscript is a library of one conversation, which answers at once.
type longTranscript struct {
	*uitest.Fake
	outline model.Outline
	all     []model.Message
}

// newLibrary makes a library of one conversation.
func newLibrary(all ...model.Message) *longTranscript {
	e := &longTranscript{Fake: &uitest.Fake{}, all: all}
	e.outline.Conversation = model.Conversation{Session: model.Session{ID: "epic", Title: "A long life"}, Segments: []string{"epic"}}
	e.outline.SegmentStarts = []int{0}
	start := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	for i := range all {
		all[i].ID, all[i].SessionID, all[i].At = int64(i+1), "epic", start.Add(time.Duration(i)*time.Minute)
		e.outline.MessageIDs = append(e.outline.MessageIDs, all[i].ID)
	}
	return e
}

// newLongTranscript makes a library of one conversation of five segments.
func newLongTranscript(n int) *longTranscript {
	all := make([]model.Message, n)
	for i := range all {
		m := &all[i]
		switch i % 8 {
		case 0:
			m.Role, m.Content.Text = "user", fmt.Sprintf("Question %d: why does the *second* run differ?", i)
		case 1, 3:
			m.Role, m.Calls = "assistant", []model.ToolCall{{ID: fmt.Sprint(i), Name: "terminal", Arguments: `{"command":"make test"}`}}
		case 2, 4:
			m.Role, m.ToolCallID, m.ToolName = "tool", fmt.Sprint(i-1), "terminal"
			m.Content.Text = strings.Repeat("ok  \tpackage/of/some/length\t0.012s\n", 30)
		default:
			m.Role = "assistant"
			m.Content.Text = fmt.Sprintf("## Step %d\n\n%s\n\n- a\n- b `code`\n\n```go\nfunc f%d() error { return nil }\n```", i, strings.Repeat("Some prose with **bold** words. ", 8), i)
		}
	}
	e := newLibrary(all...)
	e.outline.SegmentStarts = []int{0, n / 5, 2 * n / 5, 3 * n / 5, 4 * n / 5}
	e.outline.Conversation.Segments = []string{"a", "b", "c", "d", "epic"}
	return e
}

func (e *longTranscript) Outline(context.Context, string) (model.Outline, error) {
	return e.outline, nil
}

func (e *longTranscript) MessagesOf(_ context.Context, _ string, ids []int64) ([]model.Message, error) {
	out := make([]model.Message, 0, len(ids))
	for _, id := range ids {
		out = append(out, e.all[id-1])
	}
	return out, nil
}

func (e *longTranscript) Hits(context.Context, query.Query, string, int) ([]model.Hit, error) {
	return nil, nil
}

func (e *longTranscript) HitIDs(context.Context, query.Query, string) ([]int64, error) {
	return nil, nil
}

// reader runs a transcript without a clock: the test decides when messages are read and
// when lines are drawn in the background.
type reader struct {
	lib   shell.Library
	shell *uitest.BareShell
	w, h  int
	t     *Screen
	next  tea.Cmd // the next command of the background
}

// newReader makes a reader for a terminal of w columns and h lines, the last of which is
// not the transcript's.
func newReader(tb testing.TB, lib shell.Library, w, h int) *reader {
	tb.Helper()
	return &reader{lib: lib, w: w, h: h - 1, shell: uitest.NewShell(shell.Env{
		Context: tb.Context(), Library: lib, Keys: uitest.Keys(tb),
		Clock: func() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) },
	})}
}

// open opens a transcript, up to its first frame.
func (r *reader) open(tb testing.TB, at int64) {
	r.t = New(r.shell, model.Conversation{Session: model.Session{ID: "epic"}}, query.Query{}, model.Hit{MessageID: at})
	r.t.Resize(r.w, r.h)
	answer, err := openPages(tb.Context(), r.lib, r.t.where)
	if err != nil {
		tb.Fatal(err)
	}
	r.t.open.Generation = 1
	r.next = r.t.Update(kit.Answer[opening, opened]{From: r.t.open, Generation: 1, Query: r.t.where, Value: answer})
}

// wait lets all come that is on its way.
func (r *reader) wait() {
	for {
		f := r.t.read
		switch {
		case !f.Settled():
			e := f.Wanted
			answer, err := readPages(r.t.env.Context, r.lib, e.id, (*e.ids)[e.from:e.to])
			r.next = r.t.Update(kit.Answer[pageQuery, []model.Message]{From: f, Generation: f.Generation, Query: e, Value: answer, Err: err})
		case r.t.prerendering && r.next != nil:
			r.next = r.t.Update(r.next())
		default:
			return
		}
	}
}

// all runs what a key has set going, and what follows from that.
func (r *reader) all() {
	todo := []tea.Cmd{r.next}
	for len(todo) > 0 {
		c := todo[0]
		if todo = todo[1:]; c == nil {
			continue
		}
		switch m := c().(type) {
		case tea.BatchMsg:
			todo = append(todo, m...)
		default:
			todo = append(todo, r.t.Update(m))
		}
	}
}

func (r *reader) press(key string) { r.next = r.shell.Press(r.t, key) }

// view draws the screen as the terminal gets it.
func (r *reader) view() string { return strings.Join(r.t.Lines(), "\n") }

func (r *reader) text() string { return ansi.Strip(r.view()) }

const transcriptLength = 20000

func BenchmarkTranscriptFirstFrame(b *testing.B) {
	e := newLongTranscript(transcriptLength)
	r := newReader(b, e, 100, 45)
	for name, at := range map[string]int64{"end": 0, "hit": 10006} {
		b.Run(name, func(b *testing.B) {
			r.open(b, at)
			if want := map[string]string{"end": "Step 19999", "hit": "Step 10005"}[name]; !strings.Contains(r.text(), want) {
				b.Fatalf("no %q in\n%s", want, r.text())
			}
			for b.Loop() {
				r.open(b, at)
				_ = r.view()
			}
		})
		// The naive way: every message laid out, the last page shown.
		b.Run(name+"-all-of-500", func(b *testing.B) {
			for b.Loop() {
				r.open(b, at)
				p := r.t.newRenderer()
				for i := range 500 {
					m := kit.CleanMessage(e.all[i])
					p.render(renderItem{key: itemKey{item: 2 * i, width: 94, headed: true}, message: &m})
				}
			}
		})
	}
}

func BenchmarkTranscriptView(b *testing.B) {
	for name, keys := range map[string][]string{"plain": nil, "numbers-and-prompts": {"#", "\\"}} {
		b.Run(name, func(b *testing.B) {
			r := newReader(b, newLongTranscript(transcriptLength), 160, 45)
			r.open(b, 0)
			r.wait()
			for _, k := range keys {
				r.press(k)
				r.all()
			}
			for b.Loop() {
				_ = r.view()
			}
		})
	}
}

// endFromTop goes to the end once the top is reached, with the clock stopped.
func (r *reader) endFromTop(b *testing.B) {
	if r.t.rows.Top == 0 {
		b.StopTimer()
		r.press("G")
		r.wait()
		b.StartTimer()
	}
}

func BenchmarkTranscriptPage(b *testing.B) {
	for name, warm := range map[string]bool{"warmed": true, "cold": false} {
		b.Run(name, func(b *testing.B) {
			r := newReader(b, newLongTranscript(transcriptLength), 100, 45)
			r.open(b, 0)
			r.wait()
			for b.Loop() {
				r.endFromTop(b)
				r.press("pgup")
				_ = r.view()
				b.StopTimer() // what is read and drawn meanwhile is not on the key path
				if !warm {
					r.t.prerendering, r.next = true, nil
				}
				r.wait()
				b.StartTimer()
			}
		})
	}
}

func BenchmarkTranscriptScroll(b *testing.B) {
	r := newReader(b, newLongTranscript(transcriptLength), 100, 45)
	r.open(b, 0)
	r.wait()
	for b.Loop() {
		r.endFromTop(b)
		r.press("k")
		_ = r.view()
		b.StopTimer()
		r.wait()
		b.StartTimer()
	}
}

func BenchmarkTranscriptResize(b *testing.B) {
	r := newReader(b, newLongTranscript(transcriptLength), 100, 45)
	r.open(b, 0)
	r.wait()
	for i := 0; b.Loop(); i++ {
		r.t.Resize(72+i%38, r.h)
		r.t.cache = newRenderCache[itemKey](maxRenderedBytes)
		_ = r.view()
	}
}

func BenchmarkTranscriptFoldAll(b *testing.B) {
	r := newReader(b, newLongTranscript(transcriptLength), 100, 45)
	r.open(b, 10006)
	r.wait()
	for b.Loop() {
		r.press("O")
		_ = r.view()
	}
}

// However far the user reads, memory stays bounded.
func TestMemoryOfALongReadIsBounded(t *testing.T) {
	t.Parallel()
	e := newLongTranscript(1000)
	for i := range e.all {
		if m := &e.all[i]; m.Role == "tool" {
			m.Content.Text = strings.Repeat(m.Content.Text, 128)
		}
	}
	r := newReader(t, e, 100, 45)
	r.open(t, 0)
	r.wait()
	r.press("t")
	r.wait()
	seen := 0
	for range 4000 {
		r.press("pgup")
		r.wait()
		seen = max(seen, r.t.pages.bytes)
		if r.t.cache.bytes > maxRenderedBytes+1<<20 {
			t.Fatalf("%d bytes of drawings are kept", r.t.cache.bytes)
		}
		if r.t.rows.Top == 0 {
			break
		}
	}
	if r.t.rows.Top != 0 {
		t.Fatalf("after 4000 pages the reader is at row %d", r.t.rows.Top)
	}
	if seen > maxMessageBytes+4<<20 {
		t.Errorf("%d bytes of messages were held", seen)
	}
	if !strings.Contains(r.text(), "Question 0") {
		t.Errorf("the first page:\n%s", r.text())
	}
	sum := 0
	for _, m := range r.t.pages.messages {
		sum += messageSize(m)
	}
	if sum != r.t.pages.bytes {
		t.Errorf("%d bytes are held and %d counted", sum, r.t.pages.bytes)
	}
}

// Going to the ends of a long conversation, from prompt to prompt, and looking through all
// of it for a word leaves no more than some windows of messages in memory.
func TestFewMessagesOfALongConversationAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all []model.Message
		for i := range 4000 { // without code, whose highlighter keeps a clock outside of the bubble
			all = append(all, uitest.Said([]string{"user", "assistant"}[i/2%2], fmt.Sprintf("message number %d", i+1)))
		}
		r := newReader(t, newLibrary(all...), 80, 24)
		r.open(t, 0)
		r.wait()
		for _, k := range []string{"[", "[", "]", "g", "G", "g", "/", "9", "enter", "n", "N", "G"} {
			r.press(k)
			r.all()
			if n := len(r.t.pages.messages); n > 500 {
				t.Errorf("after %s, %d messages are in memory", k, n)
			}
		}
	})
}

// A message that has been deleted counts as read, so that it is not read again and again.
func TestAMessageThatIsGoneCountsAsRead(t *testing.T) {
	t.Parallel()
	p := newPages(model.Outline{MessageIDs: []int64{1, 2}})
	p.put(positions{0, 2}, []model.Message{{ID: 2, Role: "user"}})
	if p.skeletons[0].Author == model.NoAuthor || p.messages[0] == nil {
		t.Errorf("the first message is %+v", p.skeletons[0])
	}
}

// The mark stays on its item, in the window, at every size.
func TestResizingKeepsTheReadersPlace(t *testing.T) {
	t.Parallel()
	r := newReader(t, newLongTranscript(300), 100, 30)
	r.open(t, 162)
	r.wait()
	sel := r.t.rows.Selected
	for _, size := range [][2]int{{40, 11}, {200, 49}, {20, 4}, {10, 2}, {1, 1}, {60, 3}, {100, 29}} {
		r.shell.Short = size[1] < 5
		r.t.Resize(size[0], size[1])
		r.next = r.t.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if r.wait(); r.t.rows.Selected != sel {
			t.Fatalf("at %v the mark is on row %d, not %d", size, r.t.rows.Selected, sel)
		}
		if first, last := r.t.rows.InView(); sel < first || sel > last {
			t.Fatalf("at %v rows %d to %d are in the window, not %d", size, first, last, sel)
		}
	}
	if !strings.Contains(r.text(), "message 162 / 300") {
		t.Errorf("the reader is elsewhere:\n%s", r.text())
	}
}

// hugeTexts are long or odd in every way that once took time.
func hugeTexts() map[string]string {
	return map[string]string{
		"one line":      strings.Repeat("x", 1<<20),
		"words":         strings.Repeat("word ", 1<<18),
		"CJK":           strings.Repeat("日本語", 1<<17),
		"a long string": `{"a": "` + strings.Repeat("y", 1<<20) + `"}`,
		"a long list":   `[` + strings.Repeat(`{"a":1},`, 30<<10) + `1]`,
		"combining":     "a" + strings.Repeat("\u0301", 1<<18),
		"ten MB":        strings.Repeat("a line of text like any other\n", 10<<20/30),
		"zero wide":     strings.Repeat("\u200b", 1<<18),
		"emoji":         strings.Repeat("👨‍👩‍👧", 1<<15),
		"blank lines":   strings.Repeat("\n", 1<<20),
	}
}

// hugeKeys go over a huge text, into it and out of it again.
var hugeKeys = []string{"enter", "j", "space", "K", "enter", "enter", "J", "J", "enter", "t", "O", "R", "G", "g", "[", "J", "J"}

// newHugeTranscript returns a conversation with a text in the arguments and the result of
// a tool, and said by the agent and by the user.
func newHugeTranscript(text string) *longTranscript {
	e := newLongTranscript(100)
	e.all[49].Calls[0].Arguments, e.all[50].Content.Text, e.all[58].Content.Text = text, text, text
	e.all[53].Role, e.all[53].Content.Text = "user", text
	return e
}

// No text, however long or odd, holds up a key.
func TestHugeTextsDoNotHang(t *testing.T) {
	t.Parallel()
	texts := hugeTexts()
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if i%campaign.Length(2, 1) > 0 {
			continue
		}
		r := newReader(t, newHugeTranscript(texts[name]), 100, 45)
		r.open(t, 51)
		r.wait()
		for _, k := range hugeKeys {
			took := cputime.Of(func() {
				r.press(k)
				_ = r.view()
			})
			if took > 2*time.Second { // all stay far below a tenth of a second
				t.Errorf("%s: %s takes %v", name, k, took)
			}
			r.wait()
		}
	}
}

// Two hundred thousand lines of output cost a key no more than two thousand:
// what is not on the screen is not drawn for it.
func TestTrapVeryTallToolOutputStallsScroll(t *testing.T) {
	allocs := func(lines int) map[string]float64 {
		e := newLongTranscript(100)
		e.all[50].Content.Text = strings.Repeat("a line of output like any other\n", lines)
		r := newReader(t, e, 100, 45)
		r.open(t, 51)
		r.wait()
		for range 3 { // folded, its beginning, the whole
			if len(r.t.render(r.t.rows.Selected).lines) < min(lines, mostLines) {
				r.press("enter")
				r.wait()
			}
		}
		if n := len(r.t.render(r.t.rows.Selected).lines); n < min(lines, mostLines) {
			t.Fatalf("%d lines of %d:\n%s", n, lines, r.text())
		}
		out := map[string]float64{}
		for _, keys := range [][]string{{"j", "k"}, {"pgdown", "pgup"}, {"ctrl+d", "ctrl+u"}, {"J", "K"}} {
			out[strings.Join(keys, " ")] = testing.AllocsPerRun(20, func() {
				for _, k := range keys {
					r.press(k)
					_ = r.view()
				}
			})
		}
		return out
	}
	few, many := allocs(2_000), allocs(200_000)
	for keys, n := range many {
		if n > 2*few[keys]+200 {
			t.Errorf("%s: %.0f allocations where 2,000 lines take %.0f", keys, n, few[keys])
		}
	}
}

// Code gets its colors in the background, without moving a line.
func TestColorsComeFromTheBackground(t *testing.T) {
	t.Parallel()
	r := newReader(t, newLongTranscript(400), 100, 45)
	r.open(t, 0)
	rough := r.view()
	r.wait()
	fine := r.view()
	if ansi.Strip(rough) != ansi.Strip(fine) {
		t.Errorf("colors moved something:\n%s\nbefore:\n%s", ansi.Strip(fine), ansi.Strip(rough))
	}
	if rough == fine {
		t.Error("no colors have come")
	}
}
