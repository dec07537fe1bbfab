package kit

import "hermes-sessions/theme"

// Rows is the virtual list of all screens: items of any height, of which only those in the
// window are laid out. Its position is an anchor (an item and how many of its lines are
// above the window), not a line number. So nothing needs the height of the items above,
// and the position survives resizing, folding and late loading.
type Rows struct {
	Len       int                  // items
	Lines     func(i int) []string // finished lines of item i, cached by the owner
	Height    int
	Selected  int // the current item
	Top, Skip int // the anchor
}

// Resize sets the height of the window and keeps the current item in it.
func (r *Rows) Resize(h int) {
	r.Height = max(h, 0)
	r.Settle()
}

// Reset says that there are now n items, with item sel current.
func (r *Rows) Reset(n, sel int) {
	r.Len, r.Selected = n, max(0, min(sel, n-1))
	if r.Top >= n {
		r.Top, r.Skip = max(n-1, 0), 0
	}
	r.Settle()
}

// Settle keeps the anchor inside the items and leaves no empty space below
// them that could be filled.
func (r *Rows) Settle() {
	if r.Len == 0 || r.Height == 0 {
		r.Top, r.Skip = 0, 0
		return
	}
	r.Top = max(0, min(r.Top, r.Len-1))
	r.Skip = max(0, min(r.Skip, len(r.Lines(r.Top))-1))
	if below := r.span(r.Top, r.Height+r.Skip) - r.Skip; below < r.Height {
		r.Up(r.Height - below)
	}
}

// span counts the lines of item i and those after it, up to limit.
func (r *Rows) span(i, limit int) int {
	n := 0
	for ; i < r.Len && n < limit; i++ {
		n += len(r.Lines(i))
	}
	return min(n, limit)
}

// Up moves the anchor up by n lines, at most to the first one.
func (r *Rows) Up(n int) {
	r.Skip -= n
	for r.Skip < 0 && r.Top > 0 {
		r.Top--
		r.Skip += len(r.Lines(r.Top))
	}
	r.Skip = max(r.Skip, 0)
}

// Scroll moves the window by n lines, down if positive. A current item that would leave
// the window is replaced by the nearest one in it.
func (r *Rows) Scroll(n int) {
	if r.Len == 0 || r.Height == 0 {
		return
	}
	if n < 0 {
		r.Up(-n)
	} else {
		r.Skip += n
		for r.Top < r.Len-1 && r.Skip >= len(r.Lines(r.Top)) {
			r.Skip -= len(r.Lines(r.Top))
			r.Top++
		}
	}
	r.Settle()
	first, last := r.InView()
	r.Selected = max(first, min(r.Selected, last))
}

// Move makes item i current and brings it into the window: whole when it
// fits, else from its first line.
func (r *Rows) Move(i int) {
	r.Selected = max(0, min(i, r.Len-1))
	r.Reveal()
}

// Reveal brings the current item into the window with the least motion.
func (r *Rows) Reveal() {
	if r.Len == 0 || r.Height == 0 {
		return
	}
	tall := len(r.Lines(r.Selected))
	if r.Selected < r.Top || r.Selected == r.Top && r.Skip > 0 || tall >= r.Height {
		r.Top, r.Skip = r.Selected, 0
		r.Settle()
		return
	}
	above := -r.Skip // lines between the upper edge and the current item
	for i := r.Top; i < r.Selected && above <= r.Height; i++ {
		above += len(r.Lines(i))
	}
	if above+tall <= r.Height {
		return
	}
	r.Top, r.Skip = r.Selected, 0
	r.Up(r.Height - tall)
	r.Settle()
}

// Offset is how many lines the current item begins below the upper edge;
// negative when its beginning is above it.
func (r *Rows) Offset() int {
	y := -r.Skip
	for i := r.Top; i < r.Selected; i++ {
		y += len(r.Lines(i))
	}
	if r.Selected < r.Top {
		y = 0
	}
	return y
}

// KeepAt puts the current item y lines below the upper edge, or as near to that
// as there is something to show.
func (r *Rows) KeepAt(y int) {
	if r.Len == 0 || r.Height == 0 {
		return
	}
	r.Top, r.Skip = r.Selected, 0
	if y > 0 {
		r.Up(y)
	} else {
		r.Skip = -y
	}
	r.Settle()
	r.Reveal()
}

// Page moves by a window less one line, down when dir is positive.
func (r *Rows) Page(dir int) {
	if r.Len == 0 || r.Height == 0 {
		return
	}
	r.Scroll(dir * max(r.Height-1, 1))
	first, last := r.InView()
	if dir > 0 {
		r.Selected = last
	} else {
		r.Selected = first
	}
}

// GoToEnd goes to the first or the last item.
func (r *Rows) GoToEnd(last bool) {
	if last {
		r.Selected = max(r.Len-1, 0)
		r.Top, r.Skip = r.Selected, 0
		if r.Len > 0 && r.Height > 0 {
			r.Skip = max(0, len(r.Lines(r.Selected))-r.Height)
		}
		r.Settle()
		return
	}
	r.Selected = 0
	r.Top = 0
	r.Skip = 0
}

// InView returns the first and last item in the window.
func (r *Rows) InView() (first, last int) {
	n := -r.Skip
	for last = r.Top; last < r.Len; last++ {
		if n += len(r.Lines(last)); n >= r.Height {
			break
		}
	}
	return r.Top, max(0, min(last, r.Len-1))
}

// At returns the item, and the line inside it, that are y lines below the upper
// edge, or -1.
func (r *Rows) At(y int) (item, line int) {
	y += r.Skip
	for i := r.Top; i < r.Len; i++ {
		if k := len(r.Lines(i)); y >= k {
			y -= k
			continue
		}
		return i, y
	}
	return -1, 0
}

// Below counts the lines below the window, up to limit.
func (r *Rows) Below(limit int) int {
	in := r.Skip + r.Height
	return max(0, r.span(r.Top, in+limit)-in)
}

// AtEnd reports whether the last line is in the window.
func (r *Rows) AtEnd() bool {
	return r.span(r.Top, r.Height+r.Skip+1)-r.Skip <= r.Height
}

// Position says which row is the current one, "" where all are in sight.
func (r *Rows) Position() string {
	if r.Top == 0 && r.Skip == 0 && r.AtEnd() {
		return ""
	}
	return Count(r.Selected+1) + " / " + Count(r.Len)
}

// Visible returns the lines in the window, at most its height.
func (r *Rows) Visible() []string {
	out := make([]string, 0, r.Height)
	skip := r.Skip
	for i := r.Top; i < r.Len && len(out) < r.Height; i++ {
		l := r.Lines(i)
		l = l[min(skip, len(l)):]
		out = append(out, l[:min(len(l), r.Height-len(out))]...)
		skip = 0
	}
	return out
}

// HeadingLine is a heading over rows, w columns wide.
func HeadingLine(s *theme.Styles, w int, text string) string {
	return s.Group.Render(s.Cells.Pad(" "+text, w, s.Glyphs.Ellipsis))
}

// FillLines appends empty lines until there are n.
func FillLines(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines
}
