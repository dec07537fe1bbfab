package print

import (
	"context"
	"sort"
	"time"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
	"hermes-sessions/store"
)

// UsageSource is where sessions are read: one database, or several as one.
type UsageSource interface {
	UsageReport(ctx context.Context) (usage.Report, error)
	ToolCounts(ctx context.Context, sessions []string) ([]usage.ToolCount, error)
}

// UsageTable is sessions in groups.
type UsageTable struct {
	By    []usage.Dimension
	Tools bool // the groups are tools: they have calls, and no tokens
	Rows  []usage.Row
	Total usage.Sum
}

// ReadUsage groups the sessions that started in a time, a value of the filter started:, "" for
// all. Rows with times come from old to new, others from the most tokens, or calls of a
// tool, to the fewest.
func ReadUsage(ctx context.Context, s UsageSource, by, started string, now time.Time) (UsageTable, error) {
	var t UsageTable
	var in usage.Selection
	var err error
	if t.By, err = usage.ParseDimensions(by); err != nil {
		return t, fault.Usage("invalid --by: %s", err)
	}
	if started != "" {
		var ok bool
		if in.From, in.To, ok = query.Span(started, now); !ok {
			return t, fault.Usage("invalid --started %q: must be like 7d, 2026-05, 2026-05-03 or 2026-05-04..2026-05-10", started)
		}
	}
	all, err := s.UsageReport(ctx)
	if err != nil {
		return t, err
	}
	all = in.In(all, now.Location())
	for _, d := range t.By {
		t.Tools = t.Tools || d == usage.ByTool
	}
	if t.Tools {
		var ids []string
		for i := range all.Records {
			if id := all.Records[i].Session; len(ids) == 0 || ids[len(ids)-1] != id {
				ids = append(ids, id)
			}
		}
		counts, err := s.ToolCounts(ctx, ids)
		if err != nil {
			return t, err
		}
		all = all.WithTools(counts)
	}
	t.Rows, t.Total = all.Group(t.By, now.Location()), all.Total()
	t.sort()
	return t, nil
}

// sort sorts the rows: by the dimensions of time before another one, then by size.
func (t *UsageTable) sort() {
	measure, times := usage.Tokens, 0
	if t.Tools {
		measure = usage.Calls
	}
	for times < len(t.By) && t.By[times] <= usage.ByHour {
		times++
	}
	usage.Sort(t.Rows, measure)
	sort.SliceStable(t.Rows, func(i, j int) bool {
		for k := range times {
			if a, b := t.Rows[i].Keys[k], t.Rows[j].Keys[k]; a != b {
				return a < b
			}
		}
		return false
	})
}

// Object returns the table for JSON.
func (t UsageTable) Object() answer.UsageTable {
	o := answer.UsageTable{By: []string{}, Rows: []answer.Row{}, Total: answer.UsageSumOf(t.Total)}
	for _, d := range t.By {
		o.By = append(o.By, d.String())
	}
	for _, r := range t.Rows {
		o.Rows = append(o.Rows, answer.UsageRowOf(o.By, r.Keys, r.Sum))
	}
	return o
}

// StatsObject returns the statistics of a database for JSON.
func StatsObject(st store.Stats) answer.Stats {
	o := answer.Stats{
		Sessions: st.Sessions, Messages: st.Messages, Sources: []answer.SourceStats{}, Models: []answer.ModelStats{},
		Archived: st.Archived, Inactive: st.Inactive, Total: answer.UsageOf(st.Total), Bytes: st.Bytes, WALBytes: st.WALBytes,
	}
	for _, s := range st.Sources {
		o.Sources = append(o.Sources, answer.SourceStats(s))
	}
	for _, m := range st.Models {
		o.Models = append(o.Models, answer.ModelStats{Model: output.OrNull(m.Model), Sessions: m.Sessions, Usage: answer.UsageOf(m.Usage)})
	}
	return o
}
