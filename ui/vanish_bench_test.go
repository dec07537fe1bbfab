package ui

import (
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// The row of an undone deletion comes back among thirty-five thousand.
func BenchmarkRowsComeBack(b *testing.B) {
	root, l := longList(b, 35_000)
	root.screens = []shell.Screen{l}
	l.Shown.List.Scope, l.Ready = model.ScopeAll, true
	for i := range l.Found.Items {
		l.Found.Items[i].RootID = l.Found.Items[i].ID
	}
	var roots []string
	for i := range 3 {
		roots = append(roots, l.Found.Items[i*9000+5].RootID)
	}
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		b.Run(by.String(), func(b *testing.B) {
			l.Shown.List.Order = by
			for b.Loop() {
				b.StopTimer()
				gone := l.Remove(roots)
				if len(gone) != 3 || len(l.Found.Items) != 35_000-3 {
					b.Fatal(len(gone), len(l.Found.Items))
				}
				l.Hidden = nil
				b.StartTimer()
				l.Restore(gone)
				_ = root.View()
				if len(l.Found.Items) != 35_000 {
					b.Fatal(len(l.Found.Items))
				}
			}
		})
	}
}
