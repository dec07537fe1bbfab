package model

import (
	"strings"
	"testing"
)

func TestObjectOfACall(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"Read", `{"file_path": "/Users/me/src/cli/setup.go", "offset": 680, "limit": 27}`, "setup.go"},
		{"read_file", `{"path": "C:\\src\\app\\main.go"}`, "main.go"},
		{"list_files", `{"path": "/srv/www/"}`, "www"},
		{"list_files", `{"path": "."}`, "."},
		{"list_files", `{"path": "/"}`, "/"},
		{"Bash", `{"command": "mise run test:ci", "description": "Run the tests"}`, "mise run test:ci"},
		{"Bash", `{"description": "Run the tests", "command": "cd /srv/app && cd web && npm  test\n"}`, "npm test"},
		{"exec_command", `{"cmd":"git status\n--short","workdir":"/srv"}`, "git status --short"},
		{"shell", `{"command": ["bash", "-lc", "go test ./..."]}`, "go test ./..."},
		{"shell", `{"command": ["git", "log", "-3"]}`, "git log -3"},
		{"str_replace_editor", `{"command": "view", "path": "/src/cli.pony"}`, "cli.pony"},
		{"str_replace_editor", `{"path": "/src/cli.pony", "command": "str_replace", "old_str": "a"}`, "cli.pony"},
		{"Grep", `{"pattern": "type CheckpointID", "path": "/src", "output_mode": "content"}`, `"type CheckpointID"`},
		{"search_files", `{"path": "/src", "pattern": "TODO"}`, `"TODO"`},
		{"Glob", `{"pattern": "**/*_test.go"}`, "**/*_test.go"},
		{"sql_query", `{"query": "SELECT *\nFROM flights"}`, "SELECT * FROM flights"},
		{"web_extract", `{"urls": ["https://example.com/a", "https://example.com/b"]}`, "example.com/a"},
		{"WebFetch", `{"url": "https://example.com/x?y=1", "prompt": "What is it?"}`, "example.com/x?y=1"},
		{"Edit", `{"replace_all": false, "file_path": "/a/b_test.go", "old_string": "x", "new_string": "y"}`, "b_test.go"},
		{"Write", `{"content": "# A \"file\"\n", "file_path": "/a/NOTES.md"}`, "NOTES.md"},
		{"Task", `{"subagent_type": "Explore", "prompt": "Find the code", "description": "Find code"}`, "Find code"},
		{"get_reservation_details", `{"reservation_id": "H9ZU1C"}`, "H9ZU1C"},
		{"AskUserQuestion", `{"questions": [{"question": "Which one?", "header": "Epic"}]}`, "Which one?"},
		{"send_certificate", `{"amount": 50, "user": {"id": 7, "name": "Mei"}}`, "Mei"},
		{"run_in_terminal", `{"input": "Parameters:"}`, ""},
		{"nothing", `{}`, ""},
		{"numbers", `{"page": 3}`, ""},
		{"cut", `{"path": "/src/ma`, "ma"},
		{"no JSON", `ls -la`, ""},
		{"empty", ``, ""},
		{"blank", `{"command": "  ", "path": "a.txt"}`, "a.txt"},
	} {
		if got := (ToolCall{Name: c.tool, Arguments: c.args}).Object(); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

func TestObjectOfALargeCallIsShort(t *testing.T) {
	args := `{"command": "echo ` + strings.Repeat("日本 ", 50_000) + `"}`
	got := (ToolCall{Name: "Bash", Arguments: args}).Object()
	if !strings.HasPrefix(got, "echo 日本") || len([]rune(got)) != maxObject+1 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d characters: %q", len([]rune(got)), got)
	}
	args = `{"content": "` + strings.Repeat(`line \"x\"\n`, 50_000) + `", "path": "/a/large.txt"}`
	if got := (ToolCall{Name: "Write", Arguments: args}).Object(); got != "large.txt" {
		t.Errorf("behind a long argument: %q", got)
	}
}

func TestGroupCalls(t *testing.T) {
	show := func(groups []CallGroup) string {
		var out []string
		for _, g := range groups {
			s := g.Name
			if g.Count > 1 {
				s += " ×" + string(rune('0'+g.Count))
			}
			if len(g.Objects) > 0 {
				s += " " + g.ObjectText()
			}
			out = append(out, s)
		}
		return strings.Join(out, " · ")
	}
	for _, c := range []struct {
		names, objects []string
		want           string
	}{
		{[]string{"Read", "Grep", "Read"}, []string{"a_test.go", `"type ID"`, "id.go"}, `Read a_test.go · Grep "type ID" · Read id.go`},
		{[]string{"Read", "Read"}, []string{"a.go", "a.go"}, "Read ×2 a.go"},
		{[]string{"list", "list", "list"}, []string{"", "", ""}, "list ×3"},
		{[]string{"Bash", "Read", "Bash", "Bash", "Read"}, []string{"git status", "a.go", "go test", "git status", "b.go"}, "Bash ×3 git status; go test · Read ×2 a.go, b.go"},
		{[]string{""}, nil, "unknown"},
		{nil, nil, ""},
	} {
		if got := show(GroupCalls(c.names, c.objects)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
