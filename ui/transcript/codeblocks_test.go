package transcript

import (
	"slices"
	"strings"
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

// Each block of code is named on the screen as the menu of copies names it, beside its first
// line where there is room.
func TestCodeIsNamedForCopies(t *testing.T) {
	t.Parallel()
	r := newReader(t, newLibrary(
		uitest.Said("assistant", "x\n\n```go\nx\n\ty()\n```\n\n- in a list\n  ~~~\n  ls -la\n  ~~~\n\n```sh\n"+strings.Repeat("w", 70)+"\n```\n\n```\nend\n```\n"),
		uitest.Said("assistant", "Only:\n\n```py\nz\n```\n"),
	), 80, 40)
	r.open(t, 0)
	r.wait()
	var named []string
	for _, l := range strings.Split(r.text(), "\n") {
		if code, name, ok := strings.Cut(strings.Trim(l, " │"), "     "); ok && !strings.ContainsAny(l, ":/") {
			named = append(named, code+"|"+strings.TrimSpace(name))
		}
	}
	if want := []string{"x|go 1", "ls -la|code 2", "end|code 4", "z|py"}; !slices.Equal(named, want) {
		t.Errorf("%q, want %q\n%s", named, want, r.text())
	}
}
