package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/uitest"
)

// rowTexts returns the rows of the list with their headings.
func (d *driver) rowTexts() (rows []string) {
	for _, it := range d.items() {
		rows = append(rows, it.Heading+" | "+kit.SpanText(it.TitleSpans)+" | "+fmt.Sprint(it.Hits))
	}
	return rows
}

// Whatever the order and the query, the row of an undone deletion is back with
// the key, in the place where the database will have it.
func TestAnUndoneDeletionIsBackAtOnceInEveryOrder(t *testing.T) {
	t.Parallel()
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		for _, mark := range [][]string{nil, {"alt+a"}} {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				lib.BackTakes = 3 * time.Second
				lib.Convs[4].Pinned = true
				d := start(t, lib, 100, 40)
				if by == query.ByRelevance {
					d.types("e")
				} else {
					d.types(":sort "+by.String()).keys("enter", "home")
				}
				before, total := d.rowTexts(), d.total()
				d.keys("down", "down")
				d.keys(mark...).keys("ctrl+d")
				var number int
				if _, ask, typed := strings.Cut(d.screen(), "Type "); typed {
					fmt.Sscan(ask, &number)
					d.types(fmt.Sprint(number)).keys("enter")
				} else {
					d.keys("y")
				}
				if len(d.rowTexts()) >= len(before) {
					t.Fatalf("by %v: nothing has left:\n%s", by, d.screen())
				}
				d.wait(time.Second)
				d.send(keyPress("alt+z"))
				if got := d.rowTexts(); !slices.Equal(got, before) || d.total() != total {
					t.Errorf("by %v, marked by %q: %d rows are back as\n%s\nand were\n%s", by, mark, d.total(), strings.Join(got, "\n"), strings.Join(before, "\n"))
				}
				d.sees("Undoing: deleted")
				d.wait(5 * time.Second)
				if got := d.rowTexts(); !slices.Equal(got, before) {
					t.Errorf("by %v, marked by %q: and then\n%s", by, mark, strings.Join(got, "\n"))
				}
			})
		}
	}
}

// Another query is on the screen by then: whether it finds the conversation
// only the database can say, but the row is there meanwhile.
func TestAnUndoneDeletionIsBackAtOnceBelowAnotherQuery(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.BackTakes = 3 * time.Second
		d := start(t, lib, 100, 24).keys("ctrl+d", "y").types("broker").sees("1 conversation")
		d.send(keyPress("alt+z"))
		d.sees(" Restoring\n", "Kafka consumer retries #3", " Best first\n", "2 conversations")
		if d.current() != "Kafka consumer retries #3" {
			t.Fatalf("on %q", d.current())
		}
		d.wait(2 * time.Second)
		d.sees("Undoing… ─", "─ · alt+c stops", "Restoring")
		d.wait(2 * time.Second)
		d.sees("1 conversation", "Restored “Kafka").misses("Restoring")

		// What the list does not show is not shown, but told.
		d.keys("ctrl+u", "home", "ctrl+d", "y").types("source:cli ")
		n := d.loaded()
		d.send(keyPress("alt+z"))
		if d.loaded() != n {
			t.Fatalf("it came among what it does not belong to:\n%s", d.screen())
		}
		d.sees("Undoing: deleted “Kafka")
	})
}
