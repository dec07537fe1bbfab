//go:build !windows

package e2e

import (
	"path/filepath"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// usageOverTime looks at a year of use, at the models, at the conversations of a source,
// reads one of them, and has those of a month in the list.
func usageOverTime(u user) {
	u.Sees("conversations ·")
	u.Press("Ctrl+X")
	u.Types("U")
	u.Sees("Usage · 12 months")
	u.Sees("cache reads")
	u.Press("Tab")
	u.Sees("Mon")
	u.Press("Tab")
	u.Sees("Model ")
	u.Press("Tab")
	u.Sees("Source ")
	u.Press("Enter")
	u.Sees("Conversation ")
	u.Press("Enter")
	u.Sees(" fold")
	u.Types("q")
	u.Sees("Conversation ")
	u.Types("q")
	u.Sees("Source ")
	u.Types("d")
	u.Sees("Day ")
	u.Types("d")
	u.Sees("Week ")
	u.Types("d")
	u.Sees("Month ")
	u.Types("l")
	u.Sees("started:")
	u.Loses("Usage · 12 months")
}

// Files of any version have usage, whatever they count.
func TestUsageOfEveryVersion(t *testing.T) {
	t.Parallel()
	versions := []string{"v01.db"}
	if campaign.On() {
		versions = fixtures.Names(t, "*.db", 27)
	}
	for _, version := range versions {
		db := filepath.Join(t.TempDir(), version)
		fixtures.Unpack(t, version, db)
		s := open(t, 80, 24, nil, "--db", db)
		s.Sees("conversations ·")
		s.Press("Ctrl+X")
		s.Types("U")
		s.Sees("Usage · 12 months")
		s.Types("t")
		s.Sees("Usage · All time")
		s.Sees("Cost")
		s.Press("Tab")
		s.Sees("▸ 2026-")
		s.Press("Tab", "Tab", "Tab", "Tab")
		s.Sees("Tool ")
		s.Sees("Failed")
		s.Press("Ctrl+C")
		s.ends()
	}
}

func TestUsageOverTime(t *testing.T) {
	t.Parallel()
	sizes := map[string][2]int{"80x24": {80, 24}}
	if campaign.On() {
		sizes["120x40"], sizes["200x50"] = [2]int{120, 40}, [2]int{200, 50}
	}
	for name, size := range sizes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, size[0], size[1], nil, "--demo")
			usageOverTime(s)
			s.Press("Ctrl+C")
			s.ends()
		})
	}
}
