package transcript

import (
	"slices"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

func TestCodeBlocksOfTheCurrentMessage(t *testing.T) {
	t.Parallel()
	r := newReader(t, newLibrary(
		uitest.Said("user", "plain words"),
		uitest.Calls("First:\n\n```go\nfunc main() {\n\n\tx()\n}\n```\n\n- in a list\n  ~~~\n  ls -la\n    deeper\n  ~~~\n```\n```\n",
			uitest.Call("1", "terminal", `{"command":"make test","timeout":30}`)),
		uitest.Result("1", "terminal", "ok\nfine\n"),
		uitest.Result("9", "web", "lost"),
	), 80, 30)
	r.open(t, 0)
	r.wait()
	want := func(key string, blocks ...codeBlock) {
		t.Helper()
		r.press(key)
		r.wait()
		if got := r.t.codeBlocks(); !slices.Equal(got, blocks) {
			t.Errorf("row %d has %q, want %q", r.t.rows.Selected, got, blocks)
		}
	}
	want("g")
	want("J", codeBlock{name: "go", text: "func main() {\n\n\tx()\n}"}, codeBlock{name: "code", text: "ls -la\n  deeper"})
	want("J", codeBlock{name: "terminal", text: "command: make test\ntimeout: 30"}, codeBlock{name: "terminal result", text: "ok\nfine"})
	r.t.pages.messages = map[int]*model.Message{}
	if got := r.t.codeBlocks(); got != nil {
		t.Errorf("what has not been read has %q", got)
	}
}
