package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

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

// Sessions is the documented list of sessions: rows of the table with
// last_active and preview, newest start first. A compressed conversation has
// its root's row with what its tip overrides, and the root's id in
// _lineage_root_id. The filters test the root. Archived and hidden sessions
// are left out. [Store.Conversations] answers the same question better.
func (s *Store) Sessions(ctx context.Context, o ListOptions) ([]Record, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, m := range c.all() {
		if o.Source != "" && m.Source != o.Source || slices.Contains(o.ExcludeSources, m.Source) {
			continue
		}
		r := row{session: i, tip: i, started: m.StartedAt, active: c.active(i)}
		if !o.IncludeChildren && !c.listed(i) {
			continue
		}
		for j := int(c.lineage.Next[i]); j >= 0; j = int(c.lineage.Next[j]) {
			if at := c.active(j); at.After(r.active) {
				r.active = at
			}
			if !o.IncludeChildren && !o.KeepRoots {
				r.tip = j
			}
		}
		if tip := c.Session(r.tip); tip.Archived || tip.Hidden {
			continue
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		start := b.started.Compare(a.started)
		if !o.ByLastActive {
			return start
		}
		return cmp.Or(b.active.Compare(a.active), start, strings.Compare(c.id(b.session), c.id(a.session)))
	})
	rows = rows[min(max(o.Offset, 0), len(rows)):]
	if o.Limit == 0 {
		o.Limit = 20
	}
	if o.Limit > 0 {
		rows = rows[:min(o.Limit, len(rows))]
	}
	return s.richRows(ctx, c, rows)
}

// row is one line of the documented list.
type row struct {
	session, tip    int // positions
	started, active time.Time
}

// active is the time that orders a session in the documented lists.
func (c *catalog) active(i int) time.Time {
	m := c.Session(i)
	at := m.LastMessageAt
	if at.IsZero() {
		at = m.StartedAt
	}
	if m.ActivityAt.After(at) {
		at = m.ActivityAt
	}
	return at
}

// listed reports whether the documented list shows a session by itself: roots,
// and what the user forked. Delegates that carry their mark are hidden.
func (c *catalog) listed(i int) bool {
	m := c.Session(i)
	switch c.lineage.Link[i] {
	case model.LinkRoot:
		return true
	case model.LinkBranch:
		p := c.Session(int(c.lineage.Parent[i]))
		// Second continuations and children of reopened parents are listed by
		// Conversations alone.
		return m.BranchedFrom != "" || m.ResetFrom != "" || p.EndReason == "branched"
	}
	return false
}

// projected are the keys that a compressed conversation takes from its tip.
var projected = []string{
	"id", "ended_at", "end_reason", "message_count", "tool_call_count", "title", "last_active", "preview",
	"model", "system_prompt", "cwd", "git_branch", "git_repo_root",
}

// richRows reads the rows of one page.
func (s *Store) richRows(ctx context.Context, c *catalog, rows []row) ([]Record, error) {
	var ids []string
	for _, r := range rows {
		ids = append(ids, c.id(r.session))
		if r.tip != r.session {
			ids = append(ids, c.id(r.tip))
		}
	}
	found, err := s.readRecords(ctx, s.db, ids, s.sessionRow()+", "+s.lastActive())
	if err != nil {
		return nil, s.wrap("list the sessions of", err)
	}
	previews, err := s.dresses(ctx, ids, c.dressKey)
	if err != nil {
		return nil, err
	}
	out := make([]Record, 0, len(rows))
	for _, r := range rows {
		id, tipID := c.id(r.session), c.id(r.tip)
		rich, ok := found[id]
		if !ok {
			continue // deleted meanwhile
		}
		rich = append(slices.Clone(rich), model.Field{Name: "preview", Value: previews[id].first})
		if tip, ok := found[tipID]; ok && r.tip != r.session {
			tip = append(slices.Clone(tip), model.Field{Name: "preview", Value: previews[tipID].first})
			for i := range rich {
				if slices.Contains(projected, rich[i].Name) {
					rich[i].Value = tip.Get(rich[i].Name)
				}
			}
			rich = append(rich, model.Field{Name: "_lineage_root_id", Value: id})
		}
		out = append(out, rich)
	}
	return out, nil
}

// RecentSessions is the documented search_sessions: all sessions, children
// too, with last_active, the latest active first. limit below 0 is all.
func (s *Store) RecentSessions(ctx context.Context, source string, limit, offset int) ([]Record, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+s.sessionRow()+`, `+s.lastActive()+` FROM sessions s
		WHERE ? = '' OR s.source = ? ORDER BY last_active DESC, s.started_at DESC, s.id DESC LIMIT ? OFFSET ?`,
		source, source, limit, offset)
	out := []Record{}
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			out = append(out, r)
			return nil
		})
	}
	return out, s.wrap("list the sessions of", err)
}

// CountSessions counts all sessions, or those of one source.
func (s *Store) CountSessions(ctx context.Context, source string) (int, error) {
	return s.count(ctx, "sessions", "source", source)
}

// CountMessages counts all messages, or those of one session.
func (s *Store) CountMessages(ctx context.Context, session string) (int, error) {
	return s.count(ctx, "messages", "session_id", session)
}

func (s *Store) count(ctx context.Context, table, column, value string) (int, error) {
	var n int
	query := fmt.Sprintf(`SELECT count(*) FROM %s`, table)
	var args []any
	if value != "" {
		query += fmt.Sprintf(` WHERE %s = ?`, column)
		args = append(args, value)
	}
	err := s.db.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, s.wrap("count the "+table+" of", err)
}
