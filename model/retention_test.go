package model

import (
	"testing"
	"time"
)

func TestRetentionOf(t *testing.T) {
	on, off := true, false
	for _, c := range []struct {
		name   string
		p      *PruneSettings
		schema int
		want   RetentionRule
	}{
		{"a file that no Hermes opens", nil, 31, RetentionNone},
		{"off", &PruneSettings{Auto: &off, Days: 90}, 31, RetentionNone},
		{"on, by the start", &PruneSettings{Auto: &on, Days: 30}, 11, RetentionByStart},
		{"on, by the activity", &PruneSettings{Auto: &on, Days: 30}, 25, RetentionByActivity},
		{"not set, where off is the default", &PruneSettings{Days: 90}, 25, RetentionNone},
		{"not set, where the default changed", &PruneSettings{Days: 90}, 27, RetentionUnknown},
		{"not set, where on is the default", &PruneSettings{Days: 90}, 29, RetentionByActivity},
		{"not readable", &PruneSettings{Auto: &on, Days: 30, Problem: "why"}, 25, RetentionUnknown},
		{"below zero", &PruneSettings{Auto: &on, Days: -1}, 25, RetentionUnknown},
		{"longer than anything", &PruneSettings{Auto: &on, Days: 1 << 40}, 25, RetentionNone},
	} {
		r := RetentionOf(c.p, c.schema)
		if r.Rule != c.want || r.String() == "" || (r.Why == "") == (r.Rule < RetentionByStart) {
			t.Errorf("%s: %+v, %q", c.name, r, r)
		}
	}
}

// Each schema has the rule that is documented for the releases that write it.
func TestRetentionOfEverySchema(t *testing.T) {
	on, unset := &PruneSettings{Auto: new(true), Days: 1}, &PruneSettings{Days: 1}
	const (
		byStart = "Hermes deletes ended sessions 1 day after their start"
		late    = "Hermes deletes ended conversations inactive for 1 day; Hermes 0.20.6 and later keep pinned ones"
		pins    = "Hermes deletes ended conversations inactive for 1 day; pinned ones stay"
		off     = "Hermes deletes nothing automatically: sessions.auto_prune is not on in config.yaml"
		differ  = "What Hermes deletes is unknown: config.yaml does not set sessions.auto_prune, whose default differs between releases of schema "
	)
	for _, c := range []struct {
		from, to  int
		on, unset string
	}{
		{1, 22, byStart, off},
		{23, 23, "What Hermes deletes is unknown: the rule differs between releases of schema 23", off},
		{24, 25, late, off},
		{26, 26, late, differ + "26"},
		{28, 28, late, differ + "28"},
		{29, 31, pins, pins},
	} {
		for schema := c.from; schema <= c.to; schema++ {
			if got := RetentionOf(on, schema).String(); got != c.on {
				t.Errorf("schema %d, on: %q, want %q", schema, got, c.on)
			}
			if got := RetentionOf(unset, schema).String(); got != c.unset {
				t.Errorf("schema %d, not set: %q, want %q", schema, got, c.unset)
			}
		}
	}
}

// The automatic run of Hermes takes archived conversations, a prune by hand does not; both leave
// what is open or pinned, and age what the sweep has closed from then.
func TestTheTwoRules(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	old := Session{ID: "a", Source: "cli", StartedAt: ago(100), LastMessageAt: ago(95), EndedAt: ago(95), EndReason: "user_exit"}
	with := func(change func(*Session)) Session {
		s := old
		change(&s)
		return s
	}
	for _, c := range []struct {
		name      string
		s         Session
		automatic bool
		byHand    bool
		left      Left
	}{
		{"old", old, true, true, Left{}},
		{"archived", with(func(s *Session) { s.Archived = true }), true, false, Left{Archived: 1}},
		{"pinned", with(func(s *Session) { s.Pinned = true }), false, false, Left{Pinned: 1}},
		{"pinned and archived", with(func(s *Session) { s.Pinned, s.Archived = true, true }), false, false, Left{Pinned: 1}},
		{"open", with(func(s *Session) { s.EndedAt = time.Time{} }), false, false, Left{Open: 1}},
		{"open and pinned", with(func(s *Session) { s.EndedAt, s.Pinned = time.Time{}, true }), false, false, Left{Open: 1}},
		{"swept today", with(func(s *Session) { s.EndedAt, s.EndReason = now, "startup_orphan_reap" }), false, false, Left{}},
		{"at work after its last message", with(func(s *Session) { s.LastActivityAt = ago(2) }), false, false, Left{}},
		{"young", with(func(s *Session) { s.LastMessageAt = ago(89) }), false, false, Left{}},
		{"young, of a source that goes sooner", with(func(s *Session) { s.LastMessageAt, s.Source = ago(40), "cron" }), true, true, Left{}},
		{"old, of a source that would go later", with(func(s *Session) { s.Source = "webui" }), true, true, Left{}},
	} {
		l := BuildLineage(SessionSlice{c.s}, true)
		settings := &PruneSettings{Auto: new(true), Days: 90, DaysBySource: map[string]int{"cron": 30, "webui": 400}}
		l.Retention = RetentionOf(settings, 31)
		conv := l.Conversation(0, now)
		if goes := !conv.ExpiresAt.IsZero() && conv.ExpiresAt.Before(now); goes != c.automatic {
			t.Errorf("%s: automatically at %v", c.name, conv.ExpiresAt)
		}
		o := PruneOptions{OlderThan: 90 * 24 * time.Hour, BySource: settings.AfterBySource()}
		if found, left := l.PruneCandidates(&o, now); (len(found) == 1) != c.byHand || left != c.left {
			t.Errorf("%s: by hand %v, left %+v", c.name, found, left)
		}
		o.IncludeArchived, o.IncludePinned = true, true
		if found, left := l.PruneCandidates(&o, now); (len(found) == 1) != (c.byHand || c.left.Archived+c.left.Pinned > 0) || left != (Left{Open: c.left.Open}) {
			t.Errorf("%s: all by hand %v, left %+v", c.name, found, left)
		}
		const says = "Hermes deletes ended conversations inactive for 90 days (cron: 30 days); pinned ones stay"
		if l.Retention.String() != says || o.Age() != "90 days (cron: 30 days)" {
			t.Errorf("%q, %q", l.Retention, o.Age())
		}
	}
}

// A chain goes with the last of its segments, each by the age of its source; one that stays keeps
// all of them.
func TestAChainIsPrunedAsAWhole(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	chain := func(root, tip int, change func(root, tip *Session)) *Lineage {
		at := func(days int) time.Time { return now.AddDate(0, 0, -days) }
		a := Session{ID: "root", Source: "cli", StartedAt: at(root), LastMessageAt: at(root), EndedAt: at(root), EndReason: "compression", VisibleMessages: 1}
		b := Session{ID: "tip", ParentID: "root", Source: "cli", StartedAt: at(tip), LastMessageAt: at(tip), EndedAt: at(tip), VisibleMessages: 1}
		change(&a, &b)
		return BuildLineage(SessionSlice{a, b}, true)
	}
	for name, c := range map[string]struct {
		l    *Lineage
		goes int
		left Left
	}{
		"both old":          {chain(100, 95, func(*Session, *Session) {}), 1, Left{}},
		"goes on":           {chain(100, 10, func(*Session, *Session) {}), 0, Left{}},
		"its tip is open":   {chain(100, 95, func(_, tip *Session) { tip.EndedAt = time.Time{} }), 0, Left{Open: 1}},
		"its root is kept":  {chain(100, 95, func(root, _ *Session) { root.Pinned = true }), 0, Left{Pinned: 1}},
		"a part archived":   {chain(100, 95, func(root, _ *Session) { root.Archived = true }), 0, Left{Archived: 1}},
		"its tip of cron":   {chain(100, 40, func(_, tip *Session) { tip.Source = "cron" }), 1, Left{}},
		"its root of cron":  {chain(100, 40, func(root, _ *Session) { root.Source = "cron" }), 0, Left{}},
		"kept for the root": {chain(100, 95, func(root, tip *Session) { root.Archived, tip.Pinned = true, true }), 0, Left{Pinned: 1}},
	} {
		o := PruneOptions{OlderThan: 90 * 24 * time.Hour, BySource: map[string]time.Duration{"cron": 30 * 24 * time.Hour}}
		if found, left := c.l.PruneCandidates(&o, now); len(found) != c.goes || left != c.left {
			t.Errorf("%s: %v, left %+v", name, found, left)
		}
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	ago := func(days float64) time.Time { return now.Add(-time.Duration(days * 24 * float64(time.Hour))) }
	session := func(id string, started, active, ended float64) Session {
		s := Session{ID: id, Source: "cli", StartedAt: ago(started), LastMessageAt: ago(active), VisibleMessages: 3, EndReason: "user_exit"}
		if ended > 0 {
			s.EndedAt = ago(ended)
		}
		return s
	}
	chain := func(tip Session) []Session {
		root := session("root", 120, 100, 100)
		root.EndReason, tip.ParentID = "compression", "root"
		return []Session{root, tip}
	}
	pinned, reaped := session("a", 80, 80, 80), session("a", 200, 200, 10)
	pinned.Pinned, reaped.EndReason = true, "startup_orphan_reap"
	for _, c := range []struct {
		name     string
		rule     RetentionRule
		sessions []Session
		days     float64 // until it goes, 1000 for never
		part     bool
		in       string
	}{
		{"no rule", RetentionNone, []Session{session("a", 200, 200, 200)}, 1000, false, ""},
		{"unknown", RetentionUnknown, []Session{session("a", 200, 200, 200)}, 1000, false, ""},
		{"by its activity", RetentionByActivity, []Session{session("a", 200, 84, 84)}, 6, false, "6 d"},
		{"by its start", RetentionByStart, []Session{session("a", 84, 20, 20)}, 6, false, "6 d"},
		{"past", RetentionByActivity, []Session{session("a", 200, 91, 91)}, -1, false, "now"},
		{"within the day", RetentionByActivity, []Session{session("a", 200, 89.75, 89)}, 0.25, false, "6 h"},
		{"open", RetentionByActivity, []Session{session("a", 200, 200, 0)}, 1000, false, ""},
		{"open, by the start", RetentionByStart, []Session{session("a", 200, 200, 0)}, 1000, false, ""},
		{"pinned", RetentionByActivity, []Session{pinned}, 1000, false, ""},
		{"closed by Hermes itself", RetentionByActivity, []Session{reaped}, 80, false, "80 d"},
		{"a chain goes as a whole", RetentionByActivity, chain(session("tip", 100, 30, 30)), 60, false, "60 d"},
		{"an open chain stays", RetentionByActivity, chain(session("tip", 100, 30, 0)), 1000, false, ""},
		{"an open chain loses its beginning", RetentionByStart, chain(session("tip", 100, 30, 0)), -30, true, "now"},
		{"a chain, part by part", RetentionByStart, chain(session("tip", 100, 30, 30)), -30, true, "now"},
	} {
		l := BuildLineage(SessionSlice(c.sessions), true)
		l.Retention = Retention{Rule: c.rule, After: 90 * 24 * time.Hour}
		got := l.Conversation(0, now)
		want := now.Add(time.Duration(c.days * 24 * float64(time.Hour)))
		if c.days == 1000 {
			want = time.Time{}
		}
		if !got.ExpiresAt.Equal(want) || got.ExpiresInPart != c.part || got.ExpiresIn(now) != c.in || got.Expiring(now) != (c.days < 14) {
			t.Errorf("%s: %v, part %v, in %q, expiring %v; want %v", c.name, got.ExpiresAt, got.ExpiresInPart, got.ExpiresIn(now), got.Expiring(now), want)
		}
	}
}

// Hermes leaves out what a process works in, however old it is.
func TestAConversationInUseDoesNotExpire(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	old := now.AddDate(0, 0, -100)
	l := BuildLineage(SessionSlice{{ID: "a", Source: "cli", StartedAt: old, LastMessageAt: old, EndedAt: old, VisibleMessages: 1}}, true)
	l.Retention = Retention{Rule: RetentionByActivity, After: 90 * 24 * time.Hour}
	for expires, in := range map[time.Duration]string{time.Minute: "", -time.Minute: "now"} {
		l.Locks = Locks{Turns: true, BySession: map[string][]Lock{"a": {{Kind: LockTurn, Expires: now.Add(expires)}}}}
		if got := l.Conversation(0, now); got.ExpiresIn(now) != in || got.Expiring(now) != (in != "") {
			t.Errorf("a lease for %v: expires in %q", expires, got.ExpiresIn(now))
		}
	}
}
