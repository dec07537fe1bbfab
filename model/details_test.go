package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model/pyjson"
)

// Usual sessions have no anomalies, and each anomaly is reported once.
func TestUsualSessionsHaveNoAnomalies(t *testing.T) {
	start := time.Unix(1_790_000_000, 0)
	usual := Details{
		Conversation: Conversation{RootStartedAt: start, LastActive: start.Add(time.Hour)},
		Sessions:     []Session{{StartedAt: start, EndedAt: start.Add(time.Hour), EndReason: "done", MessageCount: 3}},
		Rows:         []pyjson.Object{{{Name: "id", Value: "x"}, {Name: "tool_names", Value: nil}}},
		Roles:        []RoleCount{{Role: "user", Visible: 1}, {Role: "assistant", Visible: 1, Rewound: 1}},
	}
	if odd := usual.Anomalies(); len(odd) > 0 {
		t.Errorf("%q", odd)
	}
	if odd := (Details{}).Anomalies(); len(odd) > 0 {
		t.Errorf("%q", odd)
	}
	unusual := usual
	unusual.Sessions = []Session{
		{ParentID: "gone", StartedAt: start, EndedAt: start.Add(-time.Hour), MessageCount: 5},
		{StartedAt: start, MessageCount: 2},
	}
	unusual.Conversation.LastActive = start.Add(-time.Hour)
	unusual.Rows = append(usual.Rows, pyjson.Object{{Name: "quantum_state"}, {Name: "id"}}, pyjson.Object{{Name: "quantum_state"}})[:2]
	unusual.Roles = append(slices.Clone(usual.Roles), RoleCount{Role: "critic", Hidden: 1})
	want := []string{"gone", "older than its start", "ended before", "without a reason", "counted 7 messages, but 4", "quantum_state", `role "critic"`}
	odd := unusual.Anomalies()
	if len(odd) != len(want) {
		t.Fatalf("%q", odd)
	}
	for i, w := range want {
		if !strings.Contains(odd[i], w) {
			t.Errorf("%q does not tell of %q", odd[i], w)
		}
	}
}

func TestColumnsOfSessionsAreSortedAndAlone(t *testing.T) {
	known := strings.Fields(knownSessionColumns)
	if !slices.IsSorted(known) || len(slices.Compact(slices.Clone(known))) != len(known) {
		t.Error(known)
	}
}
