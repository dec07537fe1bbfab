// Package env reads the environment variables of a run, and names the folders
// that they lead to.
package env

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Vars is a list of "NAME=value", as [os.Environ] gives it.
type Vars []string

// Get returns the value of a variable, "" when it is not set. Of two with the
// same name the last counts.
func (v Vars) Get(name string) string {
	value, _ := v.Lookup(name)
	return value
}

// Lookup is Get that reports whether the variable is set.
func (v Vars) Lookup(name string) (value string, set bool) {
	for i := len(v) - 1; i >= 0; i-- {
		k, value, _ := strings.Cut(v[i], "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return value, true
		}
	}
	return "", false
}

// HomeName returns the name of the variable that holds the user's home folder.
func HomeName() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// Home returns the user's home folder, "" where the environment does not say.
func (v Vars) Home() string { return v.Get(HomeName()) }

// Absolute returns the absolute path of a file name as a user types it: a leading
// ~ means the home folder.
func (v Vars) Absolute(file string) (string, error) {
	if rest, ok := strings.CutPrefix(file, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home := v.Home(); home != "" {
			file = filepath.Join(home, rest)
		}
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", file, err)
	}
	return path, nil
}

// ConfigFolder returns the folder for this program's settings, "" where the
// environment does not say.
func (v Vars) ConfigFolder() string { return v.userFolder("XDG_CONFIG_HOME", ".config", "APPDATA") }

// StateFolder returns the folder for what this program remembers between runs,
// "" where the environment does not say.
func (v Vars) StateFolder() string {
	return v.userFolder("XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

// userFolder returns this program's folder: in the folder that the xdg variable
// names (XDG Base Directory Specification), else where the system keeps such
// files: under unix in the home folder, under Library on macOS, in the folder
// that the windows variable names on Windows.
func (v Vars) userFolder(xdg, unix, windows string) string {
	const name = "hermes-sessions"
	if folder := v.Get(xdg); filepath.IsAbs(folder) {
		return filepath.Join(folder, name)
	}
	base, below := v.Get("HOME"), unix
	switch runtime.GOOS {
	case "windows":
		base, below = v.Get(windows), ""
	case "darwin":
		below = filepath.Join("Library", "Application Support")
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, below, name)
}

// Unicode reports whether the terminal can be expected to show more than ASCII. The
// Linux console has too few glyphs, and a locale that is set and has no UTF-8 says that
// other bytes would be drawn. Where no locale is set, terminals mostly show UTF-8.
func (v Vars) Unicode() bool {
	if v.Get("TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(v.Get(name)); locale != "" {
			return runtime.GOOS == "windows" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// LightTerminal reports whether the terminal says in COLORFGBG that its background is
// light. Most say nothing.
func (v Vars) LightTerminal() bool {
	_, ground, ok := strings.Cut(v.Get("COLORFGBG"), ";")
	if at := strings.LastIndexByte(ground, ';'); at >= 0 {
		ground = ground[at+1:]
	}
	return ok && (ground == "7" || ground == "15")
}
