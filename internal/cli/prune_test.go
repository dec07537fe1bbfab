package cli

import (
	"strings"
	"testing"
)

func TestPruneCommand(t *testing.T) {
	dir := home(t)
	code, out, _ := run(t, dir, "", "prune", "--dry-run")
	if code != 0 || !strings.Contains(out, "the chain") || strings.Contains(out, "open one") || !strings.Contains(out, "2 conversations, 3 sessions, would be deleted.") {
		t.Errorf("%d %q", code, out)
	}
	if code, _, errs := run(t, dir, "", "prune"); code != 2 || !strings.Contains(errs, "Delete all ended sessions older than 90 days? (use --yes)") {
		t.Error(code, errs)
	}
	if code, _, _ := run(t, dir, "", "prune", "--yes", "--older-than", "-1"); code != 2 {
		t.Error(code)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes", "--source", "telegram"); code != 0 || out != "Pruned 1 session(s).\n" {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes", "--json"); code != 0 || !strings.Contains(out, `"messages": 2`) {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes"); code != 0 || out != "Pruned 0 session(s).\n" {
		t.Errorf("%d %q", code, out)
	}
}
