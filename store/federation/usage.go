package federation

import (
	"context"

	"hermes-sessions/model/usage"
	"hermes-sessions/store/live"
)

// UsageReport is [live.Store.UsageReport] over all members, whose names are the profiles.
func (f *Federation) UsageReport(ctx context.Context) (usage.Report, error) {
	members := f.open()
	reports := make([]usage.Report, len(members))
	answered, err := f.each(ctx, members, func(i int, s *live.Store) (err error) {
		reports[i], err = s.UsageReport(ctx)
		return err
	})
	var all usage.Report
	for _, i := range answered {
		r := &reports[i]
		m, before := members[i], int32(len(all.Conversations))
		for _, c := range r.Conversations {
			c.Root, c.Tip = m.qualified(c.Root), m.qualified(c.Tip)
			all.Conversations = append(all.Conversations, c)
		}
		for _, one := range r.Records {
			one.Session, one.Profile = m.qualified(one.Session), m.name
			one.Conversation += before
			all.Records = append(all.Records, one)
		}
	}
	return all, err
}

// ToolCounts is [live.Store.ToolCounts] of sessions of any members.
func (f *Federation) ToolCounts(ctx context.Context, sessions []string) ([]usage.ToolCount, error) {
	members := f.open()
	counts := make([][]usage.ToolCount, len(members))
	answered, err := f.each(ctx, members, func(i int, s *live.Store) (err error) {
		var own []string
		for _, id := range sessions {
			if local := members[i].local(id); local != id {
				own = append(own, local)
			}
		}
		counts[i], err = s.ToolCounts(ctx, own)
		return err
	})
	var all []usage.ToolCount
	for _, i := range answered {
		for _, c := range counts[i] {
			c.Session = members[i].qualified(c.Session)
			all = append(all, c)
		}
	}
	return all, err
}
