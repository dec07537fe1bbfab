package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// disk is what exports are written to in memory.
type disk struct {
	files map[string]shell.ExportOptions
	err   error
	takes time.Duration
}

func (d *disk) export(ctx context.Context, e shell.ExportOptions, progress func(done, total int)) (shell.Exported, error) {
	if d.err != nil {
		return shell.Exported{}, d.err
	}
	if _, there := d.files[e.File]; there && !e.Replace {
		return shell.Exported{}, shell.ErrExists
	}
	progress(40, 120)
	select {
	case <-ctx.Done():
		return shell.Exported{}, ctx.Err()
	case <-time.After(d.takes):
	}
	if d.files == nil {
		d.files = map[string]shell.ExportOptions{}
	}
	d.files[e.File] = e
	out := shell.Exported{File: "/home/ada/" + e.File, Bytes: 84_000}
	if e.Redact {
		out.Redacted = "JWT: 2"
	}
	return out, nil
}

func (d *disk) plug(o *Options) {
	o.Outside.Export = d.export
	o.Outside.FileName = func(c model.Conversation) string { return "kafka" }
}

// Export proposes form and name, the name follows the form and the form the
// name, and the written file is named. Nothing is written before Enter.
func TestExportFromTheScreen(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var k disk
		d := start(t, lib, 100, 30, k.plug)
		tip := lib.Convs[0].ID
		d.keys("ctrl+x", "e").sees("Export “Kafka consumer retries #3”", "▸ Markdown", "kafka.md")
		d.keys("tab").sees("▸ HTML page", "kafka.html")
		d.keys("shift+tab", "shift+tab").sees("▸ JSON lines", "kafka.jsonl")
		d.keys("ctrl+u").types("notes.HTML").sees("▸ HTML page")
		if len(k.files) > 0 {
			t.Fatal("written before it was asked for")
		}
		d.keys("enter").sees("Exported to “/home/ada/notes.HTML”, 84 kB").misses("Export ")
		if e := k.files["notes.HTML"]; e.Format != "html" || len(e.IDs) != 1 || e.IDs[0] != tip || e.Replace {
			t.Errorf("%+v", e)
		}
	})
}

// A file that is there is replaced only when that was said; the first answer
// keeps it.
func TestExportAsksBeforeItReplaces(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		k := disk{files: map[string]shell.ExportOptions{"kafka.md": {Format: "mine"}}}
		d := start(t, lib, 100, 30, k.plug)
		d.keys("ctrl+t", "e", "enter").sees("“kafka.md” already exists", "choose another name")
		d.keys("enter").sees("File  kafka.md")
		if k.files["kafka.md"].Format != "mine" {
			t.Fatal("replaced without a word")
		}
		d.keys("enter", "n").misses("There is a file")
		d.keys("e", "enter", "y").sees("Exported to “/home/ada/kafka.md”")
		if k.files["kafka.md"].Format != "md" {
			t.Error("not replaced")
		}
	})
}

// All that is marked goes into one file.
func TestExportOfMarkedConversations(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var k disk
		d := start(t, lib, 100, 30, k.plug).keys("tab", "tab", "ctrl+x", "e")
		d.sees("Export 2 conversations", "conversations.md").keys("enter")
		if e := k.files["conversations.md"]; len(e.IDs) != 2 {
			t.Errorf("%+v", e)
		}
	})
}

// A long export says so and can be stopped, also where nothing may be changed;
// a failed one says why.
func TestALongExportCanBeStopped(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		k := disk{takes: time.Minute}
		d := start(t, lib, 100, 30, k.plug, func(o *Options) { o.Changes = nil })
		d.keys("ctrl+t", "e", "enter")
		d.wait(1500 * time.Millisecond)
		d.sees("Exporting “Kafka consumer retries #3”… ██████", " 40 of 120 messages · ", "stops")
		d.keys("alt+c")
		d.misses("Exporting")
		if len(k.files) > 0 {
			t.Error("written all the same")
		}
		k.takes, k.err = 0, errors.New("disk full")
		d.keys("e", "enter").sees("Disk full")
	})
}

func TestWithoutFilesThereIsNoExportPagerOrEditor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30).keys("ctrl+t", "e").sees("Files cannot be written here")
		d.keys("$").sees("No pager available").keys("v").sees("No editor available")
	})
}

// One menu gives the message, each of its blocks and links, and what is known
// of the conversation.
func TestTheCopyMenuOfAMessage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30)
		text := "See https://a.example/x and https://b.example.\n\n```go\nx := 1\n```\n\n```sh\nls \x1b[31m-l\nls\n```"
		c := addConversation(lib, nil, uitest.Said("assistant", text))
		c.Title, c.CWD = "The oven \x1b]52;c;eA==\atimer", "/home/ada/oven"
		lib.Convs[len(lib.Convs)-1] = c
		d.reads(c, "", 0)
		last := func(want string) {
			t.Helper()
			if n := len(d.sent); n == 0 || d.sent[n-1] != want {
				t.Errorf("the clipboard got %q, want %q", d.sent, want)
			}
		}
		d.keys("Y").sees("code block", "2 to choose from", "/home/ada/oven", "The oven timer")
		d.keys("b").sees("Copy which code block?", "go", "x := 1", "ls -l").keys("2")
		last("ls -l\nls")
		d.keys("Y", "l").sees("https://b.example").keys("1")
		last("https://a.example/x")
		d.keys("ctrl+y", "#")
		last(c.ID + "#1001")
		d.keys("Y", "t")
		last("The oven timer")
		d.keys("Y", "f")
		last("/home/ada/oven")
		d.keys("Y", "c")
		last("hermes --resume " + c.ID)
		d.keys("Y", "enter")
		last(kit.Clean(text))
	})
}

// Secrets are masked in a file where the box says so, which the settings can say first, and
// then in what is copied too, except what a mask would break.
func TestRedaction(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var k disk
		var settings shell.Outside
		d := start(t, lib, 100, 30, k.plug, func(o *Options) { settings = o.Outside })
		d.keys("ctrl+x", "e").sees("Redact secrets  off").keys("ctrl+r").sees("Redact secrets  on").sees("Export redacted “")
		d.keys("enter").sees("84 kB · redacted JWT: 2").send(tea.WindowSizeMsg{Width: 54, Height: 30})
		d.sees("Exported to “…", "/kafka.md”, 84 kB · redacted JWT: 2").send(tea.WindowSizeMsg{Width: 100, Height: 30})
		if !k.files["kafka.md"].Redact {
			t.Errorf("%+v", k.files)
		}
		settings.Redact = func(text string) (string, string) {
			masked := strings.ReplaceAll(text, "hunter22", "[redacted: password]")
			if masked == text {
				return text, ""
			}
			return masked, "password: 1"
		}
		settings.FileName = func(model.Conversation) string { return "hunter22" }
		d = start(t, lib, 100, 30, func(o *Options) { o.Outside = settings })
		c := addConversation(lib, nil, uitest.Said("user", "it is hunter22, really"))
		c.Title, c.CWD = "hunter22", "/home/hunter22"
		lib.Convs[len(lib.Convs)-1] = c
		d.reads(c, "", 0)
		d.keys("ctrl+x", "e").sees("Redact secrets  on").keys("ctrl+r").sees("Redact secrets  off").keys("esc")
		for keys, want := range map[string]string{"y": "it is [redacted: password], really", "Y t": "[redacted: password]", "Y f": "/home/hunter22"} {
			d.sent = nil
			d.keys(strings.Fields(keys)...)
			if len(d.sent) != 1 || d.sent[0] != want {
				t.Errorf("%s: %q, want %q", keys, d.sent, want)
			}
		}
		d.keys("y").sees("characters · redacted password: 1")
	})
}

// What terminals would cut off is not sent, and said.
func TestTooMuchToCopyIsReported(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30)
		d.reads(addConversation(lib, nil, uitest.Said("user", strings.Repeat("word ", 20_000))), "", 0)
		d.keys("y").sees("Message, 100,000 characters is too large to copy: 100 kB")
		if len(d.sent) > 0 {
			t.Error("it was sent")
		}
	})
}

// Inside a multiplexer its own way is taken; where that fails the terminal is
// asked, past the multiplexer too.
func TestCopyThroughAMultiplexer(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var got []string
		var fail error
		d := start(t, lib, 100, 30, func(o *Options) {
			o.Outside.Clipboard = func(_ context.Context, s string) error { got = append(got, s); return fail }
		})
		d.reads(addConversation(lib, nil, uitest.Said("user", "copy me")), "", 0)
		d.keys("y").sees("Copied: message, 7 characters")
		if len(got) != 1 || got[0] != "copy me" || len(d.sent) > 0 {
			t.Errorf("%q, and the terminal %q", got, d.sent)
		}
		fail = errors.New("no server")
		d.keys("y").sees("Sent to the terminal's clipboard: message, 7 characters")
		if len(d.sent) != 1 || len(d.raw) != 2 || d.raw[1] != "\x1bPtmux;\x1b\x1b]52;c;Y29weSBtZQ==\a\x1b\\" {
			t.Errorf("the terminal got %q and %q", d.sent, d.raw)
		}
	})
}

// The boxes fit wherever they open, with what matters most in sight.
func TestOutsideScreens(t *testing.T) {
	t.Parallel()
	text := "The fix:\n\n```go\nx := 1\n```\n\n```sh\ngo test ./... -run Everything -count 1 -timeout 10m && echo well\nls\n```\n\nhttps://a.example/x"
	for _, size := range [][2]int{{100, 30}, {80, 24}, {40, 12}, {30, 8}, {18, 4}} {
		for name, keys := range map[string][]string{
			"export": {"e", "tab"}, "copy": {"Y"}, "blocks": {"Y", "b"}, "replace": {"e", "enter"},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					k := disk{files: map[string]shell.ExportOptions{"kafka.md": {}}}
					d := start(t, lib, size[0], size[1], k.plug)
					d.reads(addConversation(lib, nil, uitest.Said("user", "How?"), uitest.Said("assistant", text)), "", 0)
					golden.RequireEqual(t, d.keys(keys...).screen())
				})
			})
		}
	}
}
