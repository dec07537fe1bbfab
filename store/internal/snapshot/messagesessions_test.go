package snapshot

import (
	"iter"
	"testing"
)

// The map has every message of a large file, also of a session that began early and
// went on to the end, whose ids are the first on many pages. Of ids far apart that no
// messages surround, it has some.
func TestMessageSessionsHaveSessionsThatSpanTheFile(t *testing.T) {
	t.Parallel()
	const pages, last = 200, 200*MessagesPerPage - 1
	everyPage := func(yield func(int64) bool) {
		for id := int64(7); id < last && yield(id); id += MessagesPerPage {
		}
	}
	between := func(from, to int64) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			for id := from; id < to; id++ {
				if id%MessagesPerPage != 7 && !yield(id) {
					return
				}
			}
		}
	}
	var b MessageSessionsBuilder
	b.Add(0, everyPage)
	b.Add(1, between(0, last))
	m := b.Build()
	if m.AllIDs().Len() != m.MessageCount || m.MessageCount != last || m.PageCount != pages {
		t.Errorf("%d of %d messages on %d pages, want %d on %d", m.AllIDs().Len(), m.MessageCount, m.PageCount, last, pages)
	}
	for _, id := range []int64{7, 150*MessagesPerPage + 7, 199*MessagesPerPage + 7} {
		if got := m.SessionOf(id); got != 0 {
			t.Errorf("session of %d: %d", id, got)
		}
		if got := m.SessionOf(id + 1); got != 1 {
			t.Errorf("session of %d: %d", id+1, got)
		}
	}

	var sparse MessageSessionsBuilder
	sparse.Add(0, everyPage)
	if m := sparse.Build(); m.PageCount >= pages/2 || m.SessionOf(199*MessagesPerPage+7) != unmapped || m.SessionOf(7) != 0 {
		t.Errorf("%d pages for %d messages far apart", m.PageCount, m.MessageCount)
	}
}
