package federation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
	"hermes-sessions/store"
	"hermes-sessions/store/live"
	"hermes-sessions/store/sessiondb"
)

// noon is a moment after all recorded histories.
func noon() time.Time { return time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC) }

// opener returns a member that opens a file.
func opener(name, path string) Member {
	open := func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, path, store.WithClock(noon))
	}
	return Member{Name: name, Open: func(ctx context.Context) (*live.Store, error) {
		s, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return live.New(ctx, s, open), nil
	}}
}

// federated opens copies of recorded databases: two of one version, which have the same
// ids, one of another, and a file that is none.
func federated(t *testing.T) *Federation {
	t.Helper()
	dir := t.TempDir()
	var members []Member
	for name, of := range map[string]string{"a": "v25.db", "b": "v25.db", "c": "v11.db"} {
		path := filepath.Join(dir, name+".db")
		fixtures.Unpack(t, of, path)
		members = append(members, opener(name, path))
	}
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	f, err := Open(t.Context(), append(members, opener("broken", broken)), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// kindOf returns the kind of a store's error, "" for another.
func kindOf(err error) string {
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e.Kind
	}
	return ""
}

// stores returns the members that are open.
func (f *Federation) stores(t *testing.T) map[string]*store.Store {
	t.Helper()
	open := map[string]*store.Store{}
	for name, s := range f.Stores() {
		open[name] = s.Current()
	}
	if len(open) != 3 {
		t.Fatal("not three members are open")
	}
	return open
}

// eight opens eight members with the same sessions, those of the member newest later.
func eight(t *testing.T) *Federation {
	t.Helper()
	dir := t.TempDir()
	var members []Member
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "newest"} {
		path := filepath.Join(dir, name+".db")
		fixtures.Unpack(t, "v25.db", path)
		if name == "newest" {
			fixtures.Exec(t, path, "UPDATE sessions SET started_at = started_at + 1e6, ended_at = ended_at + 1e6; UPDATE messages SET timestamp = timestamp + 1e6")
		}
		members = append(members, opener(name, path))
	}
	f, err := Open(t.Context(), members, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // nothing was written
	return f
}

// A page of a search has the first rows of all, however many of them are of one member.
func TestSearchPageOfManyMembers(t *testing.T) {
	f := eight(t)
	for _, text := range []string{"docker", "docker build"} {
		for _, order := range []query.Order{query.ByRelevance, query.ByActivity} {
			q := query.Parse(text, false)
			list := query.ListOptions{Scope: model.ScopeAll, Order: order}
			all, err := f.Search(t.Context(), q, list)
			if err != nil || len(all.Matches) <= 16 {
				t.Fatalf("%s finds %d conversations (%v)", text, len(all.Matches), err)
			}
			for _, list.Limit = range []int{1, 9, 16, len(all.Matches) + 1} {
				for _, list.Offset = range []int{0, 3} {
					page, err := f.Search(t.Context(), q, list)
					if err != nil || page.Conversations != all.Conversations {
						t.Fatalf("%s: %d conversations, want %d (%v)", text, page.Conversations, all.Conversations, err)
					}
					want := all.Matches[list.Offset:min(list.Offset+list.Limit, len(all.Matches))]
					if !slices.EqualFunc(page.Matches, want, func(a, b model.Match) bool {
						return a.ID == b.ID && a.Hits == b.Hits && a.Best.MessageID == b.Best.MessageID
					}) {
						t.Errorf("%s: the page %d+%d by %v has other rows", text, list.Offset, list.Limit, order)
					}
				}
			}
		}
	}
}

// The closest conversations of all members are found where few have all words in all of
// them together, and otherwise not, though each member has few.
func TestClosestOfManyMembers(t *testing.T) {
	f := eight(t)
	few, many := 0, 0
	for _, text := range []string{"docker build fails", "docker build", "docker", "the docker", "build the docker image again"} {
		q, list := query.Parse(text, false), query.ListOptions{Scope: model.ScopeAll, Closest: true, Order: query.ByRelevance}
		all, err := f.Search(t.Context(), q, list)
		if err != nil {
			t.Fatal(err)
		}
		exact, closest := 0, 0
		for _, s := range f.Stores() {
			one, err := s.Current().Search(t.Context(), q, list)
			if err != nil {
				t.Fatal(err)
			}
			exact += one.Conversations
			closest += one.Close
		}
		if exact > query.ClosestUpTo {
			if closest > 0 {
				many++
			}
			closest = 0
		} else if closest > 0 {
			few++
		}
		if all.Conversations != exact || all.Close != closest || len(all.Matches) != exact+closest {
			t.Errorf("%s: %d conversations and %d closest in %d rows, want %d and %d", text, all.Conversations, all.Close, len(all.Matches), exact, closest)
		}
	}
	if few == 0 || many == 0 {
		t.Errorf("closest conversations were found for %d queries, and left out for %d", few, many)
	}
}

// A quick page has the same rows as the list, where all members have a part in it and where
// one has all of it. Members that are far below are asked for few rows.
func TestQuickPageOfManyMembers(t *testing.T) {
	f := eight(t)
	ids := func(q query.ListOptions) (ids []string) {
		page, err := f.Conversations(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		found, err := f.Search(t.Context(), query.Query{}, q)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range page.Conversations {
			if ids = append(ids, c.ID); len(found.Matches) != len(page.Conversations) || found.Matches[i].ID != c.ID {
				t.Fatalf("the list of a search differs at %d", i)
			}
		}
		return ids
	}
	all := ids(query.ListOptions{Scope: model.ScopeAll})
	own := slices.IndexFunc(all, func(id string) bool { return !strings.HasPrefix(id, "newest/") })
	if own <= 8 {
		t.Fatalf("only the first %d rows are of the newest", own)
	}
	byTimes, unread := 0, eight(t) // whole lists that are in memory are quicker
	for _, limit := range []int{1, 8, 9, own, own + 1, own + 20, len(all), len(all) + 1} {
		q := query.ListOptions{Scope: model.ScopeAll, RowsOnly: true, Limit: limit}
		page, ok, err := unread.newestPage(t.Context(), unread.open(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range page.Conversations {
			if ok && c.ID != all[i] {
				t.Errorf("row %d of the first %d by their times is %s, want %s", i, limit, c.ID, all[i])
			}
		}
		if ok {
			byTimes++
		}
		if got, want := ids(query.ListOptions{Scope: model.ScopeAll, RowsOnly: true, Limit: limit}), all[:min(limit, len(all))]; !slices.Equal(got, want) {
			t.Errorf("the first %d are %v, want %v", limit, got, want)
		}
	}
	if byTimes < 4 {
		t.Errorf("only %d pages were found by the times of their conversations", byTimes)
	}
	if got := shareOf(query.ListOptions{RowsOnly: true, Limit: 50}, 20); got != 8 {
		t.Errorf("each of 20 members is asked for %d rows", got)
	}
}

// The list is that of all members in one order, whole and page by page, in every order.
func TestListOfAllMembers(t *testing.T) {
	f := federated(t)
	for _, order := range query.Orders() {
		q := query.ListOptions{Order: order, Scope: model.ScopeAll, PinnedFirst: true}
		var want []string
		for name, s := range f.stores(t) {
			page, err := s.Conversations(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range page.Conversations {
				want = append(want, name+"/"+c.ID)
			}
		}
		all, err := f.Conversations(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		before := order.Comparison()
		for i, c := range all.Conversations {
			got = append(got, c.ID)
			if i > 0 && (order != query.ByActivity || c.Pinned == all.Conversations[i-1].Pinned) && before(&all.Conversations[i-1], &c) > 0 {
				t.Errorf("%v: %s is before %s", order, all.Conversations[i-1].ID, c.ID)
			}
			if name, _, _ := strings.Cut(c.ID, "/"); c.Profile != name || !strings.HasPrefix(c.RootID, name+"/") || !slices.Contains(c.Segments, c.ID) {
				t.Errorf("%s has the profile %q, the root %s and the segments %v", c.ID, c.Profile, c.RootID, c.Segments)
			}
		}
		if all.Total != len(want) || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%v: %d of %d conversations, total %d", order, len(got), len(want), all.Total)
		}
		var paged []string
		for q.Limit = 7; len(paged) < len(want); q.Offset += q.Limit {
			page, err := f.Conversations(t.Context(), q)
			if err != nil || len(page.Conversations) == 0 {
				t.Fatal(err, len(paged))
			}
			for _, c := range page.Conversations {
				paged = append(paged, c.ID)
			}
		}
		if !slices.Equal(paged, got) {
			t.Errorf("%v: the pages are not the list", order)
		}
	}
}

// What only some members say of a query has their names, in a list and in a search.
func TestHintsSayWhoseTheyAre(t *testing.T) {
	dir := t.TempDir()
	member := func(name, of string, settings *model.PruneSettings) Member {
		path := filepath.Join(dir, name+".db")
		fixtures.Unpack(t, of, path)
		return Member{Name: name, Open: func(ctx context.Context) (*live.Store, error) {
			s, err := store.Open(ctx, path, store.WithClock(noon), store.WithPruneSettings(settings))
			if err != nil {
				return nil, err
			}
			return live.New(ctx, s, nil), nil
		}}
	}
	yes := true
	on := &model.PruneSettings{Auto: &yes, Days: 90}
	f, err := Open(t.Context(), []Member{member("a", "v25.db", on), member("b", "v25.db", on), member("c", "v25.db", &model.PruneSettings{})}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // nothing was written
	rule := "Hermes deletes ended conversations inactive for 90 days; Hermes 0.20.6 and later keep pinned ones"
	for text, want := range map[string][]string{
		"is:expiring":                     {"a, b: " + rule, "c: Hermes deletes nothing automatically: sessions.auto_prune is not on in config.yaml"},
		"docker is:expiring":              {"a, b: " + rule, "c: Hermes deletes nothing automatically: sessions.auto_prune is not on in config.yaml"},
		"is:expiring profile:a profile:b": {rule},
	} {
		found, err := f.Search(t.Context(), query.Parse(text, false), query.ListOptions{Scope: model.ScopeAll})
		if err != nil || !slices.Equal(found.Hints, want) {
			t.Errorf("%s: hints %q, want %q (%v)", text, found.Hints, want, err)
		}
	}
}

// A search finds what it finds in each member, those with all words before the closest
// ones, and the hits and messages of a conversation are its own.
func TestSearchInAllMembers(t *testing.T) {
	f := federated(t)
	for _, text := range []string{"docker", "docker build fails in the pipeline", "profile:b docker", "-profile:b docker", "source:telegram", "profile:a"} {
		q := query.Parse(text, false)
		list := query.ListOptions{Closest: true, Order: query.ByRelevance}
		all, err := f.Search(t.Context(), q, list)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for name, s := range f.stores(t) {
			if strings.Contains(text, "profile:") && strings.Contains(text, "-profile:"+name) || strings.HasPrefix(text, "profile:") && !strings.HasPrefix(text, "profile:"+name) {
				continue
			}
			of := q
			of.Filters = slices.DeleteFunc(slices.Clone(q.Filters), func(f query.Filter) bool { return f.Field == query.FieldProfile })
			one, err := s.Search(t.Context(), of, list)
			if err != nil {
				t.Fatal(err)
			}
			want += one.Conversations
		}
		if all.Conversations != want || want == 0 && !strings.Contains(text, "fails") {
			t.Errorf("%s: %d conversations, want %d", text, all.Conversations, want)
		}
		for i, m := range all.Matches {
			if i > 0 && (all.Matches[i-1].Close && !m.Close || all.Matches[i-1].Close == m.Close && all.Matches[i-1].Score < m.Score) {
				t.Errorf("%s: row %d is out of order", text, i)
			}
			if m.Best.MessageID == 0 || m.Close {
				continue
			}
			hits, err := f.HitIDs(t.Context(), q, m.ID)
			if err != nil || len(hits) != m.Hits {
				t.Errorf("%s: %s has %d hits, want %d (%v)", text, m.ID, len(hits), m.Hits, err)
			}
			read, err := f.MessagesOf(t.Context(), m.ID, []int64{m.Best.MessageID})
			if err != nil || len(read) != 1 || read[0].SessionID != m.Best.SessionID {
				t.Errorf("%s: the best message of %s is %+v (%v)", text, m.ID, read, err)
			}
		}
	}
}

// A conversation is read from its own database, with ids of the federation.
func TestReadingFromTheRightMember(t *testing.T) {
	f := federated(t)
	all, err := f.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Conversations {
		name, _, _ := strings.Cut(c.ID, "/")
		own := func(what string, ids ...string) {
			for _, id := range ids {
				if id != "" && !strings.HasPrefix(id, name+"/") {
					t.Errorf("%s of %s: %q", what, c.ID, id)
				}
			}
		}
		o, err := f.Outline(t.Context(), c.ID)
		if err != nil || o.Conversation.ID != c.ID {
			t.Fatal(c.ID, o.Conversation.ID, err)
		}
		own("segments", o.Conversation.Segments...)
		messages, err := f.MessagesOf(t.Context(), c.ID, o.MessageIDs)
		if err != nil || len(messages) != len(o.MessageIDs) {
			t.Error(c.ID, len(messages), err)
		}
		for _, m := range messages {
			own("messages", m.SessionID)
		}
		root, err := f.Lineage(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		root.Walk(func(n *model.Node, _ int) bool {
			own("lineage", n.ID, n.ParentID, n.Tip)
			return true
		})
		d, err := f.Details(t.Context(), c.ID)
		if err != nil || len(d.Sessions) != len(c.Segments) || d.Sessions[len(d.Sessions)-1].ID != c.ID {
			t.Error(c.ID, err)
		}
		check, err := f.ResumeCheck(t.Context(), c.ID)
		if err != nil || check.Tip.ID != c.ID {
			t.Error(c.ID, check.Tip.ID, err)
		}
	}
}

// A deletion over two databases takes from each what was shown, and comes back whole; the
// database with the same ids is not touched.
func TestDeleteFromTheRightMembers(t *testing.T) {
	f := federated(t)
	count := func(name string) int {
		page, err := f.stores(t)[name].Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, EverySession: true, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	pick := func(name string, n int) (ids []string) {
		page, err := f.Conversations(t.Context(), query.ListOptions{Filters: query.Parse("profile:"+name, false).Filters})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Conversations {
			if plan, err := f.PlanDelete(t.Context(), []string{c.ID}, model.DeleteOptions{}); err == nil && plan.Messages > 0 && len(ids) < n {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	ids := append(pick("a", 3), pick("c", 2)...)
	before := [3]int{count("a"), count("b"), count("c")}
	plan, err := f.PlanDelete(t.Context(), ids, model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	version, err := f.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	u, err := f.Delete(t.Context(), ids, model.DeleteOptions{Expected: &plan, Progress: func(done, total int) {
		if last = done; done > total || total != plan.Messages {
			t.Errorf("progress %d of %d, want %d", done, total, plan.Messages)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close() //nolint:errcheck // of a test
	if last != plan.Messages || u.Deleted().Messages != plan.Messages || len(u.Deleted().Sessions) != len(plan.Sessions) {
		t.Errorf("deleted %+v, planned %+v, told of %d", u.Deleted(), plan, last)
	}
	if after := [3]int{count("a"), count("b"), count("c")}; after[0] >= before[0] || after[1] != before[1] || after[2] >= before[2] {
		t.Errorf("sessions before %v, after %v", before, after)
	}
	if now, err := f.DataVersion(t.Context()); err != nil || now == version {
		t.Error("the change is not noticed", now, err)
	}
	if _, err := f.Delete(t.Context(), []string{ids[0]}, model.DeleteOptions{Expected: &model.Deletion{Sessions: []string{"a/else"}}}); kindOf(err) != model.KindChanged {
		t.Error("a deletion that was not shown:", err)
	}
	if err := f.Restore(t.Context(), u, model.RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
	if after := [3]int{count("a"), count("b"), count("c")}; after != before {
		t.Errorf("sessions before %v, restored %v", before, after)
	}
	if _, err := f.stores(t)["a"].AppendMessage(t.Context(), strings.TrimPrefix(ids[0], "a/"), sessiondb.NewMessage{Role: "user", Content: "later"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.PlanDelete(t.Context(), ids, model.DeleteOptions{}); err != nil { // another one, which is not shown
		t.Fatal(err)
	}
	if _, err := f.Delete(t.Context(), ids, model.DeleteOptions{Expected: &plan}); kindOf(err) != model.KindChanged {
		t.Error("one message more than was shown:", err)
	}
}

// What one member cannot undo stops none of the others, and is left for another try.
func TestUndoGoesOnAfterAMemberRefuses(t *testing.T) {
	f := federated(t)
	const local = "20260301_114208_b0cfb6"
	first, both := f.stores(t)["a"], []string{"a/" + local, "b/" + local}
	edit, err := f.SetPinned(t.Context(), both, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.SetPinned(t.Context(), []string{local}, false); err != nil {
		t.Fatal(err)
	}
	pinned := func(id string) bool {
		c, err := f.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return c.Pinned
	}
	if err := f.UndoEdit(t.Context(), edit); kindOf(err) != model.KindChanged || pinned(both[1]) {
		t.Error(err, "the other is not unpinned")
	}
	u, err := f.Delete(t.Context(), both, model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close() //nolint:errcheck // of a test
	if _, err := first.EnsureSession(t.Context(), sessiondb.NewSession{ID: local, Source: "cli"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Restore(t.Context(), u, model.RestoreOptions{}); kindOf(err) != model.KindExists {
		t.Error(err)
	}
	if _, err := f.Conversation(t.Context(), both[1]); err != nil {
		t.Error("the other is not restored:", err)
	}
}

// Titles, pins and the archive change in the database of the conversation, and undo.
func TestEditsOfTheRightMember(t *testing.T) {
	f := federated(t)
	page, err := f.Conversations(t.Context(), query.ListOptions{Filters: query.Parse("profile:b", false).Filters, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	id := page.Conversations[0].ID
	twin := "a/" + strings.TrimPrefix(id, "b/")
	title := func(id string) string {
		c, err := f.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return c.Title
	}
	was := title(id)
	done, err := f.Rename(t.Context(), model.Renaming{ID: id, Was: was, Title: "a title of b alone"})
	if err != nil || !slices.Equal(done.Sessions(), []string{id}) {
		t.Fatal(done, err)
	}
	if title(id) != "a title of b alone" || title(twin) != was {
		t.Errorf("titles %q and %q", title(id), title(twin))
	}
	owner, err := f.TitleOwner(t.Context(), "a title of b alone", id)
	if err != nil || owner == nil || owner.Session != id || owner.Conversation.ID != id {
		t.Error("the owner of the title:", owner, err)
	}
	if owner, err = f.TitleOwner(t.Context(), "a title of b alone", twin); err != nil || owner != nil {
		t.Error("the title is taken in another database:", owner, err)
	}
	if err := f.UndoEdit(t.Context(), done); err != nil || title(id) != was {
		t.Errorf("%q after undo: %v", title(id), err)
	}
	pins, err := f.SetPinned(t.Context(), []string{id, twin}, true)
	if err != nil || len(pins.Changes) < 1 {
		t.Fatal(pins, err)
	}
	if err := f.UndoEdit(t.Context(), pins); err != nil {
		t.Error(err)
	}
}

// A database that cannot be read is left out with a note, one that does not answer joins
// when it does, and where there is no other the error is its own.
func TestMembersThatDoNotAnswer(t *testing.T) {
	f := federated(t)
	notes := f.Notes()
	if len(notes) == 0 || !strings.HasPrefix(notes[len(notes)-1].Message, "broken: ") || notes[len(notes)-1].Remedy.Text == "" {
		t.Errorf("notes %+v", notes)
	}

	dir := t.TempDir()
	quick, late := filepath.Join(dir, "quick.db"), filepath.Join(dir, "late.db")
	fixtures.Unpack(t, "v11.db", quick)
	fixtures.Unpack(t, "v25.db", late)
	gate := make(chan struct{})
	waiting := opener("late", late)
	open := waiting.Open
	waiting.Open = func(ctx context.Context) (*live.Store, error) { <-gate; return open(ctx) }
	slow, err := Open(t.Context(), []Member{opener("quick", quick), waiting}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slow.Close() })
	for slow.Stores()["quick"] == nil {
		runtime.Gosched() // the machine is busy
	}
	first, err := slow.Conversations(t.Context(), query.ListOptions{})
	if err != nil || first.Total == 0 || !strings.Contains(slow.Notes()[0].Message, "late") {
		t.Fatal(first.Total, err, slow.Notes())
	}
	version, err := slow.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	close(gate)
	for slow.Stores()["late"] == nil {
		runtime.Gosched()
	}
	if now, err := slow.DataVersion(t.Context()); err != nil || now == version {
		t.Error("its arrival is not noticed:", now, err)
	}
	if all, err := slow.Conversations(t.Context(), query.ListOptions{}); err != nil || all.Total <= first.Total {
		t.Error(all.Total, first.Total, err)
	}

	if _, err = Open(t.Context(), []Member{opener("gone", filepath.Join(dir, "gone.db"))}, time.Minute); kindOf(err) != model.KindAbsent {
		t.Error("one that is absent alone:", err)
	}
}

// What all members have consumed is the sum of what each has, and its sessions have the
// ids and the profile that the list gives them.
func TestUsageOfAllMembers(t *testing.T) {
	f := federated(t)
	all, err := f.UsageReport(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	profiles := map[string]usage.Row{}
	for _, row := range all.Group([]usage.Dimension{usage.ByProfile}, time.UTC) {
		profiles[row.Keys[0]] = row
	}
	for name, s := range f.stores(t) {
		r, err := s.UsageReport(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, got := r.Total(), profiles[name]
		if got.Sessions != want.Sessions || got.Usage != want.Usage || !strings.HasPrefix(all.Conversations[got.Conversation].Root, name+"/") {
			t.Errorf("%s: %+v, in its database %+v", name, got.Sum, want)
		}
	}
	var ids []string
	for _, one := range all.Records {
		ids = append(ids, one.Session)
	}
	counts, err := f.ToolCounts(t.Context(), ids)
	if err != nil || len(counts) == 0 || len(all.WithTools(counts).Records) != len(counts) {
		t.Errorf("%d counts of tools: %v", len(counts), err)
	}
}

// Where the bytes are is told of one member, with the ids of the federation; a vacuum and a
// checkpoint change its file alone.
func TestStorageOfTheRightMember(t *testing.T) {
	t.Parallel()
	f := federated(t)
	ctx, members := t.Context(), f.stores(t)
	const session = "b/any"
	alone, err := members["b"].MeasureStorage(ctx, model.FromNewest)
	if err != nil {
		t.Fatal(err)
	}
	step, err := f.MeasureStorage(ctx, session, model.FromNewest)
	if err != nil || len(step.Sessions) != len(alone.Sessions) || len(alone.Sessions) == 0 {
		t.Fatalf("%d sessions, %d alone, %v", len(step.Sessions), len(alone.Sessions), err)
	}
	for id, bytes := range alone.Sessions {
		if step.Sessions["b/"+id] != bytes {
			t.Errorf("%s: %+v, alone %+v", id, step.Sessions["b/"+id], bytes)
		}
	}

	before := map[string]model.FileSizes{}
	for name, s := range members {
		page, err := s.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range page.Conversations {
			ids = append(ids, c.ID)
		}
		if _, err := s.Delete(ctx, ids, model.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		forecast, err := s.ForecastVacuum(ctx)
		if err != nil || forecast.Sizes.Free == 0 {
			t.Fatalf("%s: %+v, %v", name, forecast.Sizes, err)
		}
		before[name] = forecast.Sizes
	}
	if err := f.Vacuum(ctx, session); err != nil {
		t.Error(err)
	}
	if _, err := f.Checkpoint(ctx, session); err != nil {
		t.Error(err)
	}
	for name, was := range before {
		forecast, err := f.ForecastVacuum(ctx, name+"/any")
		if vacuumed := forecast.Sizes.Free == 0 && forecast.Sizes.File < was.File; err != nil || vacuumed != (name == "b") {
			t.Errorf("%s: %+v, before %+v, %v", name, forecast.Sizes, was, err)
		}
	}
	if _, err := f.MeasureStorage(ctx, "broken/any", model.FromNewest); kindOf(err) != model.KindNotFound {
		t.Errorf("a member that is not open: %v", err)
	}
}
