package annotations

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/store"
)

// Surroundings is what the command needs of the program.
type Surroundings struct {
	Out   *output.Writer
	Stdin io.Reader
	JSON  func() bool
	Say   func(format string, args ...any) // prints a sentence on standard error
	// Open opens the file for the databases that the flags name.
	Open func() (*Book, error)
	// There returns which of these sessions still exist. A session of a database that cannot
	// be read counts as existing. The ids are as in [lastread.Databases].
	There func(ctx context.Context, roots []string) (map[string]bool, error)
}

// Command is the command notes.
func Command(s Surroundings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notes",
		Short: "Show your notes, tags and bookmarks",
		Long: `notes lists your notes, tags and bookmarks on conversations and messages of the
database, or of several (--all-profiles, --db repeated), including those on deleted
conversations. They are kept outside Hermes's database. Exit code 1: no notes.`,
		Args: takes(0, 0, "no arguments, only the commands export and import"),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.list(cmd.Context()) },
	}
	export := &cobra.Command{
		Use: "export [FILE]", Short: "Write the notes of all databases as JSON lines", Args: takes(0, 1, "one file at most"),
		Long: `export writes the notes, tags and bookmarks of all databases to a new file, or to standard
output.`,
		RunE: func(_ *cobra.Command, words []string) error { return s.export(words) },
	}
	add := &cobra.Command{
		Use: "import FILE", Short: "Add notes from a notes export file", Args: takes(1, 1, "one file, or - for standard input"),
		Long: `import adds the notes, tags and bookmarks in a file, or with - on standard input. Of two
notes on the same conversation or message, the newer one stays. Notes from another computer
go to the profiles of the same names here.`,
		RunE: func(_ *cobra.Command, words []string) error { return s.add(words[0]) },
	}
	cmd.AddCommand(export, add)
	return cmd
}

// takes allows a command at least and at most so many arguments, which words say.
func takes(least, most int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fault.Usage("%s takes %s", strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), words)
		}
		return nil
	}
}

// found is a record, and the id of its conversation among those of the open databases.
type found struct {
	Record
	root string
}

// list prints the records of the open databases.
func (s Surroundings) list(ctx context.Context) error {
	b, err := s.Open()
	if err != nil {
		return err
	}
	var of []found
	var roots []string
	b.each(func(root string, r Record) { of, roots = append(of, found{r, root}), append(roots, root) })
	sort.SliceStable(of, func(i, j int) bool { return of[i].root < of[j].root })
	there, err := s.There(ctx, roots)
	if err != nil {
		return err
	}
	if s.JSON() {
		notes := answer.Notes{Notes: []answer.Annotation{}}
		for _, f := range of {
			notes.Notes = append(notes.Notes, answer.Annotation{
				Session: f.Session, Message: f.Message, Title: output.OrNull(f.Title), Note: output.OrNull(f.Note), Profile: f.profile(),
				Tags: output.List(f.Tags), Bookmark: f.Bookmark, Changed: output.Seconds(f.Changed), Gone: !there[f.root],
			})
		}
		err = s.Out.JSON(notes)
	} else {
		for _, r := range of {
			s.print(r, there[r.root])
		}
		if len(of) == 0 {
			s.Say("There are no notes.")
		}
	}
	if err == nil && len(of) == 0 {
		err = fault.ErrNothing
	}
	return err
}

// profile is the name of the record's database among several, "" for the only one.
func (f found) profile() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.root, f.Session), "/")
}

// print prints a record: what it is about, and what is noted.
func (s Surroundings) print(f found, there bool) {
	about := output.Clean(f.root)
	if f.Message != 0 {
		about += fmt.Sprintf("#%d", f.Message)
	}
	parts := []string{about, f.Changed.Format(time.DateOnly)}
	if title := output.Clean(f.Title); title != "" {
		parts = append([]string{s.Out.Bold(title)}, parts...)
	}
	if f.Bookmark {
		parts = append(parts, "bookmark")
	}
	if !there {
		parts = append(parts, "the conversation no longer exists")
	}
	fmt.Fprintln(s.Out, strings.Join(parts, " · "))
	var words []string
	for _, tag := range f.Tags {
		words = append(words, "#"+tag)
	}
	if text := output.Clean(strings.TrimSpace(strings.Join(append(words, f.Note), " "))); text != "" {
		fmt.Fprintln(s.Out, output.Wrap(text, s.Out.Width(), "    "))
	}
}

// export writes the records of all databases.
func (s Surroundings) export(words []string) error {
	b, err := s.Open()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	for _, r := range b.Records() {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	if len(words) == 0 || words[0] == "-" {
		_, err := s.Out.Write(text.Bytes())
		return err
	}
	file, all := words[0], len(b.Records())
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &fault.Fault{Kind: "exists", Code: 1, Err: err, Message: "notes export: " + file + " already exists", Remedy: "choose another name"}
	}
	if err != nil {
		return fmt.Errorf("export the notes: %w", err)
	}
	_, err = f.Write(text.Bytes())
	if err = cmp.Or(err, f.Close()); err != nil {
		_ = os.Remove(file) // half of them
		return store.WrapDiskFull(file, "nothing was exported", fmt.Errorf("export the notes: %w", err))
	}
	if s.JSON() {
		return s.Out.JSON(answer.NotesExported{Notes: all, File: file})
	}
	_, err = fmt.Fprintln(s.Out, "Exported "+output.Count(all, "note", "notes")+" to "+output.Clean(file)+".")
	return err
}

func (s Surroundings) add(file string) error {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(s.Stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return fmt.Errorf("import notes: %w", err)
	}
	records, others := parse(text)
	if len(others) > 0 {
		return fmt.Errorf("import notes: %s of %s cannot be read as notes; nothing was imported", output.Count(len(others), "line", "lines"), file)
	}
	b, err := s.Open()
	if err != nil {
		return err
	}
	all := sorted(records)
	for i := range all {
		r := &all[i]
		if here := placeHere(r.Database, cmp.Or(b.of.One, b.of.Members["default"])); here != r.Database {
			r.Database, r.line, r.was = here, nil, r.line
		}
	}
	changed, err := b.Write(all, true)
	if err != nil {
		return fmt.Errorf("import notes: %w", err)
	}
	if s.JSON() {
		return s.Out.JSON(answer.NotesImported{Notes: changed})
	}
	said := "Imported " + output.Count(changed, "note", "notes") + "."
	if changed == 0 {
		said = "No new notes."
	} else if kept := len(all) - changed; kept > 0 {
		said += " " + output.Count(kept, "other is", "others are") + " not new."
	}
	_, err = fmt.Fprintln(s.Out, said)
	return err
}

// placeHere returns the database on this computer that stands for one of a note. A path in a
// folder that is not there comes from another computer: it stands for the same profile in
// the home of the database own, if that has it.
func placeHere(path, own string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) // of any system
	n := len(parts)
	if _, err := os.Stat(filepath.Dir(path)); err == nil && filepath.IsAbs(path) || n == 0 || parts[n-1] != "state.db" {
		return path
	}
	home := filepath.Dir(own)
	if profiles := filepath.Dir(home); filepath.Base(profiles) == "profiles" {
		home = filepath.Dir(profiles)
	}
	if n > 3 && parts[n-3] == "profiles" {
		home = filepath.Join(home, "profiles", parts[n-2])
	}
	here := filepath.Join(home, "state.db")
	if _, err := os.Stat(here); err != nil {
		return path
	}
	return here
}
