package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestImportCommand(t *testing.T) {
	dir := home(t)
	code, out, errs := run(t, dir, "junk\n"+`{"id": "x", "source": "cli", "started_at": 1.0, "mood": "good"}`+"\n", "import", "-")
	if code != 1 || !strings.Contains(errs, "line 1: ") || !strings.Contains(out, "Imported 1 session with 0 messages.\n1 line could not be imported.\nThese columns do not exist in this database and were skipped: sessions.mood.\n") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, _, errs := run(t, dir, "junk\n", "import", "--strict", "-"); code != 1 || !strings.Contains(errs, "line 1") {
		t.Error(code, errs)
	}
	if code, _, errs := run(t, dir, "", "import", filepath.Join(dir, "state.db")); code != 2 {
		t.Error(code, errs)
	}
	other := filepath.Join(home(t), "state.db")
	if code, _, errs := run(t, dir, "", "import", other); code != 2 || !strings.HasSuffix(errs, "\n  hermes-sessions export all.jsonl --db "+other+"\n") {
		t.Error(code, errs)
	}
	all := filepath.Join(dir, "all.jsonl")
	if code, _, errs := run(t, dir, "", "export", all); code != 0 {
		t.Fatal(errs)
	}
	fresh := t.TempDir()
	if code, _, errs := run(t, fresh, "", "import", all); code != 1 || !strings.Contains(errs, "(create it with --new") || strings.Count(errs, "\n") != 1 {
		t.Error("a database was made unasked, or nothing told", code, errs)
	}
	if err := os.WriteFile(filepath.Join(fresh, "state.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run(t, fresh, "", "import", "--new", all); code != 0 || !strings.HasPrefix(out, "Imported 5 sessions") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// What import, rename and export did is there for scripts too.
func TestChangesInJSON(t *testing.T) {
	dir := home(t)
	all := filepath.Join(dir, "all.jsonl")
	for _, c := range []struct {
		code     int
		in, args string
		want     string
	}{
		{0, "", "export " + all, `{"exported": 4, "file": "` + all + `"}`},
		{0, "", "import " + all, `{"imported": 0, "messages": 0, "skipped": 4, "renumbered": 0, "untitled": 0, "unlinked": 0, "unknown_columns": [], "bad_lines": 0, "bad": []}`},
		{1, "junk\n", "import -", `{"imported": 0, "messages": 0, "skipped": 0, "renumbered": 0, "untitled": 0, "unlinked": 0, "unknown_columns": [], "bad_lines": 1, "bad": [{"line": 1, "message": "not JSON: 'j' where '{' should be"}]}`},
		{0, "", "rename first Anew", `{"id": "second", "title": "Anew", "old_title": "the chain"}`},
	} {
		code, out, errs := run(t, dir, c.in, append(strings.Fields(c.args), "--json")...)
		var got, want any
		if err := errors.Join(json.Unmarshal([]byte(out), &got), json.Unmarshal([]byte(c.want), &want)); err != nil || code != c.code || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d %v\n got %s\nwant %s\n%s", c.args, code, err, out, c.want, errs)
		}
	}
}
