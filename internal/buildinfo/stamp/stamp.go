// Package stamp holds what the linker has written into a release, and answers
// --version from that before the rest of the program is initialized.
//
// By the rules of the language a package is initialized as soon as its imports are,
// the first by its path of those that can be. This one imports next to nothing, so
// that it comes before the lexers and styles of the highlighter, which are nine
// tenths of the time that a process takes to say its version.
package stamp

import (
	"os"
	"runtime"
)

// Set by the linker: -X PATH/internal/buildinfo/stamp.version=1.2.3, and so on.
var version, commit, date string

// Info is the origin of a build.
type Info struct {
	Version string // of the release, or of the module; "unknown" if nothing tells
	Commit  string // its hash, "" if unknown
	Date    string // of the commit, as 2026-11-22T13:32:00Z; "" if unknown
}

// Read returns the stamp of this program. A field that the linker did not set is empty.
func Read() Info {
	return Info{Version: version, Commit: commit, Date: date}
}

// String describes a build in one line.
func (i Info) String() string {
	line := "hermes-sessions " + i.Version + " (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	if i.Commit != "" {
		line += ", commit " + i.Commit[:min(len(i.Commit), 12)]
	}
	if i.Date != "" {
		line += ", " + i.Date
	}
	return line + ")"
}

// A build with a blank in its stamp asks the go command's build information, which
// can be read only later. What cannot be written is reported by the program itself.
func init() {
	i := Read()
	if i.Version == "" || i.Commit == "" || i.Date == "" {
		return
	}
	if len(os.Args) != 2 || os.Args[1] != "--version" && os.Args[1] != "-V" {
		return
	}
	if _, err := os.Stdout.WriteString(i.String() + "\n"); err == nil {
		os.Exit(0)
	}
}
