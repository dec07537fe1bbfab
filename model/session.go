package model

import (
	"time"
)

// SourceFile is the source, in lists, of a conversation that only a file beside the database
// has.
const SourceFile = "file"

// Session is one row of the sessions table. Columns that an older schema lacks
// have their zero value.
type Session struct {
	ID           string
	Source       string // an open set: cli, tui, telegram, cron, …; [SourceFile]
	Title        string
	Model        string
	ParentID     string // "" for a root
	EndReason    string
	StartedAt    time.Time
	EndedAt      time.Time // zero while open
	MessageCount int       // as counted by the writer
	ToolCalls    int
	Usage        Usage
	CWD          string
	GitBranch    string
	Profile      string
	Archived     bool
	Pinned       bool
	Hidden       bool
	SessionKey   string // the chat that the gateway keeps going, the same in all its sessions

	BranchedFrom    string    // model_config $._branched_from
	DelegateFrom    string    // model_config $._delegate_from
	ResetFrom       string    // model_config $._reset_from
	LastMessageAt   time.Time // newest message; zero without messages
	VisibleMessages int       // messages in the table that were not rewound or archived by compaction
	LastActivityAt  time.Time // last_activity_at, where the schema has it
}

// LastActive is the time of the last write to a session (store/README.md#last-activity).
func (s *Session) LastActive() time.Time {
	at := s.StartedAt
	if !s.LastMessageAt.IsZero() {
		at = s.LastMessageAt
	}
	if s.LastActivityAt.After(at) {
		at = s.LastActivityAt
	}
	return at
}

// Running reports whether a process is probably writing to the session: it is open
// and was written to within [RunningWindow].
func (s *Session) Running(now time.Time) bool {
	since := now.Sub(s.LastActive())
	return s.EndedAt.IsZero() && since < RunningWindow && since > -RunningWindow
}
