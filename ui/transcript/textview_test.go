package transcript

import "testing"

// Text has as much space on its left as on its right, save for what small windows cannot
// spare.
func TestTextStandsInTheMiddle(t *testing.T) {
	for _, w := range []int{72, 80, 100, 120, 149, 150, 200} {
		v := textView{w: w, habits: habits{outline: outlineHidden}}
		left, width := v.margin()
		if right := w - left - width; right < left-2 || right > left+1 {
			t.Errorf("at %d columns there are %d columns on the left and %d on the right", w, left, right)
		}
	}
}
