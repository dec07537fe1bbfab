package sessiondb

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
)

// UsageReport returns what every session has consumed with each model, by the rules of
// [DB.UsageByModel], with what package usage groups that by.
func (d *DB) UsageReport(ctx context.Context) (usage.Report, error) {
	snap, err := d.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return usage.Report{}, err
	}
	r := usage.Report{Records: make([]usage.Record, 0, snap.Len())}
	conversations := make([]int32, snap.Len()) // by number: in the report
	for n, m := range snap.Conversations.All() {
		conversations[n] = int32(len(r.Conversations))
		r.Conversations = append(r.Conversations, usage.Conversation{Root: m.RootID, Tip: m.ID, Title: m.Title})
	}
	type modelUsage struct {
		name string
		of   model.Usage
	}
	wanted := make(map[string]bool, snap.Len())
	for _, m := range snap.All() {
		wanted[m.ID] = true
	}
	models := map[string][]modelUsage{}
	if _, err := d.modelRows(ctx, wanted, func(session, name string, _ int, u model.Usage) {
		models[session] = append(models[session], modelUsage{name, u})
	}); err != nil {
		return usage.Report{}, d.db.WrapError("sum up the usage in", err)
	}
	for i, m := range snap.All() {
		one := usage.Record{
			Session: m.ID, Conversation: conversations[snap.Conversations.ConversationOf(int32(i))], At: m.StartedAt,
			Model: m.Model, Source: m.Source, Folder: m.CWD, Profile: m.Profile,
			Messages: m.VisibleMessages, Calls: m.ToolCalls, Usage: m.Usage,
		}
		if len(models[m.ID]) == 0 {
			r.Records = append(r.Records, one)
			continue
		}
		for _, with := range models[m.ID] {
			one.Model, one.Usage = with.name, with.of
			r.Records = append(r.Records, one)
		}
	}
	return r, nil
}
