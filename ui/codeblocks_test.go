package ui

import (
	"reflect"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

func TestCodeBlocksOfTheCurrentMessage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 30)
		tr := d.reads(addConversation(lib, nil,
			uitest.Said("user", "plain words"),
			uitest.Calls("First:\n\n```go\nfunc main() {\n\n\tx()\n}\n```\n\n- in a list\n  ~~~\n  ls -la\n    deeper\n  ~~~\n```\n```\n",
				uitest.Call("1", "terminal", `{"command":"make test","timeout":30}`)),
			uitest.Result("1", "terminal", "ok\nfine\n"),
			uitest.Result("9", "web", "lost"),
		), "", 0)
		want := func(key string, blocks ...transcript.CodeBlock) {
			t.Helper()
			d.keys(key)
			if got := tr.CodeBlocks(); !reflect.DeepEqual(got, blocks) {
				t.Errorf("row %d has %q, want %q", tr.Rows.Selected, got, blocks)
			}
		}
		want("g")
		want("J", transcript.CodeBlock{Name: "go", Text: "func main() {\n\n\tx()\n}"}, transcript.CodeBlock{Name: "code", Text: "ls -la\n  deeper"})
		want("J", transcript.CodeBlock{Name: "terminal", Text: "command: make test\ntimeout: 30"}, transcript.CodeBlock{Name: "terminal result", Text: "ok\nfine"})
		tr.Pages.Messages = map[int]*model.Message{}
		if got := tr.CodeBlocks(); got != nil {
			t.Errorf("what has not been read has %q", got)
		}
	})
}
