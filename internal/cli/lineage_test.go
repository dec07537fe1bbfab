package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/print"
)

// A tree is printed as JSON as deep as readers can go, and refused beyond, with a way to
// read it: not for minutes and in gigabytes of indentation.
func TestLineageOfDeeplyNestedSessions(t *testing.T) {
	t.Parallel()
	dir := home(t)
	damage(t, filepath.Join(dir, "state.db"), fmt.Sprintf(`WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i+1 FROM n WHERE i < %d)
		INSERT INTO sessions (id, source, parent_session_id, started_at) SELECT 'deep'||i, 'cli', iif(i, 'deep'||(i-1), NULL), 10+i FROM n`, print.MaxNested))
	code, out, errs := run(t, dir, "", "lineage", "--json", "deep0")
	if code != 0 || !json.Valid([]byte(out)) || strings.Count(out, `"id"`) != print.MaxNested+1 {
		t.Errorf("exit code %d, %.200s, %.200s", code, out, errs)
	}
	damage(t, filepath.Join(dir, "state.db"), fmt.Sprintf(`INSERT INTO sessions (id, source, parent_session_id, started_at) VALUES ('deepest', 'cli', 'deep%d', 9999)`, print.MaxNested))
	code, out, errs = run(t, dir, "", "lineage", "--json", "deep0")
	var e struct{ Error struct{ Kind, Remedy string } }
	if err := json.Unmarshal([]byte(errs), &e); err != nil || code != 1 || out != "" || e.Error.Kind != "too-deep" || e.Error.Remedy == "" {
		t.Errorf("exit code %d, %.200s, %.200s", code, out, errs)
	}
	if code, out, errs = run(t, dir, "", "lineage", "deep0"); code != 0 || !strings.Contains(out, "deepest") {
		t.Errorf("exit code %d, %.200s, %.200s", code, out, errs)
	}
}
