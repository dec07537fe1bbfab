package transcript

// LeftAt is where a reader has left a transcript.
type LeftAt struct {
	message int64
	work    bool // at its tool work, not at its text
	line    int  // of the window at which it began; negative above the window
}

// Left returns the place of the reader. ok is false at the end, where every transcript
// opens, and before the text has been read.
func (v *textView) Left() (at LeftAt, ok bool) {
	if v.Pages == nil || v.Rows.Len == 0 || v.Rows.AtEnd() {
		return LeftAt{}, false
	}
	item := v.Rows.Selected
	return LeftAt{v.Pages.Outline.MessageIDs[item/2], item%2 == 1, v.heightAt(item)}, true
}

// At returns an opening at the place of a reader instead of the end.
func (o Opening) At(left LeftAt) Opening {
	o.at, o.left = left.message, &left
	return o
}

// returnTo shows message i as the reader had left it.
func (v *textView) returnTo(i int, left LeftAt) {
	item := 2 * i
	if left.work {
		item++
	}
	if len(v.Rows.Lines(item)) == 0 {
		item = v.visibleItem(i)
	}
	v.show(item, 0, left.line)
}
