package federation

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/live"
)

// Of an only database, what is read is what its store gives, with the ids that it has there.
func TestOnlyOneDatabaseAnswersForItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	fixtures.Unpack(t, "v25.db", path)
	ctx := t.Context()
	s, err := store.Open(ctx, path, store.WithClock(noon))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // nothing was written
	f := Only(live.New(ctx, s, nil))
	list := query.ListOptions{Scope: model.ScopeAll, EverySession: true}
	page, err := s.Conversations(ctx, list)
	if err != nil || len(page.Conversations) == 0 {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range page.Conversations {
		ids = append(ids, c.ID)
	}
	same := func(what string, got any, gotErr error, want any, wantErr error) {
		t.Helper()
		if !reflect.DeepEqual(got, want) || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: %+v (%v), the store says %+v (%v)", what, got, gotErr, want, wantErr)
		}
	}
	listed, err := f.Conversations(ctx, list)
	same("the list", listed, err, page, nil)
	for _, text := range []string{"docker", "source:telegram", "docker profile:default", "-profile:default"} {
		q := query.Parse(text, false)
		got, gotErr := f.Search(ctx, q, query.ListOptions{Closest: true})
		want, wantErr := s.Search(ctx, q, query.ListOptions{Closest: true})
		got.Plan, want.Plan = nil, nil // the second is quicker
		same(text, got, gotErr, want, wantErr)
	}
	for _, field := range []query.Field{query.FieldProfile, query.FieldSource, query.FieldCWD} {
		got, gotErr := f.FieldValues(ctx, field)
		want, wantErr := s.FieldValues(ctx, field)
		same(string(field), got, gotErr, want, wantErr)
	}
	for _, id := range append(slices.Clone(ids), "a/b", "") {
		got, gotErr := f.Details(ctx, id)
		want, wantErr := s.Details(ctx, id)
		same("the details of "+id, got, gotErr, want, wantErr)
		outline, gotErr := f.Outline(ctx, id)
		wanted, wantErr := s.Outline(ctx, id)
		same("the outline of "+id, outline, gotErr, wanted, wantErr)
		tree, gotErr := f.Lineage(ctx, id)
		whole, wantErr := s.Lineage(ctx, id)
		same("the lineage of "+id, tree, gotErr, whole, wantErr)
		check, gotErr := f.ResumeCheck(ctx, id)
		checked, wantErr := s.ResumeCheck(ctx, id)
		same("resuming "+id, check, gotErr, checked, wantErr)
	}
	counts, err := f.ToolCounts(ctx, ids)
	want, wantErr := s.ToolCounts(ctx, ids)
	if len(counts) == 0 {
		t.Error("no tool was called")
	}
	same("the tools", counts, err, want, wantErr)
	found, err := f.CleanupFindings(ctx)
	cleanable, wantErr := s.CleanupFindings(ctx)
	same("the clean-up", found, err, cleanable, wantErr)
	report, err := f.UsageReport(ctx)
	used, wantErr := s.UsageReport(ctx)
	same("the usage", report, err, used, wantErr)
}
