package kit

import "testing"

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
