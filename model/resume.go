package model

import (
	"time"
)

// ResumeCheck is what must be known of a conversation before it is resumed.
type ResumeCheck struct {
	Tip        Session   // the session that is resumed
	Before     Session   // where the tip has no messages: the segment before it that has some, else without an id
	GoesOn     Session   // a later session in which Hermes continues it instead, else without an id
	State      State     // of the conversation
	LastActive time.Time // of the conversation
	IsDelegate bool
	ParentTip  Session   // of a delegate: the tip of the parent's conversation; without an id if that no longer exists
	HeldBy     string    // what another process is doing with it ("is compressing session x"), else ""
	HeldUntil  time.Time // when its lock expires; zero if unknown
}

// ResumeCaution is a reason to ask before a conversation is resumed.
type ResumeCaution struct {
	Kind     string // one of the Caution constants; stable, for scripts
	Sentence string // about "it", without a period; titles and names in it are as stored
}

// The kinds of cautions.
const (
	CautionBusy     = "in-use"   // another process holds a lock on it
	CautionRunning  = "running"  // open and recently active
	CautionEmpty    = "empty"    // its messages are in an earlier segment
	CautionGoesOn   = "goes-on"  // Hermes continues another session in its place
	CautionDelegate = "subagent" // resuming the parent is more usual
	CautionArchived = "archived"
	CautionProfile  = "profile" // it belongs to another profile
)

// Cautions returns the reasons to ask before resuming, the most serious first. profile
// is the profile that Hermes would start with, "" if unknown.
func (s ResumeCheck) Cautions(profile string, now time.Time) []ResumeCaution {
	var out []ResumeCaution
	add := func(kind, sentence string) { out = append(out, ResumeCaution{kind, sentence}) }
	switch {
	case s.HeldBy != "" && s.HeldUntil.IsZero():
		add(CautionBusy, "another process "+s.HeldBy)
	case s.HeldBy != "":
		add(CautionBusy, "another process "+s.HeldBy+", until "+ClockTime(now, s.HeldUntil)+" at most")
	case s.State == StateRunning:
		when := Age(now, s.LastActive) + " ago"
		if now.Sub(s.LastActive) < time.Minute {
			when = "just now"
		}
		add(CautionRunning, "it may still be running: it has not ended and was active "+when)
	}
	if s.Before.ID != "" {
		add(CautionEmpty, "its newest segment has no messages, so Hermes would start afresh")
	}
	if s.GoesOn.ID != "" {
		why := "Hermes goes on in a later session"
		if s.GoesOn.Title != "" {
			why += ", “" + s.GoesOn.Title + "”"
		} else {
			why += ", " + s.GoesOn.ID
		}
		add(CautionGoesOn, why)
	}
	if s.IsDelegate {
		why := "it is a subagent session"
		if s.ParentTip.Title != "" {
			why += " of “" + s.ParentTip.Title + "”"
		}
		add(CautionDelegate, why)
	}
	if s.Tip.Archived || s.Tip.Hidden {
		add(CautionArchived, "it is archived")
	}
	if of := s.Tip.Profile; of != "" && profile != "" && of != profile {
		add(CautionProfile, "it belongs to profile "+of+", but Hermes would start with "+profile)
	}
	return out
}
