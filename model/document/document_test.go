package document

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var began = time.Date(2026, 7, 3, 9, 0, 0, 0, time.UTC)

// talk is a conversation with everything in it, over two segments.
func talk() (model.Conversation, []model.Message) {
	c := model.Conversation{
		Session:  model.Session{ID: "tip", Title: "Retries | *twice* <b>", Source: "cli", Model: "hermes-4", CWD: "/home/ada/larder", GitBranch: "main"},
		Segments: []string{"root", "tip"}, Messages: 12, RootStartedAt: began,
		Total: model.Usage{Cost: model.Cost{USD: 1.84, Known: true, Estimated: true}},
	}
	id := int64(0)
	said := func(segment, role, text string, more ...func(*model.Message)) model.Message {
		id++
		m := model.Message{ID: id, SessionID: segment, Role: role, Content: model.Content{Text: text}, At: began.Add(time.Duration(id) * time.Minute)}
		for _, f := range more {
			f(&m)
		}
		return m
	}
	calls := func(calls ...model.ToolCall) func(*model.Message) {
		return func(m *model.Message) { m.Calls = calls }
	}
	answers := func(call, tool string) func(*model.Message) {
		return func(m *model.Message) { m.ToolCallID, m.ToolName = call, tool }
	}
	return c, []model.Message{
		said("root", "system", "You are Hermes.\nBe brief."),
		said("root", "user", "Why does it retry?\n\n```go\nx := \"<a>\"\n", func(m *model.Message) {
			m.Content.Media = []model.Attachment{{Kind: "image", Name: "plan.png", Type: "image/png", Size: 48_300}}
		}),
		said("root", "assistant", "I will *look*.", func(m *model.Message) { m.Reasoning = "First the offsets.\n```" },
			calls(model.ToolCall{ID: "1", Name: "read_file", Arguments: `{"path":"a.go","n":1.50}`}, model.ToolCall{ID: "2", Name: "terminal", Arguments: `{"command": "ls"}`})),
		said("root", "tool", "package a\n````\nend", answers("1", "read_file")),
		said("root", "tool", `{"exit_code": 1, "output": "no such file"}`, answers("2", "terminal")),
		said("root", "assistant", "", func(m *model.Message) { m.Reasoning = "Once more." },
			calls(model.ToolCall{ID: "3", Name: "terminal", Arguments: "not json <x>"})),
		said("root", "tool", "lost", answers("9", "web_search")),
		said("root", "assistant", "Because of the lag:\n\n- one\n- two"),
		said("tip", "user", "And now?", func(m *model.Message) { m.At = began.Add(3 * time.Hour); m.Observed = true }),
		said("tip", "assistant", "", func(m *model.Message) { m.DisplayKind = "model_switch"; m.At = time.Time{} }),
		said("tip", "critic", "an odd role", func(m *model.Message) { m.DecodeError = "content is not JSON" }),
		said("tip", "assistant", "Done.", func(m *model.Message) { m.At = began.Add(4 * time.Hour) }),
	}
}

func write(t testing.TB, o Options, c model.Conversation, messages []model.Message) string {
	t.Helper()
	var b bytes.Buffer
	d := New(&b, o)
	err := d.Begin(c)
	for _, m := range messages {
		err = errors.Join(err, d.Message(m))
	}
	if err = errors.Join(err, d.End()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestForms(t *testing.T) {
	c, messages := talk()
	for name, o := range map[string]Options{
		"short.txt": {Form: Text},
		"whole.txt": {Form: Text, Tools: true, Reasoning: true},
		"short.md":  {Form: Markdown},
		"whole.md":  {Form: Markdown, Tools: true, Reasoning: true},
		"page.html": {Form: HTML},
	} {
		got := write(t, o, c, messages)
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not as it was (-update rewrites it):\n%s", name, got)
		}
	}
}

// Whatever a text contains, the message after it in Markdown is outside of its code.
func TestMarkdownFencesEndWithTheirMessage(t *testing.T) {
	for _, hostile := range []string{"```", "~~~~~ x", "  ```go\nx", "````\n```", "- a\n  ```\n  b", "`````````\n"} {
		for _, role := range []string{"user", "assistant", "system", "odd", "tool"} {
			got := write(t, Options{Form: Markdown, Tools: true, Reasoning: true}, model.Conversation{}, []model.Message{
				{Role: role, Content: model.Content{Text: hostile}, Reasoning: hostile, ToolName: "x"},
				{Role: "user", Content: model.Content{Text: "the next"}},
			})
			blocks := Blocks(got)
			if last := blocks[len(blocks)-1]; last.Code || !strings.Contains(last.Text, "## you\n\nthe next") {
				t.Errorf("%s said %q:\n%s", role, hostile, got)
			}
		}
	}
}

// No word of a message is missing from any form that shows everything.
func TestDocumentContainsEveryWord(t *testing.T) {
	c, messages := talk()
	for form := Text; form <= HTML; form++ {
		got := write(t, Options{Form: form, Tools: true, Reasoning: true}, c, messages)
		for _, m := range messages {
			for _, word := range strings.Fields(m.Content.Text + " " + m.Reasoning) {
				word = strings.Trim(word, "{}:,`\"<>;")
				if !strings.Contains(got, word) && !strings.Contains(got, quoted(word)) {
					t.Errorf("form %d has no %q", form, word)
				}
			}
		}
	}
}

// The summary that compression leaves is folded, and has no author; what
// was said behind it in the same message is the user's.
func TestSummariesAreFolded(t *testing.T) {
	const summary = "[CONTEXT COMPACTION] what was done so far\nand more\n--- END OF CONTEXT SUMMARY ---\n"
	alone := write(t, Options{Form: HTML}, model.Conversation{}, []model.Message{{Role: "user", Content: model.Content{Text: summary}}})
	if strings.Contains(alone, ">you<") || !strings.Contains(alone, "<summary>summary (3 lines)</summary>") {
		t.Error(alone[strings.Index(alone, "<article>"):])
	}
	mixed := write(t, Options{}, model.Conversation{}, []model.Message{{Role: "user", Content: model.Content{Text: summary + "\nGo on."}}})
	if !strings.Contains(mixed, "you\n  ▸ summary, 3 lines\n\n  Go on.\n") {
		t.Error(mixed)
	}
}

// A run of tool work that never ends is written in parts, with all of it.
func TestALongRunIsSplit(t *testing.T) {
	var messages []model.Message
	for i := range 3 * maxBufferedMessages {
		id := fmt.Sprint("call-", i)
		messages = append(messages,
			model.Message{Role: "assistant", Calls: []model.ToolCall{{ID: id, Name: "terminal", Arguments: `{"n": "` + id + `"}`}}},
			model.Message{Role: "tool", ToolCallID: id, Content: model.Content{Text: "did " + id}})
	}
	got := write(t, Options{Form: HTML}, model.Conversation{}, messages)
	if n := strings.Count(got, `<details class="work">`); n < 3 || n > 10 {
		t.Errorf("%d folds", n)
	}
	if strings.Contains(got, "without a call") || strings.Contains(got, "no result") {
		t.Error("a call and its result came apart")
	}
	for i := range 3 * maxBufferedMessages {
		if !strings.Contains(got, fmt.Sprintf("did call-%d<", i)) {
			t.Fatalf("result %d is missing", i)
		}
	}
}

// Memory does not grow with the length of a conversation.
func TestMemoryStaysConstant(t *testing.T) {
	c, messages := talk()
	text := strings.Repeat("word ", 1000)
	peak := func(rounds int) uint64 {
		d := New(discard{}, Options{Form: HTML})
		if err := d.Begin(c); err != nil {
			t.Fatal(err)
		}
		var most uint64
		for i := range rounds {
			for _, m := range messages {
				m.Content.Text += text
				if err := d.Message(m); err != nil {
					t.Fatal(err)
				}
			}
			if i%100 == 99 {
				runtime.GC()
				var s runtime.MemStats
				runtime.ReadMemStats(&s)
				most = max(most, s.HeapAlloc)
			}
		}
		return most
	}
	short, long := peak(100), peak(2000) // 24,000 messages, 120 MB
	if long > short+8<<20 {
		t.Errorf("%d kB for 1,200 messages, %d kB for 24,000", short>>10, long>>10)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error)       { return len(p), nil }
func (discard) WriteString(s string) (int, error) { return len(s), nil }

type full struct{ left int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// The first error stays, wherever it happens.
func TestTheFirstErrorEndsAllWriting(t *testing.T) {
	c, messages := talk()
	whole := len(write(t, Options{Form: HTML}, c, messages))
	for left := 0; left < whole; left += 97 {
		d := New(&full{left}, Options{Form: HTML})
		_ = d.Begin(c)
		for _, m := range messages {
			_ = d.Message(m)
		}
		if err := d.End(); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", left, err)
		}
	}
}

// Paper unfolds nothing: what is folded on the screen must be printed open.
func TestFoldedPartsArePrinted(t *testing.T) {
	_, print, ok := strings.Cut(style, "@media print")
	if !ok || !strings.Contains(print, "::details-content { content-visibility: visible !important") {
		t.Errorf("the style sheet prints folded parts folded:\n%s", print)
	}
}
