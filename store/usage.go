package store

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// Usage is what a call of a model has consumed: tokens, and US dollars where
// somebody priced it (update_token_counts, store/README.md#session-calls).
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64 // tokens
	APICalls                                        int64
	Estimated, Actual                               *float64 // US dollars; nil: not known

	// Empty fields leave what is stored. The first four only fill what is
	// still empty, the others replace it.
	Model, Provider, BaseURL, BillingMode  string
	CostStatus, CostSource, PricingVersion string
}

// AddUsage adds to what a session has consumed. Where the file also keeps
// usage by model it is added there. The error is of [KindNotFound] for an
// unknown session: none is made up for it (store/README.md#q32).
func (s *Store) AddUsage(ctx context.Context, id string, u Usage) error {
	return s.putUsage(ctx, id, u, false)
}

// SetUsage sets what a session has consumed in all; an actual cost that is not
// given stays. What the file keeps by model can not be told apart from a sum
// and stays too. The error is of [KindNotFound] for an unknown session.
func (s *Store) SetUsage(ctx context.Context, id string, u Usage) error {
	return s.putUsage(ctx, id, u, true)
}

// tokenColumns are the counters in the order of Usage.counters.
var tokenColumns = [...]string{
	"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "api_call_count",
}

func (u *Usage) counters() [6]int64 {
	return [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.APICalls}
}

func (s *Store) putUsage(ctx context.Context, id string, u Usage, absolute bool) error {
	return s.write(ctx, "count the usage of session "+id+" in", func(t *tx) error {
		var set []string
		var args []any
		missing := ""
		put := func(column, expression string, value any) {
			if !t.schema.has("sessions", column) {
				missing = column
				return
			}
			set = append(set, column+" = "+strings.ReplaceAll(expression, "old", column))
			args = append(args, value)
		}
		for i, n := range u.counters() {
			switch {
			case n == 0 && !t.schema.has("sessions", tokenColumns[i]): // nothing is lost
			case absolute:
				put(tokenColumns[i], "?", n)
			default:
				put(tokenColumns[i], "coalesce(old, 0) + ?", n)
			}
		}
		priced := u.Estimated != nil || t.schema.has("sessions", "estimated_cost_usd")
		switch {
		case priced && absolute:
			put("estimated_cost_usd", "?", value(u.Estimated))
		case priced:
			put("estimated_cost_usd", "coalesce(old, 0) + ?", value(u.Estimated))
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
			return s.tooOld("column sessions." + missing)
		}
		n, err := t.exec(ctx, `UPDATE sessions SET `+strings.Join(set, ", ")+` WHERE id = ?`, append(args, id)...)
		if err == nil && n == 0 {
			return s.notFound(id)
		}
		if err != nil || absolute {
			return err
		}
		return addModelUsage(ctx, t, id, u)
	})
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// addModelUsage keeps the table of schema 20 and later in step with the row of
// the session.
func addModelUsage(ctx context.Context, t *tx, id string, u Usage) error {
	const table = "session_model_usage"
	if !t.schema.mentions(table, "session_id", "model") {
		return nil
	}
	name := u.Model
	if name == "" {
		v, _, err := t.one(ctx, `SELECT model FROM sessions WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if name = text(v); name == "" {
			return nil // no row to count under
		}
	}
	names, args := []string{"session_id", "model"}, []any{id, name}
	for _, k := range []struct{ column, value string }{
		{"billing_provider", u.Provider},
		{"billing_base_url", u.BaseURL},
		{"billing_mode", u.BillingMode},
		{"task", ""}, // the talk itself
	} {
		if t.schema.mentions(table, k.column) {
			names, args = append(names, k.column), append(args, k.value)
		}
	}
	var set []string
	put := func(column string, value any, merge string) {
		if t.schema.mentions(table, column) {
			names, args = append(names, column), append(args, value)
			set = append(set, column+" = "+strings.ReplaceAll(merge, "old", column))
		}
	}
	const sum, keep = "old + excluded.old", "coalesce(excluded.old, old)"
	for i, n := range u.counters() {
		put(tokenColumns[i], n, sum)
	}
	put("estimated_cost_usd", value(u.Estimated), sum)
	put("actual_cost_usd", value(u.Actual), sum)
	put("cost_status", orNull(u.CostStatus), keep)
	put("cost_source", orNull(u.CostSource), keep)
	put("first_seen", t.now, "coalesce(old, excluded.old)")
	put("last_seen", t.now, keep)
	_, err := t.exec(ctx, `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+
		strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")+`)
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
	Sources            []SourceStats      // most sessions first
	Models             []model.ModelUsage // as UsageByModel gives them
	Total              model.Usage        // over Models
	Bytes, WALBytes    int64              // size of the file and of its -wal
}

// UsageByModel sums up what each model has consumed over all sessions, most
// tokens first. Where the file keeps usage by model for a session that counts,
// with what was consumed beside the talk (a title, a summary), which stands in
// no session's own counters; else the session's own model and counters do.
func (s *Store) UsageByModel(ctx context.Context) ([]model.ModelUsage, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	return s.modelsOf(ctx, c.roll)
}

// modelsOf sums up what each model has consumed over some sessions.
func (s *Store) modelsOf(ctx context.Context, sessions model.Roll) ([]model.ModelUsage, error) {
	wanted := make(map[string]bool, sessions.Len())
	for i := range sessions.Len() {
		wanted[sessions.Session(i).ID] = true
	}
	sums := map[string]*model.ModelUsage{}
	add := func(name string, sessions int, u model.Usage) {
		m, ok := sums[name]
		if !ok {
			sums[name] = &model.ModelUsage{Model: name, Sessions: sessions, Usage: u}
			return
		}
		m.Sessions += sessions
		m.Usage = m.Usage.Add(u)
	}
	apart, err := s.modelRows(ctx, wanted, add)
	if err != nil {
		return nil, s.wrap("sum up the usage in", err)
	}
	for i := range sessions.Len() {
		if m := sessions.Session(i); !apart[m.ID] {
			add(m.Model, 1, m.Usage)
		}
	}
	out := make([]model.ModelUsage, 0, len(sums))
	for _, m := range sums {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b model.ModelUsage) int {
		return cmp.Or(cmp.Compare(b.Usage.Tokens(), a.Usage.Tokens()), cmp.Compare(b.Sessions, a.Sessions), strings.Compare(a.Model, b.Model))
	})
	return out, nil
}

// modelRows reads the table of schema 20 and later and gives those of the
// wanted sessions that it knows.
func (s *Store) modelRows(ctx context.Context, wanted map[string]bool, add func(string, int, model.Usage)) (apart map[string]bool, err error) {
	if !s.schema.mentions("session_model_usage", tokenColumns[:]...) {
		return nil, nil
	}
	columns := "u.session_id, u.model"
	for _, name := range append(tokenColumns[:], "estimated_cost_usd", "actual_cost_usd", "cost_status") {
		if s.schema.mentions("session_model_usage", name) {
			columns += ", u." + name
		} else {
			columns += ", NULL"
		}
	}
	rows, err := s.db.QueryContext(ctx, `SELECT `+columns+` FROM session_model_usage u JOIN sessions s ON s.id = u.session_id ORDER BY u.model, u.session_id`)
	if err != nil {
		return nil, err
	}
	apart = map[string]bool{}
	var last [2]string
	err = eachRecord(rows, func(r Record) error {
		v := func(i int) any { return r[i].Value }
		session, name := text(v(0)), text(v(1))
		if !wanted[session] {
			return nil
		}
		first := 0
		if last != [2]string{session, name} {
			first = 1 // several tasks of one session count once
		}
		last = [2]string{session, name}
		apart[session] = true
		add(name, first, model.Usage{
			Input: number(v(2)), Output: number(v(3)), CacheRead: number(v(4)), CacheWrite: number(v(5)),
			Reasoning: number(v(6)), APICalls: number(v(7)), Cost: cost(v(8), v(9), text(v(10))),
		})
		return nil
	})
	return apart, err
}

// UsageBySession gives what each session has consumed, most tokens first.
// limit below 0 is all.
func (s *Store) UsageBySession(ctx context.Context, limit int) ([]SessionUsage, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]SessionUsage, c.Len())
	for i, m := range c.all() {
		out[i] = SessionUsage{ID: m.ID, Source: m.Source, Title: m.Title, Model: m.Model, Messages: m.Visible, Usage: m.Usage}
	}
	slices.SortFunc(out, func(a, b SessionUsage) int {
		return cmp.Or(cmp.Compare(b.Usage.Tokens(), a.Usage.Tokens()), strings.Compare(b.ID, a.ID))
	})
	if limit >= 0 {
		out = out[:min(limit, len(out))]
	}
	return out, nil
}

// Stats sums up the database. Messages that were rewound do not count.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return Stats{}, err
	}
	var st Stats
	if st.Models, err = s.UsageByModel(ctx); err != nil {
		return st, err
	}
	sources := map[string]*SourceStats{}
	for _, m := range c.all() {
		if sources[m.Source] == nil {
			sources[m.Source] = &SourceStats{Source: m.Source}
		}
		sources[m.Source].Sessions++
		sources[m.Source].Messages += m.Visible
		st.Sessions++
		st.Messages += m.Visible
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
	slices.SortFunc(st.Sources, func(a, b SourceStats) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), strings.Compare(a.Source, b.Source))
	})
	info, err := os.Stat(s.path)
	if err != nil {
		return st, s.absent(err)
	}
	st.Bytes, st.WALBytes = info.Size(), s.walSize()
	return st, nil
}
