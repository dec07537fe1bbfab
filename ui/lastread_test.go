package ui

import (
	"testing"
	"time"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// memory remembers in memory.
type memory map[string]shell.LastRead

func (m memory) LastRead(root string) (shell.LastRead, bool) { r, ok := m[root]; return r, ok }
func (m memory) Note(root string, r shell.LastRead)          { m[root] = r }
func (m memory) Forget(root string)                          { delete(m, root) }
func (m memory) Save() error                                 { return nil }
func (m memory) Known(query.Filter) *query.Known             { return nil }

func TestNewMessagesAreMarkedUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c := lib.Convs[0]
		ids, err := lib.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		last := ids.MessageIDs[0]
		read := memory{c.RootID: {At: uitest.Now().Add(-time.Hour), Until: c.LastActive.Add(-time.Minute), Message: last}}
		d := start(t, lib, 80, 24, func(o *Options) { o.Memory = read }).sees("• " + c.Title)
		d.keys("right").sees("new since 11:15")
		d.keys("q").misses("• " + c.Title)
		if r := read[c.RootID]; r.Message != ids.MessageIDs[len(ids.MessageIDs)-1] || !r.Until.Equal(c.LastActive) {
			t.Errorf("remembered as read until %+v", r)
		}
		d.keys("right").misses("new since").keys("q")
		if d.keys("enter"); len(read) != 0 {
			t.Errorf("a conversation that goes on in Hermes is remembered: %v", read)
		}
		d = start(t, lib, 80, 24, func(o *Options) { o.Memory = memory{} })
		d.misses("• ")
	})
}
