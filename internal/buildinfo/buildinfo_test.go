package buildinfo

import (
	"runtime/debug"
	"testing"
)

// Each way to build tells what it knows.
func TestEachBuildTellsItsOrigin(t *testing.T) {
	const commit, date = "0123456789abcdef0123456789abcdef01234567", "2026-11-22T13:32:00Z"
	vcs := func(version, modified string) debug.BuildInfo {
		return debug.BuildInfo{Main: debug.Module{Path: "hermes-sessions", Version: version}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: date}, {Key: "vcs.modified", Value: modified},
		}}
	}
	module := func(version string) debug.BuildInfo {
		return debug.BuildInfo{Main: debug.Module{Path: "hermes-sessions", Version: version, Sum: "h1:x"}}
	}
	info := func(version, commit, date string) Info {
		return Info{Version: version, Commit: commit, Date: date}
	}
	for name, c := range map[string]struct {
		linked Info
		build  debug.BuildInfo
		want   Info
	}{
		"nothing":           {want: Info{Version: "unknown"}},
		"without git":       {build: module("(devel)"), want: Info{Version: "unknown"}},
		"go build":          {build: vcs("v1.2.4-0.20261122133200-0123456789ab", "false"), want: info("v1.2.4-0.20261122133200-0123456789ab", commit, date)},
		"go build, changed": {build: vcs("v1.2.3+dirty", "true"), want: info("v1.2.3+dirty", commit+"+changes", date)},
		"go run":            {build: vcs("(devel)", "false"), want: info("devel", commit, date)},
		"go install": {
			build: module("v0.0.0-20261122133200-0123456789ab"),
			want:  info("v0.0.0-20261122133200-0123456789ab", "0123456789ab", date),
		},
		"go install of a release": {build: module("v1.2.3"), want: Info{Version: "v1.2.3"}},
		"release":                 {linked: Info{Version: "1.2.3"}, build: vcs("(devel)", "true"), want: info("1.2.3", commit+"+changes", date)},
		"release of an archive":   {linked: info("1.2.3", "abc", date), want: info("1.2.3", "abc", date)},
	} {
		if got := merge(c.linked, &c.build); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
