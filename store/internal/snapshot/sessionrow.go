package snapshot

import (
	"context"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// sessionColumns are the columns of [model.Session], in the order of scanSession. One
// that is added goes to the end, and into package sessiontable, which holds sessions in memory.
var sessionColumns = [...]string{
	"id", "source", "title", "model", "parent_session_id", "end_reason", "started_at", "ended_at",
	"message_count", "tool_call_count", "input_tokens", "output_tokens", "cache_read_tokens",
	"cache_write_tokens", "reasoning_tokens", "api_call_count",
	"estimated_cost_usd", "actual_cost_usd", "cost_status",
	"cwd", "git_branch", "profile_name", "archived", "pinned", "hidden", "last_activity_at", "session_key",
	"git_repo_root", "created_source",
}

// columnList returns the columns of sessions s for [scanSession], NULL for those that the
// file does not have.
func columnList(schema db.Schema) string {
	var names []string
	for _, name := range sessionColumns {
		names = append(names, schema.ColumnOrNull("sessions", "s", name))
	}
	// Most model_config values are long and carry no mark: read only those that may.
	config := schema.ColumnOrNull("sessions", "s", "model_config")
	names = append(names, "CASE WHEN instr("+config+", '_from') > 0 THEN "+config+" END")
	return strings.Join(names, ", ")
}

// ReadSessions reads sessions without their message counts. where is a condition on s.
func (s *Sessions) ReadSessions(ctx context.Context, q db.Querier, where string, args []any) (all []model.Session, err error) {
	err = s.eachSession(ctx, q, where, args, func(m *model.Session) { all = append(all, *m) })
	return all, err
}

// eachSession reads sessions one by one, without their message counts. where is a
// condition on s, "" for all. No call can name a session whose id is not text: it is left
// out, with a note.
func (s *Sessions) eachSession(ctx context.Context, q db.Querier, where string, args []any, each func(*model.Session)) error {
	query := "SELECT " + columnList(s.db.Schema) + " FROM sessions s"
	if where != "" {
		query += " WHERE " + where
	}
	return db.EachRow(ctx, q, query, args, func(r db.Row) {
		if !s.db.Schema.CanName(r[0]) {
			s.db.AddNote(model.NoteUnnamed)
			return
		}
		m := scanSession(r)
		each(&m)
	})
}

// scanSession makes a session of the values of sessionColumns.
func scanSession(v []any) model.Session {
	m := model.Session{
		ID: db.AsText(v[0]), Source: db.AsText(v[1]), Title: db.AsText(v[2]), Model: db.AsText(v[3]),
		ParentID: db.AsText(v[4]), EndReason: db.AsText(v[5]),
		StartedAt: db.AsTime(v[6]), EndedAt: db.AsTime(v[7]),
		MessageCount: int(db.AsInt(v[8])), ToolCalls: int(db.AsInt(v[9])),
		Usage: model.Usage{
			Input: db.AsInt(v[10]), Output: db.AsInt(v[11]), CacheRead: db.AsInt(v[12]),
			CacheWrite: db.AsInt(v[13]), Reasoning: db.AsInt(v[14]), APICalls: db.AsInt(v[15]),
			Cost: SessionCost(v[16], v[17], db.AsText(v[18])),
		},
		CWD: db.AsText(v[19]), GitBranch: db.AsText(v[20]), Profile: db.AsText(v[21]),
		Archived: db.AsBool(v[22]), Pinned: db.AsBool(v[23]), Hidden: db.AsBool(v[24]), LastActivityAt: db.AsTime(v[25]), SessionKey: db.AsText(v[26]),
		GitRoot: db.AsText(v[27]), CreatedAs: db.AsText(v[28]),
	}
	if config := db.AsText(v[len(sessionColumns)]); config != "" {
		// What is not JSON carries no mark.
		if v, err := pyjson.Parse(config); err == nil {
			o, _ := v.(pyjson.Object)
			mark := func(name string) string {
				if v := o.Get(name); v != nil && v != false && v != "" {
					if id, ok := v.(string); ok {
						return id
					}
					return "?"
				}
				return ""
			}
			m.BranchedFrom = mark("_branched_from")
			m.DelegateFrom = mark("_delegate_from")
			m.ResetFrom = mark("_reset_from")
		}
	}
	return m
}

// SessionCost returns the cost of a session. Zero counts as known only where the status
// says so: writers store 0.0 where no price is known (store/README.md#costs). What is below
// zero is no cost.
func SessionCost(estimated, actual any, status string) model.Cost {
	free := status == "included" || status == "free"
	if f, ok := db.AsFloat(actual); ok && (f > 0 || f == 0 && (free || status == "actual")) {
		return model.Cost{USD: f, Known: true}
	}
	f, ok := db.AsFloat(estimated)
	switch {
	case ok && f > 0:
		return model.Cost{USD: f, Known: true, Estimated: true}
	case free:
		return model.Cost{Known: true}
	}
	return model.Cost{}
}
