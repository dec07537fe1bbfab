package ui

import (
	"reflect"
	"testing"

	"hermes-sessions/model"
)

func TestCodeBlocksOfTheCurrentMessage(t *testing.T) {
	at(t, func(t *testing.T, lib *fake) {
		d := sit(t, lib, 80, 30)
		tr := d.reads(shelf(lib, nil,
			said("user", "plain words"),
			calls("First:\n\n```go\nfunc main() {\n\n\tx()\n}\n```\n\n- in a list\n  ~~~\n  ls -la\n    deeper\n  ~~~\n```\n```\n",
				call("1", "terminal", `{"command":"make test","timeout":30}`)),
			result("1", "terminal", "ok\nfine\n"),
			result("9", "web", "lost"),
		), "", 0)
		want := func(key string, blocks ...codeBlock) {
			t.Helper()
			d.keys(key)
			if got := tr.codeBlocks(); !reflect.DeepEqual(got, blocks) {
				t.Errorf("row %d has %q, want %q", tr.rows.sel, got, blocks)
			}
		}
		want("g")
		want("J", codeBlock{name: "go", text: "func main() {\n\n\tx()\n}"}, codeBlock{name: "code", text: "ls -la\n  deeper"})
		want("J", codeBlock{name: "terminal", text: "command: make test\ntimeout: 30"}, codeBlock{name: "terminal result", text: "ok\nfine"})
		tr.pages.held = map[int]*model.Message{}
		if got := tr.codeBlocks(); got != nil {
			t.Errorf("what has not been read has %q", got)
		}
	})
}
