package model

import (
	"fmt"
	"strings"
	"testing"
)

func user(s string) Message { return Message{Role: "user", Content: Content{Text: s}} }

func agent(s string, calls ...string) Message {
	m := Message{Role: "assistant", Content: Content{Text: s}}
	for _, c := range calls {
		m.Calls = append(m.Calls, ToolCall{Name: c})
	}
	return m
}

// The expected values are what the panel of Hermes 11 showed (store/README.md#recap).
func TestRecapShortensAsTheUpstreamPanelDoes(t *testing.T) {
	m100 := strings.Repeat("m", 100)
	for name, c := range map[string]struct {
		in   Message
		want string
	}{
		"three lines":        {agent("a\nb\nc\nd\ne"), "a\nb\nc ..."},
		"two hundred":        {agent(strings.Join([]string{m100, m100, m100, m100, m100}, "\n")), m100 + "\n" + m100[:99] + "..."},
		"unique tools":       {agent("", "terminal", "web_search", "terminal"), "[3 tool calls: terminal, web_search]"},
		"four tools":         {agent("text", "a", "b", "c", "d", "e", "f"), "text [6 tool calls: a, b, c, d, ...]"},
		"one call":           {agent("", "terminal"), "[1 tool call: terminal]"},
		"reasoning":          {agent("<think>hm\nhm</think> yes</think>"), "yes"},
		"open reasoning":     {agent("yes <REASONING_SCRATCHPAD>and then"), "yes"},
		"leaked tool markup": {agent("ok <function name=\"x\">y</function> done <tool_call>{}"), "ok done"},
		"not a tag":          {agent("a < b and <b>bold</b>"), "a < b and <b>bold</b>"},
		"user":               {user(strings.Repeat("日", 301)), strings.Repeat("日", 300) + "..."},
		"user image":         {Message{Role: "user", Content: Content{Text: "look", Media: []Attachment{{Kind: "image"}}}}, "look [image]"},
		"empty user":         {user(""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Recap([]Message{c.in, agent("the end")})
			if len(got) != 2 || got[0].Text != c.want {
				t.Fatalf("got %+v, want %q", got, c.want)
			}
		})
	}
}

func TestRecapKeepsTheLastTwentyEntriesAndTheLastAnswerWhole(t *testing.T) {
	var all []Message
	for i := range 15 {
		all = append(all, user(fmt.Sprint("q", i)), Message{Role: "tool", Content: Content{Text: "x"}}, agent(fmt.Sprint("a", i)))
	}
	long := strings.Repeat("whole\n", 100)
	all = append(all[:len(all)-1], agent(long), agent("<think>nothing to see</think>"), Message{Role: "user", DisplayKind: "hidden"})
	got, earlier := Recap(all)
	if earlier != 10 || len(got) != 20 || got[0].Text != "q5" {
		t.Fatalf("%d earlier, %d entries from %q", earlier, len(got), got[0].Text)
	}
	last := got[19]
	if !last.Newest || last.Text != strings.TrimSpace(long) {
		t.Fatalf("the last answer is cut: %q", last.Text)
	}
	for _, e := range got[:19] {
		if e.Newest {
			t.Fatalf("%q is not the last answer", e.Text)
		}
	}
}

// What upstream's panel crashed on or showed as source code is an entry like
// any other (store/README.md#q25).
func TestQ25RecapAcceptsAnyStoredValue(t *testing.T) {
	for name, c := range map[string]struct {
		content, calls string // as stored
		role           string
		want           []string
	}{
		"blank words":           {role: "user", content: "  \n ", want: []string{""}},
		"only recalled memory":  {role: "user", content: "<memory-context>x</memory-context> ", want: []string{""}},
		"an agent's list":       {role: "assistant", content: "\x00json:[{\"type\": \"text\", \"text\": \"hello\"}]", want: []string{"hello"}},
		"calls that are text":   {role: "assistant", calls: `"terminal"`, want: nil},
		"calls that are broken": {role: "assistant", content: "ok", calls: `[{"function"`, want: []string{"ok"}},
		"calls without a name":  {role: "assistant", calls: `[{"function": {}}, {}]`, want: []string{"[2 tool calls: unknown]"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := Message{Role: c.role}
			m.Content, _ = DecodeContent(c.content)
			m.Calls, _ = DecodeCalls(c.calls)
			got, _ := Recap([]Message{m})
			var texts []string
			for _, e := range got {
				texts = append(texts, e.Text)
			}
			if fmt.Sprintf("%q", texts) != fmt.Sprintf("%q", c.want) {
				t.Errorf("got %q, want %q", texts, c.want)
			}
		})
	}
}

// Events are shown in their place, hidden messages are not (store/README.md#recap,
// as schema 25 has it).
func TestRecapShowsEvents(t *testing.T) {
	event := user("[model switched to x]")
	event.DisplayKind = "model_switch"
	hidden := user("for the agent only")
	hidden.DisplayKind = "hidden"
	got, earlier := Recap([]Message{user("hi"), event, hidden, agent("there")})
	if len(got) != 3 || earlier != 0 || !got[1].IsEvent || got[1].Text != "model changed" || got[1].FromUser {
		t.Errorf("%+v, %d earlier", got, earlier)
	}
}
