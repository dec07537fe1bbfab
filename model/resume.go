package model

import (
	"time"
)

// ResumeCheck is what matters before a conversation is resumed.
type ResumeCheck struct {
	Tip        Session   // where it goes on
	State      State     // of the conversation
	LastActive time.Time // of the conversation
	IsDelegate bool      // an agent started it for a subtask
	ParentTip  Session   // of a delegate: the tip of the conversation that it works for; no id when that is gone
	HeldBy     string    // what another process does with it ("is compressing session x"), "" for nothing
	HeldUntil  time.Time // at the latest; zero when nobody said
}

// ResumeCaution is a reason to ask before a conversation is resumed.
type ResumeCaution struct {
	Kind     string // one of the Caution constants; stable, for scripts
	Sentence string // a sentence without its stop, about "it"; with text as stored
}

// What may stand against resuming.
const (
	CautionBusy     = "in-use"   // another process holds it
	CautionRunning  = "running"  // open and active just now
	CautionDelegate = "subagent" // the parent is meant more often
	CautionArchived = "archived"
	CautionProfile  = "profile" // of another profile than Hermes would be started with
)

// Cautions gives what stands against resuming, the gravest first. profile is
// the one that Hermes would be started with, "" when nobody knows.
func (s ResumeCheck) Cautions(profile string, now time.Time) []ResumeCaution {
	var out []ResumeCaution
	add := func(kind, why string) { out = append(out, ResumeCaution{kind, why}) }
	switch {
	case s.HeldBy != "" && s.HeldUntil.IsZero():
		add(CautionBusy, "another process "+s.HeldBy)
	case s.HeldBy != "":
		add(CautionBusy, "another process "+s.HeldBy+" (until "+s.HeldUntil.Format(time.TimeOnly)+" at most)")
	case s.State == StateRunning:
		when := Age(now, s.LastActive) + " ago"
		if now.Sub(s.LastActive) < time.Minute {
			when = "just now"
		}
		add(CautionRunning, "it seems to run elsewhere: it has not ended and was active "+when)
	}
	if s.IsDelegate {
		why := "it is the work of a subagent"
		if s.ParentTip.Title != "" {
			why += " of “" + s.ParentTip.Title + "”"
		}
		add(CautionDelegate, why)
	}
	if s.Tip.Archived || s.Tip.Hidden {
		add(CautionArchived, "it is archived")
	}
	if of := s.Tip.Profile; of != "" && profile != "" && of != profile {
		add(CautionProfile, "it belongs to the profile "+of+", and Hermes would start with "+profile)
	}
	return out
}
