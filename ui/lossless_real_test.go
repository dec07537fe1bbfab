package ui

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/theme"
)

// Nothing is lost of what people and agents really say either, and of the
// invented history, message by message and where calls and results are drawn
// together.
func TestNothingIsLostOfConversations(t *testing.T) {
	t.Run("invented", func(t *testing.T) {
		lib, err := store.Demo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer lib.Close()
		nothingIsLost(t, lib)
	})
	t.Run("real", func(t *testing.T) {
		file, err := os.ReadFile(filepath.Join("..", "..", "shared", "corpus", "real-small.db"))
		if err != nil {
			t.Skip("the shared conversations are not here")
		}
		path := filepath.Join(t.TempDir(), "state.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		lib, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer lib.Close()
		nothingIsLost(t, lib)
	})
}

func nothingIsLost(t *testing.T, lib *store.Store) {
	t.Helper()
	all, err := lib.Conversations(t.Context(), model.ListQuery{Scope: model.Everything})
	if err != nil {
		t.Fatal(err)
	}
	look, read := theme.New(theme.Mono, false), 0
	for k, c := range all.Conversations {
		if testing.Short() && k%8 > 0 {
			continue
		}
		o, err := lib.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		msgs, err := lib.MessagesByID(t.Context(), o.IDs)
		if err != nil || len(msgs) != len(o.IDs) {
			t.Fatalf("%s: %d of %d messages, %v", c.ID, len(msgs), len(o.IDs), err)
		}
		var stored []string
		for _, m := range msgs {
			read++
			texts := storedTexts(m)
			stored = append(stored, texts...)
			if lost := missing(texts, drawn([]model.Message{m}, 100, look, false)); lost != "" {
				t.Errorf("message %d, by %s: %s", m.ID, m.Role, lost)
			}
		}
		if lost := missing(stored, drawn(msgs, 80, look, false)); lost != "" {
			t.Errorf("%s: %s", c.ID, lost)
		}
	}
	t.Logf("%d messages of %d conversations", read, len(all.Conversations))
}
