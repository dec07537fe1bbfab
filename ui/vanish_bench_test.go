package ui

import (
	"testing"

	"hermes-sessions/model"
)

// The row of an undone deletion comes back among thirty-five thousand.
func BenchmarkRowsComeBack(b *testing.B) {
	root, l := longList(b, 35_000)
	l.shown.list.Scope, l.ready = model.Everything, true
	var gone []model.Conversation
	for i := range 3 {
		gone = append(gone, l.found.items[i*9000+5].Conversation)
	}
	roots := []string{gone[0].RootID, gone[1].RootID, gone[2].RootID}
	for b.Loop() {
		b.StopTimer()
		root.vanish(roots)
		l.hidden = nil
		b.StartTimer()
		l.expect(gone)
		_ = root.View()
	}
}
