package model

// Outline is the skeleton of a conversation: every visible message id in
// reading order, and where each segment begins. What compression copied from
// one segment into the next stands there once, where it was said.
type Outline struct {
	Conversation  Conversation
	MessageIDs    []int64
	SegmentStarts []int    // index into IDs where Conversation.Segments[i] begins
	SegmentModels []string // of the segments; "" where the row has none
	Rewound       int      // messages left out because the user took them back

	ReplayCounts []int           // of each segment, how many are left out as copies
	Replays      map[int64]int64 // ids of copies, and the ids of what they copy, in IDs
}

// Segment gives the ids of one session's messages, nil when it is no segment
// of the conversation.
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
