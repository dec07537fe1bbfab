package sessiontable

import (
	"reflect"
	"testing"
	"time"

	"hermes-sessions/model"
)

// A session read from the table equals the one that was added, to the last bit of
// odd values, and every session is found by its id.
func TestTheSessionTableReturnsWhatWasAdded(t *testing.T) {
	t.Parallel()
	at := func(seconds, nanos int64) time.Time { return time.Unix(seconds, nanos) }
	sessions := []model.Session{
		{},
		{
			ID: "a", Source: "cli", CreatedAs: "tui", Title: "a title\x00with more", Model: "gpt", ParentID: "b", EndReason: "done",
			StartedAt: at(1_770_000_000, 123_456_789), EndedAt: at(-1, 999_999_999),
			MessageCount: -3, ToolCalls: 1 << 40,
			Usage: model.Usage{
				Input: 1, Output: -1, CacheRead: 1<<63 - 1, CacheWrite: -1 << 63, Reasoning: 127, APICalls: 128,
				Cost: model.Cost{USD: 0.1, Known: true, Estimated: true},
			},
			CWD: "/home/x", GitRoot: "/home", GitBranch: "main", Profile: "p", Archived: true, Pinned: true, Hidden: true,
			BranchedFrom: "b", DelegateFrom: "?", ResetFrom: "a", SessionKey: "telegram:1",
			LastMessageAt: at(253_402_300_799, 1), VisibleMessages: 7, LastActivityAt: at(0, 0),
		},
		{ID: "b", Source: "cli", Model: "gpt", CWD: "/home/x", StartedAt: at(-62_135_596_700, 5)},
		{ID: string(make([]byte, 300)), Source: "telegram", Title: "a title\x00with more"},
	}
	for full, i := reflect.ValueOf(sessions[1]), 0; i < full.NumField(); i++ {
		if full.Field(i).IsZero() {
			t.Errorf("no session has a %s: give one to the second", full.Type().Field(i).Name)
		}
	}
	b := NewBuilder(0)
	for i := range sessions {
		b.Add(&sessions[i])
	}
	r := b.Build()
	if r.Len() != len(sessions) {
		t.Fatalf("%d of %d sessions", r.Len(), len(sessions))
	}
	for i, want := range sessions {
		if got := r.Session(i); !reflect.DeepEqual(got, want) {
			t.Errorf("%d:\n got %+v\nwant %+v", i, got, want)
		}
		if at, ok := r.Position(want.ID); !ok || at != i {
			t.Errorf("%q is found at %d (%v), not %d", want.ID, at, ok, i)
		}
	}
	if at, ok := r.Position("aa"); ok {
		t.Errorf("an unknown id is found, at %d", at)
	}
	r.SetMessageStats(2, 12, at(5, 6))
	if m := r.Session(2); m.VisibleMessages != 12 || !m.LastMessageAt.Equal(at(5, 6)) {
		t.Errorf("%+v", m)
	}
}
