package search

import (
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A conversation in which only summaries of compressed context have the words is below
// those in which they were said, among the answers with all words and among the closest
// ones, however many summaries there are and however new.
func TestSummariesRankBelowWhatWasSaid(t *testing.T) {
	t.Parallel()
	const summary = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\nThe quagga ferry leaves at noon."
	path := fixtures.Database(t, "v11.db")
	message := 0
	say := func(session, role, text string) string {
		message++
		return fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('%s', '%s', '%s', %d)`, session, role, text, 1780000000+message)
	}
	statements := []string{
		`INSERT INTO sessions (id, source, started_at) VALUES ('said', 'cli', 1780000000), ('said by a tool', 'cli', 1780000000), ('summed', 'cli', 1780000000), ('summed and said', 'cli', 1780000000)`,
		say("said", "user", "When does the quagga ferry leave?"),
		say("said by a tool", "tool", "quagga ferry: noon"),
		say("summed and said", "user", summary+"\n--- END OF CONTEXT SUMMARY ---\nBook the quagga ferry."),
	}
	for range 9 {
		statements = append(statements, say("summed", "user", summary))
	}
	fixtures.Exec(t, path, statements...)
	e := openAt(t, path)
	for _, text := range []string{"quagga ferry", "quaga ferry leaves", "quagga walrus xylophone"} {
		for _, prepared := range []bool{false, true} {
			if prepared {
				if err := e.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			res, err := e.Search(t.Context(), query.Parse(text, false), query.ListOptions{Scope: model.ScopeAll, Order: query.ByRelevance, Limit: 20, Closest: true, Further: true})
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, m := range res.Matches {
				rows = append(rows, m.ID)
			}
			summed := slices.Index(rows, "summed")
			for _, above := range []string{"said", "summed and said"} {
				if at := slices.Index(rows, above); at < 0 || at > summed {
					t.Errorf("%s (prepared %v): %q, want %s above the summaries", text, prepared, rows, above)
				}
			}
			if res.Conversations == 4 && summed != 3 {
				t.Errorf("%s (prepared %v): %q, want the summaries last of those with all words", text, prepared, rows)
			}
		}
	}
}
