package store

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"hermes-sessions/store/ftsindex"
)

// A sheet at a time counts what one message after the other does: of one
// session or of many, in runs and apart, at the edges of sheets and beyond.
func TestSheetsCountWhatMessagesDo(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	for n := range 60 {
		var d ownerDraft
		var all ftsindex.Set
		var h heard
		sessions, longest := 1+r.IntN(200), 1+r.IntN(300)
		for id := int64(r.IntN(3 * ownerPage)); id < 4*ownerPage; id += int64(1 + r.IntN(3)*r.IntN(200)) {
			session := int32(r.IntN(sessions+1)) - 1 // the first is homeless
			from := id
			id += int64(r.IntN(longest))
			d.add(session, rows(from, id))
			for row := range rows(from, id) {
				if r.IntN(3) > 0 {
					all.Add(row)
				}
				switch r.IntN(4) {
				case 0:
					h.tools.Add(row)
				case 1:
					h.calls.Add(row)
				}
			}
		}
		all.Add(5 * ownerPage) // nobody's
		count := func(how func(*tally)) tally {
			c := tally{shelf: &shelf{}, all: &all, heard: &h, owners: d.settle()}
			c.scores = make([]score, sessions)
			how(&c)
			slices.Sort(c.touched)
			return c
		}
		sheets := count(func(c *tally) { c.countSheets() })
		ones := count(func(c *tally) {
			for id := range all.All() {
				c.countOne(id, c.owners.of(id))
			}
		})
		if !slices.Equal(sheets.scores, ones.scores) || !slices.Equal(sheets.touched, ones.touched) {
			t.Fatalf("%d: of %d messages of %d sessions\n%v\n%v", n, all.Len(), sessions, sheets.scores, ones.scores)
		}
	}
}

func rows(from, to int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for ; from < to && yield(from); from++ {
		}
	}
}

// Who reads what is known of messages is not disturbed by those who learn more.
func TestWhatIsHeardStaysAsItWasLent(t *testing.T) {
	t.Parallel()
	var r speakers
	r.change(func(h *heard) { h.tools.Add(1) })
	lent := r.read()
	r.change(func(h *heard) { h.tools.Add(2) })
	if lent.tools.Has(2) || !lent.tools.Has(1) {
		t.Errorf("what was lent has %v", lent.tools.Rows())
	}
	if now := r.read(); !now.tools.Has(1) || !now.tools.Has(2) {
		t.Errorf("what is known has %v", now.tools.Rows())
	}
}
