package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store/sessiondb"
)

// Ids are taken at their word: no call takes one for a path, a pattern, a
// beginning or a statement, and none touches another session or file.
func TestIDsAreLiteral(t *testing.T) {
	t.Parallel()
	odd := []string{
		"../x", "/etc/passwd", "a/b", `C:\x`, "*", "a*", "[ab]", "?", "%", "a%", "_", "a", "ab", "abc", "-rf", "--json", ".", "..", "~",
		"'; DROP TABLE sessions; --", `"`, "a b", " a", "ä", "部署", "\x1b[31mred", "a\nb", "😀",
	}
	for _, name := range someOf([]string{"v25.db", "v11.db"}, 2) {
		t.Run(name, func(t *testing.T) {
			path := fixture(t, name)
			dir := filepath.Join(filepath.Dir(path), "sessions")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			outside := filepath.Join(filepath.Dir(path), "x.json")
			for _, file := range []string{outside, filepath.Join(dir, "other.json"), filepath.Join(dir, "ab.json")} {
				if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := Open(t.Context(), path, WithClock(clock), WithTranscripts(dir))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx := t.Context()
			before := dump(t, otherConnection(t, path))
			for _, id := range odd {
				if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli"}); err != nil {
					t.Fatalf("%q: %v", id, err)
				}
				if _, err := s.AppendMessage(ctx, id, sessiondb.NewMessage{Role: "user", Content: "said in " + id}); err != nil {
					t.Fatalf("%q: %v", id, err)
				}
			}
			if _, err := s.CreateSession(ctx, sessiondb.NewSession{Source: "cli"}); kind(err) != model.KindInvalid {
				t.Error("an empty id:", err)
			}
			for i, id := range odd {
				if r, err := s.Session(ctx, id); err != nil || r.Get("id") != id {
					t.Errorf("%q: %v %v", id, r, err)
				}
				if m, err := s.Messages(ctx, id); err != nil || len(m) != 1 || m[0].Get("content") != "said in "+id {
					t.Errorf("%q: %v %v", id, m, err)
				}
				if got := meant(t, s, id); got != id {
					t.Errorf("%q resolves to %q %v", id, got, err)
				}
				if got, err := s.ResumeTarget(ctx, id); err != nil || got != id {
					t.Errorf("%q is resumed as %q %v", id, got, err)
				}
				if _, err := s.SetTitle(ctx, id, fmt.Sprint("odd ", i)); err != nil {
					t.Errorf("%q: %v", id, err)
				}
				var line strings.Builder
				if n, err := s.Export(ctx, &line, model.ExportOptions{IDs: []string{id}}); err != nil || n != 1 {
					t.Errorf("%q: %d %v", id, n, err)
				}
				n := Count(t, s, `SELECT count(*) FROM sessions`)
				u, err := s.Delete(ctx, []string{id}, model.DeleteOptions{})
				if err != nil {
					t.Fatalf("%q: %v", id, err)
				}
				if got := u.Deleted().Sessions; !slices.Equal(got, []string{id}) || Count(t, s, `SELECT count(*) FROM sessions`) != n-1 {
					t.Errorf("with %q went %q", id, got)
				}
				if id == "ab" {
					if _, err := os.Stat(filepath.Join(dir, "ab.json")); !errors.Is(err, os.ErrNotExist) {
						t.Error("its own file stayed", err)
					}
				}
				if err := s.Restore(ctx, u, model.RestoreOptions{}); err != nil {
					t.Errorf("%q: %v", id, err)
				}
				if err := u.Close(); err != nil {
					t.Error(err)
				}
				var again strings.Builder
				if _, err := s.Export(ctx, &again, model.ExportOptions{IDs: []string{id}}); err != nil || again.String() != line.String() {
					t.Errorf("%q came back as %s, was %s (%v)", id, again.String(), line.String(), err)
				}
			}
			for _, file := range []string{outside, filepath.Join(dir, "other.json"), filepath.Join(dir, "ab.json")} {
				if _, err := os.Stat(file); err != nil {
					t.Error(err)
				}
			}
			for _, id := range []string{"", "../y", "ab*", "abcd", "\x00"} {
				_, err := s.Session(ctx, id)
				expect(t, err, model.KindNotFound)
				_, err = s.Delete(ctx, []string{id}, model.DeleteOptions{})
				expect(t, err, model.KindNotFound)
			}
			u, err := s.Delete(ctx, odd, model.DeleteOptions{NoUndo: true})
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			db := otherConnection(t, path)
			Must(t, db, `UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM messages) WHERE name = 'messages'`)
			if after := dump(t, db); !slices.Equal(minusSequence(before), minusSequence(after)) {
				t.Error("something else has changed")
			}
		})
	}
}

// minusSequence leaves out the counter of message numbers.
func minusSequence(rows []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(r string) bool { return strings.HasPrefix(r, "sqlite_sequence ") })
}

// More ids than one statement can bind are looked up in one call (store/README.md#q27).
func TestManyIDsInOneCall(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	known := texts(t, s, `SELECT id FROM sessions ORDER BY id`)
	var ids []string
	for i := range 40_000 {
		ids = append(ids, "unknown"+strings.Repeat("x", i%7))
	}
	ids = append(ids, known...)
	found, err := s.Records(t.Context(), ids)
	if err != nil || len(found) != len(known) {
		t.Errorf("%d of %d: %v", len(found), len(known), err)
	}
	numbers := make([]int64, 40_000)
	for i := range numbers {
		numbers[i] = int64(i + 1)
	}
	messages, err := s.MessagesByID(t.Context(), numbers)
	if err != nil || len(messages) == 0 {
		t.Error(len(messages), err)
	}
	p, err := s.PlanDelete(t.Context(), ids, model.DeleteOptions{})
	if err != nil || len(p.Sessions) != len(known) {
		t.Errorf("%d of %d would go: %v", len(p.Sessions), len(known), err)
	}
}

// A title has a hundred characters at most, counted as Python counts them, and
// what is refused leaves the row as it was.
func TestTitlesAtTheirLimits(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	ctx := t.Context()
	for _, id := range []string{"a", "b"} {
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli"}); err != nil {
			t.Fatal(err)
		}
	}
	for title, want := range map[string]string{
		strings.Repeat("x", 100):              strings.Repeat("x", 100),
		strings.Repeat("😀", 100):              strings.Repeat("😀", 100),
		" " + strings.Repeat("é", 100) + "\n": strings.Repeat("é", 100),
		"a\x00b\x1b[31m\u202ec":               "ab[31mc",
		strings.Repeat("\u200b", 500):         "",
		" \t\r\n":                             "",
	} {
		if got, err := s.SetTitle(ctx, "a", title); err != nil || got != want {
			t.Errorf("%.20q is stored as %.20q %v", title, got, err)
		}
	}
	if _, err := s.SetTitle(ctx, "a", "mine"); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{strings.Repeat("x", 101), strings.Repeat("😀", 101)} {
		_, err := s.SetTitle(ctx, "a", title)
		if expect(t, err, model.KindInvalid); !strings.Contains(err.Error(), "101 chars, max 100") {
			t.Error(err)
		}
	}
	_, err := s.SetTitle(ctx, "b", " mine\u200b ")
	expect(t, err, model.KindTitleInUse)
	if got := texts(t, s, `SELECT coalesce(title, 'none') FROM sessions ORDER BY id`); !slices.Equal(got, []string{"mine", "none"}) {
		t.Errorf("%q", got)
	}
}
