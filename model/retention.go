package model

import (
	"strconv"
	"time"
)

// ExpiringWindow is how long before Hermes deletes a conversation it counts as expiring.
const ExpiringWindow = 14 * 24 * time.Hour

// PruneSettings is what Hermes's config.yaml says about deleting old sessions automatically.
type PruneSettings struct {
	Auto    *bool  // sessions.auto_prune; nil where it is not set
	Days    int    // sessions.retention_days
	Problem string // why they cannot be read, "" where they can
}

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

// Retention is the rule by which Hermes automatically deletes sessions of a database.
type Retention struct {
	Rule     RetentionRule
	After    time.Duration
	Why      string // why there is no rule, or why it is not known
	LatePins bool   // of the releases that may have written the file, only the later ones keep pinned ones
}

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
	case p.Days > 100*365:
		return Retention{Why: "sessions.retention_days in config.yaml is more than a century"}
	}
	after := time.Duration(p.Days) * 24 * time.Hour
	switch {
	case schema <= lastPruneByStart:
		return Retention{Rule: RetentionByStart, After: after}
	case schema < firstPruneByActivity:
		return unknown("the rule differs between releases of schema " + strconv.Itoa(schema))
	}
	return Retention{Rule: RetentionByActivity, After: after, LatePins: schema < firstPruneKeepsPins}
}

// String says the rule in a sentence.
func (r Retention) String() string {
	days := Quantity(int(r.After/(24*time.Hour)), "day")
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

// expiry is when Hermes deletes sessions of one conversation.
type expiry struct {
	at   time.Time
	kept bool // one session stays
	n    int  // sessions that go
}

func (e *expiry) add(r *Retention, s *Session) {
	if r.Rule < RetentionByStart {
		return
	}
	if s.EndedAt.IsZero() || r.Rule == RetentionByActivity && s.Pinned {
		e.kept = true
		return
	}
	at := s.StartedAt
	if r.Rule == RetentionByActivity {
		at = s.LastActive()
		if s.EndReason == "startup_orphan_reap" && s.EndedAt.After(at) {
			at = s.EndedAt // closed by Hermes itself, and aged from then
		}
	}
	at = at.Add(r.After)
	if e.n++; e.n == 1 || at.Before(e.at) == (r.Rule == RetentionByStart) {
		e.at = at
	}
}

// set notes the result in a conversation.
func (e *expiry) set(r *Retention, c *Conversation) {
	if e.n == 0 || e.kept && r.Rule == RetentionByActivity {
		return
	}
	c.ExpiresAt, c.ExpiresInPart = e.at, r.Rule == RetentionByStart && (e.kept || e.n > 1)
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
