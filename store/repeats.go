package store

import (
	"context"
	"strings"

	"hermes-sessions/model"
)

// copiedAtFirst is how many messages of each end are compared at first, and
// copiedAtMost where compression has left a trace but the end that it kept
// has not been found yet.
const (
	copiedAtFirst = 32
	copiedAtMost  = 2048
)

// stitch puts the messages of segments one after another; once leaves out the
// copies that compression made.
func (s *Store) stitch(ctx context.Context, q queryer, o *model.Outline, segments [][]int64, once bool) error {
	o.Repeats = map[int64]int64{}
	for k, ids := range segments {
		o.Starts = append(o.Starts, len(o.IDs))
		var copies map[int64]int64
		if k > 0 && once {
			var err error
			if copies, err = s.repeats(ctx, q, segments[k-1], ids); err != nil {
				return err
			}
		}
		o.Repeated = append(o.Repeated, len(copies))
		if len(copies) == 0 {
			o.IDs = append(o.IDs, ids...)
			continue
		}
		for _, id := range ids {
			original, copied := copies[id]
			if !copied {
				o.IDs = append(o.IDs, id)
				continue
			}
			if first, again := o.Repeats[original]; again { // a copy of a copy
				original = first
			}
			o.Repeats[id] = original
		}
	}
	return nil
}

// repeats finds which messages of a segment are copies that compression made
// of the segment before it (see [model.Repeats]): copy → original.
func (s *Store) repeats(ctx context.Context, q queryer, before, next []int64) (map[int64]int64, error) {
	for n := copiedAtFirst; ; n *= 8 {
		head, tail, start := before[:min(n, len(before))], before[max(0, len(before)-n):], next[:min(n, len(next))]
		prints, err := s.prints(ctx, q, head, tail, start)
		if err != nil {
			return nil, err
		}
		first, from, last := model.Repeats(prints(head), prints(tail), prints(start))
		if all := n >= len(next) && n >= len(before); !all && (first == n || last == 0 && from > 0 && n < copiedAtMost) {
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

// prints reads enough of messages to compare them.
func (s *Store) prints(ctx context.Context, q queryer, lists ...[]int64) (func([]int64) []model.Print, error) {
	column := func(name string) string { return s.schema.column("messages", "m", name) }
	content, calls := column("content"), column("tool_calls")
	found := map[int64]model.Print{}
	var args []any
	for _, ids := range lists {
		for _, id := range ids {
			if _, twice := found[id]; !twice {
				found[id] = model.Print{}
				args = append(args, id)
			}
		}
	}
	if len(args) > 0 {
		rows, err := q.QueryContext(ctx, `SELECT m.id, m.role, `+column("tool_call_id")+`, substr(`+content+`, 1, 160), octet_length(`+content+`),
			substr(`+calls+`, 1, 160), octet_length(`+calls+`) FROM messages m WHERE m.id IN (`+strings.TrimSuffix(strings.Repeat("?,", len(args)), ",")+`)`, args...)
		if err != nil {
			return nil, err
		}
		err = eachRecord(rows, func(r Record) error {
			found[number(r[0].Value)] = model.Print{
				Role: text(r[1].Value), CallID: text(r[2].Value), Content: text(r[3].Value), Size: number(r[4].Value),
				Calls: text(r[5].Value), CallLen: number(r[6].Value),
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return func(ids []int64) []model.Print {
		out := make([]model.Print, len(ids))
		for k, id := range ids {
			out[k] = found[id]
		}
		return out
	}, nil
}
