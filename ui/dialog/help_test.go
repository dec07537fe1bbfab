package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/theme/cells"
)

// A text in columns has all its lines, in order, and no row is divided.
func TestATextInColumnsLosesNothing(t *testing.T) {
	text := func(int) (lines []string) {
		for i := range 120 {
			if i%20 == 0 && i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, fmt.Sprintf("key%d  what it does", i))
			if i%7 == 0 {
				lines = append(lines, fmt.Sprintf("      more of %d", i))
			}
		}
		return lines
	}
	want := slices.DeleteFunc(text(0), func(l string) bool { return l == "" })
	for _, c := range []struct{ w, tall, columns int }{{100, 40, 1}, {130, 40, 1}, {130, 50, 2}, {200, 40, 3}, {200, 200, 1}} {
		lines, places := inColumns(cells.ByCodePoint, text, c.w, c.tall)
		for i, l := range text(0) {
			x := places.wide + columnGap
			if y := places.y(i); l != "" && !strings.Contains(lines[y], l) {
				t.Errorf("%d columns, %d lines: %q is not in line %d", c.w, c.tall, l, y)
			} else if at := [...]int{places.at(0, y), places.at(x, y), places.at(2*x, y)}; l != "" && !slices.Contains(at[:], i) {
				t.Errorf("%d columns, %d lines: line %d holds %v, not %d", c.w, c.tall, y, at, i)
			}
		}
		var got []string
		columns := 1
		for wide := (c.w - columnGap*(c.columns-1)) / c.columns; columns <= c.columns; columns++ {
			at := (columns - 1) * (wide + columnGap)
			for i, l := range lines {
				l = strings.TrimRight(cells.ByCodePoint.Cut(l, at, at+wide), " ")
				if i == 0 && strings.HasPrefix(l, " ") {
					t.Errorf("%d columns, %d lines: column %d begins inside a row", c.w, c.tall, columns)
				}
				if l != "" {
					got = append(got, l)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d columns, %d lines: %d of %d lines in %d columns of text", c.w, c.tall, len(got), len(want), c.columns)
		}
	}
}
