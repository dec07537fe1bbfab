package buildinfo

import (
	"runtime/debug"
	"testing"

	"hermes-sessions/internal/buildinfo/stamp"
)

// Each way to build tells what it knows.
func TestEachBuildTellsItsOrigin(t *testing.T) {
	const commit, date = "0123456789abcdef0123456789abcdef01234567", "2026-11-22T13:32:00Z"
	vcs := func(version, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: date}, {Key: "vcs.modified", Value: modified},
		}}
	}
	info := func(version, commit, date string) stamp.Info {
		return stamp.Info{Version: version, Commit: commit, Date: date}
	}
	for name, c := range map[string]struct {
		linked stamp.Info
		build  *debug.BuildInfo
		want   stamp.Info
	}{
		"nothing":           {want: stamp.Info{Version: "unknown"}},
		"without git":       {build: &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, want: stamp.Info{Version: "unknown"}},
		"go build":          {build: vcs("v1.2.4-0.20261122133200-0123456789ab", "false"), want: info("v1.2.4-0.20261122133200-0123456789ab", commit, date)},
		"go build, changed": {build: vcs("v1.2.3+dirty", "true"), want: info("v1.2.3+dirty", commit+"+changes", date)},
		"go run":            {build: vcs("(devel)", "false"), want: info("devel", commit, date)},
		"go install": {
			build: &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261122133200-0123456789ab"}},
			want:  info("v0.0.0-20261122133200-0123456789ab", "0123456789ab", date),
		},
		"go install of a release": {build: &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, want: stamp.Info{Version: "v1.2.3"}},
		"release":                 {linked: stamp.Info{Version: "1.2.3"}, build: vcs("(devel)", "true"), want: info("1.2.3", commit+"+changes", date)},
		"release of an archive":   {linked: info("1.2.3", "abc", date), want: info("1.2.3", "abc", date)},
	} {
		if got := merge(c.linked, c.build); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
