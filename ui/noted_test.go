package ui

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// notebook keeps annotations in memory.
type notebook struct {
	mu   sync.Mutex
	all  map[string]map[int64]shell.Annotation
	fail error
}

func (n *notebook) On(root string, message int64) shell.Annotation {
	n.mu.Lock()
	defer n.mu.Unlock()
	a := n.all[root][message]
	a.Root, a.Message = root, message
	return a
}

func (n *notebook) Bookmarks(root string) (ids []int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := range n.all[root] {
		if id != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (n *notebook) Tags() []query.FieldValue {
	return []query.FieldValue{{Value: "later", Conversations: 1}}
}

func (n *notebook) Known(f query.Filter) *query.Known {
	n.mu.Lock()
	defer n.mu.Unlock()
	roots := map[string]int64{}
	for root, on := range n.all {
		if slices.ContainsFunc(on[0].Tags, f.Matches) {
			roots[root] = 1
		}
	}
	return query.NewKnown(roots)
}

func (n *notebook) Put(a shell.Annotation) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail != nil {
		return n.fail
	}
	if n.all[a.Root] == nil {
		n.all[a.Root] = map[int64]shell.Annotation{}
	}
	if n.all[a.Root][a.Message] = a; !a.Bookmark && a.Note == "" && len(a.Tags) == 0 {
		delete(n.all[a.Root], a.Message)
	}
	return nil
}

func TestNotesTagsAndBookmarks(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		book := &notebook{all: map[string]map[int64]shell.Annotation{}}
		d := start(t, lib, 100, 30, func(o *Options) { o.Annotations = book })
		d.keys("ctrl+x", "N").sees("Note on “Kafka consumer retries #3”").types("ask").keys("enter").sees("  ✎ ask")
		d.keys("ctrl+x", "T").types("#later, later db").keys("enter").sees("✎ #later #db ask")
		d.keys("right").sees("✎ #later #db ask").keys("g", "J", "m").sees("⚑ bookmark").keys("a").types("so").keys("enter").sees("⚑ bookmark · ✎ so")
		d.keys("G", "M").sees("⚑ bookmark").keys("m").misses("⚑").sees("✎ so").keys("A").sees("later db").keys("esc", "q").sees("⚑ Kafka")
		d.keys("ctrl+x", "i").sees("note   #later #db ask").keys("enter").sees("tags  ").sees("message ").keys("esc")
		wide := start(t, lib, 120, 30, func(o *Options) { o.Annotations = book })
		wide.sees(" ✎ #later #db ask") // in the preview: the row has no room
		wide = start(t, lib, 160, 30, func(o *Options) { o.Annotations = book })
		wide.keys("right").sees("⚑ 1")
		d.keys("ctrl+d").sees("Your notes, tags and bookmarks stay").keys("n")
		book.fail = errors.New("no room for notes")
		d.keys("ctrl+x", "N", "x", "enter").sees("o room for notes").misses("askx")
		d.types("tag:").sees("later  1")
		d.keys("ctrl+u").types("is:").sees("pinned", "expiring").keys("ctrl+u").types("has:").sees("bookmark")
		d = start(t, lib, 100, 30)
		d.keys("ctrl+x", "N").sees("otes are not kept here")
	})
}

// A note, tags and a bookmark are undone like other changes, the latest first, also where the
// database is read-only.
func TestNotesAreUndone(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		book := &notebook{all: map[string]map[int64]shell.Annotation{}}
		d := start(t, lib, 100, 30, func(o *Options) { o.Annotations = book })
		d.keys("ctrl+x", "N").types("ask the miners").keys("enter").sees("Note saved · alt+z undo", "✎ ask the miners")
		d.keys("ctrl+x", "T").types("db").keys("enter").sees("Tags saved", "✎ #db ask the miners")
		d.keys("ctrl+x", "N", "ctrl+u", "enter").sees("Note removed · alt+z undo").misses("ask the miners")
		d.keys("right", "m").sees("⚑ bookmark").keys("alt+z").misses("⚑").sees("Undone: the bookmark of “Kafka consumer retries #3”")
		d.keys("q", "ctrl+x", "N", "enter") // as it was
		d.keys("alt+z").sees("Undone: the note of “Kafka consumer retries #3”", "✎ #db ask the miners")
		lib.Set(func() { lib.Rights = unwritable{} })
		d.keys("alt+z", "alt+z").sees("Undone: the note").misses("✎")
		d.keys("ctrl+x")
		book.fail = errors.New("no room for notes")
		d.keys("esc", "ctrl+x", "N").types("lost").keys("enter").sees("o room for notes")
		if n := len(d.root.changes.undo.steps); n != 0 {
			t.Errorf("%d changes to undo", n)
		}
	})
}

// What another program notes while the box is open stays.
func TestANoteKeepsTagsOfAnotherProgram(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		book := &notebook{all: map[string]map[int64]shell.Annotation{}}
		d := start(t, lib, 100, 30, func(o *Options) { o.Annotations = book })
		d.keys("ctrl+x", "N").types("ask").keys("enter").sees("✎ ask").keys("ctrl+x", "N").types(" again")
		book.mu.Lock()
		for _, on := range book.all {
			a := on[0]
			a.Tags = []string{"db"}
			on[0] = a
		}
		book.mu.Unlock()
		d.keys("enter").sees("✎ #db ask again")
		d.keys("alt+z").sees("Undone: the note").sees("✎ #db ask").keys("alt+z").sees("✎ #db").misses("ask")
	})
}

// A note is written although the program ends before its command has run.
func TestNotesAreWrittenWhenTheProgramEnds(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		book := &notebook{all: map[string]map[int64]shell.Annotation{}}
		d := start(t, lib, 100, 30, func(o *Options) { o.Annotations = book })
		d.root.Do(shell.Annotate{Annotation: shell.Annotation{Root: "c1", Note: "ask"}})
		if _, err := d.root.Close(); err != nil || book.On("c1", 0).Note != "ask" {
			t.Errorf("noted %+v: %v", book.On("c1", 0), err)
		}
		book.fail = errors.New("no room for notes")
		d.root.Do(shell.Annotate{Annotation: shell.Annotation{Root: "c2", Note: "ask"}})
		if _, err := d.root.Close(); !errors.Is(err, book.fail) {
			t.Errorf("no error of the note: %v", err)
		}
	})
}
