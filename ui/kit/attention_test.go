package kit

import (
	"testing"

	"hermes-sessions/theme/cells"
)

func TestAttention(t *testing.T) {
	for _, c := range []struct {
		content, text string
		field, row    *Point
	}{
		{"a\nb", "a\nb", nil, nil},
		{InField + "a\nb", "a\nb", &Point{0, 0}, nil},
		{"a\n\x1b[1m京 " + OnRow + "▸\x1b[m b\n" + OnRow, "a\n\x1b[1m京 ▸\x1b[m b\n", nil, &Point{3, 1}},
		{"x " + OnRow + "y" + InField + "z", "x yz", &Point{3, 0}, &Point{2, 0}},
	} {
		text, field, row := Attention(cells.ByCodePoint, c.content)
		same := func(a, b *Point) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
		if text != c.text || !same(field, c.field) || !same(row, c.row) {
			t.Errorf("%q gives %q, %v and %v", c.content, text, field, row)
		}
	}
}
