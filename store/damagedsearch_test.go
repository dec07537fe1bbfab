package store

import (
	"database/sql"
	"os"
	"slices"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// searchedWords are queries of which every fixture has messages: by a word, by a part of a
// word, and by what only the messages themselves say.
var searchedWords = []string{"the", "docker", ".py", "the role:user", "error file:*", "-docker"}

// A search of a damaged file finds what of the messages can be read, or says that some are
// missing. It fails only where the list fails.
func TestSearchReadsAroundDamage(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures.Names(t, "damaged/*.db", 7) {
		searchDamaged(t, name, fixture(t, name))
	}
	for damage, atLeast := range map[string]int{"keys of inner pages too high in messages": 80, "the first page in place of the last in messages": 70} {
		missed := damagedBy(t, "v25.db", damage)
		if found, total, err := missed.SearchMessages(t.Context(), "the", SearchOptions{Limit: -1}); err != nil || len(found) < atLeast || total != len(found) || !missed.db.HasNote(model.NoteDamaged) {
			t.Errorf("%s: %d of %d messages that lookups miss, %v, notes %v", damage, len(found), total, err, missed.Notes())
		}
	}
	for _, name := range []string{"v11-first.db", "v25.db"} {
		for _, d := range someOf(fixtures.Damages(), 59) {
			path := fixture(t, name)
			d.Do(t, path)
			searchDamaged(t, name+", "+d.Name, path)
		}
	}
}

// The same with any page destroyed.
func TestSearchWithAnyPageDestroyed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v06.db", "v25.db"} {
		content := fixtures.Read(t, name)
		size := 4096
		for p := 1; p < len(content)/size; p += campaign.Length(41, 1) {
			damaged := slices.Clone(content)
			clear(damaged[p*size : (p+1)*size])
			path := t.TempDir() + "/state.db"
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			searchDamaged(t, name, path)
		}
	}
}

// searchDamaged searches a damaged file by each query, and by the first one within one
// conversation.
func searchDamaged(t *testing.T, what, path string) {
	t.Helper()
	for _, words := range searchedWords {
		s, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			return
		}
		list, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
		if err != nil {
			t.Logf("%s: list: %v", what, err)
		} else {
			searchOnce(t, what, s, list, words)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func searchOnce(t *testing.T, what string, s *Store, list model.ConversationPage, words string) {
	t.Helper()
	q := query.Parse(words, false)
	found, err := s.Search(t.Context(), q, query.ListOptions{Scope: model.ScopeAll, Closest: true})
	if err != nil {
		t.Errorf("%s: %s: %v", what, words, err)
		return
	}
	if q.Groups != nil {
		if _, _, err := s.SearchMessages(t.Context(), words, SearchOptions{Limit: 5}); err != nil {
			t.Errorf("%s: messages with %s: %v", what, words, err)
		}
	}
	for _, m := range found.Matches[:min(2, len(found.Matches))] {
		if _, err := s.Hits(t.Context(), q, m.Conversation.ID, 10); err != nil {
			t.Errorf("%s: %s in %s: %v", what, words, m.Conversation.ID, err)
		}
	}
	if words != searchedWords[0] && words != searchedWords[1] {
		return
	}
	if want := readableMatches(t, s, q, list); found.Hits < want && !s.db.HasNote(model.NoteDamaged, model.NoteIndexDamaged, model.NoteUnnamed) {
		t.Errorf("%s: %s: %d messages found, %d can be read, and nothing says so: %v", what, words, found.Hits, want, s.Notes())
	}
}

// readableMatches counts the visible messages of listed conversations that a scan of the table
// reads and that match.
func readableMatches(t *testing.T, s *Store, q query.Query, list model.ConversationPage) (n int) {
	t.Helper()
	listed := map[string]bool{}
	for _, c := range list.Conversations {
		for _, id := range c.Segments {
			listed[id] = true
		}
	}
	c, err := sql.Open("sqlite", "file:"+s.Path()+"?mode=ro&_pragma=writable_schema(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sc := s.db.Schema
	m := match.NewMatcher(q.Groups)
	_ = db.EachRow(t.Context(), c, `SELECT m.session_id, m.content, `+sc.ColumnOrNull("messages", "m", "tool_name")+`, `+sc.ColumnOrNull("messages", "m", "tool_calls")+
		` FROM messages m NOT INDEXED WHERE m.role <> 'session_meta' AND `+sc.NotRewoundRows("m")+sc.AndNotHidden("m"), nil, func(r db.Row) {
		if listed[r.Text(0)] && m.Match(pyjson.Unescape(r.Text(1)), r.Text(2), pyjson.Unescape(r.Text(3))) {
			n++
		}
	})
	return n
}
