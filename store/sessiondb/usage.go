package sessiondb

import (
	"cmp"
	"context"
	"os"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Usage is what a call of a model has consumed: tokens, and US dollars where a price
// is known (update_token_counts, store/README.md#session-calls).
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64 // tokens
	APICalls                                        int64
	Estimated, Actual                               *float64 // US dollars; nil: not known

	// Empty fields leave what is stored. The first four are only stored where
	// the column is still empty, the others replace its value.
	Model, Provider, BaseURL, BillingMode  string
	CostStatus, CostSource, PricingVersion string
}

// AddUsage adds to what a session has consumed, and to its usage by model where the
// file has that. The error is of [model.KindNotFound] for an unknown session, which is
// not created (store/README.md#q32).
func (d *DB) AddUsage(ctx context.Context, id string, u Usage) error {
	return d.writeUsage(ctx, id, u, false)
}

// SetUsage sets what a session has consumed in all; an actual cost that is not given
// stays. The usage by model stays too, because a sum cannot be divided among models.
// The error is of [model.KindNotFound] for an unknown session.
func (d *DB) SetUsage(ctx context.Context, id string, u Usage) error {
	return d.writeUsage(ctx, id, u, true)
}

// tokenColumns are the columns of the counters, in the order of Usage.counters.
var tokenColumns = [...]string{
	"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "api_call_count",
}

// counters returns the counters in the order of tokenColumns.
func (u *Usage) counters() [6]int64 {
	return [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.APICalls}
}

// writeUsage adds usage to a session, or with absolute sets it.
func (d *DB) writeUsage(ctx context.Context, id string, u Usage, absolute bool) error {
	return d.db.Write(ctx, "count the usage of session "+id+" in", func(t *db.Tx) error {
		var set []string
		var args []any
		missing := ""
		put := func(column, expression string, value any) {
			if !t.Schema.Has("sessions", column) {
				missing = column
				return
			}
			set = append(set, column+" = "+strings.ReplaceAll(expression, "old", column))
			args = append(args, value)
		}
		for i, n := range u.counters() {
			switch {
			case n == 0 && !t.Schema.Has("sessions", tokenColumns[i]): // nothing is lost
			case absolute:
				put(tokenColumns[i], "?", n)
			default:
				put(tokenColumns[i], "coalesce(old, 0) + ?", n)
			}
		}
		priced := u.Estimated != nil || t.Schema.Has("sessions", "estimated_cost_usd")
		switch {
		case priced && absolute:
			put("estimated_cost_usd", "?", floatOrZero(u.Estimated))
		case priced:
			put("estimated_cost_usd", "coalesce(old, 0) + ?", floatOrZero(u.Estimated))
		}
		switch {
		case u.Actual != nil && absolute:
			put("actual_cost_usd", "?", *u.Actual)
		case u.Actual != nil:
			put("actual_cost_usd", "coalesce(old, 0) + ?", *u.Actual)
		}
		for _, c := range []struct{ column, expression, value string }{
			{"cost_status", "?", u.CostStatus},
			{"cost_source", "?", u.CostSource},
			{"pricing_version", "?", u.PricingVersion},
			{"model", "coalesce(old, ?)", u.Model},
			{"billing_provider", "coalesce(old, ?)", u.Provider},
			{"billing_base_url", "coalesce(old, ?)", u.BaseURL},
			{"billing_mode", "coalesce(old, ?)", u.BillingMode},
		} {
			if c.value != "" {
				put(c.column, c.expression, c.value)
			}
		}
		if missing != "" {
			return d.db.OlderSchemaError("column sessions." + missing)
		}
		n, err := t.Exec(ctx, `UPDATE sessions SET `+strings.Join(set, ", ")+` WHERE id = ?`, append(args, id)...)
		if err == nil && n == 0 {
			return d.db.NotFoundError(id)
		}
		if err != nil || absolute {
			return err
		}
		return addModelUsage(ctx, t, id, u)
	})
}

// floatOrZero returns 0 for nil.
func floatOrZero(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// addModelUsage adds usage to the table session_model_usage of schema 20 and later, so
// that it fits the row of the session.
func addModelUsage(ctx context.Context, t *db.Tx, id string, u Usage) error {
	const table = "session_model_usage"
	if !t.Schema.Mentions(table, "session_id", "model") {
		return nil
	}
	name := u.Model
	if name == "" {
		v, _, err := t.One(ctx, `SELECT model FROM sessions WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if name = db.AsText(v); name == "" {
			return nil // no row to count under
		}
	}
	names, args := []string{"session_id", "model"}, []any{id, name}
	for _, k := range []struct{ column, value string }{
		{"billing_provider", u.Provider},
		{"billing_base_url", u.BaseURL},
		{"billing_mode", u.BillingMode},
		{"task", ""}, // the conversation itself, not a title or a summary
	} {
		if t.Schema.Mentions(table, k.column) {
			names, args = append(names, k.column), append(args, k.value)
		}
	}
	var set []string
	put := func(column string, value any, merge string) {
		if t.Schema.Mentions(table, column) {
			names, args = append(names, column), append(args, value)
			set = append(set, column+" = "+strings.ReplaceAll(merge, "old", column))
		}
	}
	const sum, keep = "old + excluded.old", "coalesce(excluded.old, old)"
	for i, n := range u.counters() {
		put(tokenColumns[i], n, sum)
	}
	put("estimated_cost_usd", floatOrZero(u.Estimated), sum)
	put("actual_cost_usd", floatOrZero(u.Actual), sum)
	put("cost_status", db.EmptyAsNull(u.CostStatus), keep)
	put("cost_source", db.EmptyAsNull(u.CostSource), keep)
	put("first_seen", t.Timestamp, "coalesce(old, excluded.old)")
	put("last_seen", t.Timestamp, keep)
	_, err := t.Exec(ctx, `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+
		db.Placeholders(len(names))+`)
		ON CONFLICT DO UPDATE SET `+strings.Join(set, ", "), args...)
	return err
}

// SessionUsage is what one session has consumed.
type SessionUsage struct {
	ID, Source, Title, Model string
	Messages                 int
	Usage                    model.Usage
}

// SourceStats counts the sessions of one source.
type SourceStats struct {
	Source             string
	Sessions, Messages int
}

// Stats sums up a database.
type Stats struct {
	Sessions, Messages int
	Archived           int                // of the sessions: those that the archive shows
	Inactive           int                // messages that are not counted: rewound, or compacted in place
	Sources            []SourceStats      // most sessions first
	Models             []model.ModelUsage // as UsageByModel gives them
	Total              model.Usage        // over Models
	Bytes, WALBytes    int64              // size of the file and of its -wal
}

// UsageByModel sums up what each model has consumed over all sessions, most
// tokens first. For a session with rows in session_model_usage it takes these, which
// include the tokens of titles and summaries; for another session its own model
// and counters.
func (d *DB) UsageByModel(ctx context.Context) ([]model.ModelUsage, error) {
	snap, err := d.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	return d.UsageOf(ctx, snap.Table)
}

// UsageOf sums up what each model has consumed over these sessions, most tokens
// first, by the rules of [DB.UsageByModel].
func (d *DB) UsageOf(ctx context.Context, sessions model.SessionSource) ([]model.ModelUsage, error) {
	wanted := make(map[string]bool, sessions.Len())
	for i := range sessions.Len() {
		wanted[sessions.Session(i).ID] = true
	}
	sums := map[string]*model.ModelUsage{}
	add := func(_, name string, sessions int, u model.Usage) {
		m, ok := sums[name]
		if !ok {
			sums[name] = &model.ModelUsage{Model: name, Sessions: sessions, Usage: u}
			return
		}
		m.Sessions += sessions
		m.Usage = m.Usage.Add(u)
	}
	counted, err := d.modelRows(ctx, wanted, add)
	if err != nil {
		return nil, d.db.WrapError("sum up the usage in", err)
	}
	for i := range sessions.Len() {
		if m := sessions.Session(i); !counted[m.ID] {
			add(m.ID, m.Model, 1, m.Usage)
		}
	}
	out := make([]model.ModelUsage, 0, len(sums))
	for _, m := range sums {
		out = append(out, *m)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(cmp.Compare(b.Usage.Tokens(), a.Usage.Tokens()), cmp.Compare(b.Sessions, a.Sessions), strings.Compare(a.Model, b.Model)) < 0
	})
	return out, nil
}

// modelRows reads session_model_usage, calls add with each of its rows of a wanted
// session, and returns the sessions that it has rows of. The number given to add is 1 for
// the first row of a session and a model.
func (d *DB) modelRows(ctx context.Context, wanted map[string]bool, add func(session, name string, first int, u model.Usage)) (counted map[string]bool, err error) {
	if !d.db.Schema.Mentions("session_model_usage", tokenColumns[:]...) {
		return nil, nil
	}
	columns := "u.session_id, u.model"
	for _, name := range append(tokenColumns[:], "estimated_cost_usd", "actual_cost_usd", "cost_status") {
		if d.db.Schema.Mentions("session_model_usage", name) {
			columns += ", u." + name
		} else {
			columns += ", NULL"
		}
	}
	counted = map[string]bool{}
	var last [2]string
	err = db.EachRow(ctx, d.db.Pool, `SELECT `+columns+` FROM session_model_usage u JOIN sessions s ON s.id = u.session_id ORDER BY u.model, u.session_id`, nil, func(r db.Row) {
		session, name := r.Text(0), r.Text(1)
		if !wanted[session] {
			return
		}
		first := 0
		if last != [2]string{session, name} {
			first = 1 // several tasks of one session count once
		}
		last = [2]string{session, name}
		counted[session] = true
		add(session, name, first, model.Usage{
			Input: r.Int(2), Output: r.Int(3), CacheRead: r.Int(4), CacheWrite: r.Int(5),
			Reasoning: r.Int(6), APICalls: r.Int(7), Cost: snapshot.SessionCost(r[8], r[9], r.Text(10)),
		})
	})
	return counted, err
}

// UsageBySession returns what each session has consumed, most tokens first.
// limit below 0 is all.
func (d *DB) UsageBySession(ctx context.Context, limit int) ([]SessionUsage, error) {
	snap, err := d.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]SessionUsage, snap.Len())
	for i, m := range snap.All() {
		out[i] = SessionUsage{ID: m.ID, Source: m.Source, Title: m.Title, Model: m.Model, Messages: m.VisibleMessages, Usage: m.Usage}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(cmp.Compare(b.Usage.Tokens(), a.Usage.Tokens()), strings.Compare(b.ID, a.ID)) < 0
	})
	if limit >= 0 {
		out = out[:min(limit, len(out))]
	}
	return out, nil
}

// Stats sums up the database. Messages that are rewound or compacted in place do not
// count. Hermes counts them.
func (d *DB) Stats(ctx context.Context) (Stats, error) {
	snap, err := d.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return Stats{}, err
	}
	var st Stats
	if st.Models, err = d.UsageByModel(ctx); err != nil {
		return st, err
	}
	sources := map[string]*SourceStats{}
	for _, m := range snap.All() {
		if sources[m.Source] == nil {
			sources[m.Source] = &SourceStats{Source: m.Source}
		}
		sources[m.Source].Sessions++
		sources[m.Source].Messages += m.VisibleMessages
		st.Sessions++
		st.Messages += m.VisibleMessages
		if m.Archived {
			st.Archived++
		}
	}
	if d.db.Schema.Has("messages", "active") {
		row := d.db.Pool.QueryRowContext(ctx, `SELECT count(*) FROM messages WHERE active = 0`)
		if err := row.Scan(&st.Inactive); err != nil && !db.IsCorrupt(err) {
			return st, d.db.WrapError("count the messages of", err)
		}
	}
	for i := range st.Models {
		if i == 0 {
			st.Total = st.Models[i].Usage
		} else {
			st.Total = st.Total.Add(st.Models[i].Usage)
		}
	}
	for _, source := range sources {
		st.Sources = append(st.Sources, *source)
	}
	sort.Slice(st.Sources, func(i, j int) bool {
		a, b := &st.Sources[i], &st.Sources[j]
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), strings.Compare(a.Source, b.Source)) < 0
	})
	info, err := os.Stat(d.db.Path)
	if err != nil {
		return st, d.db.NotThereError(err)
	}
	st.Bytes, st.WALBytes = info.Size(), d.db.WalSize()
	return st, nil
}
