// Package annotations keeps the user's notes, tags and bookmarks in a file of JSON lines,
// one for each conversation or message. People can read and edit it.
package annotations

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"hermes-sessions/internal/cli/lastread"
	"hermes-sessions/internal/cli/statefile"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// Record is a line of the file: what is noted on a conversation, or on a message of it.
type Record struct {
	Database string    `json:"database"`          // its path, see [lastread.Databases]
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

// key is what a record is about.
type key struct {
	database, session string
	message           int64
}

func (r Record) key() key { return key{r.Database, r.Session, r.Message} }

func (r Record) empty() bool { return !r.Bookmark && r.Note == "" && len(r.Tags) == 0 }

// same reports whether two records on one thing say the same.
func (r Record) same(o Record) bool {
	return r.Title == o.Title && r.Bookmark == o.Bookmark && r.Note == o.Note && slices.Equal(r.Tags, o.Tags) && r.Changed.Equal(o.Changed)
}

// Book is the file as one run of the program knows it. Its methods may be called at once
// from several goroutines. It implements [shell.Annotations].
type Book struct {
	file  string
	of    lastread.Databases
	clock func() time.Time

	mu      sync.Mutex
	records map[key]Record
	read    os.FileInfo // the file that the records are of, nil for none yet
	text    []byte      // in the place of a file
}

// Open reads the file for the databases that are open. Lines that are no records stay in
// it. Without a file the notes are gone when the program ends.
func Open(file string, of lastread.Databases, clock func() time.Time) (*Book, error) {
	b := &Book{file: file, of: of, clock: clock, records: map[key]Record{}}
	if file == "" {
		return b, nil
	}
	text, err := statefile.Read(file)
	b.records, _ = parse(text) // a change reads the other lines again and keeps them
	return b, err
}

// parse reads the lines of a file. others are those that are no records.
func parse(text []byte) (records map[key]Record, others [][]byte) {
	records = map[key]Record{}
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) { // some editors write that
		line = bytes.TrimRight(line, "\r\n")
		var r Record
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

// text returns the line of a record. The line of an unchanged record stays as it is; that of a
// changed one keeps the fields that a newer version has added.
func (r Record) text() ([]byte, error) {
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

// sorted returns records by database, conversation and message.
func sorted(records map[key]Record) []Record {
	all := make([]Record, 0, len(records))
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
func (b *Book) Write(records []Record, newer bool) (changed int, err error) {
	var all map[key]Record
	err = b.update(func(text []byte) ([]byte, error) {
		var others [][]byte
		all, others = parse(text)
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
		for _, r := range sorted(all) {
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

// update changes the file, or the text in memory where there is none.
func (b *Book) update(change func([]byte) ([]byte, error)) error {
	if b.file != "" {
		return statefile.Update(b.file, change)
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
func (b *Book) current() map[key]Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == "" {
		return b.records
	}
	info, err := os.Stat(b.file)
	if err != nil || b.read != nil && os.SameFile(info, b.read) && info.ModTime().Equal(b.read.ModTime()) && info.Size() == b.read.Size() {
		return b.records
	}
	if text, err := statefile.Read(b.file); err == nil {
		b.records, _ = parse(text)
		b.read = info
	}
	return b.records
}

// Records returns all records, those of other databases too.
func (b *Book) Records() []Record {
	return sorted(b.current())
}

// On implements [shell.Annotations].
func (b *Book) On(root string, message int64) shell.Annotation {
	database, local := b.of.Key(root)
	r := b.current()[key{database, local, message}]
	return shell.Annotation{Root: root, Message: message, Bookmark: r.Bookmark, Note: r.Note, Tags: r.Tags, Title: r.Title}
}

// Bookmarks implements [shell.Annotations].
func (b *Book) Bookmarks(root string) (messages []int64) {
	database, local := b.of.Key(root)
	for _, r := range b.Records() {
		if r.Database == database && r.Session == local && r.Message != 0 {
			messages = append(messages, r.Message)
		}
	}
	return messages
}

// Put implements [shell.Annotations].
func (b *Book) Put(a shell.Annotation) error {
	database, local := b.of.Key(a.Root)
	_, err := b.Write([]Record{{Database: database, Session: local, Message: a.Message, Title: a.Title, Bookmark: a.Bookmark, Note: a.Note, Tags: a.Tags, Changed: b.clock().UTC()}}, false)
	return err
}

// each calls do with the records of the open databases, and the id by which the browser
// knows the conversation of each.
func (b *Book) each(do func(root string, r Record)) {
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
func (b *Book) Tags() []query.FieldValue {
	counts := map[string]int{}
	b.each(func(_ string, r Record) {
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
func (b *Book) Known(f query.Filter) *query.Known {
	roots := map[string]int64{}
	b.each(func(root string, r Record) {
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
