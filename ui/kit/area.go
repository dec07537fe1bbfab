package kit

// Area is a rectangle of the window.
type Area struct{ X, Y, W, H int }

func (a Area) Has(x, y int) bool {
	return x >= a.X && x < a.X+a.W && y >= a.Y && y < a.Y+a.H
}
