package store

import (
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/store/sessiondb"
)

// What compression copies into the next segment is read once, over any number
// of segments, however much it is.
func TestOutlineShowsCopiesOfCompressionOnce(t *testing.T) {
	t.Parallel()
	for _, tail := range someOf([]int{0, 1, 20, 5, 500}, 2) {
		t.Run(fmt.Sprint(tail, " kept"), func(t *testing.T) {
			s, ctx := fresh(t), t.Context()
			var segment []sessiondb.NewMessage // as in the table
			var want []string
			for k := range 3 {
				id, parent := fmt.Sprint("s", k), ""
				if k > 0 {
					parent = fmt.Sprint("s", k-1)
					if err := s.EndSession(ctx, parent, "compression"); err != nil {
						t.Fatal(err)
					}
					summary := fmt.Sprintf("[CONTEXT COMPACTION — REFERENCE ONLY] summary %d", k)
					want = append(want, summary)
					kept := slices.Clone(segment[len(segment)-min(tail, len(segment)-2):])
					segment = append(append(slices.Clone(segment[:2]), sessiondb.NewMessage{Role: "user", Content: summary}), kept...)
					for i := range segment[3:] {
						if m := &segment[3+i]; m.Role == "tool" {
							m.Content = "[Old tool output cleared to save context space]"
						}
					}
				}
				if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli", ParentID: parent, Model: fmt.Sprint("m", k)}); err != nil {
					t.Fatal(err)
				}
				for i := range campaign.Length(30, 80) {
					m := sessiondb.NewMessage{Role: "user", Content: fmt.Sprintf("%d/%d said", k, i)}
					if i%4 == 3 {
						m = sessiondb.NewMessage{Role: "tool", ToolCallID: fmt.Sprintf("call-%d-%d", k, i), Content: m.Content}
					}
					segment = append(segment, m)
					want = append(want, fmt.Sprintf("%d/%d said", k, i))
				}
				for _, m := range segment {
					if _, err := s.AppendMessage(ctx, id, m); err != nil {
						t.Fatal(err)
					}
				}
			}
			o, err := s.Outline(ctx, "s1")
			if err != nil {
				t.Fatal(err)
			}
			messages, err := s.MessagesByID(ctx, o.MessageIDs)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range messages {
				got = append(got, m.Content.Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("the conversation reads\n%q\nnot\n%q", got, want)
			}
			if !slices.Equal(o.SegmentModels, []string{"m0", "m1", "m2"}) {
				t.Errorf("the models are %q", o.SegmentModels)
			}
			all := 0
			for k, id := range []string{"s0", "s1", "s2"} {
				c, err := s.Messages(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				all += len(c)
				if k == 0 && o.ReplayCounts[k] != 0 || k > 0 && o.ReplayCounts[k] < 2 {
					t.Errorf("segment %d repeats %d messages", k, o.ReplayCounts[k])
				}
			}
			if len(o.MessageIDs)+len(o.Replays) != all {
				t.Errorf("%d messages and %d copies are not all %d", len(o.MessageIDs), len(o.Replays), all)
			}
			for id, original := range o.Replays {
				if slices.Contains(o.MessageIDs, id) || !slices.Contains(o.MessageIDs, original) {
					t.Errorf("the copy %d leads to %d", id, original)
				}
			}
		})
	}
}

// A repeated message of the user or the agent is not taken for a copy.
func TestOutlineKeepsRepeatedMessages(t *testing.T) {
	t.Parallel()
	s, ctx := fresh(t), t.Context()
	for k, words := range [][]string{{"hello", "go on", "yes", "done"}, {"go on", "yes", "and then"}} {
		id, parent := fmt.Sprint("s", k), ""
		if k > 0 {
			parent = "s0"
			if err := s.EndSession(ctx, parent, "compression"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli", ParentID: parent}); err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if _, err := s.AppendMessage(ctx, id, sessiondb.NewMessage{Role: "user", Content: w}); err != nil {
				t.Fatal(err)
			}
		}
	}
	o, err := s.Outline(ctx, "s0")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.MessageIDs) != 7 || len(o.Replays) != 0 {
		t.Errorf("of 7 messages %d are shown and %d are taken for copies", len(o.MessageIDs), len(o.Replays))
	}
}
