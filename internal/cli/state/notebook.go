package state

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// Note is a line of the file: what is noted on a conversation, or on a message of it.
type Note struct {
	Database string    `json:"database"`          // its path, see [Databases]
	Session  string    `json:"session"`           // the first one of the conversation
	Message  int64     `json:"message,omitempty"` // 0 for the conversation
	Title    string    `json:"title,omitempty"`   // of the conversation, when this was written
	Bookmark bool      `json:"bookmark,omitempty"`
	Note     string    `json:"note,omitempty"`
	Tags     []string  `json:"tags,omitempty"`
	Changed  time.Time `json:"changed"`

	line []byte // the record as it is in the file, nil for one that is new or changed
	was  []byte // the line that a changed record replaces
}

// noteKey is what a record is about.
type noteKey struct {
	database, session string
	message           int64
}

func (r Note) key() noteKey { return noteKey{r.Database, r.Session, r.Message} }

func (r Note) empty() bool { return !r.Bookmark && r.Note == "" && len(r.Tags) == 0 }

// same reports whether two records on one thing say the same.
func (r Note) same(o Note) bool {
	return r.Title == o.Title && r.Bookmark == o.Bookmark && r.Note == o.Note && slices.Equal(r.Tags, o.Tags) && r.Changed.Equal(o.Changed)
}

// Notebook is the file as one run of the program knows it. Its methods may be called at once
// from several goroutines. It implements [shell.Annotations].
type Notebook struct {
	file  string
	of    Databases
	clock func() time.Time

	mu      sync.Mutex
	records map[noteKey]Note
	read    os.FileInfo // the file that the records are of, nil for none yet
	text    []byte      // in the place of a file
}

// OpenNotebook reads the file for the databases that are open. Lines that are no records stay in
// it. Without a file the notes are gone when the program ends.
func OpenNotebook(file string, of Databases, clock func() time.Time) (*Notebook, error) {
	b := &Notebook{file: file, of: of, clock: clock, records: map[noteKey]Note{}}
	if file == "" {
		return b, nil
	}
	text, err := readFile(file)
	b.records, _ = parseNotes(text) // a change reads the other lines again and keeps them
	return b, err
}

// parseNotes reads the lines of a file. others are those that are no records.
func parseNotes(text []byte) (records map[noteKey]Note, others [][]byte) {
	records = map[noteKey]Note{}
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) { // some editors write that
		line = bytes.TrimRight(line, "\r\n")
		var r Note
		err := json.Unmarshal(line, &r)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case err != nil || r.Session == "":
			others = append(others, line)
		default:
			r.line = line
			records[r.key()] = r
		}
	}
	return records, others
}

// ParseNotes reads notes of another file for [Notebook.Import]. others counts the lines that are no notes.
func ParseNotes(text []byte) (notes []Note, others int) {
	records, bad := parseNotes(text)
	return sortedNotes(records), len(bad)
}

// text returns the line of a record. The line of an unchanged record stays as it is; that of a
// changed one keeps the fields that a newer version has added.
func (r Note) text() ([]byte, error) {
	if r.line != nil {
		return r.line, nil
	}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(r); err != nil {
		return nil, err
	}
	line := bytes.TrimRight(out.Bytes(), "\n")
	was, _ := pyjson.Parse(string(r.was)) // nil for none
	old, _ := was.(pyjson.Object)
	for _, f := range old {
		switch f.Name {
		case "database", "session", "message", "title", "bookmark", "note", "tags", "changed":
		default:
			added := pyjson.Append(nil, pyjson.Object{f})
			line = append(append(line[:len(line)-1], ','), added[1:]...) // without the opening brace
		}
	}
	return line, nil
}

// sortedNotes returns records by database, conversation and message.
func sortedNotes(records map[noteKey]Note) []Note {
	all := make([]Note, 0, len(records))
	for _, r := range records {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(strings.Compare(a.Database, b.Database), strings.Compare(a.Session, b.Session), cmp.Compare(a.Message, b.Message)) < 0
	})
	return all
}

// Write puts records into the file in place of those on the same things; what another run
// has written stays. An empty record removes one. With newer, a record that was changed
// later than the new one, or says the same, stays. changed counts those that do not.
func (b *Notebook) Write(records []Note, newer bool) (changed int, err error) {
	var all map[noteKey]Note
	err = b.update(func(text []byte) ([]byte, error) {
		var others [][]byte
		all, others = parseNotes(text)
		changed = 0
		for _, r := range records {
			was, known := all[r.key()]
			r.line, r.was = nil, was.line
			switch {
			case newer && known && (was.Changed.After(r.Changed) || was.same(r)), r.empty() && !known:
			case r.empty():
				delete(all, r.key())
				changed++
			default:
				changed++
				all[r.key()] = r
			}
		}
		var out bytes.Buffer
		for _, r := range sortedNotes(all) {
			line, err := r.text()
			if err != nil {
				return nil, err
			}
			out.Write(append(bytes.Clone(line), '\n'))
		}
		for _, line := range others {
			out.Write(append(bytes.Clone(line), '\n'))
		}
		return append([]byte{}, out.Bytes()...), nil // not nil, which would leave the file as it is
	})
	if err == nil {
		b.mu.Lock()
		b.records = all
		b.mu.Unlock()
	}
	return changed, err
}

// Import adds the notes of another file where they are newer. Those from another computer go to the
// profiles of the same names here.
func (b *Notebook) Import(notes []Note) (changed int, err error) {
	for i := range notes {
		r := &notes[i]
		if here := placeHere(r.Database, cmp.Or(b.of.One, b.of.Members["default"])); here != r.Database {
			r.Database = here
			r.line, r.was = nil, r.line
		}
	}
	return b.Write(notes, true)
}

// update changes the file, or the text in memory where there is none.
func (b *Notebook) update(change func([]byte) ([]byte, error)) error {
	if b.file != "" {
		return updateFile(b.file, change)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := change(b.text)
	if err == nil {
		b.text = text
	}
	return err
}

// current returns the records as they are in the file: another program may have written it.
func (b *Notebook) current() map[noteKey]Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == "" {
		return b.records
	}
	info, err := os.Stat(b.file)
	if err != nil || b.read != nil && os.SameFile(info, b.read) && info.ModTime().Equal(b.read.ModTime()) && info.Size() == b.read.Size() {
		return b.records
	}
	if text, err := readFile(b.file); err == nil {
		b.records, _ = parseNotes(text)
		b.read = info
	}
	return b.records
}

// Records returns all records, those of other databases too.
func (b *Notebook) Records() []Note {
	return sortedNotes(b.current())
}

// On implements [shell.Annotations].
func (b *Notebook) On(root string, message int64) shell.Annotation {
	database, local := b.of.Key(root)
	r := b.current()[noteKey{database, local, message}]
	return shell.Annotation{Root: root, Message: message, Bookmark: r.Bookmark, Note: r.Note, Tags: r.Tags, Title: r.Title}
}

// Bookmarks implements [shell.Annotations].
func (b *Notebook) Bookmarks(root string) (messages []int64) {
	database, local := b.of.Key(root)
	for _, r := range b.Records() {
		if r.Database == database && r.Session == local && r.Message != 0 {
			messages = append(messages, r.Message)
		}
	}
	return messages
}

// Put implements [shell.Annotations].
func (b *Notebook) Put(a shell.Annotation) error {
	database, local := b.of.Key(a.Root)
	_, err := b.Write([]Note{{Database: database, Session: local, Message: a.Message, Title: a.Title, Bookmark: a.Bookmark, Note: a.Note, Tags: a.Tags, Changed: b.clock().UTC()}}, false)
	return err
}

// Each calls do with the records of the open databases, and the id by which the browser
// knows the conversation of each.
func (b *Notebook) Each(do func(root string, r Note)) {
	all := b.Records()
	b.of.Each(func(database, prefix string) {
		for _, r := range all {
			if r.Database == database {
				do(prefix+r.Session, r)
			}
		}
	})
}

// Tags implements [shell.Annotations].
func (b *Notebook) Tags() []query.FieldValue {
	counts := map[string]int{}
	b.Each(func(_ string, r Note) {
		for _, tag := range r.Tags {
			counts[tag]++
		}
	})
	var all []query.FieldValue
	for tag, n := range counts {
		all = append(all, query.FieldValue{Value: tag, Conversations: n})
	}
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[j].Conversations, all[i].Conversations), strings.Compare(all[i].Value, all[j].Value)) < 0
	})
	return all
}

// Known implements [shell.Annotations].
func (b *Notebook) Known(f query.Filter) *query.Known {
	roots := map[string]int64{}
	b.Each(func(root string, r Note) {
		var asked bool
		switch {
		case f.Field == query.FieldTag:
			asked = slices.ContainsFunc(r.Tags, f.Matches)
		case f.Value == "bookmark":
			asked = r.Bookmark
		default:
			asked = r.Note != ""
		}
		if asked {
			roots[root] = 0
		}
	})
	return query.NewKnown(roots)
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
