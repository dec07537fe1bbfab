package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ExpiringWindow is how long before Hermes deletes a conversation it counts as expiring.
const ExpiringWindow = 14 * 24 * time.Hour

// PruneSettings is what Hermes's config.yaml says about deleting old sessions automatically.
type PruneSettings struct {
	Auto    *bool  // sessions.auto_prune; nil where it is not set
	Days    int    // sessions.retention_days
	Problem string // why they cannot be read, "" where they can

	// DaysBySource is sessions.source_retention_days. A source that has fewer days there than
	// Days is deleted sooner, never later.
	DaysBySource map[string]int
}

// AfterBySource gives the ages of [PruneSettings.DaysBySource]; none for no settings, or
// settings that cannot be read.
func (p *PruneSettings) AfterBySource() map[string]time.Duration {
	if p == nil || p.Problem != "" || len(p.DaysBySource) == 0 {
		return nil
	}
	after := make(map[string]time.Duration, len(p.DaysBySource))
	for source, days := range p.DaysBySource {
		after[source] = time.Duration(min(days, maxRetentionDays)) * 24 * time.Hour
	}
	return after
}

// maxRetentionDays is a century: nothing is kept so long that Hermes did not write yet.
const maxRetentionDays = 100 * 365

// DefaultRetentionDays is sessions.retention_days where it is not set.
const DefaultRetentionDays = 90

// RetentionRule says which sessions Hermes deletes automatically.
type RetentionRule uint8

// The rules (store/README.md#prune).
const (
	RetentionNone       RetentionRule = iota // it deletes none
	RetentionUnknown                         // the rule cannot be told
	RetentionByStart                         // each session that has ended, so long after its start
	RetentionByActivity                      // conversations that have ended, so long after their last activity; pinned ones stay
)

// Retention is a rule by which old sessions are deleted. There are two: that of the automatic
// run of Hermes on a database ([RetentionOf]), which takes archived conversations too, and
// that of a prune by hand ([PruneOptions.Retention]), which does not unless it is told to.
type Retention struct {
	Rule          RetentionRule
	After         time.Duration
	AfterBySource map[string]time.Duration // of sources that are deleted sooner
	KeepsArchived bool
	TakesPinned   bool
	Why           string // why there is no rule, or why it is not known
	LatePins      bool   // of the releases that may have written the file, only the later ones keep pinned ones
}

// after returns the age at which sessions of a source are deleted.
func (r *Retention) after(source string) time.Duration {
	if sooner, ok := r.AfterBySource[source]; ok {
		return min(sooner, r.After)
	}
	return r.After
}

// keeps says why a session stays however old it is.
func (r *Retention) keeps(s *Session) stay {
	switch {
	case s.EndedAt.IsZero():
		return staysOpen
	case r.Rule == RetentionByStart:
	case s.Pinned && !r.TakesPinned:
		return staysPinned
	case s.Archived && r.KeepsArchived:
		return staysArchived
	}
	return goes
}

// stay is why a conversation stays; of several reasons the first counts.
type stay uint8

const (
	goes stay = iota
	staysArchived
	staysPinned
	staysOpen
)

// Schemas by which the rule and the default of Hermes can be told (store/README.md#prune).
const (
	lastPruneByStart     = 22
	firstPruneByActivity = 24
	firstPruneKeepsPins  = 29
	lastPruneOffDefault  = 25
	firstPruneOnDefault  = 29
)

// RetentionOf returns the rule for a database of a schema version by the settings of its
// Hermes; nil stands for a file that no Hermes opens. Where releases of one schema differ,
// or nothing is known of it, the rule is unknown.
func RetentionOf(p *PruneSettings, schema int) Retention {
	unknown := func(why string) Retention { return Retention{Rule: RetentionUnknown, Why: why} }
	switch {
	case p == nil:
		return Retention{Why: "there is no config.yaml beside this database"}
	case p.Problem != "":
		return unknown(p.Problem)
	case p.Auto == nil && schema <= lastPruneOffDefault:
		return Retention{Why: "sessions.auto_prune is not on in config.yaml"}
	case p.Auto == nil && schema < firstPruneOnDefault:
		return unknown("config.yaml does not set sessions.auto_prune, whose default differs between releases of schema " + strconv.Itoa(schema))
	case p.Auto != nil && !*p.Auto:
		return Retention{Why: "sessions.auto_prune is off in config.yaml"}
	case p.Days < 0:
		return unknown("sessions.retention_days in config.yaml is below 0")
	case p.Days > maxRetentionDays:
		return Retention{Why: "sessions.retention_days in config.yaml is more than a century"}
	}
	after := time.Duration(p.Days) * 24 * time.Hour
	switch {
	case schema <= lastPruneByStart:
		return Retention{Rule: RetentionByStart, After: after}
	case schema < firstPruneByActivity:
		return unknown("the rule differs between releases of schema " + strconv.Itoa(schema))
	}
	return Retention{Rule: RetentionByActivity, After: after, AfterBySource: p.AfterBySource(), LatePins: schema < firstPruneKeepsPins}
}

// String says the rule in a sentence.
func (r Retention) String() string {
	days := inDays(r.After) + r.sooner()
	switch r.Rule {
	case RetentionByStart:
		return "Hermes deletes ended sessions " + days + " after their start"
	case RetentionByActivity:
		pins := "; pinned ones stay"
		if r.LatePins {
			pins = "; Hermes 0.20.6 and later keep pinned ones"
		}
		return "Hermes deletes ended conversations inactive for " + days + pins
	case RetentionUnknown:
		return "What Hermes deletes is unknown: " + r.Why
	}
	return "Hermes deletes nothing automatically: " + r.Why
}

func inDays(after time.Duration) string { return Quantity(int(after/(24*time.Hour)), "day") }

// sooner says which sources are deleted sooner: " (cron: 7 days)".
func (r *Retention) sooner() string {
	var all []string
	for _, source := range slices.Sorted(maps.Keys(r.AfterBySource)) {
		if after := r.after(source); after < r.After {
			all = append(all, source+": "+inDays(after))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// expiry is when the sessions of one conversation are deleted.
type expiry struct {
	at   time.Time // where one of them stays: when they would be
	kept stay
	n    int // sessions that go
}

func (e *expiry) add(r *Retention, s *Session) {
	if r.Rule < RetentionByStart {
		return
	}
	kept := r.keeps(s)
	e.kept = max(e.kept, kept)
	at := s.StartedAt
	if r.Rule == RetentionByActivity {
		at = s.LastActive()
		if s.EndReason == "startup_orphan_reap" && s.EndedAt.After(at) {
			at = s.EndedAt // closed by Hermes itself, and aged from then
		}
	}
	at = at.Add(r.after(s.Source))
	switch {
	case r.Rule == RetentionByActivity: // the whole conversation, with the last of its segments
		e.n++
		if at.After(e.at) {
			e.at = at
		}
	case kept == goes:
		if e.n++; e.n == 1 || at.Before(e.at) {
			e.at = at
		}
	}
}

// set notes the result in a conversation. One in which a turn goes on stays.
func (e *expiry) set(r *Retention, c *Conversation, now time.Time) {
	if e.n == 0 || (e.kept != goes || c.Lock.Live(now)) && r.Rule == RetentionByActivity {
		return
	}
	c.ExpiresAt, c.ExpiresInPart = e.at, r.Rule == RetentionByStart && (e.kept != goes || e.n > 1)
}

// Expiring reports whether Hermes deletes the conversation, or sessions of it, within
// [ExpiringWindow].
func (c *Conversation) Expiring(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && c.ExpiresAt.Sub(now) < ExpiringWindow
}

// ExpiresIn says in how long Hermes deletes the conversation: "6 d", "5 h", "12 min", or
// "now" where the next start of Hermes deletes it. It is "" for a conversation that stays.
func (c *Conversation) ExpiresIn(now time.Time) string {
	if c.ExpiresAt.IsZero() {
		return ""
	}
	left := c.ExpiresAt.Sub(now)
	switch {
	case left <= 0:
		return "now"
	case left < time.Hour:
		return strconv.Itoa(max(1, int(left/time.Minute))) + " min"
	case left < 24*time.Hour:
		return strconv.Itoa(int(left/time.Hour)) + " h"
	}
	return strconv.Itoa(int(left/(24*time.Hour))) + " d"
}
