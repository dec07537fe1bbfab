package list

// lineCache holds the finished lines of rows, so that a frame that moves the
// cursor draws two rows and not a screenful. The current row has a slot of its
// own, because it is drawn differently.
type lineCache struct {
	draw     func(i int, selected bool) []string
	others   map[int][]string // rows other than the current one
	selected struct {
		item  int
		lines []string
	}
}

// mostCached is how many rows are kept: far more than a screen has.
const mostCached = 4096

// of returns the finished lines of row i.
func (c *lineCache) of(i int, selected bool) []string {
	if selected && c.selected.item == i && c.selected.lines != nil {
		return c.selected.lines
	}
	if lines, ok := c.others[i]; ok && !selected {
		return lines
	}
	lines := c.draw(i, selected)
	if selected {
		c.selected.item, c.selected.lines = i, lines
		return lines
	}
	if c.others == nil || len(c.others) > mostCached {
		c.others = map[int][]string{}
	}
	c.others[i] = lines
	return lines
}

// clear forgets the lines: what they were made of has changed.
func (c *lineCache) clear() {
	clear(c.others)
	c.selected.lines = nil
}
