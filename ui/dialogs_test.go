package ui

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

// dialogCase is a dialog, and the keys for it after another process has inserted,
// renamed and deleted rows behind it. It is about the second row, which is
// called below, or about none.
type dialogCase struct {
	by    string // the function that opens it
	ready func(d *driver, lib *uitest.Fake)
	keys  []string // that open it
	typed string   // and then
	sees  string
	does  []string // in the box
	then  string   // typed in it, before the last key of does
	check func(d *driver, lib *uitest.Fake, id string) string
}

// below is the conversation that the boxes are about.
const below = "Kafka consumer retries #3"

func dialogCases() []dialogCase {
	gone := func(_ *driver, lib *uitest.Fake, id string) string {
		if lib.ByID(id) != nil {
			return "it is still there"
		}
		return ""
	}
	titled := func(title string) func(*driver, *uitest.Fake, string) string {
		return func(_ *driver, lib *uitest.Fake, id string) string {
			if c := lib.ByID(id); c == nil || c.Title != title {
				return fmt.Sprintf("it is %+v, not called %q", c, title)
			}
			return ""
		}
	}
	copied := func(d *driver, _ *uitest.Fake, id string) string {
		if len(d.sent) != 1 || !strings.Contains(d.sent[0], id) {
			return fmt.Sprintf("copied %q", d.sent)
		}
		return ""
	}
	nothing := func(*driver, *uitest.Fake, string) string { return "" }
	left := func(d *driver, _ *uitest.Fake, id string) string {
		if !d.quit || d.root.Outcome().ID != id {
			return fmt.Sprintf("%+v", d.root.Outcome())
		}
		return ""
	}
	ran := make(chan string, 1) // the conversation that a command has run on
	return []dialogCase{
		{by: "openDelete", keys: []string{"ctrl+d"}, sees: "Delete “" + below, does: []string{"y"}, check: gone},
		{by: "openDelete", keys: []string{"ctrl+d", "s"}, sees: "Delete the newest segment of “" + below, does: []string{"y"}, check: func(_ *driver, lib *uitest.Fake, id string) string {
			if c := lib.ByID(id); c == nil || !slices.Equal(lib.Parted, c.Segments[3:]) {
				return fmt.Sprintf("deleted %q", lib.Parted)
			}
			return ""
		}},
		{by: "openDelete", keys: []string{"alt+a", "ctrl+d"}, sees: "Delete 13 conversations?", does: []string{"enter"}, then: "13", check: func(d *driver, lib *uitest.Fake, id string) string {
			for _, c := range lib.Convs {
				if c.Scope == model.ScopeConversations && !strings.HasPrefix(c.ID, "theirs") {
					return c.Title + " is still there"
				}
			}
			return gone(d, lib, id)
		}},
		{by: "openDelete", keys: []string{"right", "d"}, sees: "Delete “" + below, does: []string{"y"}, check: gone},
		{by: "openRename", keys: []string{"f2"}, sees: "Rename “" + below, does: []string{"ctrl+u", "enter"}, then: "mine", check: titled("mine")},
		{by: "openRename", keys: []string{"f2", "ctrl+u"}, typed: "First steps", sees: "Another conversation has this title", does: []string{"enter", "enter"}, check: titled("First steps #2")},
		{by: "rowHandlers", keys: []string{"ctrl+y"}, sees: "resume command", does: []string{"i"}, check: copied}, // the copy menu
		{by: "copyMenu", keys: []string{"right", "Y"}, sees: "resume command", does: []string{"i"}, check: copied},
		{by: "listHandlers", keys: []string{"f4"}, sees: "Filter", does: []string{"down", "enter", "esc"}, check: nothing},
		{by: "menu", ready: func(d *driver, _ *uitest.Fake) { d.types("kafka").keys("esc") }, keys: []string{"ctrl+x", "h"}, sees: "Earlier queries", does: []string{"enter"}, check: func(d *driver, _ *uitest.Fake, _ string) string {
			if d.query() != "kafka" {
				return d.query()
			}
			return ""
		}},
		{by: "actionMenu", keys: []string{"ctrl+x"}, sees: "│ Actions ", does: []string{"p"}, check: func(_ *driver, lib *uitest.Fake, id string) string {
			if c := lib.ByID(id); c == nil || !c.Pinned {
				return "it is not pinned"
			}
			return ""
		}},
		{by: "can", keys: []string{"f1"}, sees: "List keys", does: []string{"esc"}, check: nothing},
		{by: "openPalette", keys: []string{":"}, sees: "Commands", does: []string{"enter"}, then: "archive", check: func(_ *driver, lib *uitest.Fake, id string) string {
			if c := lib.ByID(id); c == nil || !c.Archived {
				return "it is not archived"
			}
			return ""
		}},
		{by: "doWith", keys: []string{"ctrl+x", "e"}, sees: "Export “" + below, does: []string{"enter"}, check: exportedOnly},
		{by: "replaceMenu", ready: func(d *driver, _ *uitest.Fake) { d.disk.files = map[string]shell.ExportOptions{"kafka.md": {}} }, keys: []string{"ctrl+x", "e", "enter"}, sees: "already exists", does: []string{"y"}, check: exportedOnly},
		{by: "replaceMenu", ready: func(d *driver, _ *uitest.Fake) { d.disk.files = map[string]shell.ExportOptions{"kafka.md": {}} }, keys: []string{"ctrl+x", "e", "enter", "o"}, sees: "Export “" + below, does: []string{"ctrl+u", "enter"}, then: "other.md", check: exportedOnly},
		{by: "openInspector", keys: []string{"ctrl+x", "i"}, sees: "Details of “" + below, does: []string{"esc"}, check: nothing},
		{by: "cautionMenu", ready: func(_ *driver, lib *uitest.Fake) { addResumeWarnings(lib) }, keys: []string{"enter"}, sees: "It may still be running", does: []string{"y"}, check: left},
		{by: "takenMenu", ready: func(d *driver, lib *uitest.Fake) {
			d.keys("ctrl+d", "y")
			lib.Set(func() { lib.ByID("theirs1").Title = below })
		}, keys: []string{"alt+z"}, sees: "is now used by theirs1", does: []string{"y"}, check: titled("")},
		{by: "finish", ready: func(d *driver, lib *uitest.Fake) {
			d.keys("ctrl+d")
			lib.Takes = 20 * time.Second
		}, keys: []string{"y", "esc"}, sees: "Still deleting “" + below, does: []string{"s"}, check: func(d *driver, lib *uitest.Fake, _ string) string {
			if !d.quit || lib.ByID("theirs1") == nil {
				return "it did not leave"
			}
			return ""
		}},
		{by: "stayed", ready: func(d *driver, lib *uitest.Fake) {
			lib.Set(func() { lib.Left = []string{"Broker upgrade plan"} })
			d.keys("tab", "down", "tab", "ctrl+d")
		}, keys: []string{"y"}, sees: "1 kept (still selected)", does: []string{"enter"}, check: gone},
		{by: "notDone", ready: func(d *driver, lib *uitest.Fake) {
			d.keys("ctrl+d")
			lib.Set(func() { lib.Refuses = fmt.Errorf("%s", strings.Repeat("why ", 60)) })
		}, keys: []string{"y"}, sees: "Failed", does: []string{"enter"}, check: nothing},
		{by: "refuse", ready: func(_ *driver, lib *uitest.Fake) {
			lib.Set(func() { lib.Rights = fmt.Errorf("%s", strings.Repeat("why ", 60)) })
		}, keys: []string{"ctrl+d"}, sees: "Not possible", does: []string{"enter"}, check: nothing},
		{by: "offer", ready: func(d *driver, _ *uitest.Fake) {
			_ = d.root.offerInterrupted([]Saved{{Text: "an interrupted undo: 640 of 1,000 messages restored", What: "1,000 messages"}})
		}, sees: "An interrupted undo", does: []string{"l"}, check: nothing},
		{by: "dryRunMenu", ready: func(d *driver, _ *uitest.Fake) { d.root.opt.DryRun = true }, keys: []string{"enter"}, sees: "Would run:", does: []string{"r"}, check: func(d *driver, _ *uitest.Fake, id string) string {
			if t, ok := d.root.top().(*transcript.Screen); !ok || t.Conv.ID != id {
				return "another conversation is read"
			}
			return ""
		}},
		{by: "vacuumMenu", ready: func(_ *driver, lib *uitest.Fake) { lib.Set(func() { stored(lib) }) }, keys: []string{"ctrl+x", "S", "V"}, sees: "Vacuum the database?", does: []string{"y"}, check: func(_ *driver, lib *uitest.Fake, _ string) string {
			if lib.Vacuums != 1 {
				return "nothing was vacuumed"
			}
			return ""
		}},
		{by: "runCommand", ready: func(d *driver, _ *uitest.Fake) {
			ownCommands(d.t, func(_ context.Context, q shell.RunCommand, _ io.Writer) error { ran <- q.One.ID; return nil })(&d.root.opt)
		}, keys: []string{"f7"}, sees: "Shout", does: []string{"esc"}, check: func(_ *driver, _ *uitest.Fake, id string) string {
			if on := <-ran; on != id {
				return "it ran on " + on
			}
			return ""
		}},
		{by: "pick", ready: func(_ *driver, lib *uitest.Fake) {
			id := lib.Convs[0].ID
			lib.Messages[id] = append(lib.Messages[id], model.Message{ID: 9999, SessionID: id, Role: "assistant", Content: model.Content{Text: "```\none " + id + "\n```\n\n```\ntwo\n```"}})
		}, keys: []string{"right", "G", "Y", "b"}, sees: "Copy which code block?", does: []string{"1"}, check: copied},
	}
}

func exportedOnly(d *driver, _ *uitest.Fake, id string) string {
	for name, e := range d.disk.files {
		if len(e.IDs) == 1 && e.IDs[0] == id && (name == "kafka.md" || name == "other.md") {
			return ""
		}
	}
	return fmt.Sprintf("%+v", d.disk.files)
}

// Whatever dialog is open, and whatever another process does to the rows behind
// it: it acts on the row that it was opened for, or on none.
func TestAnotherWriterDuringEveryDialog(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range dialogCases() {
		seen[b.by] = true
		at(t, func(t *testing.T, lib *uitest.Fake) {
			theirs := func(n int, title string, pinned bool) model.Conversation {
				id := fmt.Sprint("theirs", n)
				return model.Conversation{Session: model.Session{ID: id, Title: title, Source: "cli", Pinned: pinned}, RootID: id, Segments: []string{id}, LastActive: uitest.Now().Add(-time.Duration(n) * 24 * time.Hour)}
			}
			lib.Convs = append(lib.Convs, theirs(1, "theirs", false))
			k := &disk{}
			d := start(t, lib, 120, 40, k.plug)
			d.disk = k
			if d.current() != below {
				t.Fatalf("on %q", d.current())
			}
			id := d.list().Current().ID
			if b.ready != nil {
				b.ready(d, lib)
			}
			d.keys(b.keys...).types(b.typed).sees(b.sees)
			before := map[string]model.Conversation{}
			for _, c := range lib.Convs {
				before[c.ID] = c
			}
			for n := range 3 {
				lib.Set(func() {
					lib.Convs = append(lib.Convs, theirs(-10-n, fmt.Sprint("in between ", n), n%2 == 0), theirs(100+n, "gone soon", false))
					lib.ByID("theirs1").Pinned = n%2 == 0
					lib.Convs = slices.DeleteFunc(lib.Convs, func(c model.Conversation) bool { return c.ID == fmt.Sprint("theirs", 99+n) })
					lib.Version++
				})
				d.wait(1100 * time.Millisecond)
			}
			d.sees(b.sees)
			last := len(b.does) - 1
			d.keys(b.does[:last]...).types(b.then).keys(b.does[last])
			d.wait(3 * time.Second)
			if wrong := b.check(d, lib, id); wrong != "" {
				t.Errorf("%s by %q: %s\n%s", b.by, b.keys, wrong, d.screen())
			}
			if strings.Contains(b.sees, "13 conversations") {
				return // all were meant
			}
			for other, was := range before {
				c := lib.ByID(other)
				switch {
				case other == id || strings.HasPrefix(other, "theirs"):
				case c == nil:
					t.Errorf("%s by %q: %q is gone", b.by, b.keys, was.Title)
				case c.Title != was.Title || c.Pinned != was.Pinned || c.Archived != was.Archived:
					t.Errorf("%s by %q: %q is %+v", b.by, b.keys, was.Title, c.Session)
				}
			}
		})
	}
	for by := range openers(t) {
		if !seen[by] {
			t.Errorf("no box that %s opens is in this test", by)
		}
	}
}

// openers returns the functions that open boxes, in this package and below it:
// they hand a dialog to the shell, or say what a menu has. Their names begin
// with a small letter here, in whatever package they are.
func openers(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if opens(n) {
					out[strings.ToLower(f.Name.Name[:1])+f.Name.Name[1:]] = true
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 15 {
		t.Fatalf("only %d functions open a box: %v", len(out), out)
	}
	return out
}

// opens reports whether a piece of code opens a box.
func opens(n ast.Node) bool {
	named := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.Ident:
			return e.Name
		case *ast.SelectorExpr:
			return e.Sel.Name
		}
		return ""
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Open" && len(n.Args) == 1 && slices.Contains([]string{"r", "sh"}, named(sel.X))
	case *ast.CompositeLit:
		return slices.Contains([]string{"OpenMenu", "OpenPalette", "OpenCopyMenu"}, named(n.Type))
	}
	return false
}
