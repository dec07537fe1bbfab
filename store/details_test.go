package store

import (
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Of every conversation of every version the facts fit what the list says.
func TestDetailsOfEveryConversation(t *testing.T) {
	t.Parallel()
	anomalies := map[string]string{}
	for _, name := range append(versionsToTest(t), "bad/nulls-everywhere.db", "bad/cycle.db", "bad/orphan-parent.db", "bad/timestamps.db", "bad/future.db", "bad/truncated.db") {
		s := openFixture(t, name)
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, c := range page.Conversations {
			f, err := s.Details(t.Context(), c.ID)
			if err != nil {
				t.Fatal(name, c.ID, err)
			}
			anomalies[name] += strings.Join(f.Anomalies(), " ")
			if name == "bad/truncated.db" {
				continue // what can be read
			}
			visible := 0
			for _, r := range f.Roles {
				visible += r.Visible + r.Hidden
			}
			if visible != c.Messages || len(f.Rows) != len(c.Segments) || len(f.Sessions) != len(c.Segments) || len(f.Models) == 0 {
				t.Errorf("%s: %s: %d of %d messages, %d rows and %d sessions of %d segments, %d models",
					name, c.ID, visible, c.Messages, len(f.Rows), len(f.Sessions), len(c.Segments), len(f.Models))
			}
			var sum model.Usage
			for _, m := range f.Models {
				sum = sum.Add(m.Usage)
			}
			if name == "v11.db" && sum.Tokens() != c.Total.Tokens() {
				t.Errorf("%s: %s: %d tokens by model, %d in all", name, c.ID, sum.Tokens(), c.Total.Tokens())
			}
		}
	}
	for name, want := range map[string]string{"bad/orphan-parent.db": "no longer exists", "bad/future.db": "Columns that this program does not know"} {
		if !strings.Contains(anomalies[name], want) {
			t.Errorf("%s: nothing of %q in %q", name, want, anomalies[name])
		}
	}
	for name, said := range anomalies {
		if strings.HasPrefix(name, "v") && strings.Contains(said, "Columns that") {
			t.Errorf("%s: columns of Hermes are called unknown: %s", name, said)
		}
	}
	if _, err := openFixture(t, "v11.db").Details(t.Context(), "unknown"); err == nil {
		t.Error("details of an unknown session")
	}
}
