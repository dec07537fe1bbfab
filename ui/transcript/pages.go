package transcript

import (
	"context"
	"slices"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	// window is how many messages are read at a time.
	window = 60
	// maxMessageBytes is how many bytes of messages stay in memory. Messages far from
	// the window are dropped first; their skeletons stay.
	maxMessageBytes = 4 << 20
)

// pages holds what has been read of a conversation: a skeleton of every message read so
// far, and the full messages near the window. A message is addressed by its position in
// the outline, which only grows while the screen is open.
type pages struct {
	outline   model.Outline
	ids       *[]int64      // ids of the outline; a new pointer after the outline has grown
	index     map[int64]int // position of a message id
	skeletons []model.Skeleton
	messages  map[int]*model.Message
	bytes     int // of messages, by messageSize
	pairing   model.ToolPairing
	version   int64 // of the database, read before the outline
	start     start
}

// positions is a range of messages by position, [from, to).
type positions struct{ from, to int }

// pageQuery asks for a range of messages of a conversation.
type pageQuery struct {
	pages *pages   // identifies the answer; the command's goroutine must not read it
	id    string   // of its tip
	ids   *[]int64 // of the whole conversation
	positions
}

// opening asks for the outline of a conversation and the messages around one of them or
// before its end.
type opening struct {
	id string // any session of the conversation
	at int64  // a message id, 0 for the end

	// With an edge it is the first (1) or the last (-1) message that matches.
	query query.Query
	edge  int

	left *LeftAt // where the reader was before, nil for another place
}

// opened is the answer to an opening.
type opened struct {
	pages *pages
	at    int // position to start at, -1 for the end
}

func newPages(outline model.Outline) *pages {
	p := &pages{
		outline: outline, ids: &outline.MessageIDs, index: make(map[int64]int, len(outline.MessageIDs)),
		skeletons: make([]model.Skeleton, len(outline.MessageIDs)), messages: map[int]*model.Message{},
	}
	for i, id := range outline.MessageIDs {
		p.index[id] = i
	}
	p.indexCopies()
	return p
}

// openPages reads an outline and the first window of messages.
func openPages(ctx context.Context, lib shell.Library, o opening) (opened, error) {
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
	p.version, p.start = version, readStart(ctx, lib, outline.Conversation)
	at, to := -1, len(outline.MessageIDs)
	if o.at != 0 {
		at = p.near(o.at)
		to = min(at+window/2, to)
	}
	s := positions{max(0, to-window), to}
	msgs, err := readPages(ctx, lib, outline.Conversation.ID, outline.MessageIDs[s.from:s.to])
	if err != nil {
		return opened{}, err
	}
	p.put(s, msgs)
	return opened{p, at}, nil
}

// indexCopies maps the ids of copies that compression made to the position of the
// original message.
func (p *pages) indexCopies() {
	for id, original := range p.outline.Replays {
		if i, ok := p.index[original]; ok {
			p.index[id] = i
		}
	}
}

// near returns the position of a message. If the transcript no longer has it, it gives the
// position of the message that followed.
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

// readPages reads messages of the conversation of a session and makes their text safe to draw.
func readPages(ctx context.Context, lib shell.Library, id string, ids []int64) ([]model.Message, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	msgs, err := lib.MessagesOf(ctx, id, ids)
	if err != nil {
		return nil, err
	}
	for i := range msgs {
		msgs[i] = kit.CleanMessage(msgs[i])
	}
	return msgs, nil
}

// put stores the messages read for a range. A message deleted in the meantime gets a
// placeholder that says so.
func (p *pages) put(s positions, msgs []model.Message) {
	of := make(map[int64]*model.Message, len(msgs))
	for i := range msgs {
		of[msgs[i].ID] = &msgs[i]
	}
	for i := s.from; i < s.to; i++ {
		m := of[p.outline.MessageIDs[i]]
		if m == nil {
			m = &model.Message{ID: p.outline.MessageIDs[i], Role: "gone", DecodeError: "this message has since been deleted"}
		}
		if old := p.messages[i]; old != nil {
			p.bytes -= messageSize(old)
		}
		p.messages[i], p.skeletons[i] = m, m.Skeleton()
		p.bytes += messageSize(m)
	}
}

// messageSize estimates how many bytes of memory a message takes.
func messageSize(m *model.Message) int {
	n := 300 + len(m.Content.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += 64 + len(c.Arguments)
	}
	return n
}

// missing returns the range to read next: at most two windows of want, nearest to position
// at. ok is false if nothing is missing. A message that was read and dropped counts only
// if shows reports that it has lines.
func (p *pages) missing(want positions, at int, shows func(i int) bool) (s positions, ok bool) {
	want.from, want.to = max(want.from, 0), min(want.to, len(p.skeletons))
	lacks := func(i int) bool {
		return p.messages[i] == nil && (p.skeletons[i].Author == model.NoAuthor || shows(i))
	}
	best := -1
	for i := want.from; i < want.to; i++ {
		if (best < 0 || abs(i-at) < abs(best-at)) && lacks(i) {
			best = i
		}
	}
	if best < 0 {
		return positions{}, false
	}
	s = positions{best, best + 1}
	for s.from > want.from && s.to-s.from < 2*window && lacks(s.from-1) {
		s.from--
	}
	for s.to < want.to && s.to-s.from < 2*window && lacks(s.to) {
		s.to++
	}
	return s, true
}

// forget drops the messages farthest from position at until the rest takes three quarters
// of maxMessageBytes. Messages inside keep that have lines stay.
func (p *pages) forget(at int, keep positions, shows func(i int) bool) {
	if p.bytes <= maxMessageBytes {
		return
	}
	var far []int
	for i := range p.messages {
		if i < keep.from || i >= keep.to || !shows(i) {
			far = append(far, i)
		}
	}
	sort.Slice(far, func(i, j int) bool { return abs(far[i]-at) > abs(far[j]-at) })
	for _, i := range far {
		if p.bytes <= maxMessageBytes*3/4 {
			return
		}
		p.bytes -= messageSize(p.messages[i])
		delete(p.messages, i)
	}
}

// segment returns the index of the segment that begins at a position, 0 for none. The first
// segment has no line above it, so it counts as none.
func (p *pages) segment(i int) int {
	k, ok := slices.BinarySearch(p.outline.SegmentStarts, i)
	if !ok || i == 0 {
		return 0
	}
	// If several segments begin here, all but the last are empty.
	for k+1 < len(p.outline.SegmentStarts) && p.outline.SegmentStarts[k+1] == i {
		k++
	}
	return k
}

// headed reports whether a message has a line with its author. The agent's name is shown
// once for all consecutive messages of agent and tools.
func (p *pages) headed(i int) bool {
	switch p.skeletons[i].Author {
	case model.AuthorTool:
		return false
	case model.AuthorAgent:
		if i == 0 || p.segment(i) > 0 {
			return true
		}
		before := p.skeletons[i-1].Author
		return before != model.AuthorAgent && before != model.AuthorTool && before != model.NoAuthor
	}
	return true
}

// answers returns for each call of a message the position of its result, -1 for none.
func (p *pages) answers(i int) []int {
	out := make([]int, len(p.skeletons[i].CallNames))
	for k := range out {
		out[k] = -1
	}
	left := len(out)
	// Results follow their calls closely, so the search ends after four windows.
	for j := i + 1; j < len(p.skeletons) && left > 0 && j < i+4*window; j++ {
		if p.pairing.Caller[j] == int32(i) {
			if n := int(p.pairing.CallIndex[j]); n < len(out) && out[n] < 0 {
				out[n] = j
				left--
			}
		}
	}
	return out
}

func abs(n int) int { return max(n, -n) }
