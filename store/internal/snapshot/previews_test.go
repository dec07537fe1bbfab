package snapshot

import (
	"runtime"
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

// Of a prompt with large pictures only the ends and what is beside its text are read, wherever that
// stands; where that does not tell what was said, all is read.
func TestPreviewsOfLargePictures(t *testing.T) {
	const size = 8 << 20
	picture := `{"type": "image_url", "image_url": {"url": "data:image/png;base64,` + strings.Repeat("iVBO", size/4) + `"}}`
	const text = `{"type": "text", "text": "what is in this picture?"}`
	small := strings.Repeat(`{"type": "image", "file_id": "1"}, `, 2*maxWhole/32)
	for _, w := range []struct {
		name, parts, want string
		whole             bool
	}{
		{"text before", text + ", " + picture, "what is in this picture?", false},
		{"text behind", picture + ", " + text, "what is in this picture?", false},
		{"no text", picture, "[image]", false},
		{"text between", picture + ", " + text + ", " + picture, "what is in this picture?", false},
		{"long text between", picture + ", " + strings.Replace(text, "?", "?"+strings.Repeat(" ", 3*ends), 1) + ", " + picture, "what is in this picture?", true},
		{"many parts", small + text + ", " + strings.TrimSuffix(small, ", "), "what is in this picture?", true},
	} {
		s := openFixture(t, "v25.db", `DROP TRIGGER messages_fts_update`, `DROP TRIGGER messages_fts_trigram_update`,
			`UPDATE messages SET role = 'user', active = 1, content = char(0) || 'json:[`+w.parts+`]' WHERE id = (SELECT min(id) FROM messages)`)
		var id string
		if err := s.db.Pool.QueryRowContext(t.Context(), `SELECT session_id FROM messages ORDER BY id LIMIT 1`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CurrentSnapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := s.PreviewsOf(t.Context(), []string{id}, s.CachedSnapshot().PreviewKey)
		runtime.ReadMemStats(&after)
		if got := found[id].shortened; err != nil || got != w.want {
			t.Errorf("%s: %q, want %q (%v)", w.name, got, w.want, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; !w.whole && used > size/4 {
			t.Errorf("%s: %d bytes were allocated for a picture of %d", w.name, used, size)
		}
	}
}
