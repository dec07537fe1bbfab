//go:build !windows

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A folder that no longer exists stands in every view as it is stored, and a file in it is
// found by its path: nothing is looked up on the disk. Only a resume says that it is gone.
func TestViewsOfAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	gone := "/no-such-folder/gone" // short enough for a line of the details
	db := runningSessions(t, "")
	now := float64(today.Unix())
	write := otherWriter(t, db)
	write(`UPDATE sessions SET cwd = ? WHERE id = 'busy-one'`, gone)
	write(`INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES ('busy-one', 'assistant', '[{"id":"1","function":{"name":"write_file","arguments":"{\"path\":\"blade.go\",\"content\":\"x\\n\"}"}}]', ?)`, now-20)
	write(`INSERT INTO messages (session_id, role, tool_call_id, tool_name, content, timestamp) VALUES ('busy-one', 'tool', '1', 'write_file', '{"success": true}', ?)`, now-10)

	for _, c := range []struct {
		want string
		args []string
	}{
		{`"cwd": "` + gone + `"`, []string{"running", "--json"}},
		{`"cwd": "` + gone + `"`, []string{"list", "cwd:" + gone, "file:" + filepath.Join(gone, "blade.go"), "--json"}},
		{gone, []string{"stats", "--by", "folder"}},
		{" · " + gone, []string{"show", "busy-one"}},
		{"blade.go", []string{"files", "busy-one"}},
		{"hermes --resume busy-one", []string{"resume", "--print", "busy-one"}},
		{"no longer exists: " + gone + "; Hermes", []string{"resume", "--print", "busy-one"}},
	} {
		r := run(t, append([]string{"--db", db}, c.args...)...)
		if r.code != 0 || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%q: exit %d, %s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}

	s := open(t, 160, 40, nil, "--db", db)
	s.Sees("Turbine blades")
	s.Sees("cli · gone/")
	s.Press("Ctrl+X")
	s.Sees("details")
	s.Types("i")
	s.Sees("all stored columns")
	s.Press("Enter")
	s.Sees("Files: 1 changed")
	s.Sees(gone)
	s.Press("Tab")
	s.Press("Enter")
	s.Sees("write_file")
	s.Press("Ctrl+C")
	s.ends()
}
