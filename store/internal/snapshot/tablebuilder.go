package snapshot

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// tableBuilder makes a table, one session after the other.
type tableBuilder struct {
	rows     []sessionRow
	texts    []byte
	interned map[string]textRef // texts that sessions share
}

// newTableBuilder gives a builder for about n sessions.
func newTableBuilder(sessions int) *tableBuilder {
	return &tableBuilder{rows: make([]sessionRow, 0, sessions), texts: make([]byte, 1, 1+sessions*80), interned: map[string]textRef{}}
}

// add appends a copy of a session.
func (r *tableBuilder) add(s *model.Session) {
	u := &s.Usage
	counts := textRef(len(r.texts))
	for _, n := range [...]int64{
		int64(s.MessageCount), int64(s.ToolCalls),
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.APICalls,
	} {
		r.texts = binary.AppendVarint(r.texts, n)
	}
	r.rows = append(r.rows, sessionRow{
		id: r.addText(s.ID), source: r.intern(s.Source), title: r.addText(s.Title), model: r.intern(s.Model),
		parent: r.intern(s.ParentID), reason: r.intern(s.EndReason),
		cwd: r.intern(s.CWD), branch: r.intern(s.GitBranch), profile: r.intern(s.Profile),
		branchedFrom: r.intern(s.BranchedFrom), delegateFrom: r.intern(s.DelegateFrom), resetFrom: r.intern(s.ResetFrom), sessionKey: r.intern(s.SessionKey),
		countsRef: counts, visible: int32(s.VisibleMessages),
		started: s.StartedAt.Unix(), startedNs: int32(s.StartedAt.Nanosecond()),
		ended: s.EndedAt.Unix(), endedNs: int32(s.EndedAt.Nanosecond()),
		lastMessage: s.LastMessageAt.Unix(), lastMessageNs: int32(s.LastMessageAt.Nanosecond()),
		active: s.LastActivityAt.Unix(), activeNs: int32(s.LastActivityAt.Nanosecond()),
		usd: u.Cost.USD, costKnown: u.Cost.Known, costEstimated: u.Cost.Estimated,
		archived: s.Archived, pinned: s.Pinned, hidden: s.Hidden,
	})
}

// addText stores a text that few sessions share.
func (r *tableBuilder) addText(s string) textRef {
	if s == "" {
		return 0
	}
	p := textRef(len(r.texts))
	r.texts = append(binary.AppendUvarint(r.texts, uint64(len(s))), s...)
	return p
}

// intern stores a text once for all sessions that have it.
func (r *tableBuilder) intern(s string) textRef {
	p, ok := r.interned[s]
	if !ok {
		p = r.addText(s)
		r.interned[strings.Clone(s)] = p
	}
	return p
}

// build gives the finished table.
func (r *tableBuilder) build() *SessionTable {
	done := &SessionTable{rows: slices.Clip(r.rows), texts: string(r.texts), byID: make([]int32, len(r.rows))}
	for i := range done.byID {
		done.byID[i] = int32(i)
	}
	// Ids are unique, except for values that are not text; of these the last is found.
	slices.SortFunc(done.byID, func(a, b int32) int {
		return cmp.Or(strings.Compare(done.ID(int(a)), done.ID(int(b))), cmp.Compare(b, a))
	})
	return done
}
