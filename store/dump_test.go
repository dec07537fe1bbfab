package store

import (
	"testing"

	"hermes-sessions/model"
)

func TestDump(t *testing.T) {
	s := openDemo(t)
	for _, sc := range []model.Scope{model.Conversations, model.Automation, model.Subagents, model.Everything} {
		p, err := s.Conversations(t.Context(), model.ListQuery{Scope: sc})
		if err != nil {
			t.Fatal(err)
		}
		t.Log("=====", sc, p.Total, p.Hidden)
		if sc == model.Everything {
			break
		}
		for _, c := range p.Conversations {
			t.Logf("%-28s %-9s %-45.45q m%d seg%d br%d de%d %v st%d %q %v", c.ID, c.Source, c.Title, c.Messages, len(c.Segments), c.Branches, c.Delegates, c.Total.Cost, c.State, c.Preview, c.LastActive.Format("Jan 02 15:04"))
		}
	}
	t.Log(s.Notes())
}
