// Package buildinfo tells which release and which commit a program was built from.
package buildinfo

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Set by the linker: -X PATH/internal/buildinfo.version=1.2.3, and so on.
var version, commit, date string

// Info is the origin of a build.
type Info struct {
	Version string // of the release, or of the module; "unknown" if nothing tells
	Commit  string // its hash, with "+changes" if files differed from it; "" if unknown
	Date    string // of the commit, as 2026-11-22T13:32:00Z; "" if unknown
}

// Read returns the origin of the program that runs.
func Read() Info {
	linked := Info{Version: version, Commit: commit, Date: date}
	if build, ok := debug.ReadBuildInfo(); ok {
		return merge(linked, build)
	}
	return merge(linked, &debug.BuildInfo{})
}

// String describes a build in one line.
func (i Info) String() string {
	line := "hermes-sessions " + i.Version + " (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	if i.Commit != "" {
		hash, changes, _ := strings.Cut(i.Commit, "+")
		line += ", commit " + hash[:min(len(hash), 12)]
		if changes != "" {
			line += "+" + changes
		}
	}
	if i.Date != "" {
		line += ", " + i.Date
	}
	return line + ")"
}

// merge returns the origin of a build. What the linker has set wins; what is empty
// there comes from the go command's build information.
func merge(linked Info, build *debug.BuildInfo) Info {
	info := linked
	module := build.Main.Version
	modified := false
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = cmp.Or(info.Commit, s.Value)
		case "vcs.time":
			info.Date = cmp.Or(info.Date, s.Value)
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	// A module that was downloaded has no repository beside it.
	if at, hash, ok := parsePseudo(module); ok {
		info.Commit = cmp.Or(info.Commit, hash)
		info.Date = cmp.Or(info.Date, at)
	}
	if modified && linked.Commit == "" {
		info.Commit += "+changes"
	}
	if module != "(devel)" {
		info.Version = cmp.Or(info.Version, module)
	}
	if info.Version == "" && info.Commit != "" {
		info.Version = "devel"
	}
	info.Version = cmp.Or(info.Version, "unknown")
	return info
}

// parsePseudo returns the time and the hash in the version that the go command makes
// of a commit without a tag: v1.2.4-0.20261122133200-0123456789ab.
func parsePseudo(version string) (at, hash string, ok bool) {
	version, _, _ = strings.Cut(version, "+")
	dash := max(0, strings.LastIndexByte(version, '-'))
	t := version[strings.LastIndexAny(version[:dash], "-.")+1 : dash]
	hash = strings.TrimPrefix(version[dash:], "-")
	if len(hash) != 12 || len(t) != 14 || strings.Trim(hash, "0123456789abcdef") != "" || strings.Trim(t, "0123456789") != "" {
		return "", "", false
	}
	return t[:4] + "-" + t[4:6] + "-" + t[6:8] + "T" + t[8:10] + ":" + t[10:12] + ":" + t[12:] + "Z", hash, true
}
