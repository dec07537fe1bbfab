package search

import (
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A conversation that has the words side by side, as they were typed, is above those that have
// them apart, however many messages of these match; a title that matches is above both. The
// message that has them is the one that is shown. A summary of compressed context does not
// count. This is so while the last word is typed, and with roles that are read later.
func TestTheWordsSideBySideComeBeforeTheWordsApart(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	message := 0
	say := func(session, role, text string) string {
		message++
		return fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('%s', '%s', '%s', %d)`, session, role, text, 1780000000+message)
	}
	statements := []string{
		`INSERT INTO sessions (id, source, started_at, title) VALUES ('named', 'cli', 1780000000, 'The quagga ferry'), ('line', 'cli', 1780000000, NULL), ('apart', 'cli', 1780000000, NULL), ('summed', 'cli', 1780000000, NULL)`,
		say("named", "user", "ferry, quagga"),
		say("line", "tool", "error 7: the Quagga-ferry sank"),
		say("line", "user", "the ferry of the quagga"),
	}
	statements = append(statements, say("summed", "user", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\nThe quagga ferry."))
	for range 9 {
		statements = append(statements, say("apart", "user", "the ferry has no quagga"))
	}
	fixtures.Exec(t, path, statements...)
	for _, deferred := range []int{deferRolesFrom, 1} {
		e := openAt(t, path)
		e.deferRolesFrom = deferred
		for text, want := range map[string][]string{
			"quagga ferry":          {"named", "line", "apart", "summed"},
			"quagga ferr":           {"named", "line", "apart", "summed"},
			"quagga -nowhere ferry": {"named", "line", "apart", "summed"},
			"ferry the quagga":      {"named", "apart", "line", "summed"},
			"quagga ferry OR walr":  {"named", "apart", "line", "summed"},
		} {
			res, err := e.Search(t.Context(), query.Parse(text, true), query.ListOptions{Scope: model.ScopeAll, Order: query.ByRelevance, Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, m := range res.Matches {
				rows = append(rows, m.ID)
				if m.ID == "line" && want[1] == "line" && m.Best.Role != "tool" {
					t.Errorf("%s: the best message is of the %s, want the one with both words side by side", text, m.Best.Role)
				}
			}
			if !slices.Equal(rows, want) {
				t.Errorf("%s (roles deferred from %d): %q, want %q", text, deferred, rows, want)
			}
		}
	}
}
