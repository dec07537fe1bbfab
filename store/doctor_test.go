package store

import "testing"

func TestTry(t *testing.T) {
	names := versions(t)
	for _, b := range []string{"bad-json", "cycle", "duplicate-titles", "fts-corrupt", "fts-missing", "fts-out-of-step", "future", "hot-wal", "invalid-utf8", "no-version-row", "nulls-everywhere", "orphan-parent", "timestamps", "truncated", "two-version-rows"} {
		names = append(names, "bad/"+b+".db")
	}
	for _, n := range names {
		s := open(t, n)
		c, err := s.Check(t.Context(), false)
		t.Logf("%s %v v%d %s %d/%d %+v", n, err, c.Version, c.Journal, c.Sessions, c.Messages, c.Index)
		for _, p := range c.Problems {
			t.Logf("    ✗ %s: %s\n  %s", p.Kind, p.Message, p.Remedy)
		}
		for _, p := range c.Advice {
			t.Logf("    ! %s: %s\n  %s", p.Kind, p.Message, p.Remedy)
		}
	}
}
