package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// place is where the database is, and how Hermes is told to find the same one.
type place struct {
	db      string // path of the database
	where   string // for people: the path, or "demo"
	profile string // for hermes -p, "" when it needs none
	home    string // for HERMES_HOME of hermes, "" to leave it as it is
}

// hermesProfile names the profile that Hermes would be started with, "" where
// the database was named by a path that tells nothing of it.
func (p place) hermesProfile() string {
	switch {
	case p.profile != "":
		return p.profile
	case p.home == "" && filepath.Base(p.db) != "state.db":
		return ""
	}
	return "default"
}

// profileName is what Hermes takes as the name of a profile.
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// place finds the database by the rules of Hermes (store/README.md#home-and-profile): the
// flag, HERMES_HOME, the active profile.
func (a *app) place() (place, error) {
	switch {
	case a.demo && (a.db != "" || a.home != "" || a.profile != ""):
		return place{}, usage("--demo takes no --db, --home or --profile")
	case a.demo:
		return place{where: "demo"}, nil
	case a.db != "" && (a.home != "" || a.profile != ""):
		return place{}, usage("--db names the file itself and takes no --home or --profile")
	case a.db != "":
		return a.placeOfFile(a.db)
	}
	home, profile, err := a.hermesHome()
	if err != nil {
		return place{}, err
	}
	at := place{db: filepath.Join(home, "state.db"), profile: profile}
	at.where = at.db
	if a.home != "" {
		if at.home, err = filepath.Abs(a.home); err != nil {
			return at, fmt.Errorf("find the Hermes home %s: %w", a.home, err)
		}
	}
	return at, nil
}

// noHistory says where a history was looked for that nobody named by its file.
func noHistory(at place, err error) error {
	return &fault{
		kind: "no-history", code: 1, err: err,
		message: "no Hermes history: there is no " + at.db,
		remedy:  "hermes-sessions --demo shows the program on an invented one; --home DIR or --db FILE names yours",
	}
}

// placeOfFile tells Hermes of a database that was named by its path. Hermes
// opens only files called state.db, so any other name says nothing of a home.
func (a *app) placeOfFile(file string) (place, error) {
	at := place{db: file, where: file}
	if filepath.Base(file) != "state.db" {
		return at, nil
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return at, fmt.Errorf("find %s: %w", file, err)
	}
	at.home = filepath.Dir(path)
	root, kept := a.hermesRoot(at.home)
	if kept {
		at.profile = filepath.Base(at.home)
	} else if active, err := activeProfile(root); err == nil && active != "" {
		at.profile = "default" // or Hermes would go to the active one
	}
	return at, nil
}

// hermesHome gives the home of the profile that is asked for, and its name, ""
// for the default one.
func (a *app) hermesHome() (home, profile string, err error) {
	named := a.home
	if named == "" {
		named = strings.TrimSpace(a.getenv("HERMES_HOME")) // taken literally, as Hermes does
	}
	set := named != ""
	if !set {
		if named, err = a.defaultHome(); err != nil {
			return "", "", err
		}
	}
	root, kept := a.hermesRoot(named)
	profile = a.profile
	switch {
	case profile != "":
	case kept && set:
		return named, filepath.Base(named), nil
	default:
		if profile, err = activeProfile(root); err != nil {
			return "", "", err
		}
		if profile == "" {
			return root, "", nil
		}
	}
	if !profileName.MatchString(profile) {
		return "", "", &fault{
			kind: "profile", code: 1,
			message: fmt.Sprintf("profile %q: not a name of a profile", profile),
			remedy:  "names have small letters, digits, - and _; -p default is the home itself",
		}
	}
	if profile == "default" {
		return root, "default", nil
	}
	home = filepath.Join(root, "profiles", profile)
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return "", "", &fault{
			kind: "profile", code: 1, err: err,
			message: fmt.Sprintf("profile %q: there is no %s", profile, home),
			remedy:  "create it with: hermes profile create " + profile,
		}
	}
	return home, profile, nil
}

// hermesRoot gives the folder that holds the profiles. kept reports whether
// home is itself the home of a profile.
func (a *app) hermesRoot(home string) (root string, kept bool) {
	parent := filepath.Dir(home)
	kept = filepath.Base(parent) == "profiles"
	if standard, err := a.defaultHome(); err == nil && within(standard, home) {
		return standard, kept
	}
	if kept {
		return filepath.Dir(parent), true
	}
	return home, false
}

// defaultHome is where Hermes lives when nothing says otherwise. On Windows
// newer versions moved; whichever has a database counts.
func (a *app) defaultHome() (string, error) {
	if runtime.GOOS == "windows" {
		if local := a.getenv("LOCALAPPDATA"); local != "" {
			moved := filepath.Join(local, "hermes")
			if _, err := os.Stat(filepath.Join(moved, "state.db")); err == nil {
				return moved, nil
			}
		}
	}
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	user := a.getenv(name)
	if user == "" {
		return "", &fault{
			kind: "no-history", code: 1,
			message: "no Hermes home: neither HERMES_HOME nor " + name + " is set",
			remedy:  "name it with --home DIR, or try hermes-sessions --demo",
		}
	}
	return filepath.Join(user, ".hermes"), nil
}

// activeProfile reads which profile is used when none is named, "" for the
// default one.
func activeProfile(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "active_profile"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read which profile is active: %w", err)
	}
	if name := strings.TrimSpace(string(text)); name != "default" {
		return name, nil
	}
	return "", nil
}

// within reports whether path is folder or lies under it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
