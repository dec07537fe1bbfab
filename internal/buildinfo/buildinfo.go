// Package buildinfo tells which release and which commit a program was built from.
package buildinfo

import (
	"regexp"
	"runtime/debug"
	"time"

	"hermes-sessions/internal/buildinfo/stamp"
)

// pseudo matches the version that the go command makes of a commit without a tag.
var pseudo = regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})(\+|$)`)

// Read returns the origin of the program that runs.
func Read() stamp.Info {
	build, _ := debug.ReadBuildInfo() // nil without modules
	return merge(stamp.Read(), build)
}

// merge returns the origin of a build. What the linker has stamped wins; what is empty
// there comes from the build information of the go command, nil if there is none.
func merge(linked stamp.Info, build *debug.BuildInfo) stamp.Info {
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
