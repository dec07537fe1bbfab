package trash

import (
	"context"
	"crypto/sha256"
	"slices"
	"sort"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

// CleanupFindings proposes conversations to delete; see store.Store.CleanupFindings.
func (b *Bin) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	snap, err := b.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	found := snap.Lineage.CleanupFindings(b.db.Clock())
	// Rewound messages count as messages here.
	var ids []string
	for _, f := range found {
		if f.Reason != model.CleanupOrphan {
			ids = append(ids, f.Segments...)
		}
	}
	messages, err := b.countMessages(ctx, b.db.Pool, ids)
	if err != nil {
		return nil, b.db.WrapError("count the messages of", err)
	}
	found = slices.DeleteFunc(found, func(f model.CleanupFinding) bool {
		return f.Reason != model.CleanupOrphan && slices.ContainsFunc(f.Segments, func(id string) bool { return messages[id] > 0 })
	})
	duplicates, err := b.findDuplicates(ctx, snap)
	if err != nil {
		return nil, b.db.WrapError("look for duplicates in", err)
	}
	found = append(found, duplicates...)
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		if a.Reason != b.Reason {
			return a.Reason < b.Reason
		}
		return a.LastActive.Before(b.LastActive)
	})
	page := make([]model.Conversation, len(found))
	for i := range found {
		page[i] = found[i].Conversation
	}
	if err := b.sessions.AddPreviews(ctx, page); err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Conversation = page[i]
	}
	return found, nil
}

// findDuplicates finds numbered conversations all of whose messages also begin
// another one of the same title.
func (b *Bin) findDuplicates(ctx context.Context, snap *snapshot.Snapshot) (found []model.CleanupFinding, err error) {
	byTitle := map[string][]int32{} // numbers of conversations by their titles without a number
	for n, m := range snap.Conversations.All() {
		if m.Title != "" && m.Messages > 0 {
			base := model.TitleBase(m.Title)
			byTitle[base] = append(byTitle[base], n)
		}
	}
	for _, numbers := range byTitle {
		if len(numbers) < 2 {
			continue
		}
		all := make([]model.Conversation, len(numbers))
		for i, n := range numbers {
			all[i] = snap.Conversations.Conversation(n)
		}
		// Of those that begin alike, the longest holds all messages of the
		// others, if any does.
		alike := map[messageHash][]int{}
		for i := range all {
			first, err := b.messageHashes(ctx, all[i].Segments, 1)
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
			whole, err := b.messageHashes(ctx, all[keep].Segments, -1)
			if err != nil {
				return nil, err
			}
			for _, i := range same {
				m := &all[i]
				if i == keep || m.Pinned || m.Archived || m.Branches > 0 || m.Delegates > 0 || b.db.Clock().Sub(m.LastActive) < minGhostAge {
					continue
				}
				part, err := b.messageHashes(ctx, m.Segments, -1)
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

// messageHash is the hash of the role, the text, the calls and the reasoning of a message.
type messageHash [sha256.Size]byte

// messageHashes returns the hashes of the messages of some sessions, in reading
// order; at most limit, or all where it is negative.
func (b *Bin) messageHashes(ctx context.Context, segments []string, limit int) (all []messageHash, err error) {
	for _, id := range segments {
		err := db.EachRow(ctx, b.db.Pool, `SELECT +role, +content, `+b.db.Schema.ColumnOrNull("messages", "m", "tool_calls")+`, `+
			b.db.Schema.ColumnOrNull("messages", "m", "tool_name")+`, `+b.db.Schema.ColumnOrNull("messages", "m", "reasoning")+`
			FROM messages m WHERE m.session_id = ? ORDER BY m.timestamp, m.id LIMIT ?`, []any{id, limit}, func(r db.Row) {
			var stored []byte
			for _, v := range r {
				stored = append(transfer.AppendStoredValue(stored, v), 0)
			}
			all = append(all, sha256.Sum256(stored))
		})
		if err != nil {
			return nil, err
		}
		if limit >= 0 && len(all) >= limit {
			break
		}
	}
	return all, nil
}

// minGhostAge is the age at which Hermes removes sessions without a message
// (store/README.md#session-calls).
const minGhostAge = 24 * time.Hour
