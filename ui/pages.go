package ui

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

const (
	// window is how many messages are read at a time.
	window = 60
	// heldText is how many bytes of messages stay in memory. What is far from
	// the reader goes first; its gist stays.
	heldText = 4 << 20
)

// pages is what has been read of a conversation: of every message seen so far
// the gist, of those near the reader the whole. Messages go by their position
// in the outline, which only grows while the screen is open.
type pages struct {
	outline model.Outline
	ids     *[]int64      // those of the outline; another where it has grown
	index   map[int64]int // position of a message id
	gists   []model.Skeleton
	held    map[int]*model.Message
	bytes   int // of what is held
	weave   model.ToolPairing
	version int64 // of the database, from before the outline was read
}

// stretch is a run of messages by position, [from, to).
type stretch struct{ from, to int }

// excerpt asks for a stretch of a conversation.
type excerpt struct {
	pages *pages   // for the answer; a command must not look into it
	ids   *[]int64 // of the whole conversation
	stretch
}

// opening asks for the outline of a conversation, with the messages around
// one of them or around its end.
type opening struct {
	id string // any session of the conversation
	at int64  // a message id, 0 for the end

	// With an edge it is the first (1) or the last (-1) message that matches.
	query query.Query
	edge  int
}

// opened answers it.
type opened struct {
	pages *pages
	at    int // position to start at, -1 for the end
}

func newPages(outline model.Outline) *pages {
	p := &pages{
		outline: outline, ids: &outline.MessageIDs, index: make(map[int64]int, len(outline.MessageIDs)),
		gists: make([]model.Skeleton, len(outline.MessageIDs)), held: map[int]*model.Message{},
	}
	for i, id := range outline.MessageIDs {
		p.index[id] = i
	}
	p.indexCopies()
	return p
}

// openPages reads an outline and the first window.
func openPages(ctx context.Context, lib Library, o opening) (opened, error) {
	version, err := lib.DataVersion(ctx)
	if err != nil {
		return opened{}, err
	}
	outline, err := lib.Outline(ctx, o.id)
	if err == nil && o.edge != 0 {
		o.at, err = edge(ctx, lib, o)
	}
	if err != nil {
		return opened{}, err
	}
	p := newPages(outline)
	p.version = version
	at, to := -1, len(outline.MessageIDs)
	if o.at != 0 {
		at = p.near(o.at)
		to = min(at+window/2, to)
	}
	s := stretch{max(0, to-window), to}
	msgs, err := readPages(ctx, lib, outline.MessageIDs[s.from:s.to])
	if err != nil {
		return opened{}, err
	}
	p.put(s, msgs)
	return opened{p, at}, nil
}

// indexCopies lets the copies that compression made lead to what they copy.
func (p *pages) indexCopies() {
	for id, original := range p.outline.Replays {
		if i, ok := p.index[original]; ok {
			p.index[id] = i
		}
	}
}

// near gives the position of a message, or of the one before which it stood
// when it is not in the transcript any more.
func (p *pages) near(id int64) int {
	if i, ok := p.index[id]; ok {
		return i
	}
	best := len(p.outline.MessageIDs) - 1
	for i, other := range p.outline.MessageIDs {
		if other > id && (best < 0 || other < p.outline.MessageIDs[best] || p.outline.MessageIDs[best] < id) {
			best = i
		}
	}
	return max(best, 0)
}

// readPages reads messages and makes their text safe to draw.
func readPages(ctx context.Context, lib Library, ids []int64) ([]model.Message, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	msgs, err := lib.MessagesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range msgs {
		msgs[i] = CleanMessage(msgs[i])
	}
	return msgs, nil
}

// put takes what was read for a stretch. A message that has gone in the
// meantime leaves a note in its place.
func (p *pages) put(s stretch, msgs []model.Message) {
	of := make(map[int64]*model.Message, len(msgs))
	for i := range msgs {
		of[msgs[i].ID] = &msgs[i]
	}
	for i := s.from; i < s.to; i++ {
		m := of[p.outline.MessageIDs[i]]
		if m == nil {
			m = &model.Message{ID: p.outline.MessageIDs[i], Role: "gone", DecodeError: "this message has been deleted in the meantime"}
		}
		if old := p.held[i]; old != nil {
			p.bytes -= weight(old)
		}
		p.held[i], p.gists[i] = m, m.Skeleton()
		p.bytes += weight(m)
	}
}

// weight is about how many bytes a message takes.
func weight(m *model.Message) int {
	n := 300 + len(m.Content.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += 64 + len(c.Arguments)
	}
	return n
}

// missing gives a stretch to read next, the part of want nearest to position
// at first; ok is false when nothing is missing. Of the messages that were read
// once, only those are wanted again that show something.
func (p *pages) missing(want stretch, at int, shows func(i int) bool) (s stretch, ok bool) {
	want.from, want.to = max(want.from, 0), min(want.to, len(p.gists))
	lacks := func(i int) bool {
		return p.held[i] == nil && (p.gists[i].Author == model.NoAuthor || shows(i))
	}
	best := -1
	for i := want.from; i < want.to; i++ {
		if (best < 0 || abs(i-at) < abs(best-at)) && lacks(i) {
			best = i
		}
	}
	if best < 0 {
		return stretch{}, false
	}
	s = stretch{best, best + 1}
	for s.from > want.from && s.to-s.from < 2*window && lacks(s.from-1) {
		s.from--
	}
	for s.to < want.to && s.to-s.from < 2*window && lacks(s.to) {
		s.to++
	}
	return s, true
}

// forget lets go of the messages farthest from position at until what is held
// fits again. Inside of keep those stay that show something.
func (p *pages) forget(at int, keep stretch, shows func(i int) bool) {
	if p.bytes <= heldText {
		return
	}
	var far []int
	for i := range p.held {
		if i < keep.from || i >= keep.to || !shows(i) {
			far = append(far, i)
		}
	}
	slices.SortFunc(far, func(a, b int) int { return abs(b-at) - abs(a-at) })
	for _, i := range far {
		if p.bytes <= heldText*3/4 {
			return
		}
		p.bytes -= weight(p.held[i])
		delete(p.held, i)
	}
}

// segment gives the number of the segment that begins at a position, 0 for
// none: the first begins without a seam.
func (p *pages) segment(i int) int {
	k, ok := slices.BinarySearch(p.outline.SegmentStarts, i)
	if !ok || i == 0 {
		return 0
	}
	// Of several that begin here all but the last are empty.
	for k+1 < len(p.outline.SegmentStarts) && p.outline.SegmentStarts[k+1] == i {
		k++
	}
	return k
}

// headed reports whether a message begins with the name of who speaks: the
// agent is named once for all that it does in answer.
func (p *pages) headed(i int) bool {
	switch p.gists[i].Author {
	case model.AuthorTool:
		return false
	case model.AuthorAgent:
		if i == 0 || p.segment(i) > 0 {
			return true
		}
		before := p.gists[i-1].Author
		return before != model.AuthorAgent && before != model.AuthorTool && before != model.NoAuthor
	}
	return true
}

// answers gives the results that answer the calls of a message, by call; nil
// where there is none.
func (p *pages) answers(i int) []int {
	out := make([]int, len(p.gists[i].CallNames))
	for k := range out {
		out[k] = -1
	}
	left := len(out)
	// Results follow their calls closely; looking further would only find
	// what nobody would look for under the call.
	for j := i + 1; j < len(p.gists) && left > 0 && j < i+4*window; j++ {
		if p.weave.Caller[j] == int32(i) {
			if n := int(p.weave.CallIndex[j]); n < len(out) && out[n] < 0 {
				out[n] = j
				left--
			}
		}
	}
	return out
}

func abs(n int) int { return max(n, -n) }
