package ui

import (
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// The row of an undone deletion comes back among thirty-five thousand.
func BenchmarkRowsComeBack(b *testing.B) {
	root, l := longList(b, 35_000)
	root.screens = []Screen{l}
	l.shown.list.Scope, l.ready = model.ScopeAll, true
	for i := range l.found.items {
		l.found.items[i].RootID = l.found.items[i].ID
	}
	var roots []string
	for i := range 3 {
		roots = append(roots, l.found.items[i*9000+5].RootID)
	}
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		b.Run(by.String(), func(b *testing.B) {
			l.shown.list.Order = by
			for b.Loop() {
				b.StopTimer()
				gone := l.remove(roots)
				if len(gone) != 3 || len(l.found.items) != 35_000-3 {
					b.Fatal(len(gone), len(l.found.items))
				}
				l.hidden = nil
				b.StartTimer()
				l.restore(gone)
				_ = root.View()
				if len(l.found.items) != 35_000 {
					b.Fatal(len(l.found.items))
				}
			}
		})
	}
}
