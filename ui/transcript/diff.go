package transcript

import "hermes-sessions/model/document"

// diff draws a diff: removed and added lines have a color besides their sign. signs says
// that it has lines with signs only, and no headers.
func (s *buffer) diff(text string, indent int, bar string, whole, signs bool) {
	styles := [...]lineStyle{
		document.DiffText: newLineStyle(s.styles.Output), document.DiffFile: newLineStyle(s.styles.Strong), document.DiffHeader: newLineStyle(s.styles.Muted),
		document.DiffHunk: newLineStyle(s.styles.Key), document.DiffAdded: newLineStyle(s.styles.Added), document.DiffRemoved: newLineStyle(s.styles.Removed),
	}
	// The ground of a changed line goes up to the edge.
	styles[document.DiffAdded].filled, styles[document.DiffRemoved].filled = s.styles.Palette.AddedGround != "", s.styles.Palette.RemovedGround != ""
	d := document.DiffReader{Signs: signs}
	s.changes = true
	s.styledText(text, indent, bar, whole, func(l string) lineStyle { return styles[d.Part(l)] })
	s.changes = false
}
