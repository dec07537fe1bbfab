package snapshot

import (
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Previews are looked up for the rows of one page, however many a source has.
func TestQ29PreviewsOfOnePageOnly(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	const limit = 5
	page, err := conversations(t, s, query.ListOptions{Scope: model.ScopeAll, Sources: []string{"cli"}, Limit: limit})
	if err != nil || len(page.Conversations) != limit || page.Total < 8*limit {
		t.Fatal(len(page.Conversations), page.Total, err)
	}
	most := 0
	for _, c := range page.Conversations {
		most += len(c.Segments)
		if c.Preview == "" && c.Messages > 0 {
			t.Errorf("%s has no preview", c.ID)
		}
	}
	if n := len(s.cache.previews); n == 0 || n > most {
		t.Errorf("looked into %d sessions for a page of %d segments", n, most)
	}
}

// A list shows what the user said, and not the memories that Hermes put before it, however
// long; the documented call gives both, as Hermes does.
func TestPreviewsLeaveInsertedMemoriesOut(t *testing.T) {
	t.Parallel()
	const asked = "What did I say about docker?"
	for _, name := range []string{"v01.db", "v11.db", "v25.db"} {
		for _, w := range []struct{ stored, want string }{
			{"<memory-context>\nUser likes tea.\n</memory-context>\n" + asked, asked},
			{"<memory-context>" + strings.Repeat("The user likes tea. ", 200) + "</memory-context>\n\n" + asked, asked},
			{"<memory-context>tea</memory-context>", "<memory-context>tea</memory-context>"}, // nothing else was said
		} {
			s := openFixture(t, name, `UPDATE messages SET content = '`+w.stored+`' WHERE content LIKE '<memory-context>%docker?'`)
			page, err := conversations(t, s, query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, c := range page.Conversations {
				if c.Preview != w.want {
					continue
				}
				found++
				said, err := s.PreviewsOf(t.Context(), c.Segments[:1], s.CachedSnapshot().PreviewKey)
				if upstream := model.Preview(w.stored); err != nil || said[c.Segments[0]].Text != upstream {
					t.Errorf("%s: the documented call gives %q, want %q (%v)", name, said[c.Segments[0]].Text, upstream, err)
				}
			}
			if found != 1 {
				t.Errorf("%s: of %.40q, %d previews are %q", name, w.stored, found, w.want)
			}
		}
	}
}
