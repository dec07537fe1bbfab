// Package sessionroles reads which roles and tools the transcripts of sessions have, of
// which tools a call failed, and whether there is reasoning. The filters role:, tool:,
// failed: and has: ask for that.
package sessionroles

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// Key identifies the messages of a session: it changes when they do.
type Key struct {
	ID      string
	Visible int // messages
	Last    time.Time
}

// Roles is what a session's transcript has.
type Roles struct {
	Roles, Tools []string
	Failed       Failures
	reasoning    bool
}

// Failures counts the failed calls of a session by tool. One that no result and no call
// names is counted as unknownTool.
type Failures map[string]int

// unknownTool stands for the name of a tool that neither its result nor its call has.
const unknownTool = "unknown"

// Passes reports whether any failed call matches a filter has:failed or failed:, apart from
// its negation.
func (f Failures) Passes(filter query.Filter) bool { return f.count(filter) > 0 }

// count returns how many failed calls match a filter has:failed or failed:.
func (f Failures) count(filter query.Filter) (n int) {
	for tool, calls := range f {
		if filter.Field == query.FieldHas || filter.Matches(tool) {
			n += calls
		}
	}
	return n
}

// With counts another failed call of a tool and returns f, or a new map where f is nil.
func (f Failures) With(tool string) Failures {
	if f == nil {
		f = Failures{}
	}
	f[tool]++
	return f
}

// CountFailures returns how many failed calls of some sessions filters are about: those of the
// filter that finds most.
func CountFailures(filters []query.Filter, failed map[string]Failures, ids []string) (most int) {
	for _, f := range filters {
		n := 0
		for _, id := range ids {
			n += failed[id].count(f)
		}
		most = max(most, n)
	}
	return most
}

// IsFailure reports whether a filter is about failed calls.
func IsFailure(f query.Filter) bool {
	return f.Field == query.FieldFailed || f.Field == query.FieldHas && f.Value == "failed"
}

// Passes reports whether the session passes a filter on its messages, without the negation.
func (r Roles) Passes(f query.Filter) bool {
	switch {
	case f.Field == query.FieldHas && f.Value == "tool":
		return len(r.Tools) > 0
	case IsFailure(f):
		return r.Failed.Passes(f)
	case f.Field == query.FieldHas:
		return r.reasoning
	case f.Field == query.FieldTool:
		return query.MessagePasses([]query.Filter{f}, "", r.Tools)
	}
	return slices.ContainsFunc(r.Roles, func(role string) bool { return query.MessagePasses([]query.Filter{f}, role, nil) })
}

// Cache caches the roles of the sessions of a database.
type Cache struct {
	mu        sync.Mutex
	bySession map[Key]Roles
	names     map[string]string // of roles and tools, each in memory once
}

// maxSessionRoles bounds the memory of the cache, in sessions.
const maxSessionRoles = 200_000

// Of returns the roles of sessions, from the cache or the file. key gives the state of a
// session by its id. Those that were read before a cancellation are cached.
func (c *Cache) Of(ctx context.Context, d *db.DB, ids []string, key func(id string) Key) (map[string]Roles, error) {
	roles := make(map[string]Roles, len(ids))
	var missing []string
	c.mu.Lock()
	for _, id := range ids {
		if r, ok := c.bySession[key(id)]; ok {
			roles[id] = r
		} else {
			missing = append(missing, id)
		}
	}
	c.mu.Unlock()
	for chunk := range slices.Chunk(missing, 100) {
		found, err := read(ctx, d, chunk)
		if db.IsCorrupt(err) {
			d.AddNote(model.NoteDamaged) // these sessions match no role
			continue
		}
		if err != nil {
			return nil, d.WrapError("read messages of", err)
		}
		c.mu.Lock()
		if c.bySession == nil || len(c.bySession) > maxSessionRoles {
			c.bySession, c.names = map[Key]Roles{}, map[string]string{}
		}
		for _, id := range chunk {
			v := found[id]
			for _, of := range [][]string{v.Roles, v.Tools} {
				for i, n := range of {
					if _, ok := c.names[n]; !ok {
						c.names[n] = n
					}
					of[i] = c.names[n]
				}
			}
			c.bySession[key(id)], roles[id] = v, v
		}
		c.mu.Unlock()
	}
	return roles, nil
}

// Missing counts the messages of the given sessions that are not in the cache.
func (c *Cache) Missing(ids []string, key func(id string) Key) (messages int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		k := key(id)
		if _, ok := c.bySession[k]; !ok {
			messages += k.Visible
		}
	}
	return messages
}

// read reads the roles of sessions.
func read(ctx context.Context, d *db.DB, ids []string) (map[string]Roles, error) {
	var reasoning []string
	for _, name := range ReasoningColumns {
		if table, column, _ := strings.Cut(name, "."); d.Schema.Has(table, column) {
			reasoning = append(reasoning, "m."+column+" <> ''")
		}
	}
	found := map[string]Roles{}
	add := func(to *[]string, name string) {
		if name != "" && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	callNames := map[[2]string]string{} // session and id of a call → its tool
	var unnamed [][2]string             // calls that failed, where their results do not name the tool
	err := db.EachRow(ctx, d.Pool, `SELECT m.session_id, m.role, `+
		d.Schema.ColumnOrNull("messages", "m", "tool_name")+`, `+d.Schema.ColumnOrNull("messages", "m", "tool_calls")+`, `+
		`coalesce(`+strings.Join(append(reasoning, "0"), " OR ")+`, 0),
		`+db.ResultFailure+`,
		`+d.Schema.ColumnOrNull("messages", "m", "tool_call_id")+`
		FROM messages m WHERE m.session_id IN (`+db.Placeholders(len(ids))+`)
		AND `+d.Schema.NotRewoundRows("m")+d.Schema.AndNotHidden("m")+` AND m.role <> 'session_meta'`, db.BindArgs(ids), func(r db.Row) {
		id, tool := r.Text(0), r.Text(2)
		v := found[id]
		add(&v.Roles, r.Text(1))
		add(&v.Tools, tool)
		for _, c := range model.CallHeads(r.Text(3)) {
			add(&v.Tools, c.Name)
			callNames[[2]string{id, c.ID}] = c.Name
		}
		v.reasoning = v.reasoning || r.Bool(4)
		if r[5] != nil {
			if tool != "" {
				v.Failed = v.Failed.With(tool)
			} else {
				unnamed = append(unnamed, [2]string{id, r.Text(6)})
			}
		}
		found[id] = v
	})
	for _, call := range unnamed {
		v := found[call[0]]
		v.Failed = v.Failed.With(cmp.Or(callNames[call], unknownTool))
		found[call[0]] = v
	}
	return found, err
}

// ToolNames returns the tools that a message names: the one that answers, or
// those that are called.
func ToolNames(name, calls any) []string {
	var names []string
	if n := db.AsText(name); n != "" {
		names = append(names, n)
	}
	for _, c := range model.CallHeads(db.AsText(calls)) {
		names = append(names, c.Name)
	}
	return names
}

// ReasoningColumns are the columns with a message's reasoning, as table.column; a file
// may have none, some or all of them.
var ReasoningColumns = [...]string{
	"messages.reasoning", "messages.reasoning_content", "messages.reasoning_details", "messages.codex_reasoning_items",
}
