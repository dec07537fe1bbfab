package model

import "testing"

// A named source is shown although it runs by itself; subagents and archived
// conversations stay where they are.
func TestNamedSourcesAreShown(t *testing.T) {
	for _, c := range []struct {
		q    ListQuery
		want []Scope
	}{
		{ListQuery{}, []Scope{Conversations}},
		{ListQuery{Sources: []string{"cron"}}, []Scope{Conversations, Automation}},
		{ListQuery{Scope: Automation}, []Scope{Automation}},
		{ListQuery{Scope: Archived, Sources: []string{"cron"}}, []Scope{Archived}},
		{ListQuery{Scope: Everything}, []Scope{Conversations, Automation, Subagents, Archived, Everything}},
	} {
		var got []Scope
		for s := Conversations; s <= Everything; s++ {
			if c.q.Shows(s) {
				got = append(got, s)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v shows %v, want %v", c.q, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%+v shows %v, want %v", c.q, got, c.want)
			}
		}
	}
}
