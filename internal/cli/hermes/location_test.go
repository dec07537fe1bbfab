package hermes

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
)

// The home and the profile are found as Hermes finds them (store/README.md#home-and-profile);
// otherwise the browser would show another history than Hermes.
func TestHomeAndProfile(t *testing.T) {
	user := t.TempDir()
	standard := filepath.Join(user, ".hermes")
	custom := filepath.Join(user, "custom")
	for _, home := range []string{
		standard, filepath.Join(standard, "profiles", "work"), filepath.Join(standard, "profiles", "play"),
		custom, filepath.Join(custom, "profiles", "lab"),
	} {
		touch(t, filepath.Join(home, "state.db"), "")
	}
	touch(t, filepath.Join(custom, "active_profile"), " lab\n")
	active := filepath.Join(user, "active")
	touch(t, filepath.Join(active, "active_profile"), "gone")
	odd := filepath.Join(user, "odd")
	touch(t, filepath.Join(odd, "active_profile"), "../../etc")
	plain := filepath.Join(user, "plain")
	touch(t, filepath.Join(plain, "state.db"), "")
	touch(t, filepath.Join(plain, "active_profile"), "default\n")

	for _, c := range []struct {
		name        string
		env         string // HERMES_HOME
		flags       Selection
		db          string // relative to user
		profile     string
		home        string // HERMES_HOME for hermes, relative to user
		err, remedy string
	}{
		{name: "nothing set", db: ".hermes/state.db"},
		{name: "blank", env: "  ", db: ".hermes/state.db"},
		{name: "a profile", flags: Selection{Profile: "work"}, db: ".hermes/profiles/work/state.db", profile: "work"},
		{name: "a missing profile", flags: Selection{Profile: "none"}, err: `profile "none"`, remedy: "hermes profile create none"},
		{name: "no profile's name", flags: Selection{Profile: "../x"}, err: "not a valid profile name", remedy: "-p default"},
		{name: "home of a profile", env: "U/.hermes/profiles/work", db: ".hermes/profiles/work/state.db", profile: "work"},
		{name: "home of a profile, another asked for", env: "U/.hermes/profiles/work", flags: Selection{Profile: "play"}, db: ".hermes/profiles/play/state.db", profile: "play"},
		{name: "home of a profile, the default asked for", env: "U/.hermes/profiles/work", flags: Selection{Profile: "default"}, db: ".hermes/state.db", profile: "default"},
		{name: "another home with an active profile", env: "U/custom", db: "custom/profiles/lab/state.db", profile: "lab"},
		{name: "its default", env: "U/custom", flags: Selection{Profile: "default"}, db: "custom/state.db", profile: "default"},
		{name: "home of a profile elsewhere", env: "U/custom/profiles/lab", db: "custom/profiles/lab/state.db", profile: "lab"},
		{name: "active profile that is gone", env: "U/active", err: `profile "gone"`, remedy: "hermes profile create gone"},
		{name: "active profile that is a path", env: "U/odd", err: "not a valid profile name"},
		{name: "active profile default", env: "U/plain", db: "plain/state.db"},
		{name: "the flag before the variable", env: "U/plain", flags: Selection{Home: "U/custom"}, db: "custom/profiles/lab/state.db", profile: "lab", home: "custom"},
		{name: "no database", env: "U/nowhere", err: "nowhere/state.db", remedy: "--demo"},
		{name: "literal tilde", env: "~/.hermes", err: "~/.hermes/state.db", remedy: "--demo"},
		{name: "a file", flags: Selection{DB: "U/copy.db"}, db: "copy.db"},
		{name: "a file of a profile", flags: Selection{DB: "U/.hermes/profiles/work/state.db"}, db: ".hermes/profiles/work/state.db", profile: "work", home: ".hermes/profiles/work"},
		{name: "a file beside an active profile", flags: Selection{DB: "U/custom/state.db"}, db: "custom/state.db", profile: "default", home: "custom"},
		{name: "a file and a home", flags: Selection{DB: "x", Home: "y"}, err: "usage"},
		{name: "the demo and a file", flags: Selection{DB: "x", Demo: true}, err: "usage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := func(path string) string { return strings.Replace(path, "U/", user+string(filepath.Separator), 1) }
			flags := c.flags
			flags.DB, flags.Home = in(flags.DB), in(flags.Home)
			at, err := Locate(flags, env.Vars{"HOME=" + user, "USERPROFILE=" + user, "HERMES_HOME=" + in(c.env)})
			if _, missing := os.Stat(at.DB); err == nil && missing != nil && flags.DB == "" {
				err = NoHistory(at, missing)
			}
			if c.err != "" {
				if err == nil {
					t.Fatalf("found %+v", at)
				}
				f := fault.Of(err)
				if !strings.Contains(filepath.ToSlash(f.Message), c.err) || !strings.Contains(f.Remedy+"\n"+f.Command, c.remedy) {
					t.Errorf("%q (%q)", f.Message, f.Remedy)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := Location{DB: filepath.Join(user, c.db), Profile: c.profile}
			want.Label = want.DB
			if c.home != "" {
				want.Home = filepath.Join(user, c.home)
			}
			if at != want {
				t.Errorf("got  %+v\nwant %+v", at, want)
			}
		})
	}
}

// A newer Hermes on Windows moved its home; the older place still counts.
func TestHomeOnWindows(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("checks the folders of Windows")
	}
	user := t.TempDir()
	environ := env.Vars{"USERPROFILE=" + user, "LOCALAPPDATA=" + filepath.Join(user, "Local")}
	if home, err := defaultHome(environ); err != nil || home != filepath.Join(user, ".hermes") {
		t.Errorf("%q, %v", home, err)
	}
	touch(t, filepath.Join(user, "Local", "hermes", "state.db"), "")
	if home, err := defaultHome(environ); err != nil || home != filepath.Join(user, "Local", "hermes") {
		t.Errorf("%q, %v", home, err)
	}
}

func touch(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADatabaseOtherThanTheDefaultOneHasABadge(t *testing.T) {
	home := filepath.Join("home", "ada")
	for want, l := range map[string]Location{
		"demo":    {Label: "demo"},
		"":        {DB: filepath.Join(home, ".hermes", "state.db"), Profile: "default", Home: filepath.Join(home, ".hermes")},
		"work":    {DB: filepath.Join(home, ".hermes", "profiles", "work", "state.db"), Profile: "work"},
		"copy.db": {DB: filepath.Join(home, "copy.db")},
		"custom":  {DB: filepath.Join(home, "custom", "state.db"), Home: filepath.Join(home, "custom")},
	} {
		if got := l.Badge(); got != want {
			t.Errorf("%+v has the badge %q, want %q", l, got, want)
		}
	}
}

// A database is the same one however it is named.
func TestRealPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "state.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	names := []string{file, "state.db", filepath.Join(".", "x", "..", "state.db")}
	if err := os.Symlink(file, "link.db"); err == nil { // Windows may refuse it
		names = append(names, "link.db")
	}
	for _, name := range names {
		if got := RealPath(name); got != file {
			t.Errorf("%s is %s", name, got)
		}
	}
	if got := RealPath("missing.db"); got != filepath.Join(dir, "missing.db") {
		t.Errorf("a missing file is %s", got)
	}
}
