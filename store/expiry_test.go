package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// expiring opens a fixture with auto-prune on, at a time.
func expiring(t testing.TB, name string, days int, now time.Time) *Store {
	t.Helper()
	on := true
	s, err := Open(t.Context(), fixture(t, name), WithClock(func() time.Time { return now }), WithPruneSettings(&model.PruneSettings{Auto: &on, Days: days}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// What the recorded prune of Hermes 11 deleted is what had expired by then, session by
// session.
func TestExpiredIsWhatPruneDeleted(t *testing.T) {
	t.Parallel()
	var recording struct {
		Clock float64 `json:"clock"`
		Items []struct {
			Input struct {
				Days   *float64 `json:"older_than_days"`
				Source string   `json:"source"`
			} `json:"input"`
			Effect effect `json:"effect"`
		} `json:"items"`
	}
	Recorded(t, "v11/prune_sessions", &recording)
	now, compared := time.UnixMicro(int64(recording.Clock*1e6)), 0
	for _, item := range recording.Items {
		days := 90
		if d := item.Input.Days; d != nil {
			days = int(*d)
			if *d != float64(days) || days < 0 {
				continue // not a setting: auto-prune takes whole days
			}
		}
		s := expiring(t, "v11.db", days, now)
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, EverySession: true})
		if err != nil {
			t.Fatal(err)
		}
		var gone []string
		for _, c := range page.Conversations {
			if !c.ExpiresAt.IsZero() && c.ExpiresAt.Before(now) && (item.Input.Source == "" || c.Source == item.Input.Source) {
				gone = append(gone, c.ID)
			}
		}
		want := slices.Clone(item.Effect.Removed)
		slices.Sort(gone)
		slices.Sort(want)
		if !slices.Equal(gone, want) {
			t.Errorf("%d days, source %q: expired %q, recorded %q", days, item.Input.Source, gone, want)
		}
		compared++
	}
	if compared < 3 {
		t.Errorf("only %d calls compared", compared)
	}
}

// On every fixture, what has expired is what the documented condition of its schema selects in
// SQL, session by session: ended, and started or last active before the retention, and not
// leased by a living process. Segments of one conversation stay together where it goes by
// activity, and are left out there.
func TestExpiredIsWhatTheRuleSelects(t *testing.T) {
	t.Parallel()
	const days, apart = 4, `coalesce(end_reason, '') <> 'compression'
		AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = sessions.parent_session_id AND p.end_reason = 'compression')`
	for _, name := range versionsToTest(t) {
		now := time.Unix(1773500000, 0)
		switch {
		case name == "life-long.db":
			now = time.Unix(1779500000, 0)
		case name >= "v26.db":
			now = clock()
		}
		s := expiring(t, name, days, now)
		which, old := "1", "started_at"
		switch s.db.Retention().Rule {
		case model.RetentionUnknown:
			continue
		case model.RetentionByActivity:
			which = apart
			old = "NOT coalesce(pinned, 0) AND (coalesce(end_reason, '') <> 'startup_orphan_reap' OR ended_at < ?1) AND max(coalesce(last_activity_at, 0), coalesce((SELECT max(timestamp) FROM messages WHERE session_id = sessions.id), started_at))"
		}
		if which == apart && name >= "v26.db" { // which have leases
			old = "id NOT IN (SELECT conversation_id FROM session_turn_leases WHERE expires_at > 1790000000 AND holder NOT LIKE 'pid=4194999:%') AND " + old
		}
		want, candidates := map[string]bool{}, 0
		rows, err := otherConnection(t, s.Path()).QueryContext(t.Context(), `SELECT id, ended_at IS NOT NULL AND `+old+` < ?1 FROM sessions WHERE `+which, now.Unix()-days*24*60*60)
		if err != nil {
			t.Fatal(name, err)
		}
		for rows.Next() {
			var id string
			var goes bool
			if err := rows.Scan(&id, &goes); err != nil {
				t.Fatal(err)
			}
			if want[id] = goes; goes {
				candidates++
			}
		}
		if err := rows.Err(); err != nil || candidates < 5 || candidates == len(want) {
			t.Fatalf("%s: %d of %d sessions go, %v", name, candidates, len(want), err)
		}
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, EverySession: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Conversations {
			if goes, compared := want[c.ID]; compared && goes != (!c.ExpiresAt.IsZero() && c.ExpiresAt.Before(now)) {
				t.Errorf("%s: %s goes: %v, said to expire at %v", name, c.ID, goes, c.ExpiresAt)
			}
		}
	}
}

// On every schema the filter finds what expires within two weeks, soonest first, or
// says why it cannot.
func TestExpiringOnEverySchema(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		s := expiring(t, name, 90, clock())
		rule := s.db.Retention()
		q := query.ListOptions{Scope: model.ScopeAll, Filters: query.Parse("is:expiring", false).Filters}
		page, err := s.Conversations(t.Context(), q)
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.ContainsFunc(page.FilterHints, func(h string) bool { return strings.HasSuffix(h, rule.String()) }) {
			t.Errorf("%s: %q does not say %q", name, page.FilterHints, rule)
		}
		if (rule.Rule == model.RetentionUnknown) != (s.db.Schema.Version == 23) || rule.Rule == model.RetentionUnknown && page.Total > 0 {
			t.Errorf("%s: %+v, %d found", name, rule, page.Total)
		}
		all, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range all.Conversations {
			if c.Expiring(clock()) {
				n++
			}
		}
		if n != page.Total {
			t.Errorf("%s: %d found, %d expire", name, page.Total, n)
		}
		if !slices.IsSortedFunc(page.Conversations, func(a, b model.Conversation) int { return a.ExpiresAt.Compare(b.ExpiresAt) }) {
			t.Errorf("%s: not the soonest first", name)
		}
		found, err := s.Search(t.Context(), query.Parse("is:expiring", false), query.ListOptions{Scope: model.ScopeAll})
		if err != nil || found.Conversations != n || len(found.Hints) == 0 {
			t.Errorf("%s: a search finds %d of %d, %q, %v", name, found.Conversations, n, found.Hints, err)
		}
	}
}

// A pinned conversation does not expire, and without a rule none does.
func TestPinnedConversationsDoNotExpire(t *testing.T) {
	t.Parallel()
	s := expiring(t, "v25.db", 0, clock())
	page, err := s.Conversations(t.Context(), query.ListOptions{Filters: query.Parse("is:expiring", false).Filters})
	if err != nil || len(page.Conversations) == 0 {
		t.Fatal(len(page.Conversations), err)
	}
	c := page.Conversations[0]
	if _, err := s.SetPinned(t.Context(), []string{c.ID}, true); err != nil {
		t.Fatal(err)
	}
	if c, err = s.Conversation(t.Context(), c.ID); err != nil || !c.ExpiresAt.IsZero() {
		t.Errorf("pinned, it expires at %v %v", c.ExpiresAt, err)
	}
	none, err := Open(t.Context(), fixture(t, "v25.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	page, err = none.Conversations(t.Context(), query.ListOptions{Filters: query.Parse("is:expiring", false).Filters})
	if err != nil || page.Total != 0 || len(page.FilterHints) != 1 || !strings.Contains(page.FilterHints[0], "deletes nothing automatically") {
		t.Errorf("%d %q %v", page.Total, page.FilterHints, err)
	}
}
