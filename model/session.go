package model

import (
	"cmp"
	"strings"
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
	CreatedAs    string // the source that began it, "" where that is not stored
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
	GitRoot      string // top folder of the git work tree that CWD is in
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

// Workspace is the folder that a session belongs to: the top folder of its git work tree,
// else the folder that it ran in.
func (s *Session) Workspace() string { return cmp.Or(s.GitRoot, s.CWD) }

// WorkspaceName is the last part of [Session.Workspace], "" where there is none.
func (s *Session) WorkspaceName() string {
	path := strings.TrimRight(s.Workspace(), `/\`)
	if path == "" {
		return s.Workspace()
	}
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// InWorkspace reports whether a session belongs to a workspace: its git work tree has this top
// folder, or it has none and ran in this folder or below it.
func (s *Session) InWorkspace(folder string) bool {
	folder = strings.TrimRight(folder, `/\`)
	switch {
	case folder == "":
		return false // the root of all folders has every session below it
	case s.GitRoot != "":
		return strings.TrimRight(s.GitRoot, `/\`) == folder
	}
	rest, ok := strings.CutPrefix(s.CWD, folder)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}

// SourceName is the source of a session, behind the one that began it where that was another.
func (s *Session) SourceName() string {
	if s.CreatedAs != "" && s.CreatedAs != s.Source {
		return s.CreatedAs + "→" + s.Source
	}
	return s.Source
}

// Running reports whether a process is probably writing to the session: it is open
// and was written to within [RunningWindow].
func (s *Session) Running(now time.Time) bool {
	since := now.Sub(s.LastActive())
	return s.EndedAt.IsZero() && since < RunningWindow && since > -RunningWindow
}
