package ui

// rows is the one virtual list: items of any height of which only those in
// sight are laid out. Its place is an anchor (an item and how many of its
// lines are above the edge), not a line number, so that nothing needs the
// height of what is above, and the place survives resizing, folding and late
// loading.
type rows struct {
	n         int                  // items
	lines     func(i int) []string // finished lines of item i, cached by the owner
	w, h      int
	sel       int // the current item
	top, skip int // the anchor
}

// resize sets the size of the window and keeps the current item in it.
func (r *rows) resize(w, h int) {
	r.w, r.h = w, max(h, 0)
	r.settle()
}

// reset says that there are now n items, with item sel current.
func (r *rows) reset(n, sel int) {
	r.n, r.sel = n, max(0, min(sel, n-1))
	if r.top >= n {
		r.top, r.skip = max(n-1, 0), 0
	}
	r.settle()
}

// settle keeps the anchor inside the items and leaves no empty space below
// them that could be filled.
func (r *rows) settle() {
	if r.n == 0 || r.h == 0 {
		r.top, r.skip = 0, 0
		return
	}
	r.top = max(0, min(r.top, r.n-1))
	r.skip = max(0, min(r.skip, len(r.lines(r.top))-1))
	if below := r.span(r.top, r.h+r.skip) - r.skip; below < r.h {
		r.up(r.h - below)
	}
}

// span counts the lines of item i and those after it, up to limit.
func (r *rows) span(i, limit int) int {
	n := 0
	for ; i < r.n && n < limit; i++ {
		n += len(r.lines(i))
	}
	return min(n, limit)
}

func (r *rows) up(n int) {
	r.skip -= n
	for r.skip < 0 && r.top > 0 {
		r.top--
		r.skip += len(r.lines(r.top))
	}
	r.skip = max(r.skip, 0)
}

// scroll moves the window by n lines, down when positive, and takes the
// current item along when it would leave the window.
func (r *rows) scroll(n int) {
	if r.n == 0 || r.h == 0 {
		return
	}
	if n < 0 {
		r.up(-n)
	} else {
		r.skip += n
		for r.top < r.n-1 && r.skip >= len(r.lines(r.top)) {
			r.skip -= len(r.lines(r.top))
			r.top++
		}
	}
	r.settle()
	first, last := r.visible()
	r.sel = max(first, min(r.sel, last))
}

// move makes item i current and brings it into the window: whole when it
// fits, else from its first line.
func (r *rows) move(i int) {
	r.sel = max(0, min(i, r.n-1))
	r.reveal()
}

// reveal brings the current item into the window with the least motion.
func (r *rows) reveal() {
	if r.n == 0 || r.h == 0 {
		return
	}
	tall := len(r.lines(r.sel))
	if r.sel < r.top || r.sel == r.top && r.skip > 0 || tall >= r.h {
		r.top, r.skip = r.sel, 0
		r.settle()
		return
	}
	above := -r.skip // lines between the upper edge and the current item
	for i := r.top; i < r.sel && above <= r.h; i++ {
		above += len(r.lines(i))
	}
	if above+tall <= r.h {
		return
	}
	r.top, r.skip = r.sel, 0
	r.up(r.h - tall)
	r.settle()
}

// offset is how many lines the current item begins below the upper edge;
// negative when its beginning is above it.
func (r *rows) offset() int {
	y := -r.skip
	for i := r.top; i < r.sel; i++ {
		y += len(r.lines(i))
	}
	if r.sel < r.top {
		y = 0
	}
	return y
}

// hold puts the current item y lines below the upper edge, or as near to that
// as there is something to show.
func (r *rows) hold(y int) {
	if r.n == 0 || r.h == 0 {
		return
	}
	r.top, r.skip = r.sel, 0
	if y > 0 {
		r.up(y)
	} else {
		r.skip = -y
	}
	r.settle()
	r.reveal()
}

// place puts item i at the upper edge.
func (r *rows) place(i int) {
	r.sel = max(0, min(i, r.n-1))
	r.top, r.skip = r.sel, 0
	r.settle()
}

// page moves by a window less one line, down when dir is positive.
func (r *rows) page(dir int) {
	if r.n == 0 || r.h == 0 {
		return
	}
	r.scroll(dir * max(r.h-1, 1))
	first, last := r.visible()
	if dir > 0 {
		r.sel = last
	} else {
		r.sel = first
	}
}

// ends goes to the first or the last item.
func (r *rows) ends(last bool) {
	if last {
		r.sel = max(r.n-1, 0)
		r.top, r.skip = r.sel, 0
		if r.n > 0 && r.h > 0 {
			r.skip = max(0, len(r.lines(r.sel))-r.h)
		}
		r.settle()
		return
	}
	r.sel, r.top, r.skip = 0, 0, 0
}

// visible gives the first and last item in the window.
func (r *rows) visible() (first, last int) {
	n := -r.skip
	for last = r.top; last < r.n; last++ {
		if n += len(r.lines(last)); n >= r.h {
			break
		}
	}
	return r.top, max(0, min(last, r.n-1))
}

// at gives the item and the line inside it that stand y lines below the upper
// edge, or -1.
func (r *rows) at(y int) (item, line int) {
	y += r.skip
	for i := r.top; i < r.n; i++ {
		if k := len(r.lines(i)); y >= k {
			y -= k
			continue
		}
		return i, y
	}
	return -1, 0
}

// below counts the lines below the window, up to limit.
func (r *rows) below(limit int) int {
	in := r.skip + r.h
	return max(0, r.span(r.top, in+limit)-in)
}

// atEnd reports whether the last line is in the window.
func (r *rows) atEnd() bool {
	return r.span(r.top, r.h+r.skip+1)-r.skip <= r.h
}

// view gives the lines in the window, at most its height.
func (r *rows) view() []string {
	out := make([]string, 0, r.h)
	skip := r.skip
	for i := r.top; i < r.n && len(out) < r.h; i++ {
		l := r.lines(i)
		l = l[min(skip, len(l)):]
		out = append(out, l[:min(len(l), r.h-len(out))]...)
		skip = 0
	}
	return out
}
