package sessiontable

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// Builder makes a table, one session after the other.
type Builder struct {
	rows     []row
	texts    []byte
	interned map[string]textRef // texts that sessions share
}

// NewBuilder returns a builder for about n sessions.
func NewBuilder(sessions int) *Builder {
	return &Builder{rows: make([]row, 0, sessions), texts: make([]byte, 1, 1+sessions*80), interned: map[string]textRef{}}
}

// Add appends a copy of a session.
func (b *Builder) Add(s *model.Session) {
	u := &s.Usage
	counts := textRef(len(b.texts))
	for _, n := range [...]int64{
		int64(s.MessageCount), int64(s.ToolCalls),
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.APICalls,
	} {
		b.texts = binary.AppendVarint(b.texts, n)
	}
	b.rows = append(b.rows, row{
		id: b.addText(s.ID), source: b.intern(s.Source), title: b.addText(s.Title), model: b.intern(s.Model),
		parent: b.intern(s.ParentID), reason: b.intern(s.EndReason),
		createdAs: b.intern(s.CreatedAs), cwd: b.intern(s.CWD), gitRoot: b.intern(s.GitRoot),
		branch: b.intern(s.GitBranch), profile: b.intern(s.Profile),
		branchedFrom: b.intern(s.BranchedFrom), delegateFrom: b.intern(s.DelegateFrom), resetFrom: b.intern(s.ResetFrom), sessionKey: b.intern(s.SessionKey),
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
func (b *Builder) addText(s string) textRef {
	if s == "" {
		return 0
	}
	p := textRef(len(b.texts))
	b.texts = append(binary.AppendUvarint(b.texts, uint64(len(s))), s...)
	return p
}

// intern stores a text once for all sessions that have it.
func (b *Builder) intern(s string) textRef {
	p, ok := b.interned[s]
	if !ok {
		p = b.addText(s)
		b.interned[strings.Clone(s)] = p
	}
	return p
}

// Build returns the finished table.
func (b *Builder) Build() *Table {
	done := &Table{rows: slices.Clip(b.rows), texts: string(b.texts), byID: make([]int32, len(b.rows))}
	for i := range done.byID {
		done.byID[i] = int32(i)
	}
	// Ids are unique, except for values that are not text; of these the last is found.
	slices.SortFunc(done.byID, func(a, b int32) int {
		return cmp.Or(strings.Compare(done.ID(int(a)), done.ID(int(b))), cmp.Compare(b, a))
	})
	return done
}
