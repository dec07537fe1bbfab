package trash

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

// CleanupFindings finds conversations that nobody misses, with the reason: ghosts and
// other empty ones, subagents' work whose conversation is gone, and numbered
// duplicates ("deploy #2") all of whose messages also begin another
// conversation of that title. Pinned ones and those that were active within a
// day are none; nothing is changed. Most certain reasons come first, then the
// longest silent.
func (s *Bin) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	c, err := s.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	found := c.Lineage.CleanupFindings(s.db.Clock())
	// Messages that were taken back are messages all the same.
	var ids []string
	for _, f := range found {
		if f.Reason != model.CleanupOrphan {
			ids = append(ids, f.Segments...)
		}
	}
	said, err := s.countMessages(ctx, ids)
	if err != nil {
		return nil, s.db.WrapError("count the messages of", err)
	}
	found = slices.DeleteFunc(found, func(f model.CleanupFinding) bool {
		return f.Reason != model.CleanupOrphan && slices.ContainsFunc(f.Segments, func(id string) bool { return said[id] > 0 })
	})
	twice, err := s.findDuplicates(ctx, c)
	if err != nil {
		return nil, s.db.WrapError("look for duplicates in", err)
	}
	found = append(found, twice...)
	slices.SortStableFunc(found, func(a, b model.CleanupFinding) int {
		if a.Reason != b.Reason {
			return int(a.Reason - b.Reason)
		}
		return a.LastActive.Compare(b.LastActive)
	})
	page := make([]model.Conversation, len(found))
	for i := range found {
		page[i] = found[i].Conversation
	}
	if err := s.sessions.AddPreviews(ctx, page); err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Conversation = page[i]
	}
	return found, nil
}

// findDuplicates finds numbered conversations that are the beginning of another
// one of the same title.
func (s *Bin) findDuplicates(ctx context.Context, c *snapshot.Snapshot) (found []model.CleanupFinding, err error) {
	lineages := map[string][]int32{}
	for n, m := range c.Conversations.All() {
		if m.Title != "" && m.Messages > 0 {
			base := model.TitleBase(m.Title)
			lineages[base] = append(lineages[base], n)
		}
	}
	for _, numbers := range lineages {
		if len(numbers) < 2 {
			continue
		}
		all := make([]model.Conversation, len(numbers))
		for i, n := range numbers {
			all[i] = c.Conversations.Conversation(n)
		}
		// The longest of those that begin alike holds all that the others say,
		// if any does.
		alike := map[messageDigest][]int{}
		for i := range all {
			first, err := s.messageDigests(ctx, all[i].Segments, 1)
			if err != nil {
				return nil, err
			}
			if len(first) > 0 {
				alike[first[0]] = append(alike[first[0]], i)
			}
		}
		for _, same := range alike {
			if len(same) < 2 {
				continue
			}
			keep := slices.MaxFunc(same, func(a, b int) int {
				if d := all[a].Messages - all[b].Messages; d != 0 {
					return d
				}
				if d := all[a].LastActive.Compare(all[b].LastActive); d != 0 {
					return d
				}
				return strings.Compare(all[a].ID, all[b].ID)
			})
			whole, err := s.messageDigests(ctx, all[keep].Segments, -1)
			if err != nil {
				return nil, err
			}
			for _, i := range same {
				m := &all[i]
				if i == keep || m.Pinned || m.Branches > 0 || m.Delegates > 0 || s.db.Clock().Sub(m.LastActive) < minGhostAge {
					continue
				}
				part, err := s.messageDigests(ctx, m.Segments, -1)
				if err != nil {
					return nil, err
				}
				if len(part) <= len(whole) && slices.Equal(part, whole[:len(part)]) {
					found = append(found, model.CleanupFinding{Conversation: *m, Reason: model.CleanupDuplicate, Original: all[keep].Title})
				}
			}
		}
	}
	return found, nil
}

// messageDigest stands for all that one message says.
type messageDigest [sha256.Size]byte

// messageDigests gives those of the messages of some sessions, in reading order, at
// most limit if that is not negative.
func (s *Bin) messageDigests(ctx context.Context, segments []string, limit int) (all []messageDigest, err error) {
	for _, id := range segments {
		rows, err := s.db.Pool.QueryContext(ctx, `SELECT +role, +content, `+s.db.Schema.ColumnOrNull("messages", "m", "tool_calls")+`, `+
			s.db.Schema.ColumnOrNull("messages", "m", "tool_name")+`, `+s.db.Schema.ColumnOrNull("messages", "m", "reasoning")+`
			FROM messages m WHERE m.session_id = ? ORDER BY m.timestamp, m.id LIMIT ?`, id, limit)
		if err != nil {
			return nil, err
		}
		if err := db.ScanRecords(rows, func(r db.Record) error {
			var b bytes.Buffer
			for _, f := range r {
				b.Write(transfer.AppendStoredValue(nil, f.Value))
				b.WriteByte(0)
			}
			all = append(all, sha256.Sum256(b.Bytes()))
			return nil
		}); err != nil {
			return nil, err
		}
		if limit >= 0 && len(all) >= limit {
			break
		}
	}
	return all, nil
}

// minGhostAge is from when on Hermes removes sessions without a word
// (store/README.md#session-calls).
const minGhostAge = 24 * time.Hour
