package list

import (
	"context"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/uitest"
)

// lists is a library that notes which lists were asked for.
type lists struct {
	*uitest.Fake
	asked []query.ListOptions
}

func (l *lists) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	l.asked = append(l.asked, q)
	return l.Fake.Conversations(ctx, q)
}

// Counting reads no messages, and all rows only where there are folders to count.
func TestFacetsAreCountedWithoutMessages(t *testing.T) {
	for folder, whole := range map[string]int{"": 0, "/home/ada": 1} {
		lib := &lists{Fake: &uitest.Fake{Convs: []model.Conversation{{Session: model.Session{ID: "1", CWD: folder}, RootID: "1"}}}}
		if _, err := readFacets(t.Context(), lib, query.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, q := range lib.asked {
			if q.Limit == 0 {
				whole--
			}
			if !q.NoPreviews {
				t.Errorf("messages are read for %+v", q)
			}
		}
		if whole != 0 {
			t.Errorf("in %q: %+v", folder, lib.asked)
		}
	}
}
