package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

func TestFindIsSmartAboutCapitalsAndKnowsRegularExpressions(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil,
			uitest.Said("user", "a Walrus"), uitest.Said("assistant", "a walrus, exit 137"), uitest.Said("user", "concat walruses"), uitest.Said("assistant", "exit 4"),
		), "", 0)
		d.keys("g", "/").types("walrus").sees("/walrus", "1 of 3").keys("esc")
		d.keys("/").types("Walrus").sees("1 of 1").keys("esc")
		d.keys("/").types("cat").sees("1 of 1").keys("esc")
		d.keys("/").types(`exit \d+`).sees("no matches").keys("alt+r").sees(`regex /exit \d+`, "1 of 2")
		d.keys("backspace").types("{3}").sees("1 of 1").types("(").sees("not a regular expression").keys("backspace", "enter").sees("match 1 of 1")
		d.keys("n").sees("This is the last match").keys("N").sees("This is the first match")
	})
}

// Esc ends a find first, and then leaves; the words of the list's query are marked again.
func TestEscEndsAFindBeforeItLeaves(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", "a walrus"), uitest.Said("assistant", "a walrus and a heron")), "heron", 0)
		d.sees("match 1 of 1").keys("/").types("walrus").keys("enter").sees("/ 2")
		if d.keys("esc").sees("match 1 of 1"); len(d.root.screens) != 2 {
			t.Fatalf("Esc leaves the transcript:\n%s", d.screen())
		}
		if d.keys("esc"); len(d.root.screens) != 1 {
			t.Fatalf("Esc does not leave:\n%s", d.screen())
		}
		d.keys("right", "/").types("walrus").keys("enter", "q")
		if len(d.root.screens) != 1 {
			t.Fatalf("q does not leave:\n%s", d.screen())
		}
	})
}

// What a screen said goes with it, and its hints are not shown below a dialog, which takes
// their keys.
func TestTheBottomLineBelongsToWhatTakesTheKeys(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", "a walrus")), "", 0)
		d.send(keyPress("n"))
		d.sees("No search yet").send(keyPress("q"))
		d.misses("No search yet").sees("read").keys("ctrl+r").misses("→ read").keys("esc").sees("→ read")
	})
}

// While a text is typed, the footer names the keys that act then, and a click on the line
// does nothing else.
func TestTheFooterWhileAFindIsTyped(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, open := range [][]string{{"right", "/"}, {"right", "1"}, {"ctrl+l", "/"}} {
			d := start(t, lib, 80, 24).keys("down").keys(open...).sees("enter done · esc cancel").misses("r resume", "? help")
			d.keys("esc").sees("r resume", "? help").misses("esc cancel")
		}
		d := start(t, lib, 80, 24).keys("down", "right", "/").types("r").sees("/r")
		if d.clickOn("esc cancel").sees("/r"); len(d.root.screens) != 2 {
			t.Errorf("a click leaves the screen\n%s", d.screen())
		}
	})
}

// A conversation found by its title says so, instead of "no matches".
func TestAMatchInTheTitleIsNotNoHits(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", "a walrus")), "oven", 0)
		d.sees("The oven timer", "only the title matches").misses("no matches").keys("/").types("oven").keys("enter").sees("no matches")
		d = start(t, lib, 80, 24) // one of the words is in the text too
		d.reads(addConversation(lib, nil, uitest.Said("user", "a timer")), "oven timer", 0)
		d.sees("The oven timer", "only the title matches").misses("no message has all words")
		d = start(t, lib, 80, 24) // and one in the text alone
		d.reads(addConversation(lib, nil, uitest.Said("user", "a walrus")), "oven walrus", 0)
		d.sees("The oven timer", "no message has all words").misses("only the title matches")
	})
}

// A pattern is found wherever it would be shown: in reasoning, arguments and
// results that are folded away too, which are unfolded on arrival.
func TestFindUnfoldsWhatHidesAHit(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		thinking := uitest.Said("assistant", "Yes.")
		thinking.Reasoning = "a secret heron"
		d := start(t, lib, 80, 40)
		d.reads(addConversation(lib, nil,
			uitest.Said("system", "rules about a heron"), uitest.Said("user", "go"), thinking,
			uitest.Calls("", uitest.Call("1", "terminal", `{"command":"ls heron\nls"}`), uitest.Call("2", "cat", "{}")), uitest.Result("1", "terminal", "nothing"), uitest.Result("2", "cat", `{"output":"see\nheron"}`),
			uitest.Said("assistant", "ok"),
		), "", 0)
		d.misses("secret heron", "about a heron").keys("g", "/").types("heron").sees("match 1 of 4", "rules about a heron").keys("enter")
		d.keys("n").sees("match 2 of 4", "a secret heron").keys("n").sees("ls heron", "match 3 of 4").keys("n").sees("match 4 of 4", "▾ terminal ls heron ls · cat").keys("n").sees("This is the last match")
	})
}

func TestFindGoesThroughTheMarkedLinesOfALongMessage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var long strings.Builder
		for i := range 120 {
			fmt.Fprintf(&long, "line %d\n", i)
			if i%40 == 20 {
				fmt.Fprintf(&long, "the %d. gannet\n", i/40+1)
			}
		}
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, uitest.Said("user", "go"), uitest.Said("assistant", "one gannet"), uitest.Said("user", long.String()), uitest.Said("assistant", "a gannet again")), "", 0)
		d.keys("g", "/").types("gannet").keys("enter").sees("one gannet", "match 1 of 3")
		d.keys("n").sees("the 1. gannet", "match 2 of 3").keys("n").sees("the 2. gannet", "match 2 of 3").keys("n").sees("the 3. gannet", "match 2 of 3").keys("n").sees("a gannet again", "match 3 of 3")
		d.keys("n").sees("This is the last match").keys("N").sees("the 3. gannet", "match 2 of 3").keys("N").sees("the 2. gannet", "match 2 of 3")
	})
}

// A match is a message that matches, in the list and in the transcript: both say the same
// number, however many lines of a message are marked, and the counter names the message whose
// line is marked, also that of a result below its call.
func TestOneCounterOfMatches(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addConversation(lib, nil,
			uitest.Said("user", "a dodo\n\nand a second dodo"),
			uitest.Calls("", uitest.Call("1", "cat", "{}"), uitest.Call("2", "cat", "{}")),
			uitest.Result("1", "cat", "dodo one\ndodo two"), uitest.Result("2", "cat", "dodo three"),
			uitest.Said("assistant", "the last dodo"),
		)
		d := start(t, lib, 100, 30).types("dodo").sees("1 conversation · 4 matches", "  4 matches")
		d.keys("right").sees("match 1 of 4 · message 1 / 5").keys("n").sees("match 1 of 4 · message 1 / 5")
		d.keys("n").sees("match 2 of 4 · message 2 / 5").keys("n").sees("match 2 of 4").keys("n").sees("match 3 of 4").keys("n").sees("match 4 of 4 · message 5 / 5")
		d.keys("N").sees("match 3 of 4").keys("N").sees("match 2 of 4")
		d.keys("g", "/").types("dodo").keys("enter").sees("match 1 of 4")
	})
}

// The whole of a long conversation is counted while keys go on being answered.
func TestFindCountsInSlices(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		msgs := numberedMessages(4000)
		for i := range msgs {
			if i%10 == 0 {
				msgs[i].Content.Text += " puffin"
			}
		}
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, msgs...), "", 0)
		d.keys("g")
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 100 * time.Millisecond } })
		d.send(keyPress("/"))
		for _, r := range "puffin" {
			d.send(keyPress(string(r)))
		}
		d.wait(180 * time.Millisecond)
		d.sees("/puffin", "match 1 of 10…", "puffin")
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 300 * time.Millisecond } })
		d.misses("█")
		d.wait(time.Second) // a second is a wait that one wants to see the end of
		d.sees("match 1 of 210… ██████▌───")
		d.wait(10 * time.Second)
		d.sees("match 1 of 400").misses("400…")
		d.types("s").sees("no matches").keys("backspace")
		d.wait(10 * time.Second)
		d.sees("match 1 of 400").keys("enter")
	})
}

// What is typed after a slash while the conversation is still being read is searched for when
// it has come. It deletes nothing: refused, d and y would.
func TestFindIsTypedBeforeTheConversationIsRead(t *testing.T) {
	t.Parallel()
	for _, enter := range []bool{false, true} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			msgs := numberedMessages(3000)
			msgs[1234].Content.Text += " dizzy puffin"
			c := addConversation(lib, nil, msgs...)
			d := start(t, lib, 80, 24)
			lib.Set(func() { lib.Delay = func(string) time.Duration { return 3 * time.Second } })
			tr := transcript.New(d.root, c, query.Query{}, model.Hit{})
			d.run(d.root.push(tr))
			d.send(keyPress("/"))
			for _, r := range "dizzy" {
				d.send(keyPress(string(r)))
			}
			if enter {
				d.send(keyPress("enter"))
			}
			if d.wait(time.Second); len(d.root.dialogs) > 0 || tr.Claims(keyPress("x")) == enter {
				t.Fatalf("the find is not open:\n%s", d.screen())
			}
			d.wait(time.Minute)
			d.sees("match 1 of 1", "dizzy puffin")
		})
	}
	at(t, func(t *testing.T, lib *uitest.Fake) { // it is given up before
		msgs := numberedMessages(100)
		c := addConversation(lib, nil, msgs...)
		d := start(t, lib, 80, 24)
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 3 * time.Second } })
		d.run(d.root.push(transcript.New(d.root, c, query.Query{}, model.Hit{})))
		d.send(keyPress("/"), keyPress("w"), keyPress("backspace"), keyPress("w"), keyPress("esc"))
		d.wait(time.Minute)
		d.sees(msgs[99].Content.Text).misses("match")
	})
}

// The journey: from a hit through all hits of all results, and back.
func TestHitsGoOnIntoTheNextConversation(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for k, name := range []string{"First book", "Second book", "Third book"} {
			c := model.Conversation{Session: model.Session{ID: fmt.Sprint("book", k), Title: name, Source: "cli"}, RootID: fmt.Sprint("book", k), Segments: []string{"x"}, LastActive: uitest.Now().Add(-time.Duration(k) * time.Hour)}
			msgs := numberedMessages(100)
			for i := range msgs {
				msgs[i].ID, msgs[i].SessionID, msgs[i].At = int64(10000*(k+1)+i), c.ID, uitest.Now()
				if k == 1 {
					msgs[i].Content.Text = strings.ReplaceAll(msgs[i].Content.Text, "walrus", "seal")
				}
			}
			if k == 1 {
				c.Title = "A walrus in the title alone"
			}
			lib.Convs, lib.Messages[c.ID] = append(lib.Convs, c), msgs
		}
		d := start(t, lib, 80, 30).types("walrus")
		d.keys("right").sees("First book", "the first walrus", "match 1 of 2").keys("n").sees("the second walrus", "match 2 of 2")
		d.keys("#", "n").sees("Third book", "the first walrus", "match 1 of 2", "Conversation 3 of 3: Third book")
		d.keys("N").sees("First book", "the second walrus", "match 2 of 2", "Conversation 1 of 3")
		d.keys("N", "N").sees("No more matches: this is the first conversation")
		d.keys(">").sees("A walrus in the title alone", "Conversation 2 of 3").keys("n").sees("Third book").keys("n", "n").sees("No more matches: this is the last conversation")
		d.keys(">").sees("This is the last conversation").keys("<", "<").sees("First book").keys("<").sees("This is the first conversation")
		d.keys("q")
		if d.current() != "First book" || len(d.root.screens) != 1 {
			t.Errorf("back on the list of %d screens the row is %q", len(d.root.screens), d.current())
		}
		// What is looked for in one conversation stays in it.
		d.keys("right", "/").types("seal").sees("no matches").keys("esc", "/").types("second").keys("enter", "n").sees("This is the last match", "First book")
	})
}
