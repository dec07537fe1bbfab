// Package buildinfo tells which release and which commit a program was built from.
package buildinfo

import (
	"regexp"
	"runtime/debug"
	"time"
)

// Info is the origin of a build.
type Info struct {
	Version string // of the release, or of the module; "unknown" if nothing tells
	Commit  string // its hash, "" if unknown
	Date    string // of the commit, as 2026-11-22T13:32:00Z; "" if unknown
}

// pseudo matches the version that the go command makes of a commit without a tag.
var pseudo = regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})(\+|$)`)

// Of returns the origin of a build. What the linker has set wins; what is empty
// there comes from the build information of the go command, nil if there is none.
func Of(linked Info, build *debug.BuildInfo) Info {
	if build == nil {
		build = &debug.BuildInfo{}
	}
	info, modified := linked, false
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			setDefault(&info.Commit, s.Value)
		case "vcs.time":
			setDefault(&info.Date, s.Value)
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if m := pseudo.FindStringSubmatch(build.Main.Version); m != nil {
		// A module that was downloaded has no repository beside it.
		setDefault(&info.Commit, m[2])
		if at, err := time.Parse("20060102150405", m[1]); err == nil {
			setDefault(&info.Date, at.Format(time.RFC3339))
		}
	}
	if modified && linked.Commit == "" {
		info.Commit += "+changes"
	}
	if build.Main.Version != "(devel)" {
		setDefault(&info.Version, build.Main.Version)
	}
	if info.Version == "" && info.Commit != "" {
		info.Version = "devel"
	}
	setDefault(&info.Version, "unknown")
	return info
}

func setDefault(s *string, value string) {
	if *s == "" {
		*s = value
	}
}
