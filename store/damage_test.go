package store

import (
	"os"
	"slices"
	"testing"

	"hermes-sessions/model"
)

// With any one page of the file destroyed, either the file can not be opened
// and that is said, or what is left is shown, with a note where something that
// was asked for is missing. An empty list never stands for an error.
func TestAnyPageDestroyed(t *testing.T) {
	const page = 4096
	for _, name := range []string{"v06.db", "v18.db"} {
		whole := fixture(t, name)
		content, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		read := func(path string) (conversations, messages int, notes []model.Note) {
			t.Helper()
			s, err := Open(t.Context(), path, WithClock(clock))
			if err != nil {
				expect(t, err, KindDamaged)
				return -1, 0, nil
			}
			list, err := s.Conversations(t.Context(), model.ListQuery{Scope: model.Everything})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list.Conversations {
				o, err := s.Outline(t.Context(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				all, err := s.MessagesByID(t.Context(), o.IDs)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range all {
					if m.Role != "" {
						messages++
					}
				}
				if _, err := s.Tail(t.Context(), c.ID, 3); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return list.Total, messages, s.Notes()
		}
		conversations, messages, _ := read(whole)
		refused, shortened, silent := 0, 0, 0
		for p := 1; p < len(content)/page; p++ {
			damaged := slices.Clone(content)
			clear(damaged[p*page : (p+1)*page])
			path := whole + ".damaged"
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			c, m, notes := read(path)
			switch {
			case c < 0:
				refused++
				continue
			case m == 0 && c > 0:
				silent++ // the root of the messages
			case c < conversations*2/3 || m < messages/2:
				t.Errorf("%s, page %d: %d of %d conversations, %d of %d messages", name, p, c, conversations, m, messages)
			}
			if c < conversations || m < messages {
				shortened++
				if len(notes) == 0 {
					t.Errorf("%s, page %d: nothing says that something is missing", name, p)
				}
			}
		}
		t.Logf("%s: of %d pages, %d make the file unreadable, %d hide something", name, len(content)/page, refused, shortened)
		if refused > 2 || silent > 1 {
			t.Errorf("%s: %d pages make the file unreadable, %d hide all messages", name, refused, silent)
		}
	}
}
