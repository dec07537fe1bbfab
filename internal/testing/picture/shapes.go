package picture

import (
	"fmt"
	"strings"
)

// opacity has the declarations of shades, which are drawn as whole cells: their dots do
// not fill the cell in every font.
var opacity = map[string]string{"░": ";fill-opacity:.25", "▒": ";fill-opacity:.5", "▓": ";fill-opacity:.75"}

// shapes draws the characters of frames, rules and bars into a path, at the left
// upper corner of their cell. Fonts leave gaps between them when lines have leading.
var shapes = func() map[string]func(path *strings.Builder, x, y int) {
	const (
		middleX = cellWidth / 2  // of a line one wide
		middleY = cellHeight / 2 // of a line one high
	)
	all := map[string]func(*strings.Builder, int, int){}
	// Arms from the middle of the cell: left, right, up, down.
	for char, arms := range map[string]string{
		"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu",
		"├": "rud", "┤": "lud", "┬": "lrd", "┴": "lru", "┼": "lrud", "╴": "l", "╶": "r", "╵": "u", "╷": "d",
	} {
		all[char] = func(path *strings.Builder, x, y int) {
			left := middleX
			right := middleX + 1
			top := middleY
			bottom := middleY + 1
			across, along := false, false
			for _, arm := range arms {
				switch arm {
				case 'l':
					left, across = 0, true
				case 'r':
					right, across = cellWidth, true
				case 'u':
					top, along = 0, true
				case 'd':
					bottom, along = cellHeight+1, true // into the next line, so that no gap is seen at any scale
				}
			}
			if across {
				rectangle(path, x+left, y+middleY, right-left, 1)
			}
			if along {
				rectangle(path, x+middleX, y+top, 1, bottom-top)
			}
		}
	}
	// A bend of radius 4 between two arms, as the outline of a line one wide.
	for char, bend := range map[string]struct{ h, v int }{"╭": {1, 1}, "╮": {-1, 1}, "╰": {1, -1}, "╯": {-1, -1}} {
		all[char] = func(path *strings.Builder, x, y int) {
			const outer, inner = "4.5", "3.5"
			cx, cy := 2*(x+middleX)+1, 2*(y+middleY)+1 // doubled
			sweep, back := 1, 0
			if bend.h*bend.v < 0 {
				sweep, back = 0, 1
			}
			endX, endY := x, y // where the arms leave the cell
			if bend.h > 0 {
				endX += cellWidth
			}
			if bend.v > 0 {
				endY += cellHeight
			}
			// Along the outer side from the end of the upright arm to that of the other,
			// and back along the inner side.
			fmt.Fprintf(path, "M%s %dV%sA%s %s 0 0 %d %s %sH%d", halves(cx-bend.h), endY, halves(cy+8*bend.v), outer, outer, sweep, halves(cx+8*bend.h), halves(cy-bend.v), endX)
			fmt.Fprintf(path, "V%sH%sA%s %s 0 0 %d %s %sV%dz", halves(cy+bend.v), halves(cx+8*bend.h), inner, inner, back, halves(cx+bend.h), halves(cy+8*bend.v), endY)
		}
	}
	// Eighths of a cell, from below and from the left.
	for i, char := range []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"} {
		height := (cellHeight*(i+1) + 4) / 8
		all[char] = func(path *strings.Builder, x, y int) { rectangle(path, x, y+cellHeight-height, cellWidth, height) }
	}
	for i, char := range []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"} {
		width := (cellWidth*(i+1) + 4) / 8
		all[char] = func(path *strings.Builder, x, y int) { rectangle(path, x, y, width, cellHeight) }
	}
	for char := range opacity {
		all[char] = func(path *strings.Builder, x, y int) { rectangle(path, x, y, cellWidth, cellHeight) }
	}
	all["▐"] = func(path *strings.Builder, x, y int) { rectangle(path, x+middleX, y, cellWidth-middleX, cellHeight) }
	all["▀"] = func(path *strings.Builder, x, y int) { rectangle(path, x, y, cellWidth, cellHeight/2) }
	return all
}()
