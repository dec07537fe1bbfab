package ui

// area is a rectangle of the window.
type area struct{ x, y, w, h int }

func (a area) has(x, y int) bool {
	return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h
}
