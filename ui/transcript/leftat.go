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
	if v.pages == nil || v.rows.Len == 0 || v.rows.AtEnd() {
		return LeftAt{}, false
	}
	item := v.rows.Selected
	return LeftAt{v.pages.outline.MessageIDs[item/2], item%2 == 1, v.heightAt(item)}, true
}

// OpenAt lets the transcript open where a reader has left it, instead of at the end.
func (s *Screen) OpenAt(left LeftAt) { s.where.at, s.where.left = left.message, &left }

// returnTo shows message i as the reader had left it.
func (v *textView) returnTo(i int, left LeftAt) {
	item := 2 * i
	if left.work {
		item++
	}
	if len(v.rows.Lines(item)) == 0 {
		item = v.visibleItem(i)
	}
	v.show(item, 0, left.line)
}
