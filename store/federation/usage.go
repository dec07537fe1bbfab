package federation

import (
	"context"

	"hermes-sessions/model/usage"
	"hermes-sessions/store"
)

// UsageReport is [store.Store.UsageReport] over all members, whose names are the profiles.
func (f *Federation) UsageReport(ctx context.Context) (usage.Report, error) {
	read := func(ctx context.Context, _ *member, s *store.Store) (usage.Report, error) { return s.UsageReport(ctx) }
	return readAll(ctx, f, read, func(all *usage.Report, m *member, r usage.Report) {
		before := int32(len(all.Conversations))
		for _, c := range r.Conversations {
			c.Root, c.Tip = m.qualified(c.Root), m.qualified(c.Tip)
			all.Conversations = append(all.Conversations, c)
		}
		for _, one := range r.Records {
			one.Session, one.Profile = m.qualified(one.Session), m.name
			one.Conversation += before
			all.Records = append(all.Records, one)
		}
	})
}

// ToolCounts is [store.Store.ToolCounts] of sessions of any members.
func (f *Federation) ToolCounts(ctx context.Context, sessions []string) ([]usage.ToolCount, error) {
	read := func(ctx context.Context, m *member, s *store.Store) ([]usage.ToolCount, error) {
		var own []string
		for _, id := range sessions {
			if of, local := f.find(id); of == m {
				own = append(own, local)
			}
		}
		return s.ToolCounts(ctx, own)
	}
	return readAll(ctx, f, read, func(all *[]usage.ToolCount, m *member, counts []usage.ToolCount) {
		for _, c := range counts {
			c.Session = m.qualified(c.Session)
			*all = append(*all, c)
		}
	})
}
