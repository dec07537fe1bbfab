package store

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/sessionroles"
)

// oddResults are results whose failure is hard to see in the words of the index.
var oddResults = []string{
	"Error: no such host", " \n\terrors were found", "[ERROR] broken", "<tool_use_error>no</tool_use_error>", "Fatal: no", "fatality",
	"Traceback (most recent call last):\n  x", "Exceptional", "Tool error x", "a failed test", "Failed", "exit code 1", "exit code: 0", "Exit code: 00137 x",
	"exit code -0", "exit code 0x2", "the process exited with code 2", "subprocess exited with code 0, then exit code 3", "Command executed with exit code -9",
	`{"output": "", "exit_code": 2}`, `{"output": "", "exit_code": 0, "error": null}`, "{\"a\": 1,\n\t\"exit_code\"\n : 7}", `{"exit_code": "1"}`,
	`{"output": "error exit code 1", "exit_code": 0, "error": null}`, `{"error": "null pointer"}`, `{"error": "false"}`, `{"error": ""}`, `{"error":false}`,
	`{"Error" : {"code": 1}}`, `{"output": "{\"error\": \"no\"}"}`, `{"success": true, "x": {"success" :false}}`, `{"success": falsehood}`,
	`{"output": "` + strings.Repeat("a ", 170) + `", "error": "x"}`, `{"output": "` + strings.Repeat("a ", 195) + `", "error": "x"}`,
	`{"output": "` + strings.Repeat("äöü ", 55) + `", "error": "x"}`, strings.Repeat(". ", 180) + "process exited with code 4", strings.Repeat("x", 9000) + " error",
	`{"output": "` + strings.Repeat("a ", 900) + `", "exit_code": 2, "error": null}`, `{"output": "` + strings.Repeat("äöü ", 900) + `", "exit_code": 0, "error": null}`,
	`{"output": "exit code 3` + strings.Repeat("äöü ", 140) + `", "exit_code": 124, "error": "timeout"}`, `{"output": "\"exit_code\": 3` + strings.Repeat("a ", 900) + `", "exit_code": 0}`,
	`{"runs": [{"exit_code": 1}], "output": "` + strings.Repeat("a ", 900) + `", "runs": [{"exit_code": 1}], "exit_code": 0}`, strings.Repeat("a ", 900) + `"exit_code": 2}`,
	"\x00json:" + `[{"type": "text", "text": "Error: no picture"}]`, "\x00json:" + `[{"type": "image_url"}, {"type": "text", "text": "exit code 5"}]`, "\x00json:x", "Ｅrror", "Êrror", "",
}

// On files of every version the word index gives the failed calls that reading all
// messages gives, when it is asked first and after more was written.
func TestFailuresByTheIndexAreThoseOfAllResults(t *testing.T) {
	t.Parallel()
	byIndex := 0
	for _, name := range versionsToTest(t) {
		path := fixture(t, name)
		s := openAt(t, path)
		byIndex += sameFailures(t, s, name)
		other := otherConnection(t, path)
		tx, err := other.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range oddResults {
			tool := map[int]any{0: nil}[i%7]
			if i%7 > 0 {
				tool = fmt.Sprintf("tool%d", i)
			}
			if _, err := tx.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, tool_call_id, tool_name, timestamp)
				SELECT id, 'tool', ?, 'none', ?, 1750000000 FROM sessions ORDER BY id LIMIT 1 OFFSET ?`, text, tool, i%3); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		byIndex += sameFailures(t, s, name+" with odd results")
		sameFailures(t, openAt(t, path), name+" opened anew")
		for _, change := range []string{
			`UPDATE messages SET content = 'all is well' WHERE role = 'tool' AND content = 'Error: no such host'`,
			`DELETE FROM messages WHERE content = 'Failed'`,
		} {
			if _, err := other.ExecContext(t.Context(), change); err != nil {
				t.Fatal(err)
			}
		}
		if s.db.Schema.Has("messages", "active") {
			if _, err := other.ExecContext(t.Context(), `UPDATE messages SET active = 0 WHERE content = 'exit code 1'`); err != nil {
				t.Fatal(err)
			}
		}
		byIndex += sameFailures(t, s, name+" after changes")
	}
	if byIndex < 2*len(versionsToTest(t)) {
		t.Errorf("the index has answered %d times only", byIndex)
	}
}

// The same on a large file of one's own, named by the environment.
func TestFailuresOfALargeFile(t *testing.T) {
	t.Parallel()
	if len(ownFiles()) == 0 {
		t.Skip("HERMES_SESSIONS_OWN_DB names no file")
	}
	path := ownFiles()[0]
	sameFailures(t, openFixture(t, path), filepath.Base(path))
}

// sameFailures compares the two ways to the failed calls of all sessions, and returns 1 if
// the index has answered.
func sameFailures(t *testing.T, s *Store, name string) (byIndex int) {
	t.Helper()
	c, err := s.sessions.CurrentSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range c.Len() {
		ids = append(ids, c.ID(i))
	}
	answer := func(upTo int) map[string]sessionroles.Failures {
		t.Helper()
		defer func(was int) { s.engine.ReadFailuresUpTo = was }(s.engine.ReadFailuresUpTo)
		s.engine.ReadFailuresUpTo = upTo
		all, err := s.engine.FailuresOf(t.Context(), c, ids)
		if err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(all, func(_ string, f sessionroles.Failures) bool { return len(f) == 0 })
		return all
	}
	fast := answer(-1)
	slow := answer(math.MaxInt)
	for _, id := range ids {
		if !maps.Equal(fast[id], slow[id]) {
			t.Errorf("%s: session %s has the failed calls %v by the index, want %v", name, id, fast[id], slow[id])
		}
	}
	_, ok, err := s.engine.FailedResults(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		byIndex = 1
	}
	return byIndex
}

// What the odd results are is told by their text alone.
func TestOddResults(t *testing.T) {
	t.Parallel()
	failed := slices.DeleteFunc(slices.Clone(oddResults), func(text string) bool { return model.StoredFailure(text) == "" })
	if len(failed) < 20 || len(failed) > len(oddResults)-10 {
		t.Errorf("%d of %d odd results have failed: %q", len(failed), len(oddResults), failed)
	}
}
