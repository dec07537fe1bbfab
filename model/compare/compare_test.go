package compare

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"hermes-sessions/model"
)

// history is conversations in memory, by the ids of their sessions.
type history struct {
	messages map[string][]model.Message
	fork     model.Fork
	read     int // messages
}

func (h *history) Outline(_ context.Context, id string) (o model.Outline, err error) {
	messages, ok := h.messages[id]
	if !ok {
		return o, errors.New("no session " + id)
	}
	o.Conversation = model.Conversation{Session: model.Session{ID: id}, RootID: id, Segments: []string{id}}
	for _, m := range messages {
		o.MessageIDs = append(o.MessageIDs, m.ID)
	}
	return o, nil
}

func (h *history) MessagesOf(_ context.Context, id string, ids []int64) (found []model.Message, err error) {
	h.read += len(ids)
	first := h.messages[id][0].ID
	for _, n := range ids {
		found = append(found, h.messages[id][n-first])
	}
	return found, nil
}

func (h *history) Fork(context.Context, string) (model.Fork, error) { return h.fork, nil }

// talk makes messages of texts: "u…" of the user, "a…" of the agent, "w…" a call that writes
// a file, "f…" a result that failed. Their ids begin at first.
func talk(first int64, texts ...string) (all []model.Message) {
	for i, text := range texts {
		m := model.Message{ID: first + int64(i), Content: model.Content{Text: text[1:]}, At: time.Unix(1000+10*(first%100)+int64(i), 0)}
		switch text[0] {
		case 'u':
			m.Role = "user"
		case 'a':
			m.Role = "assistant"
		case 'w':
			m.Role, m.Content.Text = "assistant", ""
			m.Calls = []model.ToolCall{{ID: "1", Name: "write_file", Arguments: `{"path": "` + text[1:] + `", "content": "x"}`}}
		case 'f':
			m.Role, m.ToolCallID, m.Content.Text = "tool", "1", "Error: "+text[1:]
		}
		all = append(all, m)
	}
	return all
}

func TestWhereConversationsPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b    []model.Message
		common  int
		verdict string
	}{
		{talk(1, "uhi", "ayes", "uA", "aa"), talk(101, "uhi", "ayes", "uB"), 2, "The first 2 messages are the same."},
		{talk(1, "uhi", "ayes"), talk(101, "uhi", "ayes"), 2, "All messages are the same, 2 messages."},
		{talk(1, "uhi"), talk(101, "uhi", "ayes"), 1, "The first message is the same; only B continues."},
		{talk(1, "uhi", "ayes"), talk(101, "uhi"), 1, "The first message is the same; only A continues."},
		{talk(1, "uhi"), talk(101, "ahi"), 0, "They differ from the first message."},
		{talk(1, "uhi", "wa.go"), talk(101, "uhi", "wb.go"), 1, "The first message is the same."},
		{nil, talk(101, "uhi"), 0, "One of them has no messages."},
		{nil, nil, 0, "Neither has a message."},
	} {
		h := &history{messages: map[string][]model.Message{"a": c.a, "b": c.b}}
		p, err := Two(t.Context(), h, "a", "b")
		if err != nil || p.Common != c.common || p.Verdict() != c.verdict || p.Same() != (len(c.a) == c.common && len(c.b) == c.common) {
			t.Errorf("%d and %d messages: %d, %q, %v", len(c.a), len(c.b), p.Common, p.Verdict(), err)
		}
		if c.common > 0 && (p.Last[0].Message != int64(c.common) || p.Last[1].Message != int64(100+c.common)) {
			t.Errorf("the last that is the same: %+v", p.Last)
		}
	}
}

func TestWhatEachDidAfterThat(t *testing.T) {
	t.Parallel()
	h := &history{messages: map[string][]model.Message{
		"a": talk(1, "ustart", "uone", "wx.go", "fno", "wx.go", "wy.go", "adone", "uthanks"),
		"b": talk(101, "ustart", "uother", "anothing"),
	}}
	p, err := Two(t.Context(), h, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.Sides[0], p.Sides[1]
	if calls, failed := a.Calls(); calls != 3 || failed != 1 || len(a.Tools) != 1 || len(a.Prompts) != 2 || a.Answer.Text != "done" || a.First.Message != 2 || a.Duration() != 6*time.Second {
		t.Errorf("%+v", a)
	}
	if len(a.Files) != 2 || a.Files[0] != (File{Path: "x.go", Writes: 2, Message: 5}) {
		t.Errorf("%+v", a.Files)
	}
	if b.Messages != 2 || b.Answer.Text != "nothing" || len(b.Tools) != 0 {
		t.Errorf("%+v", b)
	}
}

// A branch whose parent's messages were not copied parts where it was forked.
func TestABranchWithoutCopies(t *testing.T) {
	t.Parallel()
	h := &history{messages: map[string][]model.Message{"a": talk(1, "uone", "atwo", "uthree"), "b": talk(101, "uother")}, fork: model.Fork{Parent: "a", LastShared: 2}}
	p, err := Branch(t.Context(), h, "b")
	if err != nil || p.Common != 2 || p.Last[0].Text != "two" || p.Sides[0].Messages != 1 || p.Sides[1].Messages != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	h.fork = model.Fork{}
	if _, err := Branch(t.Context(), h, "b"); !errors.Is(err, ErrNoParent) {
		t.Error(err)
	}
	if _, err := Two(t.Context(), h, "b", "b"); !errors.Is(err, ErrSame) {
		t.Error(err)
	}
	if _, err := Two(t.Context(), h, "b", "gone"); err == nil {
		t.Error("a session that is gone")
	}
}

// Each message of 20,000 is read once, and not more than a page is kept of either side.
func TestLongConversationsAreReadOnce(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprint("u", i))
	}
	a := talk(1, texts...)
	b := talk(100_001, append(texts[:n-1:n-1], "uelse")...)
	h := &history{messages: map[string][]model.Message{"a": a, "b": b}}
	p, err := Two(t.Context(), h, "a", "b")
	if err != nil || p.Common != n-1 || h.read != 2*n || p.Sides[1].First.Text != "else" {
		t.Errorf("%d common, %d read, %v", p.Common, h.read, err)
	}
	var c Comparison
	c.add(0, a[:pageSize])
	if c.next() != 1 {
		t.Error("the side that is behind is next")
	}
	c.add(1, b[:pageSize])
	if len(c.pending[0])+len(c.pending[1]) != 0 || c.Common != pageSize {
		t.Errorf("%d and %d are kept", len(c.pending[0]), len(c.pending[1]))
	}
}

func TestWordsOfAComparison(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "", time.Second / 2: "1 second", 90 * time.Second: "1 minute", 3 * time.Hour: "3 hours", 72 * time.Hour: "3 days"} {
		if got := DurationText(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}
