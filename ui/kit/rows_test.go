package kit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain makes rows of items of given heights, and all their lines one below
// the other: the naive list that rows must never differ from.
func plain(heights []int) (*Rows, []string) {
	items, all := make([][]string, len(heights)), []string{}
	for i, h := range heights {
		for k := range h {
			items[i] = append(items[i], fmt.Sprintf("%d.%d", i, k))
		}
		all = append(all, items[i]...)
	}
	return &Rows{Len: len(heights), Lines: func(i int) []string { return items[i] }}, all
}

// place returns how many lines are above the window.
func linesAbove(r *Rows) int {
	y := r.Skip
	for i := range r.Top {
		y += len(r.Lines(i))
	}
	return y
}

func TestRowsMove(t *testing.T) {
	for name, c := range map[string]struct {
		heights []int
		h       int
		do      func(*Rows)
		sel     int
		view    []string
	}{
		"fresh":                     {[]int{1, 2, 1, 1}, 3, func(*Rows) {}, 0, []string{"0.0", "1.0", "1.1"}},
		"down brings it in whole":   {[]int{1, 2, 2, 1}, 3, func(r *Rows) { r.Move(2) }, 2, []string{"1.1", "2.0", "2.1"}},
		"up again by the least":     {[]int{1, 2, 2, 1}, 3, func(r *Rows) { r.Move(2); r.Move(1) }, 1, []string{"1.0", "1.1", "2.0"}},
		"taller than the window":    {[]int{1, 5, 1}, 3, func(r *Rows) { r.Move(1) }, 1, []string{"1.0", "1.1", "1.2"}},
		"the last":                  {[]int{1, 1, 5}, 3, func(r *Rows) { r.GoToEnd(true) }, 2, []string{"2.2", "2.3", "2.4"}},
		"the first":                 {[]int{1, 1, 5}, 3, func(r *Rows) { r.GoToEnd(true); r.GoToEnd(false) }, 0, []string{"0.0", "1.0", "2.0"}},
		"past the last":             {[]int{1, 1, 1}, 2, func(r *Rows) { r.Move(9) }, 2, []string{"1.0", "2.0"}},
		"before the first":          {[]int{1, 1, 1}, 2, func(r *Rows) { r.Move(-3) }, 0, []string{"0.0", "1.0"}},
		"a page takes the last":     {[]int{1, 1, 1, 1, 1, 1}, 3, func(r *Rows) { r.Page(1) }, 4, []string{"2.0", "3.0", "4.0"}},
		"a page on the last page":   {[]int{1, 1}, 5, func(r *Rows) { r.Page(1) }, 1, []string{"0.0", "1.0"}},
		"scrolling drags it along":  {[]int{1, 1, 1, 1}, 2, func(r *Rows) { r.Scroll(2) }, 2, []string{"2.0", "3.0"}},
		"scrolling by lines":        {[]int{1, 4, 1}, 3, func(r *Rows) { r.Scroll(2) }, 1, []string{"1.1", "1.2", "1.3"}},
		"nothing is left empty":     {[]int{1, 1, 1, 1}, 3, func(r *Rows) { r.Selected = 3; r.KeepAt(0) }, 3, []string{"1.0", "2.0", "3.0"}},
		"shrunk under it":           {[]int{1, 1, 1, 1}, 3, func(r *Rows) { r.GoToEnd(true); r.Reset(2, 5) }, 1, []string{"0.0", "1.0"}},
		"emptied":                   {[]int{1, 1}, 3, func(r *Rows) { r.Reset(0, 4) }, 0, []string{}},
		"held in its place":         {[]int{1, 1, 1, 1, 1, 1}, 4, func(r *Rows) { r.Selected = 3; r.KeepAt(1) }, 3, []string{"2.0", "3.0", "4.0", "5.0"}},
		"held as near as there are": {[]int{1, 1, 1, 1, 1, 1}, 4, func(r *Rows) { r.Selected = 1; r.KeepAt(3) }, 1, []string{"0.0", "1.0", "2.0", "3.0"}},
		"without height":            {[]int{1, 1}, 0, func(r *Rows) { r.Move(1); r.Page(1); r.Scroll(3) }, 1, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := plain(c.heights)
			r.Resize(c.h)
			c.do(r)
			if got := r.Visible(); r.Selected != c.sel || !slices.Equal(got, c.view) {
				t.Fatalf("item %d of %q, want %d of %q", r.Selected, got, c.sel, c.view)
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
		r.Resize(rng.IntN(15))
		log := ""
		for range 40 {
			before := linesAbove(r)
			k, free := rng.IntN(len(heights)+3)-1, false
			switch op := rng.IntN(8); op {
			case 0:
				r.Move(k)
				log += fmt.Sprint(" move ", k)
			case 1:
				n := rng.IntN(21) - 10
				r.Scroll(n)
				log += fmt.Sprint(" scroll ", n)
				if want := max(0, min(before+n, len(all)-r.Height)); r.Height > 0 && len(all) > 0 && linesAbove(r) != want {
					t.Fatalf("%v:%s: at line %d, want %d", heights, log, linesAbove(r), want)
				}
			case 2:
				r.Page(1 - 2*rng.IntN(2))
				log += " page"
			case 3:
				r.GoToEnd(rng.IntN(2) == 0)
				log += " ends"
			case 4:
				r.Resize(rng.IntN(15))
				r.Reveal()
				log += fmt.Sprint(" resize ", r.Height)
			case 5:
				r.Selected = max(0, min(k, r.Len-1))
				r.KeepAt(0)
				log += fmt.Sprint(" place ", k)
			case 6:
				y := r.Offset()
				r.KeepAt(y)
				log += fmt.Sprint(" hold ", y)
			case 7:
				r.Resize(rng.IntN(15)) // and the current item may be out of sight
				free = true
				log += fmt.Sprint(" shrink ", r.Height)
			}
			above, view := linesAbove(r), r.Visible()
			want := all[min(above, len(all)):min(above+r.Height, len(all))]
			if r.Height == 0 {
				want = []string{}
			}
			if !slices.Equal(view, want) || len(view) != min(r.Height, len(all)) {
				t.Fatalf("%v:%s: %q is no stretch of the list at line %d", heights, log, view, above)
			}
			if len(view) == 0 {
				continue
			}
			first, last := r.InView()
			for y := range view {
				i, line := r.At(y)
				if view[y] != fmt.Sprintf("%d.%d", i, line) || i < first || i > last {
					t.Fatalf("%v:%s: line %d is %q, not %d.%d; visible %d to %d", heights, log, y, view[y], i, line, first, last)
				}
			}
			if i, _ := r.At(len(view)); len(view) < r.Height && i != -1 {
				t.Fatalf("%v:%s: there is item %d below the last", heights, log, i)
			}
			if end := above+len(view) == len(all); r.AtEnd() != end {
				t.Fatalf("%v:%s: atEnd is %v", heights, log, !end)
			}
			if !free && (r.Selected < first || r.Selected > last) {
				t.Fatalf("%v:%s: item %d is not in sight, %d to %d are", heights, log, r.Selected, first, last)
			}
		}
	}
}
