package model

// Outline is the table of contents of a conversation: the ids of its visible
// messages in reading order, and where each segment begins. Replays are left out.
type Outline struct {
	Conversation  Conversation
	MessageIDs    []int64
	SegmentStarts []int    // index in MessageIDs where Conversation.Segments[i] begins
	SegmentModels []string // models of the segments; "" where the row has none
	Rewound       int      // number of rewound messages, which are left out

	ReplayCounts []int           // per segment: number of replays, which are left out
	Replays      map[int64]int64 // id of a replay → id of the original in MessageIDs
}

// Segment returns the message ids of one segment, nil if the conversation has no
// segment with this session id.
func (o Outline) Segment(id string) []int64 {
	for k, segment := range o.Conversation.Segments {
		if segment != id || k >= len(o.SegmentStarts) {
			continue
		}
		end := len(o.MessageIDs)
		if k+1 < len(o.SegmentStarts) {
			end = o.SegmentStarts[k+1]
		}
		return o.MessageIDs[o.SegmentStarts[k]:end]
	}
	return nil
}
