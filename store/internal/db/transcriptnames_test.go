package db

import "testing"

func TestSessionOfTranscript(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.jsonl": "a", "a.json": "a", "session_a.json": "a", "session_a.jsonl": "session_a", ".jsonl": "", ".json": "", "session_.json": "",
		"request_dump_a_1.json": "", "sessions.json": "", "a.txt": "", "a": "",
	} {
		if got, ok := SessionOfTranscript(name); got != want && ok || ok != (want != "") {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
}
