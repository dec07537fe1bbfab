package kit

import (
	"testing"

	"hermes-sessions/model/document"
)

func TestOutputOfATool(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain":                              {"plain", ""},
		`{"output": "a\nb", "exit_code": 0}`: {"a\nb", ""},
		`{"output": "a", "exit_code": 2, "error": null}`:     {"a", "exit_code: 2"},
		`{"exit_code": 0, "error": "killed", "output": "a"}`: {"a", "error: killed"},
		`{"output": "", "exit_code": 0, "error": null}`:      {"", ""},
		`{"output": "", "exit_code": 1, "error": null}`:      {"exit_code: 1", ""},
		`{"exit_code": 0, "error": null}`:                    {"exit_code: 0\nerror: null", ""},
		`{"result": "{\"a\": {\"b\": [1]}}"}`:                {"a:\n  b: [1]", ""},
		`{"content": "[{\"a\": 1}, {\"a\": 2}]"}`:            {"- a: 1\n- a: 2", ""},
		`{"content": "", "text": "x"}`:                       {"x", ""},
		`{"a": {}, "b": [], "c": "d\ne"}`:                    {"a: {}\nb: []\nc:\n  d\n  e", ""},
		`{"shots": [{"type": "png"}], "note": null}`:         {"shots:\n  - type: png\nnote: null", ""},
		`{"content": "{ not JSON"}`:                          {"{ not JSON", ""},
	} {
		if body, rest := ToolOutput(text); body != want[0] || rest != want[1] {
			t.Errorf("%s: %q, %q, want %q", text, body, rest, want)
		}
	}
}

func TestChangesThatToolCallsMake(t *testing.T) {
	const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"
	for arguments, want := range map[string]struct {
		args   string
		change document.Change
	}{
		`{"path": "x", "old_string": "a\nb", "new_string": "c"}`:                      {"path: x", document.Change{Diff: "-a\n-b\n+c", Signs: true}},
		`{"path": "x", "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}`:            {"path: x", document.Change{Diff: diff}},
		`{"patch": "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch"}`: {"", document.Change{Diff: "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch"}},
		`{"command": "git apply <<E\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nE"}`:      {},
		`{"path": "x", "diff": " a\n-b\n\n+c\n"}`:                                     {"path: x", document.Change{Diff: " a\n-b\n\n+c", Signs: true}},
		`{"diff": " a\n b"}`:     {},
		`{"patch": 3}`:           {},
		`{"diff": "mail @@ me"}`: {},
	} {
		args, change, ok := Replacement(arguments)
		if args != want.args || change != want.change || ok != (want.change.Diff != "") {
			t.Errorf("%s: %q, %+v, %v, want %+v", arguments, args, change, ok, want)
		}
	}
}
