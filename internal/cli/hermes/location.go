package hermes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/model"
)

// Selection is what the flags say about which database to open; the zero value
// leaves it to the environment.
type Selection struct {
	DB      string // --db: the file itself
	Home    string // --home: a Hermes home
	Profile string // --profile
	Demo    bool   // --demo: the invented history

	All        bool     // --all-profiles
	DBs, Homes []string // every --db and --home, of which DB and Home are the first

	chosen *Named // of several, by [Selection.Within]; nil where none was chosen
}

// Location is where the database is, and the profile and home that make Hermes open
// the same one.
type Location struct {
	DB      string // path of the database, "" for the demo
	Label   string // for display: the path, or "demo"
	Profile string // for hermes -p, "" to leave the profile to Hermes
	Home    string // for HERMES_HOME of Hermes, "" to leave it as it is
}

// RealPath returns the absolute path of a database without symbolic links: the same one,
// however the file was named.
func RealPath(file string) string {
	if path, err := filepath.Abs(file); err == nil { // fails in a folder that was removed
		file = path
	}
	if real, err := filepath.EvalSymlinks(file); err == nil { // fails for a file that does not exist yet
		file = real
	}
	return file
}

// ProfileName returns the name of the profile that Hermes would start with, ""
// where the database was named by a path that belongs to no profile.
func (l Location) ProfileName() string {
	switch {
	case l.Profile != "":
		return l.Profile
	case l.Home == "" && filepath.Base(l.DB) != "state.db":
		return ""
	}
	return "default"
}

// Badge names a database other than the default one in a word or two: the profile, the
// file or its folder, or "demo". It is "" for that of the default profile.
func (l Location) Badge() string {
	switch {
	case l.DB == "":
		return l.Label
	case l.Profile != "" && l.Profile != "default":
		return l.Profile
	case filepath.Base(l.DB) != "state.db":
		return filepath.Base(l.DB)
	case l.Home != "" && filepath.Base(l.Home) != ".hermes": // --home, or --db with the path of a home's database
		return filepath.Base(l.Home)
	}
	return ""
}

// Transcripts returns the folder where Hermes keeps the transcript files of the database, ""
// where no Hermes opens it: the files beside a copy are those of the original.
func (l Location) Transcripts() string {
	if filepath.Base(l.DB) != "state.db" {
		return ""
	}
	return filepath.Join(filepath.Dir(l.DB), "sessions")
}

// Locate chooses the database by the rules of Hermes
// (store/README.md#home-and-profile): the flags first, then HERMES_HOME, then the
// active profile of that home. The database need not exist.
func Locate(sel Selection, environ env.Vars) (Location, error) {
	switch {
	case sel.chosen != nil:
		return sel.chosen.Location, nil
	case sel.Several():
		return Location{}, fault.Usage("this works on one database: name it with one --db, --home or --profile")
	case sel.Demo && (sel.DB != "" || sel.Home != "" || sel.Profile != ""):
		return Location{}, fault.Usage("--demo takes no --db, --home or --profile")
	case sel.Demo:
		return Location{Label: "demo"}, nil
	case sel.DB != "" && (sel.Home != "" || sel.Profile != ""):
		return Location{}, fault.Usage("--db names the file itself and takes no --home or --profile")
	case sel.DB != "":
		return locateFile(sel.DB, environ)
	}
	home, profile, err := findHome(sel, environ)
	if err != nil {
		return Location{}, err
	}
	l := Location{DB: filepath.Join(home, "state.db"), Profile: profile}
	l.Label = l.DB
	if sel.Home != "" {
		if l.Home, err = filepath.Abs(sel.Home); err != nil {
			return l, fmt.Errorf("find the Hermes home %s: %w", sel.Home, err)
		}
	}
	return l, nil
}

// KindNoHistory is the kind of the error for a home without a database.
const KindNoHistory = "no-history"

// NoHistory is the error for a home without a database: it names the path that
// was looked at and the flags that name another. err is the cause.
func NoHistory(l Location, err error) error {
	return &fault.Fault{
		Kind: KindNoHistory, Code: 1, Err: err,
		Message: "no Hermes history: there is no " + l.DB,
		Remedy:  "name yours with --home DIR or --db FILE, or look around in a demo history",
		Command: "hermes-sessions --demo",
	}
}

// locateFile returns the location of a database that was named by its path.
// Hermes opens only files called state.db, so a file of any other name has
// neither home nor profile.
func locateFile(file string, environ env.Vars) (Location, error) {
	l := Location{DB: file, Label: file}
	if filepath.Base(file) != "state.db" {
		return l, nil
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return l, fmt.Errorf("find %s: %w", file, err)
	}
	l.Home = filepath.Dir(path)
	root, isProfile := profilesRoot(l.Home, environ)
	if isProfile {
		l.Profile = filepath.Base(l.Home)
	} else if active, err := activeProfile(root); err == nil && active != "" {
		l.Profile = "default" // without -p, Hermes would use the active profile
	}
	return l, nil
}

// profileName matches what Hermes takes as the name of a profile.
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// findHome returns the home of the profile that is asked for, and the profile's
// name, "" for the default one.
func findHome(sel Selection, environ env.Vars) (home, profile string, err error) {
	named := sel.Home
	if named == "" {
		named = strings.TrimSpace(environ.Get("HERMES_HOME")) // a ~ is not expanded, as in Hermes
	}
	set := named != ""
	if !set {
		if named, err = defaultHome(environ); err != nil {
			return "", "", err
		}
	}
	root, isProfile := profilesRoot(named, environ)
	profile = sel.Profile
	switch {
	case profile != "":
	case isProfile && set:
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
		return "", "", &fault.Fault{
			Kind: "profile", Code: 1,
			Message: fmt.Sprintf("profile %q: not a valid profile name", profile),
			Remedy:  "names have lowercase letters, digits, - and _; -p default is the home itself",
		}
	}
	if profile == "default" {
		return root, "default", nil
	}
	home = filepath.Join(root, "profiles", profile)
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return "", "", unknownProfile(profile, profilesOf(root), err)
	}
	return home, profile, nil
}

// Profiles returns the names of the profiles of a home, "" for the one that the
// environment names, with "default" first. What a symbolic link leads to is not looked at.
func Profiles(home string, environ env.Vars) []string {
	home = cmp.Or(home, strings.TrimSpace(environ.Get("HERMES_HOME")))
	if home == "" {
		var err error
		if home, err = defaultHome(environ); err != nil {
			return nil
		}
	}
	root, _ := profilesRoot(home, environ)
	return profilesOf(root)
}

// unknownProfile is the error for a profile that is none of the known ones.
func unknownProfile(name string, known []string, err error) *fault.Fault {
	f := &fault.Fault{
		Kind: "profile", Code: 1, Err: err, Message: fmt.Sprintf("there is no profile %q, only %s", name, strings.Join(known, ", ")),
		Remedy: "create it with Hermes", Command: "hermes profile create " + model.ShellWord(name),
	}
	if near := fault.Nearest(name, known); near != "" {
		f.Remedy, f.Command = "did you mean "+near+"?", ""
	}
	return f
}

// profilesOf returns the names of the profiles below the folder that holds them.
func profilesOf(root string) []string {
	names := []string{"default"}
	folders, err := os.ReadDir(filepath.Join(root, "profiles"))
	if err != nil {
		return names
	}
	for _, f := range folders {
		if (f.IsDir() || f.Type()&fs.ModeSymlink != 0) && profileName.MatchString(f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names
}

// profilesRoot returns the folder that holds the profiles of a home, which is
// also the home of the default profile. isProfile reports whether home itself
// belongs to a named profile.
func profilesRoot(home string, environ env.Vars) (root string, isProfile bool) {
	parent := filepath.Dir(home)
	isProfile = filepath.Base(parent) == "profiles"
	if standard, err := defaultHome(environ); err == nil && within(standard, home) {
		return standard, isProfile
	}
	if isProfile {
		return filepath.Dir(parent), true
	}
	return home, false
}

// defaultHome returns Hermes's home where neither a flag nor a variable names
// one. Newer versions of Hermes moved it on Windows; the new place counts as soon
// as it holds a database.
func defaultHome(environ env.Vars) (string, error) {
	if runtime.GOOS == "windows" {
		if local := environ.Get("LOCALAPPDATA"); local != "" {
			moved := filepath.Join(local, "hermes")
			if _, err := os.Stat(filepath.Join(moved, "state.db")); err == nil {
				return moved, nil
			}
		}
	}
	user := environ.Home()
	if user == "" {
		return "", &fault.Fault{
			Kind: KindNoHistory, Code: 1,
			Message: "no Hermes home: neither HERMES_HOME nor " + env.HomeName() + " is set",
			Remedy:  "name it with --home DIR, or try the demo",
			Command: "hermes-sessions --demo",
		}
	}
	return filepath.Join(user, ".hermes"), nil
}

// activeProfile reads the name of the profile that Hermes uses when none is
// named, "" for the default one.
func activeProfile(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "active_profile"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return "", &fault.Fault{Kind: KindNoHistory, Code: 1, Err: err, Message: "the Hermes home " + root + " is not a folder", Remedy: "--home DIR names a folder, --db FILE a database"}
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
