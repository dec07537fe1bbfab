package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/ui/uitest"
)

// knownFacts returns a conversation with something to tell of everything.
func knownFacts(lib *uitest.Fake) model.Conversation {
	c := lib.Convs[0]
	c.Profile, c.GitBranch, c.EndReason, c.RootID = "work", "main", "cli_close", "the-root"
	lib.Convs[0] = c
	session := model.Session{ID: c.ID, StartedAt: c.RootStartedAt, MessageCount: 150, ToolCalls: 12}
	lib.DetailsOf = map[string]model.Details{c.ID: {
		Conversation: c, Sessions: []model.Session{session},
		Rows: []pyjson.Object{{
			{Name: "id", Value: c.ID},
			{Name: "title", Value: "with \x1b[31mred\x1b[0m and \u202ebidi"},
			{Name: "started_at", Value: 1.5},
			{Name: "model_config", Value: `{"max_iterations": 90, "_delegate_from": "x"}`},
			{Name: "ended_at", Value: nil},
			{Name: "system_prompt", Value: strings.Repeat("prompt ", 1000)},
			{Name: "quantum_state\x1b[31m", Value: int64(3)},
		}},
		Roles:  []model.RoleCount{{Role: "assistant", Visible: 100, Rewound: 2}, {Role: "user", Visible: 42, Compacted: 6}},
		Models: []model.ModelUsage{{Model: "hermes-4-70b", Usage: c.Total}, {Model: "", Usage: model.Usage{Input: 1204, APICalls: 2}}},
	}}
	lib.HealthNotes = []model.HealthNote{{Kind: "fts-missing", Message: "the index is missing", Remedy: model.AdviseToRun("rebuild it", "hermes sessions optimize")}}
	return c
}

// The inspector tells everything, at every size, and what is stored cannot
// act on the terminal.
func TestInspectorScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 60}, {80, 24}, {38, 12}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				knownFacts(lib)
				d := start(t, lib, size[0], size[1]).keys("ctrl+x", "i")
				golden.RequireEqual(t, d.screen())
			})
		})
	}
}

// It says what there is to know in twelve lines, at the usual width.
func TestDetailsAreTwelveLines(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c := knownFacts(lib)
		c.GitBranch, c.Branches, c.Delegates = "main", 1, 2
		facts := lib.DetailsOf[c.ID]
		facts.Conversation.Total.Input = 1204
		lib.DetailsOf[c.ID] = facts
		lib.FilesOf = map[string][]files.File{c.ID: {{Path: "go.mod", Writes: 1, Last: 1}}}
		d := start(t, lib, 80, 24).keys("ctrl+x", "i").sees("what ", "where ", "when ", "how long ", "tokens ", "cost ", "model ", "files ", "state ", "ID ", c.ID)
		box := strings.Split(d.root.dialogs.top().Box(80, 24), "\n")
		if n := len(box) - 4; n > 12 {
			t.Errorf("%d lines:\n%s", n, strings.Join(box, "\n"))
		}
	})
}

// It scrolls, can be copied whole, and its key closes it again.
func TestInspectorIsReadAndCopied(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c := knownFacts(lib)
		lib.Delay = func(string) time.Duration { return 400 * time.Millisecond }
		d := start(t, lib, 80, 24)
		d.wait(time.Second)
		d.keys("ctrl+t")
		d.wait(time.Second)
		d.send(keyPress("i"))
		d.wait(200 * time.Millisecond)
		d.sees("reading")
		d.wait(time.Second)
		d.sees("Details of “Kafka consumer retries #3”", "unusual").misses("quantum_state␛").sees("y copy everything · esc close")
		d.sees("enter all stored columns")
		d.keys("enter", "G").sees("7 kB in total").misses("enter all stored columns")
		d.keys("y")
		if len(d.sent) != 1 || strings.ContainsAny(d.sent[0], "\x1b\u202e") {
			t.Fatalf("the clipboard got %q", d.sent)
		}
		for _, want := range []string{"id: " + c.ID, "root ID: the-root", "profile: work", "cost: ~$1.84 (estimated)", "user: 42 · 6 compacted", "max_iterations: 90", "database: the index is missing"} {
			if !strings.Contains(d.sent[0], want) {
				t.Errorf("no %q in\n%s", want, d.sent[0])
			}
		}
		d.keys("i").misses("Details of")
	})
}

func TestInspectorSaysWhyItCanNotTell(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		lib.Set(func() { lib.Err = fmt.Errorf("the disk is gone") })
		d.keys("ctrl+x", "i").sees("the disk is gone").keys("esc").misses("Details of")
	})
}

// It lists the files of the conversation; a marked one opens the message that changed it
// last, also in the transcript that is being read.
func TestInspectorOpensTheMessageOfAFile(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c := knownFacts(lib)
		o, err := lib.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		facts := lib.DetailsOf[c.ID]
		facts.Conversation.Total.Input = 1204
		lib.DetailsOf[c.ID] = facts
		lib.FilesOf = map[string][]files.File{c.ID: {
			{Path: "ui/a\x1b[31m.go", Edits: 3, Added: 20, Removed: 4, Last: o.MessageIDs[0]},
			{Path: "go.mod", Writes: 1, Added: 7, Last: o.MessageIDs[2]},
			{Path: "docs/guide.md", Reads: 2, Last: o.MessageIDs[3]},
		}}
		d := start(t, lib, 100, 50).keys("ctrl+x", "i").sees("files     2 changed, 1 read").keys("enter")
		d.sees("Files: 2 changed, 1 read (tab chooses one, enter opens it)", "  edited 3 times +20 -4", "  written +7", "  read 2 times").misses("\x1b[31m.go")
		d.keys("tab", "tab", "tab", "shift+tab").sees("▸ written +7").misses("▸ edited")
		d.keys("enter").misses("Details of").sees("3 / 4")
		d.keys("i", "enter", "tab", "enter").misses("Details of").sees("1 / 4")
		d.keys("i", "enter", "enter").misses("Details of").sees("1 / 4")
		d.keys("i", "enter").clickInBox("written +7").sees("▸ written +7").clickInBox("Usage").sees("▸ written +7")
		d.clickInBox("go.mod").misses("Details of").sees("3 / 4")
		if d = start(t, lib, 200, 30).keys("ctrl+x", "i", "enter"); !regexp.MustCompile(`Conversation {50,}\S`).MatchString(d.screen()) {
			t.Fatalf("a wide screen shows the details in one column:\n%s", d.screen())
		}
		d.keys("tab").sees("▸ edited").clickInBox("written +7").sees("▸ written +7").clickInBox("go.mod").misses("Details of")
	})
}
