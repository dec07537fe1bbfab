package state

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

func book(t *testing.T, file string, of Databases) *Notebook {
	t.Helper()
	b, err := OpenNotebook(file, of, func() time.Time { return time.Unix(100, 0) })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Several programs note at once: none loses the notes of another, nor a line that somebody
// wrote by hand.
func TestProgramsAtOnceLoseNoNotes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	const byHand = "// my own line"
	if err := os.WriteFile(file, []byte(byHand+"\n"+`{"session": "old", "database": "db", "tags": ["x"]}`+"\n\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for p := range 6 {
		b := book(t, file, Databases{One: "db"})
		all.Go(func() {
			if err := b.Put(shell.Annotation{Root: fmt.Sprint("s", p), Note: "note <" + fmt.Sprint(p) + ">", Tags: []string{"x", fmt.Sprint(p)}}); err != nil {
				t.Error(err)
			}
			if err := b.Put(shell.Annotation{Root: "s0", Message: int64(p + 1), Bookmark: true}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b := book(t, file, Databases{One: "db"})
	if got := b.Bookmarks("s0"); !slices.Equal(got, []int64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("bookmarks %v", got)
	}
	if got := b.On("s3", 0); got.Note != "note <3>" || len(got.Tags) != 2 {
		t.Errorf("%+v", got)
	}
	if tags := b.Tags(); len(tags) != 7 || tags[0] != (query.FieldValue{Value: "x", Conversations: 7}) {
		t.Errorf("%v", tags)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(string(text), "\n"+byHand+"\n") || strings.Count(string(text), "\n") != 14 {
		t.Errorf("%s %v", text, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for m := range 7 {
		if err := b.Put(shell.Annotation{Root: "s0", Message: int64(m)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := book(t, file, Databases{One: "db"}); len(got.Records()) != 6 {
		t.Errorf("not removed: %v", got.Records())
	}
}

// A program that was open before another one wrote a note shows it, and keeps it with a tag.
func TestANoteOfAnotherProgramStays(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	first, second := book(t, file, Databases{One: "db"}), book(t, file, Databases{One: "db"})
	for n := range 3 {
		note := fmt.Sprint("note ", n)
		if err := second.Put(shell.Annotation{Root: "s", Note: note}); err != nil {
			t.Fatal(err)
		}
		on := first.On("s", 0)
		on.Tags = append(on.Tags, "x")
		if err := first.Put(on); err != nil {
			t.Fatal(err)
		}
		if on := second.On("s", 0); on.Note != note || len(on.Tags) != 1 {
			t.Errorf("%+v", on)
		}
	}
}

// Of several databases each has its own notes, although ids are the same.
func TestNotesOfSeveralDatabases(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	b := book(t, file, Databases{Members: map[string]string{"work": "/w.db", "home": "/h.db"}})
	if err := b.Put(shell.Annotation{Root: "work/a", Tags: []string{"later"}}); err != nil {
		t.Fatal(err)
	}
	if b.On("home/a", 0).Tags != nil || len(b.On("work/a", 0).Tags) != 1 {
		t.Error("a note is on the wrong database")
	}
	one := book(t, file, Databases{One: "/w.db"})
	if len(one.On("a", 0).Tags) != 1 || len(one.Tags()) != 1 || len(book(t, file, Databases{One: "/x.db"}).Tags()) != 0 {
		t.Error("the same database alone has other notes")
	}
	if n, err := one.Write(one.Records(), true); n != 0 || err != nil {
		t.Errorf("the same notes once more: %d are new, %v", n, err)
	}
	if n, err := one.Write([]Note{{Database: "/w.db", Session: "a", Note: "older", Changed: time.Unix(1, 0)}}, true); n != 0 || err != nil || one.On("a", 0).Note != "" {
		t.Errorf("an older note replaced a newer one: %v", err)
	}
}

// A change leaves every other line as it is, byte for byte, and of its own line what a newer
// version has added.
func TestNotesOfANewerVersion(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	const other = `{"session": "b",  "database": "db", "note": "é", "color": "red", "changed": "2030-01-01T00:00:00Z"}`
	const future, torn = `{"version": 2, "about": {"session": "c"}}`, `{"session": "d", "note": "half a li`
	text := "\ufeff" + `{"session": "a", "database": "db", "note": "old", "color": "red", "of": {"x": [1]}}` + "\r\n" + other + "\r\n" + future + "\n" + torn
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := book(t, file, Databases{One: "db"})
	if got := b.On("a", 0); got.Note != "old" {
		t.Errorf("%+v", got)
	}
	if err := b.Put(shell.Annotation{Root: "a", Note: "new"}); err != nil {
		t.Fatal(err)
	}
	want := `{"database":"db","session":"a","note":"new","changed":"1970-01-01T00:01:40Z","color": "red","of": {"x": [1]}}` + "\n" + other + "\n" + future + "\n" + torn + "\n"
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// Notes from another computer belong to the same profile here; those on what is on this one
// stay where they are, also where the file itself is gone.
func TestNotesFindTheirProfileOnAnotherComputer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, folder := range []string{".", "profiles/work", "profiles/unused"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root, work := filepath.Join(home, "state.db"), filepath.Join(home, "profiles", "work", "state.db")
	for _, file := range []string{root, work} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := filepath.Join(home, "profiles", "unused", "state.db")
	for path, want := range map[string]string{
		"/elsewhere/.hermes/state.db":                 root,
		"/elsewhere/.hermes/profiles/work/state.db":   work,
		`C:\Users\me\.hermes\profiles\work\state.db`:  work,
		"/elsewhere/.hermes/profiles/absent/state.db": "/elsewhere/.hermes/profiles/absent/state.db",
		"/elsewhere/old.db":                           "/elsewhere/old.db",
		gone:                                          gone,
		work:                                          work,
	} {
		for _, own := range []string{root, work} {
			if got := placeHere(path, own); got != want {
				t.Errorf("%s with %s: %s, want %s", path, own, got, want)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	b := book(t, file, Databases{One: root})
	notes, others := ParseNotes([]byte(`{"database":"/elsewhere/.hermes/state.db","session":"s","note":"kept","changed":"2026-01-02T03:04:05Z"}`))
	if _, err := b.Import(notes); err != nil || others != 0 {
		t.Fatal(err, others)
	}
	if got := book(t, file, Databases{One: root}).On("s", 0); got.Note != "kept" {
		t.Errorf("the note is not on the conversation: %+v", got)
	}
}
