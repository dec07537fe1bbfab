package sessiondb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Session returns the row of one session, with its system prompt also where the file
// keeps prompts in a table of their own (get_session, store/README.md#session-calls).
// The error is of [model.KindNotFound] for an unknown session.
func (d *DB) Session(ctx context.Context, id string) (db.Record, error) {
	records, err := d.Records(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, d.db.NotFoundError(id)
	}
	return records[0], nil
}

// Records returns the rows of several sessions in the order of ids, each as
// [DB.Session] gives it; those that do not exist are left out.
func (d *DB) Records(ctx context.Context, ids []string) ([]db.Record, error) {
	found, err := d.db.ReadRecords(ctx, d.db.Pool, ids, d.db.SessionRow())
	if err != nil {
		return nil, d.db.WrapError("read sessions of", err)
	}
	return db.OrderRecords(ids, found), nil
}

// ListOptions are those of the documented list_sessions_rich
// (store/README.md#lists).
type ListOptions struct {
	Source          string   // only this source; "" for all
	ExcludeSources  []string // none of these
	Limit           int      // 0 for the documented 20, below 0 for all
	Offset          int
	IncludeChildren bool // segments and delegates too, each by itself
	KeepRoots       bool // do not show a compressed conversation by its tip
	ByLastActive    bool // instead of by start
}

// Sessions is the documented list of sessions (list_sessions_rich): rows of the table
// with last_active and preview, newest start first. A compressed conversation has
// its root's row with what its tip overrides, and the root's id in
// _lineage_root_id. The filters test the root. Archived and hidden sessions
// are left out. store.Store.Conversations lists conversations with fewer surprises.
func (d *DB) Sessions(ctx context.Context, o ListOptions) ([]db.Record, error) {
	snap, err := d.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	var rows []listedRow
	for i, m := range snap.All() {
		if o.Source != "" && m.Source != o.Source || slices.Contains(o.ExcludeSources, m.Source) {
			continue
		}
		r := listedRow{session: i, tip: i, started: m.StartedAt, lastActive: m.LastActive()}
		if !o.IncludeChildren && !snap.IsListed(i) {
			continue
		}
		for j := int(snap.Lineage.Next[i]); j >= 0; j = int(snap.Lineage.Next[j]) {
			next := snap.Session(j)
			if at := next.LastActive(); at.After(r.lastActive) {
				r.lastActive = at
			}
			if !o.IncludeChildren && !o.KeepRoots {
				r.tip = j
			}
		}
		if tip := snap.Session(r.tip); tip.Archived || tip.Hidden {
			continue
		}
		rows = append(rows, r)
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		start := b.started.Compare(a.started)
		if !o.ByLastActive {
			return start < 0
		}
		return cmp.Or(b.lastActive.Compare(a.lastActive), start, strings.Compare(snap.ID(b.session), snap.ID(a.session))) < 0
	})
	rows = rows[min(max(o.Offset, 0), len(rows)):]
	o.Limit = cmp.Or(o.Limit, 20)
	if o.Limit > 0 {
		rows = rows[:min(o.Limit, len(rows))]
	}
	return d.listedRecords(ctx, snap, rows)
}

// listedRow is one line of the documented list.
type listedRow struct {
	session, tip        int // positions
	started, lastActive time.Time
}

// projectedColumns are the columns that a compressed conversation takes from its tip.
var projectedColumns = []string{
	"id", "ended_at", "end_reason", "message_count", "tool_call_count", "title", "last_active", "preview",
	"model", "system_prompt", "cwd", "git_branch", "git_repo_root",
}

// listedRecords reads the rows of one page.
func (d *DB) listedRecords(ctx context.Context, snap *snapshot.Snapshot, rows []listedRow) ([]db.Record, error) {
	var ids []string
	for _, r := range rows {
		ids = append(ids, snap.ID(r.session))
		if r.tip != r.session {
			ids = append(ids, snap.ID(r.tip))
		}
	}
	found, err := d.db.ReadRecords(ctx, d.db.Pool, ids, d.db.SessionRow()+", "+d.db.LastActiveExpr())
	if err != nil {
		return nil, d.db.WrapError("list the sessions of", err)
	}
	previews, err := d.sessions.PreviewsOf(ctx, ids, snap.PreviewKey)
	if err != nil {
		return nil, err
	}
	out := make([]db.Record, 0, len(rows))
	for _, r := range rows {
		id, tipID := snap.ID(r.session), snap.ID(r.tip)
		rich, ok := found[id]
		if !ok {
			continue // deleted since
		}
		rich = append(slices.Clone(rich), pyjson.Field{Name: "preview", Value: previews[id].Text})
		if tip, ok := found[tipID]; ok && r.tip != r.session {
			tip = append(slices.Clone(tip), pyjson.Field{Name: "preview", Value: previews[tipID].Text})
			for i := range rich {
				if slices.Contains(projectedColumns, rich[i].Name) {
					rich[i].Value = tip.Get(rich[i].Name)
				}
			}
			rich = append(rich, pyjson.Field{Name: "_lineage_root_id", Value: id})
		}
		out = append(out, rich)
	}
	return out, nil
}

// RecentSessions returns the rows of all sessions, children too, with last_active, the
// latest active first (search_sessions): of one source, "" for all. limit below 0 is all.
func (d *DB) RecentSessions(ctx context.Context, source string, limit, offset int) ([]db.Record, error) {
	rows, err := d.db.Pool.QueryContext(ctx, `SELECT `+d.db.SessionRow()+`, `+d.db.LastActiveExpr()+` FROM sessions s
		WHERE ? = '' OR s.source = ? ORDER BY last_active DESC, s.started_at DESC, s.id DESC LIMIT ? OFFSET ?`,
		source, source, limit, offset)
	out := []db.Record{}
	if err == nil {
		err = db.ScanRecords(rows, func(r db.Record) error {
			out = append(out, r)
			return nil
		})
	}
	return out, d.db.WrapError("list the sessions of", err)
}

// CountSessions counts the sessions of one source, "" for all.
func (d *DB) CountSessions(ctx context.Context, source string) (int, error) {
	return d.countRows(ctx, "sessions", "source", source)
}

// CountMessages counts the messages of one session, rewound ones too, "" for all.
func (d *DB) CountMessages(ctx context.Context, session string) (int, error) {
	return d.countRows(ctx, "messages", "session_id", session)
}

func (d *DB) countRows(ctx context.Context, table, column, value string) (int, error) {
	var n int
	query := fmt.Sprintf(`SELECT count(*) FROM %s`, table)
	var args []any
	if value != "" {
		query += fmt.Sprintf(` WHERE %s = ?`, column)
		args = append(args, value)
	}
	err := d.db.Pool.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, d.db.WrapError("count the "+table+" of", err)
}
