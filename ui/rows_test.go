package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain makes rows of items of given heights, and all their lines one below
// the other: the naive list that rows must never differ from.
func plain(heights []int) (*rows, []string) {
	items, all := make([][]string, len(heights)), []string{}
	for i, h := range heights {
		for k := range h {
			items[i] = append(items[i], fmt.Sprintf("%d.%d", i, k))
		}
		all = append(all, items[i]...)
	}
	return &rows{n: len(heights), lines: func(i int) []string { return items[i] }}, all
}

// place gives how many lines are above the window.
func linesAbove(r *rows) int {
	y := r.skip
	for i := range r.top {
		y += len(r.lines(i))
	}
	return y
}

func TestRowsMove(t *testing.T) {
	for name, c := range map[string]struct {
		heights []int
		h       int
		do      func(*rows)
		sel     int
		view    []string
	}{
		"fresh":                     {[]int{1, 2, 1, 1}, 3, func(*rows) {}, 0, []string{"0.0", "1.0", "1.1"}},
		"down brings it in whole":   {[]int{1, 2, 2, 1}, 3, func(r *rows) { r.move(2) }, 2, []string{"1.1", "2.0", "2.1"}},
		"up again by the least":     {[]int{1, 2, 2, 1}, 3, func(r *rows) { r.move(2); r.move(1) }, 1, []string{"1.0", "1.1", "2.0"}},
		"taller than the window":    {[]int{1, 5, 1}, 3, func(r *rows) { r.move(1) }, 1, []string{"1.0", "1.1", "1.2"}},
		"the last":                  {[]int{1, 1, 5}, 3, func(r *rows) { r.ends(true) }, 2, []string{"2.2", "2.3", "2.4"}},
		"the first":                 {[]int{1, 1, 5}, 3, func(r *rows) { r.ends(true); r.ends(false) }, 0, []string{"0.0", "1.0", "2.0"}},
		"past the last":             {[]int{1, 1, 1}, 2, func(r *rows) { r.move(9) }, 2, []string{"1.0", "2.0"}},
		"before the first":          {[]int{1, 1, 1}, 2, func(r *rows) { r.move(-3) }, 0, []string{"0.0", "1.0"}},
		"a page takes the last":     {[]int{1, 1, 1, 1, 1, 1}, 3, func(r *rows) { r.page(1) }, 4, []string{"2.0", "3.0", "4.0"}},
		"a page on the last page":   {[]int{1, 1}, 5, func(r *rows) { r.page(1) }, 1, []string{"0.0", "1.0"}},
		"scrolling drags it along":  {[]int{1, 1, 1, 1}, 2, func(r *rows) { r.scroll(2) }, 2, []string{"2.0", "3.0"}},
		"scrolling by lines":        {[]int{1, 4, 1}, 3, func(r *rows) { r.scroll(2) }, 1, []string{"1.1", "1.2", "1.3"}},
		"nothing is left empty":     {[]int{1, 1, 1, 1}, 3, func(r *rows) { r.place(3) }, 3, []string{"1.0", "2.0", "3.0"}},
		"shrunk under it":           {[]int{1, 1, 1, 1}, 3, func(r *rows) { r.ends(true); r.reset(2, 5) }, 1, []string{"0.0", "1.0"}},
		"emptied":                   {[]int{1, 1}, 3, func(r *rows) { r.reset(0, 4) }, 0, []string{}},
		"held in its place":         {[]int{1, 1, 1, 1, 1, 1}, 4, func(r *rows) { r.sel = 3; r.hold(1) }, 3, []string{"2.0", "3.0", "4.0", "5.0"}},
		"held as near as there are": {[]int{1, 1, 1, 1, 1, 1}, 4, func(r *rows) { r.sel = 1; r.hold(3) }, 1, []string{"0.0", "1.0", "2.0", "3.0"}},
		"without height":            {[]int{1, 1}, 0, func(r *rows) { r.move(1); r.page(1); r.scroll(3) }, 1, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := plain(c.heights)
			r.resize(10, c.h)
			c.do(r)
			if got := r.view(); r.sel != c.sel || !slices.Equal(got, c.view) {
				t.Fatalf("item %d of %q, want %d of %q", r.sel, got, c.sel, c.view)
			}
		})
	}
}

// Whatever is done, the window shows one stretch of the naive list, without a
// gap, with the current item in it, and agrees with itself about it.
func TestRowsAgreeWithANaiveList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		heights := make([]int, rng.IntN(40))
		for i := range heights {
			heights[i] = 1 + rng.IntN(6)
			if rng.IntN(8) == 0 {
				heights[i] = 20
			}
		}
		r, all := plain(heights)
		r.resize(10, rng.IntN(15))
		log := ""
		for range 40 {
			before := linesAbove(r)
			k, free := rng.IntN(len(heights)+3)-1, false
			switch op := rng.IntN(8); op {
			case 0:
				r.move(k)
				log += fmt.Sprint(" move ", k)
			case 1:
				n := rng.IntN(21) - 10
				r.scroll(n)
				log += fmt.Sprint(" scroll ", n)
				if want := max(0, min(before+n, len(all)-r.h)); r.h > 0 && len(all) > 0 && linesAbove(r) != want {
					t.Fatalf("%v:%s: at line %d, want %d", heights, log, linesAbove(r), want)
				}
			case 2:
				r.page(1 - 2*rng.IntN(2))
				log += " page"
			case 3:
				r.ends(rng.IntN(2) == 0)
				log += " ends"
			case 4:
				r.resize(10, rng.IntN(15))
				r.reveal()
				log += fmt.Sprint(" resize ", r.h)
			case 5:
				r.place(k)
				log += fmt.Sprint(" place ", k)
			case 6:
				y := r.offset()
				r.hold(y)
				log += fmt.Sprint(" hold ", y)
			case 7:
				r.resize(10, rng.IntN(15)) // and the current item may be out of sight
				free = true
				log += fmt.Sprint(" shrink ", r.h)
			}
			above, view := linesAbove(r), r.view()
			want := all[min(above, len(all)):min(above+r.h, len(all))]
			if r.h == 0 {
				want = []string{}
			}
			if !slices.Equal(view, want) || len(view) != min(r.h, len(all)) {
				t.Fatalf("%v:%s: %q is no stretch of the list at line %d", heights, log, view, above)
			}
			if len(view) == 0 {
				continue
			}
			first, last := r.visible()
			for y := range view {
				i, line := r.at(y)
				if view[y] != fmt.Sprintf("%d.%d", i, line) || i < first || i > last {
					t.Fatalf("%v:%s: line %d is %q, not %d.%d; visible %d to %d", heights, log, y, view[y], i, line, first, last)
				}
			}
			if i, _ := r.at(len(view)); len(view) < r.h && i != -1 {
				t.Fatalf("%v:%s: there is item %d below the last", heights, log, i)
			}
			if end := above+len(view) == len(all); r.atEnd() != end {
				t.Fatalf("%v:%s: atEnd is %v", heights, log, !end)
			}
			if !free && (r.sel < first || r.sel > last) {
				t.Fatalf("%v:%s: item %d is not in sight, %d to %d are", heights, log, r.sel, first, last)
			}
		}
	}
}
