package cli

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
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// openNotes opens the user's notes on databases. Those on the demo are in no file.
func (a *app) openNotes(of state.Databases) (*state.Notebook, error) {
	if a.selection.Demo {
		return state.OpenNotebook("", of, a.Now)
	}
	folder := a.Environ.StateFolder()
	if folder == "" {
		return nil, &fault.Fault{Kind: "failed", Code: 1, Message: "notes need a home folder", Remedy: "set HOME or XDG_STATE_HOME"}
	}
	return state.OpenNotebook(filepath.Join(folder, "notes.jsonl"), of, a.Now)
}

// annotationsOf gives the browser the notes on databases, nil where none are kept.
func (a *app) annotationsOf(of state.Databases) shell.Annotations {
	b, err := a.openNotes(of)
	if err != nil {
		a.log.Warn("notes.jsonl", "error", err)
		return nil
	}
	return b
}

func notesCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notes",
		Short: "Show your notes, tags and bookmarks",
		Long: `notes lists your notes, tags and bookmarks on conversations and messages of the
database, or of several (--all-profiles, --db repeated), including those on deleted
conversations. They are kept outside Hermes's database. Exit code 1: no notes.`,
		Args: takes(0, 0, "no arguments, only the commands export and import"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listNotes(cmd.Context()) },
	}
	export := &cobra.Command{
		Use: "export [FILE]", Short: "Write the notes of all databases as JSON lines", Args: takes(0, 1, "one file at most"),
		Long: `export writes the notes, tags and bookmarks of all databases to a new file, or to standard
output.`,
		RunE: func(_ *cobra.Command, words []string) error { return a.exportNotes(words) },
	}
	add := &cobra.Command{
		Use: "import FILE", Short: "Add notes from a notes export file", Args: takes(1, 1, "one file, or - for standard input"),
		Long: `import adds the notes, tags and bookmarks in a file, or with - on standard input. Of two
notes on the same conversation or message, the newer one stays. Notes from another computer
go to the profiles of the same names here.`,
		RunE: func(_ *cobra.Command, words []string) error { return a.importNotes(words[0]) },
	}
	cmd.AddCommand(export, add)
	a.severalFlags(cmd, "list the notes on the conversations")
	return a.paged(cmd)
}

// openListedNotes opens the notes on the databases that the flags name.
func (a *app) openListedNotes() (*state.Notebook, error) {
	of, err := a.locateDatabases()
	if err != nil {
		return nil, err
	}
	return a.openNotes(of)
}

// existing returns which of these conversations still exist. One of a database that cannot be read
// counts as existing.
func (a *app) existing(ctx context.Context, roots []string) (map[string]bool, error) {
	there := map[string]bool{}
	err := a.readListed(ctx, func(l listed) error {
		for _, root := range roots {
			s, local := l.In(root)
			if s == nil { // it cannot be read now
				there[root] = true
				continue
			}
			found, err := s.Records(ctx, []string{local})
			if err != nil {
				return err
			}
			there[root] = len(found) > 0
		}
		return nil
	})
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindAbsent && !a.selection.Several() {
		return there, nil // notes outlive the database
	}
	return there, err
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

// foundNote is a note, and the id of its conversation among those of the open databases.
type foundNote struct {
	noted state.Note
	root  string
}

// listNotes prints the notes on the databases that the flags name.
func (a *app) listNotes(ctx context.Context) error {
	b, err := a.openListedNotes()
	if err != nil {
		return err
	}
	var of []foundNote
	var roots []string
	b.Each(func(root string, n state.Note) { of, roots = append(of, foundNote{n, root}), append(roots, root) })
	sort.SliceStable(of, func(i, j int) bool { return of[i].root < of[j].root })
	there, err := a.existing(ctx, roots)
	if err != nil {
		return err
	}
	if a.json {
		notes := answer.Notes{Notes: []answer.Annotation{}}
		for _, f := range of {
			notes.Notes = append(notes.Notes, answer.Annotation{
				Session: f.noted.Session, Message: f.noted.Message, Title: output.OrNull(f.noted.Title), Note: output.OrNull(f.noted.Note), Profile: f.profile(),
				Tags: output.List(f.noted.Tags), Bookmark: f.noted.Bookmark, Changed: output.Seconds(f.noted.Changed), Gone: !there[f.root],
			})
		}
		err = a.out.JSON(notes)
	} else {
		for _, r := range of {
			a.printNoted(r, there[r.root])
		}
		if len(of) == 0 {
			a.say("There are no notes.")
		}
	}
	if err == nil && len(of) == 0 {
		err = fault.ErrNothing
	}
	return err
}

// profile is the name of the note's database among several, "" for the only one.
func (f foundNote) profile() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.root, f.noted.Session), "/")
}

// printNoted prints a note: what it is about, and what is noted.
func (a *app) printNoted(f foundNote, there bool) {
	about := output.Clean(f.root)
	if f.noted.Message != 0 {
		about += fmt.Sprintf("#%d", f.noted.Message)
	}
	parts := []string{about, f.noted.Changed.Format(time.DateOnly)}
	if title := output.Clean(f.noted.Title); title != "" {
		parts = append([]string{a.out.Bold(title)}, parts...)
	}
	if f.noted.Bookmark {
		parts = append(parts, "bookmark")
	}
	if !there {
		parts = append(parts, "the conversation no longer exists")
	}
	fmt.Fprintln(a.out, strings.Join(parts, " · "))
	var words []string
	for _, tag := range f.noted.Tags {
		words = append(words, "#"+tag)
	}
	if text := output.Clean(strings.TrimSpace(strings.Join(append(words, f.noted.Note), " "))); text != "" {
		fmt.Fprintln(a.out, output.Wrap(text, a.out.Width(), "    "))
	}
}

// exportNotes writes the notes on all databases.
func (a *app) exportNotes(words []string) error {
	b, err := a.openListedNotes()
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
		_, err := a.out.Write(text.Bytes())
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
	if a.json {
		return a.out.JSON(answer.NotesExported{Notes: all, File: file})
	}
	_, err = fmt.Fprintln(a.out, "Exported "+output.Count(all, "note", "notes")+" to "+output.Clean(file)+".")
	return err
}

// importNotes adds the notes of a file.
func (a *app) importNotes(file string) error {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(a.Stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return fmt.Errorf("import notes: %w", err)
	}
	all, others := state.ParseNotes(text)
	if others > 0 {
		return fmt.Errorf("import notes: %s of %s cannot be read as notes; nothing was imported", output.Count(others, "line", "lines"), file)
	}
	b, err := a.openListedNotes()
	if err != nil {
		return err
	}
	changed, err := b.Import(all)
	if err != nil {
		return fmt.Errorf("import notes: %w", err)
	}
	if a.json {
		return a.out.JSON(answer.NotesImported{Notes: changed})
	}
	said := "Imported " + output.Count(changed, "note", "notes") + "."
	if changed == 0 {
		said = "No new notes."
	} else if kept := len(all) - changed; kept > 0 {
		said += " " + output.Count(kept, "other is", "others are") + " not new."
	}
	_, err = fmt.Fprintln(a.out, said)
	return err
}

// locateDatabases returns the paths of the databases that the flags name, without opening them.
func (a *app) locateDatabases() (state.Databases, error) {
	if !a.selection.Several() {
		at, err := a.locate()
		return state.Databases{One: hermes.RealPath(at.DB)}, err
	}
	named, err := hermes.LocateSeveral(a.selection, a.Environ)
	h := history{Places: map[string]hermes.Named{}}
	for _, n := range named {
		h.Places[n.Name] = n
	}
	return h.Paths(), err
}
