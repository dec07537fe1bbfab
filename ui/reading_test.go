package ui

import (
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/ui/uitest"
)

func TestGoingToANumberAndAPercentage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(1000)...), "", 0)
		d.keys("1", "2", "3").sees("go to 123", "G message of 1,000").keys("G").sees("123 / 1,000", "message number 123 of").misses("go to")
		d.keys("5", "0", "%").sees("500 / 1,000").keys("1", "backspace").misses("go to").sees("500 / 1,000")
		d.keys("9", "9", "9", "9", "enter").sees("1,000 / 1,000").keys("2", "esc").sees("1,000 / 1,000")
		d.keys("7", "J").misses("go to") // any other key does what it always does
		d.keys("1", "0", "0", "%").sees("1,000 / 1,000").keys("0").misses("go to")
		d.keys("ctrl+x", "%").sees("go to").keys("4", "2", "enter").sees("42 / 1,000")
	})
}

func TestNumbersAndSumsOfTurns(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 40)
		c := addConversation(lib, nil, uitest.Said("user", "go"),
			uitest.Calls("", uitest.Call("1", "cat", "{}")), uitest.Result("1", "cat", "Error: no"), uitest.Said("assistant", "one"), uitest.Said("assistant", "two"), uitest.Said("user", "thanks"))
		d.reads(c, "", 0)
		d.keys("g").misses("#1").keys("#").sees("● you  #1", "turn 1 of 2 · 4 messages · 1 tool call · 1 failed · 4 min · cost ?", "▸ cat   ! failed   1 min  #2", "#5\n", "turn 2 of 2 · 0 messages · cost ?")
		d.keys("3", "G").sees("2 / 6") // it is folded into the second
		d.keys("#").misses("#1", "turn 1")
	})
}

func TestTimeThatHasPassedIsTold(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		msgs := numberedMessages(6)
		for i := range msgs {
			msgs[i].At = uitest.Now().Add(-10*time.Hour + time.Duration(i)*time.Minute)
			if i >= 4 {
				msgs[i].At = msgs[i].At.Add(5 * time.Hour)
			}
		}
		d := start(t, lib, 80, 30)
		d.reads(addConversation(lib, nil, msgs...), "", 0)
		d.sees("── 5h later ──")
	})
}

func TestSegmentsTellOfAnotherModel(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 30)
		c := addConversation(lib, []int{0, 2, 4}, numberedMessages(6)...)
		lib.Set(func() { lib.Models = []string{"hermes-4-70b", "hermes-4-405b", "hermes-4-405b"} })
		d.reads(c, "", 0)
		d.sees("segment 2 of 3 · hermes-4-405b ──", "segment 3 of 3 ──")
	})
}

func TestSummariesOfCompressionAreFolded(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		text := "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted:\n\nThe *pelican* was fed."
		d := start(t, lib, 80, 40)
		c := addConversation(lib, []int{0, 2}, uitest.Said("user", "one"), uitest.Said("assistant", "two"),
			uitest.Said("user", text), uitest.Said("assistant", text+"\n\n--- END OF CONTEXT SUMMARY — respond below ---\n\nGo on then."), uitest.Said("user", "three"))
		d.reads(c, "", 0)
		d.sees("▸ summary (3 lines)", "◆ hermes", "▸ summary (5 lines)", "Go on then.").misses("pelican")
		d.keys("[", "[").sees("1 / 5") // it is no prompt
		d.keys("J", "J", "enter").sees("The pelican was fed.").keys("enter").misses("pelican")
		d.keys("/").types("pelican").keys("enter").sees("match 1 of 2", "pelican").keys("n").sees("match 2 of 2")
		if y := lineOf(d, "Go on then."); !strings.Contains(d.screen(), "4 / 5") || y < 5 {
			t.Errorf("the second summary is not unfolded:\n%s", d.screen())
		}
	})
}

func TestCodeIsBrokenOrCut(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		long := strings.Repeat("abcdefghij ", 12) + "end"
		d := start(t, lib, 80, 40)
		d.reads(addConversation(lib, nil, uitest.Said("user", "prose "+long+"\n\n```\ncode "+long+"\n```"), uitest.Calls("", uitest.Call("1", "cat", "{}")), uitest.Result("1", "cat", "out "+long+"\nsecond")), "", 0)
		d.keys("t")
		count := func() int { return strings.Count(d.screen(), "end") }
		if n := count(); n != 3 {
			t.Fatalf("of three long lines %d are shown to their end:\n%s", n, d.screen())
		}
		d.keys("w").sees("abcdefghij…", "second", "cut off")
		if n := count(); n != 1 {
			t.Errorf("with code cut %d lines are shown to their end:\n%s", n, d.screen())
		}
		d.keys("w")
		if n := count(); n != 3 {
			t.Errorf("broken again, %d lines are shown to their end", n)
		}
	})
}

// begun is how a text begins in a style whose ground goes on to the edge.
func begun(style lipgloss.Style, text string) string {
	return strings.TrimSuffix(style.Render(text), "\x1b[m") + " "
}

func TestToolResultsAreShownByTheirKind(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		diff := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new"
		d := start(t, lib, 80, 60)
		d.reads(addConversation(lib, nil, uitest.Said("user", "go"),
			uitest.Calls("", uitest.Call("1", "terminal", `{"command":"git diff"}`), uitest.Call("2", "read_file", `{"path":"x"}`), uitest.Call("3", "Edit", `{"file_path":"x.go","old_string":"a := 1\nb","new_string":"a := 2\nb","replace_all":false}`), uitest.Call("4", "patch", "{}")),
			uitest.Result("1", "terminal", `{"output": "`+strings.ReplaceAll(diff, "\n", `\n`)+`", "exit_code": 0, "error": null}`),
			uitest.Result("2", "read_file", `{"content": "     1|one\n     2|two", "total_lines": 2}`),
			uitest.Result("3", "Edit", "ok"), uitest.Result("4", "patch", diff),
		), "", 0)
		d.keys("t").sees("│ -old\n", "│      1|one\n", "│ total_lines: 2", "file_path: x.go", "replace_all: false", "-a := 1\n", "+a := 2\n").misses("old_string", "output:", "exit_code", "error")
		content := d.root.View().Content
		for _, want := range []string{begun(d.root.styles.Removed, "-old"), begun(d.root.styles.Added, "+new"), d.root.styles.Key.Render("@@ -1,2 +1,2 @@"), begun(d.root.styles.Removed, "-a := 1")} {
			if !strings.Contains(content, want) {
				t.Errorf("no %q in color", ansi.Strip(want))
			}
		}
	})
}

func TestTranscriptInASCII(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 60, func(o *Options) { o.Theme = theme.Setup{Theme: "mono", ASCII: true} })
		var all []model.Message
		for _, name := range []string{"tools", "reasoning", "media"} {
			all = append(all, uitest.Kinds()[name]...)
		}
		d.reads(addConversation(lib, []int{0, 5}, all...), "beep", 0)
		d.keys("#", "1", "2").keys("esc", "t", "R", "g", "n")
		for _, l := range strings.Split(d.screen(), "\n") {
			if strings.ContainsFunc(l, func(r rune) bool { return r > 0x7e }) {
				t.Errorf("not ASCII: %q", l)
			}
		}
	})
}

// The words of the program are ASCII, too, in every box and on every screen.
func TestScreensInASCII(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, keys := range [][]string{{}, {"ctrl+d"}, {"ctrl+r"}, {"ctrl+y"}, {"f1"}, {"f4"}, {"ctrl+x"}, {"ctrl+x", "e"}, {"ctrl+x", "i"}, {"ctrl+x", "N"}, {"ctrl+x", "U"}, {"ctrl+x", "S"}, {"ctrl+l"}, {"tab"}} {
			for _, size := range [][2]int{{130, 40}, {60, 20}} {
				d := start(t, lib, size[0], size[1], func(o *Options) { o.Theme = theme.Setup{Theme: "mono", ASCII: true} }).keys("down").keys(keys...)
				for _, l := range strings.Split(d.screen(), "\n") {
					if strings.ContainsAny(l, "·…“”×≥→←↑↓↵•–") {
						t.Errorf("after %q, not ASCII: %q", keys, l)
					}
				}
			}
		}
	})
}

// Calls of one tool that do not fit side by side are counted.
func TestCallsOfOneToolAreCountedWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	for w, want := range map[int]string{
		160: "▸ terminal grep -c ERROR api.log · terminal grep -c ERROR worker.log",
		80:  "▸ terminal grep -c ERROR api.log · terminal grep -c ERROR worker.…   3 min",
		60:  "▸ terminal ×2 grep -c ERROR api.log; grep -c ERR…   3 min",
	} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			call := func(id, file string) model.Message {
				return uitest.Calls("", uitest.Call(id, "terminal", `{"command":"grep -c ERROR `+file+`"}`))
			}
			d := start(t, lib, w, 24)
			d.reads(addConversation(lib, nil, uitest.Said("user", "count them"), call("1", "api.log"), uitest.Result("1", "terminal", "4"),
				call("2", "worker.log"), uitest.Result("2", "terminal", "7"), uitest.Said("assistant", "eleven")), "eleven", 0)
			d.sees(want)
		})
	}
}

func TestCopiesOfCompressionLeadToWhatTheyCopy(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 40)
		c := addConversation(lib, []int{0, 3}, uitest.Said("user", "one puffin"), uitest.Said("assistant", "two"), uitest.Said("user", "three"), // 1001 …
			uitest.Said("user", "one puffin"), uitest.Said("user", "three"), uitest.Said("assistant", "four"))
		lib.Set(func() { lib.Copies, lib.Repeated = map[int64]int64{1004: 1001, 1005: 1003}, []int{0, 2} })
		d.reads(c, "puffin", 1004)
		d.sees("segment 2 of 2 · 2 messages repeated", "1 / 4", "match 1 of 1")
		if n := strings.Count(d.screen(), "one puffin"); n != 1 {
			t.Errorf("what compression copied is shown %d times:\n%s", n, d.screen())
		}
	})
}

// What does not fit in its line goes on as far in as the line began.
func TestBrokenLinesStayIndented(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 60, 30)
		d.reads(addConversation(lib, nil, uitest.Said("user", "look"), uitest.Calls("", uitest.Call("1", "cat", "{}")), uitest.Result("1", "cat", "if so {\n    "+strings.Repeat("word ", 12)+"end\n}")), "word end", 0)
		d.keys("t").sees("│     word word word word word word word word word word\n", "│     word word end\n")
	})
}

// A key without a meaning is answered; in the list it is typed.
func TestUnknownKeysSaySo(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		c := addConversation(lib, nil, uitest.Said("user", strings.Repeat("line\n\n", 60)+"last line"))
		d.reads(c, "", 0)
		d.keys("x").sees("x does nothing here · ? lists the keys")
		d.keys("f6").sees("f6 does nothing here").misses("x does nothing")
		d.keys("g", "ctrl+f").misses("● you").keys("ctrl+b").sees("● you")
		d.keys("q", "x").misses("does nothing")
		narrow := start(t, lib, 30, 8)
		narrow.reads(c, "", 0)
		if narrow.keys("tab"); narrow.lastLine() != " tab does nothing here · ?" {
			t.Errorf("in 30 columns: %q", narrow.lastLine())
		}
	})
}
