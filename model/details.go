package model

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sessions/model/pyjson"
)

// Details are what is known of a conversation besides its messages.
type Details struct {
	Conversation Conversation
	Sessions     []Session       // its segments, root first
	Rows         []pyjson.Object // their rows as stored, with every column in its order
	Roles        []RoleCount     // most messages first
	Models       []ModelUsage    // most tokens first
	ParentExists bool            // the parent of the root exists
	Files        []TranscriptFiles
}

// TranscriptFiles is what the transcript files of a session have beside the database.
type TranscriptFiles struct {
	Session  string
	Names    []string // in the folder sessions
	Bytes    int64
	Only     bool     // the database knows nothing of the session
	Compared bool     // else they were too large
	Beyond   int      // messages that the database does not have
	Broken   []string // which lines are no messages, and why
}

// Findings says in sentences what a person should know of the files.
func (t TranscriptFiles) Findings() (out []string) {
	where := "sessions/" + strings.Join(t.Names, " and sessions/")
	has, does := "has", "does"
	if len(t.Names) > 1 {
		has, does = "have", "do"
	}
	if len(t.Names) == 0 {
		return nil
	}
	toImport := "; hermes-sessions import " + ShellWord(t.Session)
	switch {
	case t.Only:
		out = append(out, "The database does not have this conversation: it is only in "+where+toImport+" adds it.")
	case !t.Compared:
		out = append(out, fmt.Sprintf("%s %s %s, too much to compare with the database here; doctor --full %s.", where, has, ByteSize(t.Bytes), does))
	case t.Beyond > 0:
		out = append(out, fmt.Sprintf("%s %s %s that the database does not have%s adds them.", where, has, Quantity(t.Beyond, "message"), toImport))
	}
	for _, text := range t.Broken[:min(len(t.Broken), maxBroken)] {
		out = append(out, "Cannot be read: sessions/"+text+".")
	}
	if more := len(t.Broken) - maxBroken; more > 0 {
		out = append(out, fmt.Sprintf("%s of its files cannot be read either.", Quantity(more, "more line")))
	}
	return out
}

// maxBroken is how many broken lines are named.
const maxBroken = 5

// RoleCount counts the messages of one role.
type RoleCount struct {
	Role      string
	Visible   int // in the transcript
	Rewound   int // removed by the user with a rewind
	Compacted int // archived by in-place compaction
	Hidden    int // marked as hidden by Hermes, or metadata of the session
}

// ModelUsage is what one model has consumed.
type ModelUsage struct { //nolint:revive // Usage alone would be that of a session
	Model    string // "" where the session has none
	Sessions int
	Usage    Usage
}

// knownSessionColumns are the columns of the sessions table in all known schemas, in
// alphabetical order (store/README.md#versions).
const knownSessionColumns = `
		actual_cost_usd api_call_count archived auto_archived billing_base_url billing_mode billing_provider
		cache_read_tokens cache_write_tokens chat_id chat_type compression_failure_cooldown_until compression_failure_error
		compression_fallback_streak compression_ineffective_count compression_overload_streak
		compression_recovery_deadline cost_source cost_status created_source cwd display_name end_reason ended_at
		estimated_cost_usd expiry_finalized git_branch git_metadata_generation git_repo_root handoff_error
		handoff_platform handoff_state hidden id input_tokens last_activity_at last_activity_description
		last_activity_provenance last_read_at message_count model model_config origin_json output_tokens
		parent_session_id pinned pricing_version profile_name reasoning_tokens rewind_count session_key source
		started_at system_prompt system_prompt_hash thread_id title title_source tool_call_count tool_names
		transport_profile user_id`

// Anomalies says what is unusual about the stored rows of a conversation, in
// complete sentences.
func (d Details) Anomalies() []string {
	var out []string
	for _, f := range d.Files {
		out = append(out, f.Findings()...)
	}
	c := d.Conversation
	if len(d.Sessions) == 0 {
		return out
	}
	if root := d.Sessions[0]; root.ParentID != "" && !d.ParentExists {
		out = append(out, "Its parent session, "+root.ParentID+", no longer exists.")
	}
	if c.RootStartedAt.IsZero() {
		out = append(out, "Its start time is unknown.")
	}
	if !c.RootStartedAt.IsZero() && !c.LastActive.IsZero() && c.LastActive.Before(c.RootStartedAt) {
		out = append(out, "Its last message is older than its start: a clock was set back.")
	}
	for i, s := range d.Sessions {
		name := "The session"
		if len(d.Sessions) > 1 {
			name = fmt.Sprintf("Segment %d", i+1)
		}
		if !s.EndedAt.IsZero() && s.EndedAt.Before(s.StartedAt) {
			out = append(out, name+" ended before it started.")
		}
		if !s.EndedAt.IsZero() && s.EndReason == "" {
			out = append(out, name+" ended without a reason.")
		}
	}
	counted, there := 0, 0
	for _, s := range d.Sessions {
		counted += s.MessageCount
	}
	for _, r := range d.Roles {
		there += r.Visible + r.Rewound + r.Compacted + r.Hidden
	}
	if counted != there {
		out = append(out, fmt.Sprintf("Hermes counted %s, but %d exist.", Quantity(counted, "message"), there))
	}
	if len(d.Rows) < len(d.Sessions) {
		out = append(out, fmt.Sprintf("%s could not be read as stored.", Quantity(len(d.Sessions)-len(d.Rows), "row")))
	}
	known := strings.Fields(knownSessionColumns)
	var foreign []string
	for _, row := range d.Rows {
		for _, field := range row {
			if !slices.Contains(known, field.Name) && !slices.Contains(foreign, field.Name) {
				foreign = append(foreign, field.Name)
			}
		}
	}
	if len(foreign) > 0 {
		out = append(out, "Columns that this program does not know: "+strings.Join(foreign, ", ")+".")
	}
	for _, r := range d.Roles {
		if !slices.Contains([]string{"user", "assistant", "tool", "system", "session_meta"}, r.Role) {
			out = append(out, fmt.Sprintf("%s of the unknown role %q.", Quantity(r.Visible+r.Rewound+r.Compacted+r.Hidden, "message"), r.Role))
		}
	}
	return out
}
