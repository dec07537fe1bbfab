package transcript

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

const (
	// firstReplayWindow is how many messages of each end are compared at first.
	firstReplayWindow = 32
	// maxReplayWindow is how many are compared where compression has left a trace
	// but the end that it kept has not been found yet.
	maxReplayWindow = 2048
)

// removeReplays fills the outline with the messages of the segments in order, without the
// copies that compression made, and records each of these with its original.
func (r *Reader) removeReplays(ctx context.Context, q db.Querier, o *model.Outline, segments [][]int64) error {
	o.Replays = map[int64]int64{}
	for k, ids := range segments {
		o.SegmentStarts = append(o.SegmentStarts, len(o.MessageIDs))
		var copies map[int64]int64
		if k > 0 {
			var err error
			if copies, err = r.replaysBetween(ctx, q, segments[k-1], ids); err != nil {
				return err
			}
		}
		o.ReplayCounts = append(o.ReplayCounts, len(copies))
		if len(copies) == 0 {
			o.MessageIDs = append(o.MessageIDs, ids...)
			continue
		}
		for _, id := range ids {
			original, copied := copies[id]
			if !copied {
				o.MessageIDs = append(o.MessageIDs, id)
				continue
			}
			if first, again := o.Replays[original]; again { // a copy of a copy
				original = first
			}
			o.Replays[id] = original
		}
	}
	return nil
}

// replaysBetween finds which messages of a segment are copies that compression made
// of the segment before it (see [model.FindReplays]): copy → original. It compares the
// ends of the segments, and more of them while the copies may reach further.
func (r *Reader) replaysBetween(ctx context.Context, q db.Querier, before, next []int64) (map[int64]int64, error) {
	for n := firstReplayWindow; ; n *= 8 {
		head := before[:min(n, len(before))]
		tail := before[max(0, len(before)-n):]
		start := next[:min(n, len(next))]
		digests, err := r.messageDigestsOf(ctx, q, head, tail, start)
		if err != nil {
			return nil, err
		}
		first, from, last := model.FindReplays(digests(head), digests(tail), digests(start))
		if all := n >= len(next) && n >= len(before); !all && (first == n || last == 0 && from > 0 && n < maxReplayWindow) {
			continue
		}
		copies := make(map[int64]int64, first+last)
		for k := range first {
			copies[next[k]] = before[k]
		}
		for k := range last {
			copies[next[from+k]] = before[len(before)-last+k]
		}
		return copies, nil
	}
}

// messageDigestsOf reads enough of each message to compare it, and returns a function
// from ids to digests.
func (r *Reader) messageDigestsOf(ctx context.Context, q db.Querier, lists ...[]int64) (func([]int64) []model.MessageDigest, error) {
	column := func(name string) string { return r.db.Schema.ColumnOrNull("messages", "m", name) }
	content, calls := column("content"), column("tool_calls")
	found := map[int64]model.MessageDigest{}
	var args []any
	for _, ids := range lists {
		for _, id := range ids {
			if _, twice := found[id]; !twice {
				found[id] = model.MessageDigest{}
				args = append(args, id)
			}
		}
	}
	if len(args) > 0 {
		err := db.EachRow(ctx, q, `SELECT m.id, m.role, `+column("tool_call_id")+`, substr(`+content+`, 1, 160), octet_length(`+content+`),
			substr(`+calls+`, 1, 160), octet_length(`+calls+`) FROM messages m WHERE m.id IN (`+db.Placeholders(len(args))+`)`, args, func(row db.Row) {
			found[row.Int(0)] = model.MessageDigest{
				Role: row.Text(1), CallID: row.Text(2), Content: row.Text(3), Size: row.Int(4),
				Calls: row.Text(5), CallsSize: row.Int(6),
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return func(ids []int64) []model.MessageDigest {
		out := make([]model.MessageDigest, len(ids))
		for k, id := range ids {
			out[k] = found[id]
		}
		return out
	}, nil
}
