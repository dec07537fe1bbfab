package files

import (
	"fmt"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
)

func TestFilesOfACall(t *testing.T) {
	var groups []match.Group
	for _, name := range ArgumentNames() {
		groups = append(groups, match.Group{All: []match.Term{{Text: name}}})
	}
	named := match.NewMatcher(groups)
	for _, c := range []struct{ tool, arguments, want string }{
		{"read_file", `{"path": "src/app.py", "limit": 200}`, "read src/app.py"},
		{"write_file", `{"path": "a.txt", "content": "one\ntwo\n"}`, "write a.txt +2"},
		{"patch", `{"path": "go.mod", "old_string": "a\nb\nc", "new_string": "a\nx\ny\nc"}`, "edit go.mod +2 -1"},
		{
			"patch", `{"mode": "patch", "patch": "*** Begin Patch\n*** Update File: ui/a.go\n@@\n-old\n+new\n+more\n*** Add File: my notes.md\n+hi\n*** Delete File: b\n*** End Patch"}`,
			"edit ui/a.go +2 -1, write my notes.md +1, write b",
		},
		{"apply_patch", "*** Begin Patch\n*** Update File: x\n*** Move to: y\n-1\n*** End Patch", "edit x, write y -1"},
		{"shell", `{"command": ["apply_patch", "*** Begin Patch\n*** Add File: z.py\n+a\n*** End Patch"]}`, "write z.py +1"},
		{
			"patch", `{"diff": "--- a/one.go\n+++ b/one.go\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/two.go\n+x\n--- a/three\n+++ /dev/null\n-x\n"}`,
			"edit one.go +1 -1, write two.go +1, write three -1",
		},
		{"Edit", `{"replace_all": true, "file_path": "/x/y.go", "old_string": "", "new_string": "a"}`, "edit /x/y.go +1"},
		{"patch", `{"path": "~/a.go", "diff": "@@ -1,2 +1,3 @@\n x\n-a\n+b\n+c"}`, "edit ~/a.go +2 -1"},
		{"MultiEdit", `{"file_path": "y", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c\nd", "new_string": ""}]}`, "edit y +1 -3"},
		{"str_replace_editor", `{"command": "view", "path": "/w/c.pony"}`, "read /w/c.pony"},
		{"str_replace_editor", `{"command": "create", "path": "/w/c", "file_text": "x"}`, "write /w/c +1"},
		{"str_replace_editor", `{"command": "insert", "path": "/w/c", "insert_line": 3, "new_str": "x\ny"}`, "edit /w/c +2"},
		{"edit", `{"search": "def a", "replace": "def a:", "path": "m.py"}`, "edit m.py +1 -1"},
		{"read_many_files", `{"paths": ["a", "b"]}`, "read a, read b"},
		{"read_files", `{"files": [{"path": "a"}, {"path": "b", "lines": [1, 2]}]}`, "read a, read b"},
		{"Write", `{"file_path": "C:\\work\\x.txt", "content": ""}`, `write C:\work\x.txt`},
		{"read_file", `{"path": "file:///etc/hosts"}`, "read /etc/hosts"},
		{"send_file", `{"path": "out/report.pdf"}`, "read out/report.pdf"},
		{"search_files", `{"pattern": "def", "path": "src/"}`, ""},
		{"Grep", `{"path": "src"}`, ""},
		{"terminal", `{"command": "cat go.mod"}`, ""},
		{"vision", `{"path": "https://example.com/a.png"}`, ""},
		{"read_file", `{"path": "."}`, ""},
		{"read_file", `{"path": 5}`, ""},
		{"read_file", `{"path": "cut off`, "read cut off"},
		{"read_file", `no JSON`, ""},
		{"read_file", ``, ""},
	} {
		var got []string
		for _, u := range Of(model.ToolCall{Name: c.tool, Arguments: c.arguments}) {
			text := [...]string{"read", "write", "edit"}[u.Action] + " " + u.Path
			if u.Added > 0 {
				text += fmt.Sprintf(" +%d", u.Added)
			}
			if u.Removed > 0 {
				text += fmt.Sprintf(" -%d", u.Removed)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.arguments, text, c.want)
		}
		if len(got) > 0 && !named.Match("", "", c.arguments) {
			t.Errorf("%s has none of the words %v", c.arguments, ArgumentNames())
		}
	}
}

// matching are patterns with paths that they mean, and paths that they do not mean. A path
// behind a bar is relative to the folder before it.
var matching = []struct {
	pattern string
	yes, no []string
}{
	{"go.mod", []string{"go.mod", "/x/go.mod", "./go.mod", "a/go.mod/b", "GO.MOD", `C:\w\go.mod`, "/app|go.mod"}, []string{"go.mod.bak", "mygo.mod", "/go.mod|x", ""}},
	{"ui/list/*.go", []string{"ui/list/a.go", "/app/ui/list/b_test.go", "/app/ui|list/a.go", "/app/ui/list|a.go", `ui\list\a.go`}, []string{"ui/list/x/a.go", "ui/lists/a.go", "list/a.go", "/app|list/a.go"}},
	{"my notes.md", []string{"my notes.md", "/home/ana/My Notes.md"}, []string{"notes.md", "my/notes.md"}},
	{"./go.mod", []string{"/app|go.mod", "/app|/app/go.mod", "/app|./go.mod", "go.mod"}, []string{"/app|a/go.mod", "/app|/go.mod", "/app|../go.mod"}},
	{"/etc/hosts", []string{"/etc/hosts", "/etc|hosts", "/|etc/hosts"}, []string{"/x/etc/hosts", "/app|etc/hosts"}},
	{"/etc", []string{"/etc/hosts"}, []string{"/etc|hosts"}},
	{"~/notes", []string{"/home/ana/notes", "/Users/ana/notes/x", "~/notes", "/root/notes", "/home/ana|notes"}, []string{"/home/notes", "/x/notes"}},
	{"ui/**/a.go", []string{"ui/a.go", "ui/x/y/a.go", "/ui|a.go", "/ui/x|y/a.go"}, []string{"a.go", "ui/b.go"}},
	{"ui/", []string{"ui/a.go", "x/ui/b/c"}, []string{"ui", "x/gui/a"}},
	{"*.go", []string{"a.go", "x/b.go"}, []string{"go", "a.goo"}},
	{"scr*n.go", []string{"ui/screen.go"}, []string{"screen.py"}},
	{"[ab].go", []string{"a.go"}, []string{"c.go"}},
	{"?.go", []string{"c.go"}, []string{"cc.go"}},
	{"[.go", []string{"x/[.go"}, []string{"a.go"}},
	{"*", []string{"anything", "/x/y"}, nil},
	{"café.md", []string{"Café.md", "x/CAFÉ.md"}, []string{"caf.md", "cafe.md"}},
	{"部署.md", []string{"docs/部署.md"}, []string{"docs/部署说明.md"}},
	{"部*", []string{"docs/部署.md"}, []string{"docs/说明.md"}},
	{"Makefile", []string{"makefile", "a/../Makefile"}, []string{"make.file"}},
}

func TestPatterns(t *testing.T) {
	for _, c := range matching {
		p := NewPattern(c.pattern, false)
		for _, yes := range c.yes {
			if folder, name := at(yes); !p.Matches(folder, name) {
				t.Errorf("%s does not match %s", c.pattern, yes)
			}
		}
		for _, no := range c.no {
			if folder, name := at(no); p.Matches(folder, name) {
				t.Errorf("%s matches %s", c.pattern, no)
			}
		}
	}
	if p := NewPattern("go.m", true); !p.Matches("", "go.mod") || p.Matches("", "go.sum") {
		t.Error("a value that is being typed does not match its continuations alone")
	}
}

func at(path string) (folder, name string) {
	if f, n, ok := strings.Cut(path, "|"); ok {
		return f, n
	}
	return "", path
}

// Each call with a file that a pattern means has the words that its search is narrowed
// down with, however its arguments are stored.
func TestTermsOfAPatternAreInTheArguments(t *testing.T) {
	for _, c := range matching {
		for _, yes := range c.yes {
			folder, name := at(yes)
			for n := 1; n <= len(c.pattern); n++ {
				value := c.pattern[:n]
				p := NewPattern(value, true)
				groups := p.Groups([]string{"/elsewhere", folder})
				if groups == nil || !p.Matches(folder, name) {
					continue
				}
				m := match.NewMatcher(groups)
				arguments := string(pyjson.Append(nil, pyjson.Object{{Name: "path", Value: name}}))
				for _, stored := range []string{arguments, string(pyjson.Append(nil, arguments))} {
					if !m.Match("", "", pyjson.Unescape(stored)) {
						t.Errorf("%s of %s: no word of %v is in %s", value, c.pattern, groups, stored)
					}
				}
			}
		}
	}
	for value, want := range map[string]string{
		"go.mod": "[[{go mod false false}]]", "ui/list/*.go": "[[{ui list false false} {go false false}]]", "scr*n.go": "[[{scr true false} {go false false}]]",
		"/a/b c.go": "[[{b c go false false}]]", "*": "[]", "[ab]c/d*": "[[{d true false}]]",
	} {
		var got [][]match.Term
		for _, g := range NewPattern(value, false).Groups(nil) {
			got = append(got, g.All)
		}
		if text := fmt.Sprint(got); text != want {
			t.Errorf("%s is narrowed down to %s, want %s", value, text, want)
		}
	}
	if n := len(NewPattern("ui/list/a.go", false).Groups([]string{"/x/ui", "/y/ui/list"})); n != 3 {
		t.Errorf("with the folders ui and ui/list there are %d groups", n)
	}
}

func TestDisplay(t *testing.T) {
	for _, c := range [][3]string{{"/app", "ui/x.go", "ui/x.go"}, {"/app/", "/app/ui/x.go", "ui/x.go"}, {"/app", "/apple/x", "/apple/x"}, {"/app", "../x", "/x"}, {"", "a/./b", "a/b"}, {`C:\w`, `C:\w\x`, "x"}} {
		if got := display(c[0], resolve(c[0], c[1])); got != c[2] {
			t.Errorf("%s in %s is shown as %s, want %s", c[1], c[0], got, c[2])
		}
	}
}
