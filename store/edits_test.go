package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// newest opens a copy of a fixture with the columns that a newer Hermes adds.
func newest(t testing.TB, name string) *Store {
	t.Helper()
	s, ctx := openFixture(t, name), t.Context()
	err := s.db.Write(ctx, "age", func(x *db.Tx) error {
		for _, c := range []string{"title_source TEXT", "hidden INTEGER NOT NULL DEFAULT 0"} {
			if _, err := x.Exec(ctx, `ALTER TABLE sessions ADD COLUMN `+c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), s.Path(), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// rowsOf returns every column of every session by its id.
func rowsOf(t testing.TB, s *Store) map[string]string {
	t.Helper()
	rows, err := s.db.Pool.QueryContext(t.Context(), `SELECT * FROM sessions`)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	if err := db.ScanRecords(rows, func(r Record) error {
		out[db.AsText(r.Get("id"))] = fmt.Sprintf("%#v", r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Pins and the archive hold for whole conversations, and for nothing else
// (store/README.md#newer-files).
func TestFlagsApplyToTheWholeConversation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file   string
		column string
	}{{"v16.db", "archived"}, {"v25.db", "archived"}, {"v25.db", "pinned"}, {"newest", "archived"}, {"newest", "pinned"}} {
		t.Run(c.file+" "+c.column, func(t *testing.T) {
			var s *Store
			if c.file == "newest" {
				s = newest(t, "v25.db")
			} else {
				s = openFixture(t, c.file)
			}
			set := s.SetArchived
			if c.column == "pinned" {
				set = s.SetPinned
			}
			_, tip := compressed(t, s)
			conv, err := s.Conversation(t.Context(), tip)
			if err != nil {
				t.Fatal(err)
			}
			all := dump(t, s.db.Pool)
			before := rowsOf(t, s)
			e, err := set(t.Context(), []string{tip}, true)
			if err != nil {
				t.Fatal(err)
			}
			after := rowsOf(t, s)
			for id, row := range before {
				is := slices.Contains(conv.Segments, id)
				if want := strings.Replace(row, `{Name:"`+c.column+`", Value:0}`, `{Name:"`+c.column+`", Value:1}`, 1); is && after[id] != want {
					t.Errorf("%s is\n%s, want\n%s", id, after[id], want)
				} else if !is && after[id] != row {
					t.Errorf("%s was touched:\n%s\n%s", id, row, after[id])
				}
			}
			if ids := e.Sessions(); !slices.Equal(ids, conv.Segments) {
				t.Errorf("it says %q, want %q", ids, conv.Segments)
			}
			now, err := s.Conversation(t.Context(), tip)
			if err != nil || (c.column == "archived") != (now.Scope == model.ScopeArchived) || (c.column == "pinned") != now.Pinned {
				t.Errorf("%+v %v", now, err)
			}
			// Once more changes nothing, and so has nothing to take back.
			if again, err := set(t.Context(), []string{tip}, true); err != nil || len(again.Changes) > 0 {
				t.Error(again, err)
			}
			if err := s.UndoEdit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			same(t, "taken back", all, dump(t, s.db.Pool))
			if err := s.UndoEdit(t.Context(), e); kind(err) != model.KindChanged {
				t.Errorf("twice: %v", err)
			}
		})
	}
}

// Where a file has no place for it, that is said, and nothing is done.
func TestFlagsThatAFileDoesNotHave(t *testing.T) {
	t.Parallel()
	for file, can := range map[string]model.Editable{"v01.db": {}, "v11.db": {}, "v16.db": {Archive: true}, "v25.db": {Pin: true, Archive: true}} {
		s := openFixture(t, file)
		if got := s.Editable(); got != can {
			t.Errorf("%s: %+v", file, got)
		}
		ids := texts(t, s, `SELECT min(id) FROM sessions`)
		if _, err := s.SetPinned(t.Context(), ids, true); (err == nil) != can.Pin || err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: pin: %v", file, err)
		}
		if _, err := s.SetArchived(t.Context(), ids, true); (err == nil) != can.Archive || err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: archive: %v", file, err)
		}
		if _, err := s.SetArchived(t.Context(), []string{ids[0], "unknown"}, true); kind(err) != model.KindNotFound {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A rename and its undo, with a title that moves on from an earlier segment.
func TestUndoOfARenameRestoresTheTitle(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v16.db", "newest"} {
		t.Run(name, func(t *testing.T) {
			var s *Store
			if name == "newest" {
				s = newest(t, "v25.db")
			} else {
				s = openFixture(t, name)
			}
			ctx := t.Context()
			root, tip := compressed(t, s)
			if _, err := s.SetTitle(ctx, root, "the one title"); err != nil {
				t.Fatal(err)
			}
			if name == "newest" {
				if err := s.db.Write(ctx, "set", func(t *db.Tx) error {
					_, err := t.Exec(ctx, `UPDATE sessions SET title_source = 'generated'`)
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			was, err := s.Title(ctx, tip)
			if err != nil {
				t.Fatal(err)
			}
			o, err := s.TitleOwner(ctx, "the one title", tip)
			if err != nil || o == nil || !o.EarlierSegment || o.Session != root || o.Conversation.ID != tip || o.NextFree != "the one title #2" {
				t.Fatalf("%+v %v", o, err)
			}
			before := dump(t, s.db.Pool)
			e, err := s.Rename(ctx, model.Renaming{ID: tip, Was: was, Title: " the one\ttitle"})
			if err != nil {
				t.Fatal(err)
			}
			if got := texts(t, s, `SELECT id FROM sessions WHERE title = 'the one title'`); !slices.Equal(got, []string{tip}) {
				t.Fatalf("%q have it", got)
			}
			if err := s.UndoEdit(ctx, e); err != nil {
				t.Fatal(err)
			}
			same(t, "taken back", before, dump(t, s.db.Pool))
		})
	}
}

// A rename is for the row and the title that a person saw.
func TestRenameRefusesAChangedTitle(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openFixture(t, "v25.db")
	root, tip := compressed(t, s)
	if _, err := s.Rename(ctx, model.Renaming{ID: root, Title: "x"}); kind(err) != model.KindChanged || !strings.Contains(err.Error(), tip) {
		t.Errorf("an earlier segment: %v", err)
	}
	was, err := s.Title(ctx, tip)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetTitle(ctx, tip, "renamed by another process"); err != nil {
		t.Fatal(err)
	}
	before := dump(t, s.db.Pool)
	if _, err := s.Rename(ctx, model.Renaming{ID: tip, Was: was, Title: "x"}); kind(err) != model.KindChanged || !strings.Contains(err.Error(), "renamed by another process") {
		t.Errorf("another title: %v", err)
	}
	if _, err := s.Rename(ctx, model.Renaming{ID: "unknown", Title: "x"}); kind(err) != model.KindNotFound {
		t.Error(err)
	}
	if _, err := s.Rename(ctx, model.Renaming{ID: tip, Was: "renamed by another process", Title: strings.Repeat("é", 101)}); kind(err) != model.KindInvalid {
		t.Error(err)
	}
	other := texts(t, s, `SELECT id FROM sessions WHERE title IS NOT NULL AND id <> '`+tip+`' ORDER BY id LIMIT 1`)[0]
	title, err := s.Title(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Rename(ctx, model.Renaming{ID: tip, Was: "renamed by another process", Title: title})
	if taken, ok := errors.AsType[model.TitleTaken](err); !ok || taken.Owner != other {
		t.Errorf("%v", err)
	}
	same(t, "refused", before, dump(t, s.db.Pool))
	if o, err := s.TitleOwner(ctx, "unused title", tip); o != nil || err != nil {
		t.Error(o, err)
	}

	// Nor is a change taken back that others have built on.
	e, err := s.Rename(ctx, model.Renaming{ID: tip, Was: "renamed by another process", Title: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetTitle(ctx, other, "renamed by another process"); err != nil {
		t.Fatal(err)
	}
	if taken, ok := errors.AsType[model.TitleTaken](s.UndoEdit(ctx, e)); !ok || taken.Owner != other {
		t.Error("the title of another session was taken", taken)
	}
	if _, err := s.SetTitle(ctx, tip, "theirs"); err != nil {
		t.Fatal(err)
	}
	if err := s.UndoEdit(ctx, e); kind(err) != model.KindChanged || !strings.Contains(err.Error(), "theirs") {
		t.Error(err)
	}
	if err := s.UndoEdit(ctx, model.Edit{Changes: []model.CellChange{{Session: tip, Column: "source", Before: "x"}}}); err == nil {
		t.Error("any column goes")
	}
}

// An unknown id is an error, of [model.KindNotFound] unless another session has the title: like
// Hermes, SetTitle checks that first.
func TestSetTitleOfAnUnknownSession(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	taken := texts(t, s, `SELECT title FROM sessions WHERE title IS NOT NULL LIMIT 1`)[0]
	for title, want := range map[string]string{taken: model.KindTitleInUse, "free": model.KindNotFound, "": model.KindNotFound} {
		if _, err := s.SetTitle(t.Context(), "no such session", title); kind(err) != want {
			t.Errorf("%q: %v", title, err)
		}
	}
}
