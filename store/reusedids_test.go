package store

import (
	"strconv"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A message that another process stores under the id of a deleted one has its own role
// for the filter role:, when the list was read between the two changes.
func TestMessageUnderAReusedIDHasItsOwnRole(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	other := otherConnection(t, path)
	exec := func(statement string) {
		t.Helper()
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	var last int
	if err := other.QueryRowContext(t.Context(), `SELECT max(id) FROM messages`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	insert := func(id int, role string) {
		t.Helper()
		exec(`INSERT INTO messages (id, session_id, role, content, timestamp)
			SELECT ` + strconv.Itoa(id) + `, session_id, '` + role + `', 'a quagga', timestamp FROM messages WHERE id = 5`)
	}
	insert(last+1, "tool")
	insert(last+2, "user")
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := func(tools, users int) {
		t.Helper()
		for text, want := range map[string]int{"quagga role:tool": tools, "quagga role:user": users} {
			r, err := s.Search(t.Context(), query.Parse(text, false), query.ListOptions{Scope: model.ScopeAll})
			if err != nil || r.Hits != want {
				t.Errorf("%s: %d hits, want %d (%v)", text, r.Hits, want, err)
			}
		}
	}
	check(1, 1)
	exec(`DELETE FROM messages WHERE id = ` + strconv.Itoa(last+1))
	if _, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll}); err != nil {
		t.Fatal(err)
	}
	insert(last+1, "user")
	check(0, 2)
}
