package transcript

import (
	"path/filepath"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/theme"
)

// Nothing is lost of recorded, invented and made histories, message by message and where calls and results are drawn
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
	for _, name := range []string{"v11.db", "v25.db", "v31.db", "life-long.db"} {
		t.Run(name, func(t *testing.T) { nothingIsLost(t, openStore(t, fixtures.Database(t, name))) })
	}
	t.Run("made", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state.db")
		if err := corpus.Make(t.Context(), path, corpus.Config{Messages: campaign.Length(600, 3000), Seed: 4}); err != nil {
			t.Fatal(err)
		}
		nothingIsLost(t, openStore(t, path))
	})
}

func openStore(t *testing.T, path string) *store.Store {
	t.Helper()
	lib, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	return lib
}

func nothingIsLost(t *testing.T, lib *store.Store) {
	t.Helper()
	all, err := lib.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatal(err)
	}
	styles, read := theme.New(theme.Mono, false), 0
	for _, c := range all.Conversations {
		o, err := lib.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		msgs, err := lib.MessagesByID(t.Context(), o.MessageIDs)
		if err != nil || len(msgs) != len(o.MessageIDs) {
			t.Fatalf("%s: %d of %d messages, %v", c.ID, len(msgs), len(o.MessageIDs), err)
		}
		var stored []string
		for _, m := range msgs {
			read++
			texts := storedTexts(m)
			stored = append(stored, texts...)
			if lost := missing(texts, drawn([]model.Message{m}, 100, styles, false)); lost != "" {
				t.Errorf("message %d, by %s: %s", m.ID, m.Role, lost)
			}
		}
		if lost := missing(stored, drawn(msgs, 80, styles, false)); lost != "" {
			t.Errorf("%s: %s", c.ID, lost)
		}
	}
	t.Logf("%d messages of %d conversations", read, len(all.Conversations))
}
