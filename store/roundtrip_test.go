package store_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// An export of any database from schema 11 on, imported into a new file of the newest
// known schema, is exported from there with the same values, those of newer schemas
// included: a column that the old schema lacks has its default.
func TestExportsComeBackInTheNewestSchema(t *testing.T) {
	for _, name := range fixtures.Names(t, "v??.db", 20) {
		if name < "v11" || !campaign.On() && !slices.Contains([]string{"v11.db", "v16.db", "v26.db", "v31.db"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := exportOf(t, fixtures.Database(t, name))
			fresh := filepath.Join(t.TempDir(), "state.db")
			done, err := store.Migrate(t.Context(), fresh, store.WithNewestSchema())
			if err != nil || done.To != 26 {
				t.Fatal(done, err)
			}
			s, err := store.Open(t.Context(), fresh)
			if err != nil {
				t.Fatal(err)
			}
			report, err := s.Import(t.Context(), bytes.NewReader(first), model.ImportOptions{Strict: true})
			if err != nil || len(report.Unknown) > 0 || report.Unlinked+report.Untitled+report.Renumbered+report.Skipped > 0 {
				t.Fatalf("%+v %v", report, err)
			}
			c, err := s.Check(t.Context(), true)
			if err != nil || c.Version != 26 {
				t.Fatalf("%+v %v", c, err)
			}
			for _, p := range c.Problems {
				t.Errorf("%s: %s", p.Kind, p.Message)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			second := exportOf(t, fresh)
			kept(t, first, second)
			// What comes from such a file comes back byte for byte.
			again := filepath.Join(t.TempDir(), "state.db")
			if _, err := store.Migrate(t.Context(), again, store.WithNewestSchema()); err != nil {
				t.Fatal(err)
			}
			if s, err = store.Open(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Import(t.Context(), bytes.NewReader(second), model.ImportOptions{Strict: true}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if third := exportOf(t, again); !bytes.Equal(second, third) {
				t.Errorf("not the same bytes: %s", difference(second, third))
			}
		})
	}
}

// exportOf exports a database.
func exportOf(t *testing.T, path string) []byte {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out bytes.Buffer
	if _, err := s.Export(t.Context(), &out, model.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// kept tests that an export has every session and every value of an earlier one.
func kept(t *testing.T, first, second []byte) {
	t.Helper()
	after := map[any]map[string]any{}
	for _, session := range sessionsOf(t, second) {
		after[session["id"]] = session
	}
	before := sessionsOf(t, first)
	if len(before) != len(after) {
		t.Errorf("%d sessions became %d", len(before), len(after))
	}
	for _, session := range before {
		to := after[session["id"]]
		messages, _ := session["messages"].([]any)
		came, _ := to["messages"].([]any)
		if len(messages) != len(came) {
			t.Errorf("%v has %d messages of %d", session["id"], len(came), len(messages))
			continue
		}
		delete(session, "messages")
		same(t, session, to)
		for i := range messages {
			same(t, messages[i].(map[string]any), came[i].(map[string]any))
		}
	}
}

// same tests that a row has every value of an earlier one.
func same(t *testing.T, before, after map[string]any) {
	t.Helper()
	for key, value := range before {
		if !reflect.DeepEqual(value, after[key]) {
			t.Errorf("%v: %s was %v and is %v", before["id"], key, value, after[key])
		}
	}
}

// sessionsOf parses an export.
func sessionsOf(t *testing.T, lines []byte) (sessions []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		var session map[string]any
		if err := json.Unmarshal(line, &session); err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, session)
	}
	return sessions
}

// difference shows where two exports begin to differ.
func difference(a, b []byte) string {
	as, bs := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] == bs[i] {
			continue
		}
		at := 0
		for at < min(len(as[i]), len(bs[i])) && as[i][at] == bs[i][at] {
			at++
		}
		from := max(0, at-60)
		return as[i][from:min(len(as[i]), at+80)] + "\n" + bs[i][from:min(len(bs[i]), at+80)]
	}
	return "one is longer"
}
