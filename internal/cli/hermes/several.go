package hermes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/model"
)

// Several reports whether the flags name more than one database.
func (sel Selection) Several() bool {
	return sel.chosen == nil && sel.severalNamed()
}

// Command returns a command of this program for the database of this run: with the flags that
// name it, unless the command names one or none.
func (sel Selection) Command(line string) string {
	const program = "hermes-sessions "
	if rest, ok := strings.CutPrefix(line, program); !ok || strings.HasPrefix(rest, "-") || strings.Contains(rest, " --db ") {
		return line
	}
	dbs := sel.DBs
	if sel.chosen != nil {
		dbs = []string{sel.chosen.DB}
	}
	for _, db := range dbs {
		line += " --db " + model.ShellWord(db)
	}
	for _, home := range sel.Homes {
		line += " --home " + model.ShellWord(home)
	}
	if sel.Profile != "" {
		line += " --profile " + model.ShellWord(sel.Profile)
	}
	if sel.Demo {
		line += " --demo"
	}
	return line
}

// CheckWritable returns a fault where the database of this run was chosen among several and is
// one that Hermes does not open: among others it is only read.
func (sel Selection) CheckWritable() error {
	if sel.chosen == nil || !sel.chosen.Archive {
		return nil
	}
	why, remedy := sel.chosen.WhyReadOnly()
	return &fault.Fault{Kind: "read-only", Code: 1, Message: why, Remedy: remedy.Text, Command: remedy.Command}
}

// WhyReadOnly says of an archive why it cannot be changed among others, and how it can be.
func (n Named) WhyReadOnly() (why string, remedy model.Remedy) {
	return "Hermes does not open " + n.Name + ", which is therefore read-only among several databases",
		model.AdviseToRun("to change it, open it alone", "hermes-sessions --db "+model.ShellWord(n.DB))
}

func (sel Selection) severalNamed() bool {
	return sel.All || len(sel.DBs)+len(sel.Homes) > 1 || len(sel.DBs) == 1 && isFolder(sel.DBs[0]) && len(databasesIn(sel.DBs[0])) > 0
}

// IsDefault reports whether no flag says which database to open.
func (sel Selection) IsDefault() bool {
	return sel.DB == "" && sel.Home == "" && sel.Profile == "" && !sel.Demo && !sel.All
}

// Named is a database among several.
type Named struct {
	Location
	Name    string // unique: of the profile, of the home's folder, or of the file
	Real    string // path of the file behind links
	Archive bool   // Hermes does not open a file of this name: it is only read

	info fs.FileInfo // of the file, nil where it does not answer
}

// lookPatience is how long the file system may take to say what is at a place.
const lookPatience = 500 * time.Millisecond

// place is where databases may be.
type place struct {
	look   func() ([]Named, error) // asks the file system, which hangs where a network drive does
	unseen Named                   // what is taken to be there until the file system answers
}

// LocateSeveral returns the databases that the flags name: all profiles of a home that have
// one, the databases of several homes, the files themselves, and those in folders of files.
// A profile that was never used has none and is left out. One on a drive that does not
// answer is taken to have one, which opens when the drive answers.
func LocateSeveral(sel Selection, environ env.Vars) ([]Named, error) {
	switch {
	case sel.Demo:
		return nil, fault.Usage("--demo takes no --db, --home or --all-profiles")
	case sel.Profile != "":
		return nil, fault.Usage("--profile names one database; leave out --all-profiles and any second --db or --home")
	}
	var places []place
	homes := sel.Homes
	if sel.All {
		if len(homes) == 0 {
			homes = []string{""}
		}
		for _, home := range homes {
			for _, profile := range Profiles(home, environ) {
				places = append(places, profilePlace(home, profile, environ))
			}
		}
	} else {
		for _, home := range homes {
			places = append(places, homePlace(home, environ))
		}
	}
	for _, path := range sel.DBs {
		places = append(places, filePlace(path, environ))
	}
	all, err := lookAt(places, lookPatience)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &fault.Fault{Kind: KindNoHistory, Code: 1, Message: "there is no database in any of the profiles", Remedy: "name another home with --home DIR"}
	}
	return distinct(all), nil
}

// lookAt returns the databases of all places, in their order, and the first error.
func lookAt(places []place, patience time.Duration) ([]Named, error) {
	type answer struct {
		place int
		found []Named
		err   error
	}
	answers := make(chan answer, len(places))
	found, errs := make([][]Named, len(places)), make([]error, len(places))
	for i, p := range places {
		found[i] = []Named{p.unseen}
		go func() {
			all, err := p.look()
			for k := range all {
				all[k].Real = RealPath(all[k].DB)
				all[k].info, _ = os.Stat(all[k].DB) // opening it says what is wrong
			}
			answers <- answer{i, all, err}
		}()
	}
	late := time.After(patience)
	for waiting := len(places); waiting > 0; waiting-- {
		select {
		case a := <-answers:
			found[a.place], errs[a.place] = a.found, a.err
		case <-late:
			waiting = 0
		}
	}
	var all []Named
	for i := range places {
		if errs[i] != nil {
			return nil, errs[i]
		}
		all = append(all, found[i]...)
	}
	return all, nil
}

func profilePlace(home, profile string, environ env.Vars) place {
	folder, _, _ := findHome(Selection{Home: home, Profile: "default"}, environ) //nolint:errcheck // look says it
	if profile != "default" {
		folder = filepath.Join(folder, "profiles", profile)
	}
	return place{
		unseen: unseen(folder, home, profile, profile),
		look: func() ([]Named, error) {
			if profile != "default" && !isFolder(folder) {
				return nil, nil // a link that leads nowhere
			}
			l, err := Locate(Selection{Home: home, Profile: profile}, environ)
			if err != nil {
				return nil, err
			}
			if _, err := os.Lstat(l.DB); errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return []Named{{Location: l, Name: profile}}, nil
		},
	}
}

func homePlace(home string, environ env.Vars) place {
	return place{
		unseen: unseen(home, home, "", strings.TrimPrefix(filepath.Base(home), ".")),
		look: func() ([]Named, error) {
			l, err := Locate(Selection{Home: home}, environ)
			return []Named{{Location: l, Name: strings.TrimPrefix(filepath.Base(l.Home), ".")}}, err
		},
	}
}

// unseen is the database in a folder that the file system has not confirmed.
func unseen(folder, home, profile, name string) Named {
	db := filepath.Join(folder, "state.db")
	return Named{Location: Location{DB: db, Label: db, Home: home, Profile: profile}, Name: name, Real: db}
}

// filePlace is a file, or the databases in a folder.
func filePlace(path string, environ env.Vars) place {
	base := filepath.Base(path)
	return place{
		unseen: Named{Location: Location{DB: path, Label: path}, Name: base, Archive: base != "state.db", Real: path},
		look: func() (all []Named, err error) {
			files, err := filesOf(path)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				l, err := locateFile(file, environ)
				if err != nil {
					return nil, err
				}
				n := Named{Location: l, Name: filepath.Base(file), Archive: filepath.Base(file) != "state.db"}
				if !n.Archive {
					n.Name = strings.TrimPrefix(filepath.Base(l.Home), ".")
				}
				all = append(all, n)
			}
			return all, nil
		},
	}
}

// Within takes the name of a database off the names of sessions, which lists of several
// databases print before the id (work/ID). It returns the selection of that database alone. Names
// without one, and those with a space, which are titles, leave the selection as it is.
// Without flags for several, the databases are those of the profiles.
func (sel Selection) Within(sessions []string, environ env.Vars) (Selection, []string, error) {
	if sel.Demo || sel.Profile != "" || sel.DB != "" && !sel.Several() ||
		!slices.ContainsFunc(sessions, func(s string) bool { return strings.Contains(s, "/") }) {
		return sel, sessions, nil
	}
	among := sel
	among.All = sel.All || !sel.Several()
	places, err := LocateSeveral(among, environ)
	if err != nil {
		return sel, sessions, nil //nolint:nilerr // the names are no names of databases then
	}
	var names []string
	var in *Named
	others := false
	for _, session := range sessions {
		database, id, _ := strings.Cut(session, "/")
		i := slices.IndexFunc(places, func(n Named) bool { return n.Name == database })
		if i < 0 || id == "" || strings.Contains(session, " ") {
			others = true
			continue
		}
		if in != nil && in.DB != places[i].DB {
			others = true
		}
		in, names = &places[i], append(names, id)
	}
	switch {
	case in == nil:
		return sel, sessions, nil
	case others:
		return sel, nil, fault.Usage("these sessions are in several databases; name those of one at a time")
	}
	return Selection{chosen: in}, names, nil
}

// UnknownProfile says that the profile in the name of a session, such as work/ID, does not exist; ""
// where the name has none, or an existing one.
func (sel Selection) UnknownProfile(session string, environ env.Vars) string {
	profile, id, _ := strings.Cut(session, "/")
	if sel.Demo || sel.DB != "" || id == "" || strings.Contains(session, " ") || !profileName.MatchString(profile) {
		return ""
	}
	known := Profiles(sel.Home, environ)
	if slices.Contains(known, profile) {
		return ""
	}
	return unknownProfile(profile, known, nil).Message
}

// filesOf returns the databases of a folder, or the path itself where it is a file.
func filesOf(path string) ([]string, error) {
	if !isFolder(path) {
		return []string{path}, nil
	}
	files := databasesIn(path)
	if len(files) == 0 {
		return nil, fault.Usage("there is no database in the folder %s", path)
	}
	return files, nil
}

// databasesIn returns the databases of a folder, none where it cannot be read.
func databasesIn(folder string) (files []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		file := filepath.Join(folder, e.Name())
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && IsDatabase(file) {
			files = append(files, file)
		}
	}
	return files
}

// IsDatabase reports whether a file begins as those of SQLite.
func IsDatabase(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	magic := make([]byte, 16)
	_, err = io.ReadFull(f, magic)
	return err == nil && bytes.Equal(magic, []byte("SQLite format 3\x00"))
}

// distinct leaves out databases named twice, also by hard links, and numbers the names that
// occur twice. A number makes no name that another database has.
func distinct(all []Named) []Named {
	names := map[string]bool{} // whether it is given away
	var once []Named
	for _, n := range all {
		if slices.ContainsFunc(once, func(o Named) bool { return o.Real == n.Real || os.SameFile(o.info, n.info) }) {
			continue
		}
		n.Name = strings.ReplaceAll(n.Name, "/", "-")
		names[n.Name] = false
		once = append(once, n)
	}
	for i := range once {
		name := once[i].Name
		for k, taken := 2, names[name]; taken; k++ {
			once[i].Name = fmt.Sprintf("%s-%d", name, k)
			_, taken = names[once[i].Name]
		}
		names[once[i].Name] = true
	}
	return once
}
