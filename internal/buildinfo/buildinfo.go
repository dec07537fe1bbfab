// Package buildinfo tells which release and which commit a program was built from, and
// answers --version before the rest of the program is initialized.
//
// By the rules of the language a package is initialized as soon as its imports are,
// the first by its path of those that can be. This one imports next to nothing, so
// that it comes before the lexers and styles of the highlighter, which are nine
// tenths of the time that a process takes to say its version.
package buildinfo

import (
	"os"
	"runtime"
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
	return merge(Info{Version: version, Commit: commit, Date: date}, modinfo())
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

// What cannot be written is reported by the program itself.
func init() {
	if len(os.Args) != 2 || os.Args[1] != "--version" && os.Args[1] != "-V" {
		return
	}
	if _, err := os.Stdout.WriteString(Read().String() + "\n"); err == nil {
		os.Exit(0)
	}
}

// merge returns the origin of a build. What the linker has set wins; what is empty
// there comes from the lines of the go command's build information.
func merge(linked Info, modinfo string) Info {
	info, modified, module := linked, false, ""
	for line := range strings.Lines(modinfo) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch kind {
		case "mod": // mod, path, version, and a checksum if it was downloaded
			_, rest, _ = strings.Cut(rest, "\t")
			module, _, _ = strings.Cut(rest, "\t")
		case "build":
			key, value, _ := strings.Cut(rest, "=")
			switch key {
			case "vcs.revision":
				setDefault(&info.Commit, value)
			case "vcs.time":
				setDefault(&info.Date, value)
			case "vcs.modified":
				modified = value == "true"
			}
		}
	}
	// A module that was downloaded has no repository beside it.
	if at, hash, ok := parsePseudo(module); ok {
		setDefault(&info.Commit, hash)
		setDefault(&info.Date, at)
	}
	if modified && linked.Commit == "" {
		info.Commit += "+changes"
	}
	if module != "(devel)" {
		setDefault(&info.Version, module)
	}
	if info.Version == "" && info.Commit != "" {
		info.Version = "devel"
	}
	setDefault(&info.Version, "unknown")
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

func setDefault(s *string, value string) {
	if *s == "" {
		*s = value
	}
}
