package prose

import (
	"strings"
	"testing"

	"hermes-sessions/model"
)

func TestExcerptOfCalls(t *testing.T) {
	m := &model.Message{Calls: []model.ToolCall{
		{Name: "Edit", Arguments: `{"file_path": "/src/a.go", "new_string": "one **heron**\nstands"}`},
		{Name: "shell", Arguments: `not JSON, a pelican`},
		{Name: "ls", Arguments: `{}`},
	}}
	c := CallsOf(m)
	if want := "Edit file_path: /src/a.go new_string: one **heron**\nstands  shell not JSON, a pelican ls"; c.Text != want {
		t.Fatalf("%q, want %q", c.Text, want)
	}
	for _, w := range []struct{ hit, want, tool string }{
		{"heron", "one heron", "Edit"},
		{"file_path", "file_path: /src/a.go new_string: one heron stands", "Edit"},
		{"pelican", "not JSON, a pelican", "shell"},
		{"shell", "Edit file_path: /src/a.go new_string: one heron stands shell not JSON, a pelican ls", ""},
	} {
		at := strings.Index(c.Text, w.hit)
		text, tool := c.Excerpt(at, at+len(w.hit))
		if got := joined(text); got != w.want || tool != w.tool {
			t.Errorf("%s: %q of %q, want %q of %q", w.hit, got, tool, w.want, w.tool)
		}
	}
}
