package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

// addConversation puts a conversation of its own into a library.
func addConversation(lib *uitest.Fake, starts []int, msgs ...model.Message) model.Conversation {
	c := model.Conversation{
		Session: model.Session{ID: "book", Title: "The oven timer", Source: "cli"},
		RootID:  "book", Segments: []string{"book"}, Messages: len(msgs), LastActive: uitest.Now(),
	}
	for i := 1; i < len(starts); i++ {
		c.Segments = append(c.Segments, fmt.Sprint("book-", i))
	}
	for i := range msgs {
		if msgs[i].ID == 0 {
			msgs[i].ID = int64(1001 + i)
		}
		msgs[i].SessionID = c.ID
		if msgs[i].At.IsZero() {
			msgs[i].At = uitest.Now().Add(-time.Hour).Add(time.Duration(i) * time.Minute)
		}
	}
	lib.Set(func() {
		lib.Convs = append(lib.Convs, c)
		lib.Messages[c.ID] = msgs
		if starts != nil {
			lib.Starts = map[string][]int{c.ID: starts}
		}
	})
	return c
}

// reads opens a transcript over the list.
func (d *driver) reads(c model.Conversation, asked string, hit int64) *transcript.Screen {
	d.t.Helper()
	t := transcript.New(d.root, c, query.Parse(asked, false), model.Hit{MessageID: hit})
	d.run(d.root.push(t))
	d.settle()
	return t
}

func TestTranscriptScreens(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{"tools": {"g"}, "reasoning": {"g"}}
	for name, msgs := range uitest.Kinds() {
		for _, w := range []int{100, 80, 40} {
			t.Run(fmt.Sprintf("%s-%d", name, w), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					d := start(t, lib, w, 44)
					d.reads(addConversation(lib, nil, msgs...), "", 0)
					golden.RequireEqual(t, d.keys(keys[name]...).screen())
				})
			})
		}
	}
	for name, c := range map[string]struct {
		of   string
		keys []string
	}{
		"tools-unfolded":     {"tools", []string{"t", "g"}},
		"progress-unfolded":  {"progress", []string{"t", "g"}},
		"reasoning-shown":    {"reasoning", []string{"R", "g"}},
		"everything":         {"others", []string{"O", "g"}},
		"changes-unfolded":   {"changes", []string{"t", "g"}},
		"summary-unfolded":   {"summary", []string{"O", "g"}},
		"numbers":            {"tools", []string{"#", "g"}},
		"going-to":           {"prose", []string{"2", "5"}},
		"find":               {"prose", []string{"/"}},
		"help-in-transcript": {"prose", []string{"?"}},
	} {
		for _, w := range []int{100, 80, 40} {
			t.Run(fmt.Sprintf("%s-%d", name, w), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					d := start(t, lib, w, 44)
					d.reads(addConversation(lib, nil, uitest.Kinds()[c.of]...), "", 0)
					golden.RequireEqual(t, d.keys(c.keys...).screen())
				})
			})
		}
	}
}

func TestTranscriptInColor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Kinds()["tools"]...), "beep", 1003)
		golden.RequireEqual(t, strings.ReplaceAll(d.root.View().Content, "\x1b", "␛"))
	})
}

func TestTranscriptIsStitchedOverSegments(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var msgs []model.Message
		for i := range 9 {
			role := []string{"user", "assistant"}[i%2]
			m := uitest.Said(role, fmt.Sprintf("message number %d", i+1))
			m.At = uitest.Now().Add(-20*time.Hour + time.Duration(i)*time.Minute)
			if i >= 4 {
				m.At = m.At.Add(3 * time.Hour)
			}
			msgs = append(msgs, m)
		}
		lib.Rewound = 2
		d := start(t, lib, 80, 50)
		d.reads(addConversation(lib, []int{0, 4, 7}, msgs...), "", 0)
		d.sees("── compressed · segment 2 of 3 · 3h later ──", "── compressed · segment 3 of 3 ──", "9 / 9 · 3 segments · 2 rewound")
		golden.RequireEqual(t, d.screen())
	})
}

func TestToolWorkFoldsToOneLine(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 40)
		d.reads(addConversation(lib, nil,
			uitest.Said("user", "go"),
			uitest.Calls("", uitest.Call("1", "read_file", "{}"), uitest.Call("2", "terminal", "{}")), uitest.Result("1", "read_file", "secret of one"), uitest.Result("2", "terminal", "secret of two"),
			uitest.Calls("", uitest.Call("3", "terminal", "{}")), uitest.Result("3", "terminal", "secret of three"),
			uitest.Said("assistant", "done"),
		), "", 0)
		d.sees("▸ read_file · terminal ×2").misses("secret")
		d.keys("K", "enter").sees("▾ read_file · terminal ×2", "secret of one", "secret of two", "secret of three")
		d.keys("enter").sees("▸ read_file").misses("secret")
		d.keys("t").sees("secret of two").keys("t").misses("secret")
		d.keys("O").sees("secret of two").keys("O").misses("secret")
		d.send(tea.MouseClickMsg{X: 6, Y: lineOf(d, "read_file · terminal"), Button: tea.MouseLeft})
		d.sees("secret of one")
	})
}

func lineOf(d *driver, text string) int {
	for y, l := range strings.Split(d.screen(), "\n") {
		if strings.Contains(l, text) {
			return y
		}
	}
	d.t.Fatalf("no %q in:\n%s", text, d.screen())
	return 0
}

func TestLongOutputIsShownByAndBy(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var out strings.Builder
		for i := range 1404 {
			fmt.Fprintf(&out, "line %d\n", i+1)
		}
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", "go"), uitest.Calls("", uitest.Call("1", "cat", "{}")), uitest.Result("1", "cat", out.String()), uitest.Said("assistant", "ok")), "", 0)
		d.keys("K", "enter")
		for range 14 {
			d.keys("space")
		}
		d.sees("line 200", "… 1,204 more lines").misses("line 201")
		d.keys("K", "enter")
		for range 80 {
			d.send(keyPress("space"))
		}
		d.settle()
		d.sees("line 1404").misses("more lines").keys("K", "enter").sees("▸ cat")
	})
}

func TestTranscriptOpensAtTheHit(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 30)
		c := addConversation(lib, nil, numberedMessages(200)...)
		d.reads(c, "walrus", 1001+81)
		d.sees("walrus", "82 / 200", "match 2 of 3")
		y := lineOf(d, "walrus")
		if y < 6 || y > 16 {
			t.Errorf("the hit is in line %d of 30:\n%s", y, d.screen())
		}
		if !strings.Contains(d.root.View().Content, d.root.styles.CurrentHit.Render("walrus")) {
			t.Errorf("the word is not marked: %q", strings.Split(d.root.View().Content, "\n")[y])
		}
		d.keys("n").sees("the third walrus", "match 3 of 3", "162 / 200")
		d.keys("n").sees("This is the last match")
		d.keys("N", "N").sees("the first walrus", "match 1 of 3", "2 / 200")
	})
}

// numberedMessages is n messages, of which the second, the 82nd and the 162nd have a word
// that no other has.
func numberedMessages(n int) []model.Message {
	var out []model.Message
	for i := range n {
		m := uitest.Said([]string{"user", "assistant", "assistant", "assistant"}[i%4], fmt.Sprintf("This is message number %d of a talk.", i+1))
		switch i {
		case 1, 81, 161:
			m.Content.Text += fmt.Sprintf(" Here is the %s walrus.", []string{"first", "second", "third"}[i/80])
		}
		out = append(out, m)
	}
	return out
}

func TestHitInsideToolWorkIsUnfolded(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		long := strings.Repeat("nothing here\n", 500) + "the pelican sits here\n" + strings.Repeat("nothing here\n", 500)
		d := start(t, lib, 80, 30)
		c := addConversation(lib, nil, uitest.Said("user", "go"), uitest.Calls("", uitest.Call("1", "cat", `{"path":"a heron"}`)), uitest.Result("1", "cat", long), uitest.Said("assistant", "ok"))
		d.reads(c, "pelican", 1003)
		d.sees("the pelican sits here", "match 1 of 1").keys("q")
		d.reads(c, "pelican", 0)
		d.misses("pelican sits").keys("n").sees("the pelican sits here").keys("q")
		d.reads(c, "heron", 1002)
		d.sees("a heron", "▾ cat")
	})
}

func TestPhraseIsMarkedAcrossALineEnd(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		text := strings.Repeat("bread and butter ", 12)
		d := start(t, lib, 60, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", text)), `"butter bread"`, 1001)
		content := d.root.View().Content
		if n := strings.Count(content, d.root.styles.Hit.Render("butter")); n == 0 {
			t.Errorf("a phrase broken over two lines is not marked:\n%s", strings.ReplaceAll(content, "\x1b", "␛"))
		}
	})
}

func TestFindInTheConversation(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(200)...), "", 0)
		before := d.keys("[", "[").screen()
		d.keys("/").types("walr").sees("/walr", "match 1 of 3", "the first walrus")
		if after := d.keys("esc").screen(); after != before {
			t.Errorf("Esc leaves the reader at\n%s\ninstead of\n%s", after, before)
		}
		d.keys("n").sees("No search yet")
		d.keys("/").types("walrus").keys("enter").sees("match 1 of 3").misses("/walrus")
		d.keys("n", "n").sees("the third walrus", "match 3 of 3")
		d.keys("/").types("xylophone").sees("no matches").keys("esc").sees("match 3 of 3")
		if c := d.root.View().Cursor; c.Shape != tea.CursorUnderline {
			t.Errorf("the cursor stays at %v when nothing is typed", c)
		}
		// Letters are text while something is typed.
		d.keys("/").types("qrt").sees("/qrt")
	})
}

func TestMovingByMessagesAndPrompts(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(1000)...), "", 0)
		d.sees("1,000 / 1,000")
		d.keys("[").sees("997 / 1,000").keys("[").sees("993 / 1,000").keys("]").sees("997 / 1,000").keys("]").sees("This is the last prompt")
		d.keys("K").sees("996 / 1,000").keys("J", "J").sees("998 / 1,000")
		d.keys("g").sees("1 / 1,000", "message number 1 of").keys("k").keys("[").sees("This is the first prompt")
		d.keys("G").sees("message number 1000 of", "1,000 / 1,000")
	})
}

func TestPromptsAreFoundFarAway(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		msgs := []model.Message{uitest.Said("user", "the only prompt")}
		for i := range 1500 {
			msgs = append(msgs, uitest.Said("assistant", fmt.Sprint("step ", i)))
		}
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, msgs...), "", 0)
		d.keys("[")
		d.wait(time.Minute)
		d.sees("the only prompt", "1 / 1,501")
	})
}

func TestTranscriptAtEverySize(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var all []model.Message
		for _, name := range []string{"prose", "tools", "progress", "reasoning", "others", "media", "broken"} {
			all = append(all, uitest.Kinds()[name]...)
		}
		d := start(t, lib, 100, 30)
		d.reads(addConversation(lib, []int{0, 5, 12}, all...), "beep", 0)
		d.keys("O", "R")
		for w := 1; w <= 130; w += campaign.Length(13, 7) {
			for _, h := range []int{1, 2, 3, 4, 8, 11, 12, 19, 20, 50} {
				d.send(tea.WindowSizeMsg{Width: w, Height: h}) // driver.fits looks at each
				d.send(keyPress("space"), keyPress("K"), keyPress("n"), keyPress("/"), keyPress("a"), keyPress("esc"))
				d.wait(5 * time.Millisecond)
			}
		}
	})
}

func TestOnlyALongReadIsShown(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		c := addConversation(lib, nil, numberedMessages(10)...)
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 200 * time.Millisecond } })
		d.run(d.root.push(transcript.New(d.root, c, query.Query{}, model.Hit{})))
		d.wait(140 * time.Millisecond)
		d.misses("reading").sees("The oven timer")
		d.wait(20 * time.Millisecond)
		d.sees("reading…")
		d.settle()
		d.misses("reading").sees("message number 10 of")
	})
}

func TestTranscriptThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		c := addConversation(lib, nil, numberedMessages(10)...)
		lib.Set(func() { lib.Err = errors.New("read book of state.db: database disk image is malformed") })
		d.reads(c, "", 0)
		d.sees("could not be read", "database disk image is malformed", "f5 retries")
		d.keys("space", "enter", "n", "t", "y") // none of which has anything to act on
		lib.Set(func() { lib.Err = nil })
		d.keys("f5").sees("message number 10 of")
	})
}

func TestADeletedMessageLeavesANote(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		c := addConversation(lib, nil, numberedMessages(400)...)
		d.reads(c, "", 0)
		lib.Set(func() { lib.Messages["book"] = lib.Messages["book"][200:] })
		d.keys("g").sees("has since been deleted")
		asked := len(lib.Asked)
		d.wait(5 * time.Second)
		if len(lib.Asked) > asked+12 { // the list looks for changes
			t.Errorf("what is gone is asked for again and again: %q", lib.Asked[asked:])
		}
	})
}

func TestEmptyConversation(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil), "", 0)
		d.sees("this conversation has no messages")
		d.keys("j", "k", "space", "g", "G", "J", "[", "enter", "O", "t", "R", "y", "n", "/").sees("The oven timer")
	})
}

func TestTranscriptIsHarmless(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		evil := "x\x1b]52;c;ZXZpbA==\x07\x1b[2J\u009b31m\u202e\x00\x07&#27;[31m"
		m := uitest.Calls(evil, model.ToolCall{ID: "1", Name: evil, Arguments: `{"` + evil + `": "` + evil + `\u001b[31m\u009b"}`})
		m.Reasoning, m.DisplayKind = evil, evil
		m.Content.Media = []model.Attachment{{Kind: evil, Name: evil, Type: evil}}
		r := uitest.Result("1", evil, `{"output": "\u001b]0;owned\u0007 \u202e", "b": [{"c": "\u0000"}]}`)
		odd := uitest.Said(evil, evil)
		d := start(t, lib, 100, 60)
		c := addConversation(lib, nil, uitest.Said("user", evil), m, r, odd, uitest.Said("system", evil))
		c.Title = evil
		lib.Set(func() { lib.Convs[len(lib.Convs)-1].Title = evil })
		d.reads(c, "", 0)
		d.keys("O", "R", "g")
		content := d.root.View().Content
		if strings.ContainsAny(ansi.Strip(content), "\x00\x07\x1b\u009b\u202e") || strings.Contains(content, "\x1b]52") || strings.Contains(content, "\x1b[2J") || strings.Contains(content, "\x1b]0;") {
			t.Errorf("not harmless: %q", content)
		}
		if strings.ContainsAny(d.root.View().WindowTitle, "\x1b\x07") {
			t.Errorf("window title: %q", d.root.View().WindowTitle)
		}
	})
}

func TestCopySendsTheMessage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", "**copy** me\x1b[31m")), "", 0)
		d.keys("y").sees("Sent to the terminal's clipboard: message, 11 characters")
		if len(d.sent) != 1 || !strings.Contains(d.sent[0], "**copy** me") || strings.Contains(d.sent[0], "\x1b") {
			t.Errorf("the clipboard got %q", d.sent)
		}
	})
}

func TestResumeFromTheTranscript(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(4)...), "", 0)
		d.keys("r")
		if !d.quit || d.root.Outcome().ID != "book" {
			t.Errorf("r decides for %+v", d.root.Outcome())
		}
	})
}

// The journey: search, open at the hit, fold, go to the next hit, go back.
func TestSearchReadFoldNextBack(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		msgs := numberedMessages(120)
		msgs[82] = uitest.Calls("", uitest.Call("1", "cat", `{"path":"x"}`))
		msgs[83] = uitest.Result("1", "cat", "output of cat")
		addConversation(lib, nil, msgs...)
		d := start(t, lib, 80, 30).types("walrus")
		if d.current() != "The oven timer" {
			t.Fatalf("the current row is %q", d.current())
		}
		d.keys("right").sees("the first walrus", "match 1 of 2")
		d.keys("n").sees("the second walrus", "match 2 of 2", "▸ cat x").misses("output of cat")
		d.keys("J", "enter").sees("▾ cat x", "output of cat")
		d.keys("enter").misses("output of cat")
		d.keys("q").sees("The oven timer", "walrus")
		if d.current() != "The oven timer" {
			t.Errorf("back on the list, the current row is %q", d.current())
		}
	})
}

// However it is scrolled, every message of a long conversation comes by.
func TestPagingShowsEveryMessage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(260)...), "", 0)
		d.keys("g")
		seen := map[int]bool{}
		for range 200 {
			for i := range 260 {
				if strings.Contains(d.screen(), fmt.Sprintf("message number %d of", i+1)) {
					seen[i] = true
				}
			}
			before := d.screen()
			d.send(keyPress("space"))
			d.wait(20 * time.Millisecond)
			if d.screen() == before {
				break
			}
		}
		for i := range 260 {
			if !seen[i] {
				t.Errorf("message %d never came by", i+1)
			}
		}
		d.sees("260 / 260")
	})
}

// A run that is longer than what is read at a time is one line all the same,
// and stays unfolded when its beginning comes later than its end.
func TestLongRunsOfToolWorkAreOneLine(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		msgs := []model.Message{uitest.Said("user", "do it all")}
		for i := range 300 {
			id := fmt.Sprint(i)
			msgs = append(msgs, uitest.Calls("", uitest.Call(id, "terminal", "{}")), uitest.Result(id, "terminal", "output "+id+"."))
		}
		msgs = append(msgs, uitest.Said("assistant", "all done"))
		d := start(t, lib, 80, 24)
		tr := d.reads(addConversation(lib, nil, msgs...), "", 0)
		d.wait(time.Minute)
		d.sees("● you", "do it all", "▸ terminal ×300", "all done").misses("output")
		d.keys("K", "enter").sees("▾ terminal ×300", "output 0.")
		d.keys("q")
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 50 * time.Millisecond } })
		tr = transcript.New(d.root, tr.Conv, query.Query{}, model.Hit{})
		d.run(d.root.push(tr))
		d.wait(110 * time.Millisecond)
		d.send(keyPress("K"), keyPress("enter"))
		d.wait(time.Minute)
		d.keys("g").sees("▾ terminal ×300", "output 0.")
	})
}

// Below the results of a tool, reasoning begins with a blank line, as the next tool does.
func TestReasoningBetweenToolsStandsApart(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		call := func(id, thought string) []model.Message {
			return []model.Message{
				{Role: "assistant", Reasoning: thought, Calls: []model.ToolCall{{ID: id, Name: "terminal", Arguments: `{"command":"make ` + id + `"}`}}},
				{Role: "tool", ToolName: "terminal", ToolCallID: id, Content: model.Content{Text: "made " + id}},
			}
		}
		d := start(t, lib, 80, 24)
		msgs := append([]model.Message{{Role: "user", Content: model.Content{Text: "build"}}}, call("a", "first a")...)
		d.reads(addConversation(lib, nil, append(msgs, call("b", "then b")...)...), "", 0)
		d.keys("t").sees("made a\n\n    ▸ reasoning (1 line)\n\n      terminal")
	})
}

// In the transcript of a subagent the agent asks and the subagent answers; its head names the
// parent, and a key goes back to the place where it was started.
func TestTheTranscriptOfASubagent(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c, parent := lib.Convs[0], lib.Convs[1]
		lib.Convs[0].Link = model.LinkDelegate
		messages := lib.Messages[parent.ID]
		lib.Forks = map[string]model.Fork{c.RootID: {Parent: parent.ID, LastShared: messages[0].ID, Position: 1}}
		title := shell.ConversationName(parent)
		d := start(t, lib, 120, 30).keys("right").sees("● hermes", "◆ subagent", "subagent of “"+title+"” · ", "p parent").misses("● you")
		d.keys("p").sees("● you", "◆ hermes", " message 1 / ").misses("subagent of")
		d.keys("p").sees("No agent started this conversation").keys("q").sees("◆ subagent")
		lib.Set(func() { lib.Forks = nil })
		d.keys("f5").sees(" subagent · ").keys("p").sees("Its parent no longer exists")
		start(t, lib, 120, 30).sees("● hermes", "◆ subagent").misses("● you")
	})
}

// A small window has a line with the title of the conversation too.
func TestASmallTranscriptNamesTheConversation(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 30, 8).keys("right")
		if first, _, _ := strings.Cut(d.screen(), "\n"); !strings.HasPrefix(first, " Kafka consu") {
			t.Errorf("the first line is %q", first)
		}
		start(t, lib, 30, 8).keys("ctrl+y").sees("Copy from “Kafka")
	})
}
