package query

import (
	"testing"

	"hermes-sessions/model"
)

// A named source is shown although it runs by itself; subagents and archived
// conversations stay where they are.
func TestSourceFiltersShowHiddenSources(t *testing.T) {
	for _, c := range []struct {
		q    ListOptions
		want []model.Scope
	}{
		{ListOptions{}, []model.Scope{model.ScopeConversations}},
		{ListOptions{Sources: []string{"cron"}}, []model.Scope{model.ScopeConversations, model.ScopeAutomation}},
		{ListOptions{Scope: model.ScopeAutomation}, []model.Scope{model.ScopeAutomation}},
		{ListOptions{Scope: model.ScopeArchived, Sources: []string{"cron"}}, []model.Scope{model.ScopeArchived}},
		{ListOptions{Scope: model.ScopeAll}, []model.Scope{model.ScopeConversations, model.ScopeAutomation, model.ScopeSubagents, model.ScopeArchived, model.ScopeAll}},
	} {
		var got []model.Scope
		for s := model.ScopeConversations; s <= model.ScopeAll; s++ {
			if c.q.ShowsScope(s) {
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
