package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A store that has read nothing answers from the messages that match and their
// sessions. The answer is that of a prepared store, in every field.
func TestSearchByPartAnswersAsAPreparedOne(t *testing.T) {
	t.Parallel()
	names := []string{
		"v01.db", "v06.db", "v10.db", "v11.db", "v16.db", "v23.db", "v25.db", "v28.db", "v31.db", "life-long.db",
		"bad/orphan-parent.db", "bad/fts-out-of-step.db", "bad/cycle.db", "bad/nulls-everywhere.db", "bad/timestamps.db", "bad/invalid-utf8.db", "bad/duplicate-titles.db", "bad/fts-missing.db",
	}
	if !campaign.On() {
		names = []string{"v25.db", "v31.db", "bad/fts-out-of-step.db"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			comparePartSearches(t, fixture(t, name), campaign.Length(6, 80))
		})
	}
	t.Run("generated", func(t *testing.T) {
		t.Parallel()
		config := corpus.Config{Messages: 2_000, Seed: 1}
		if campaign.On() {
			config = corpus.S()
		}
		path, err := corpus.Cached(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		comparePartSearches(t, path, campaign.Length(5, 40))
	})
}

// A command that wants rows and no counts reads the sessions of the first rows, however many
// messages match. The rows are those of a prepared store, in its order.
func TestRowsOfManyMatchesReadFewSessions(t *testing.T) {
	t.Parallel()
	path, err := corpus.Cached(t.Context(), corpus.Config{Messages: 2_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	compareFirstRows(t, path, []string{"docker", "the", "error the", "docker OR error", "d*", "role:user the", "-docker the", "source:cli error", "title:a the"}, 12)
}

// Families of every kind are bounded: chains of which no session has many matches, those that
// were active long after their last match, titles, delegates, and times that are no numbers. In
// the other history only the time of the last activity tells which conversations are first.
func TestRowsOfManyMatchesInFamilies(t *testing.T) {
	t.Parallel()
	for _, alike := range []bool{false, true} {
		s := openFixture(t, "v31.db")
		r := rand.New(rand.NewPCG(4, 7))
		var lines strings.Builder
		for i := range 240 {
			parent, title, at, said := "null", "null", 1_700_000_000+r.IntN(1_000_000), 3
			if !alike {
				said = r.IntN(14)
				if i > 0 && r.IntN(2) == 0 {
					parent = fmt.Sprintf(`"many-%03d"`, r.IntN(i))
				}
				if r.IntN(20) == 0 {
					title = fmt.Sprintf(`"quorum %d"`, i)
				}
			}
			var messages []string
			for range said {
				role, text := "user", "quorum"
				if !alike {
					role, text = []string{"user", "assistant", "tool"}[r.IntN(3)], []string{"quorum", "quorum of nodes", "nothing"}[r.IntN(3)]
				}
				at += r.IntN(1_000)
				messages = append(messages, fmt.Sprintf(`{"role": %q, "content": %q, "timestamp": %d}`, role, text, at))
			}
			fmt.Fprintf(&lines, `{"id": "many-%03d", "parent_session_id": %s, "title": %s, "source": %q, "started_at": %d, "ended_at": %d, "end_reason": %q, "messages": [%s]}`+"\n",
				i, parent, title, []string{"cli", "subagent", "telegram"}[r.IntN(3)], at-10_000, at+r.IntN(20), []string{"compression", "branched", "user_exit"}[r.IntN(3)], strings.Join(messages, ", "))
		}
		imported(t, s, lines.String())
		Must(t, otherConnection(t, s.Path()), `UPDATE sessions SET last_activity_at = started_at + substr(id, 6) * 7919 % 240 * 100000 WHERE id GLOB 'many-*[1357]';
			UPDATE sessions SET archived = 1 WHERE id LIKE 'many-%5';
			UPDATE messages SET timestamp = 'yesterday' WHERE session_id LIKE 'many-%7' AND id % 5 = 0;
			UPDATE messages SET active = 0 WHERE session_id LIKE 'many-%9' AND id % 4 = 0`)
		compareFirstRows(t, s.Path(), []string{"quorum", "nodes OR quorum", "role:tool quorum", "quorum OR docker"}, 8)
	}
}

// What was read for one question changes no answer to the next: messages that no transcript shows
// count for neither.
func TestRowsOfManyMatchesAskedTwice(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v31.db")
	importAlike(t, s)
	Must(t, otherConnection(t, s.Path()), `UPDATE messages SET role = 'session_meta' WHERE session_id LIKE 'many-%' AND id % 3 = 0`)
	q, list := query.Parse("quorum", false), query.ListOptions{Limit: 3, Order: query.ByRelevance, RowsOnly: true}
	want, err := openPrepared(t, s.Path()).Search(t.Context(), q, list)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := Open(t.Context(), s.Path(), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	for n := range 2 {
		got, err := fresh.Search(t.Context(), q, list)
		if err != nil || !reflect.DeepEqual(got.Matches, want.Matches) || fresh.sessions.CachedSnapshot() != nil {
			t.Errorf("question %d: %v\n%s\nprepared:\n%s", n+1, err, describeResults(got), describeResults(want))
		}
	}
}

// What was active last is first, also where another time of it is no number of seconds: a text, a
// number too great for a time, or milliseconds.
func TestRowsOfManyMatchesWithOtherTimes(t *testing.T) {
	t.Parallel()
	const late = `UPDATE messages SET timestamp = 1790000000 WHERE session_id LIKE 'many-%7'; `
	for name, change := range map[string]string{
		"text":          late + `UPDATE messages SET timestamp = 'yesterday' WHERE session_id LIKE 'many-%7' AND id % 5 = 0`,
		"too great":     `UPDATE sessions SET started_at = 1790000000 WHERE id LIKE 'many-%7'; UPDATE messages SET timestamp = 1e300 WHERE session_id LIKE 'many-%7' AND id % 5 = 0`,
		"milliseconds":  late + `UPDATE messages SET timestamp = 1600000000000, active = 0 WHERE session_id LIKE 'many-%7' AND id % 5 = 0`,
		"last activity": `UPDATE sessions SET last_activity_at = CAST('1790000000' AS BLOB) WHERE id LIKE 'many-%6'; UPDATE sessions SET last_activity_at = 1790000000000 WHERE id LIKE 'many-%7'`,
	} {
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, "v31.db")
			importAlike(t, s)
			Must(t, otherConnection(t, s.Path()), change)
			compareFirstRows(t, s.Path(), []string{"quorum"}, 1)
		})
	}
}

// A command that has place for the closest conversations reads few sessions, too, where so many
// conversations have all words that none of these are shown.
func TestRowsOfManyMatchesWithPlaceForTheClosest(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v31.db")
	importAlike(t, s)
	list := query.ListOptions{Limit: 5, Closest: true, Order: query.ByRelevance, RowsOnly: true}
	want, got, byPart := searchPreparedAndFresh(t, openPrepared(t, s.Path()), s.Path(), query.Parse("quorum nodes", false), list)
	if !byPart || !reflect.DeepEqual(got.Matches, want.Matches) || got.Close != want.Close {
		t.Errorf("by a part: %v\n%s\nprepared:\n%s", byPart, describeResults(got), describeResults(want))
	}
}

// importAlike imports conversations with as many matches for quorum each, the last active first.
func importAlike(t *testing.T, s *Store) {
	t.Helper()
	var lines strings.Builder
	for i := range 240 {
		var messages []string
		for n := range 6 {
			messages = append(messages, fmt.Sprintf(`{"role": "user", "content": "quorum of nodes", "timestamp": %d}`, 1_700_000_000-i*1_000+n))
		}
		fmt.Fprintf(&lines, `{"id": "many-%03d", "source": "cli", "started_at": 1690000000, "messages": [%s]}`+"\n", i, strings.Join(messages, ", "))
	}
	imported(t, s, lines.String())
}

// compareFirstRows asks a prepared store for rows, and for every question one that was just
// opened. At least as many answers must come from the sessions of a page.
func compareFirstRows(t *testing.T, path string, questions []string, least int) {
	t.Helper()
	prepared := openPrepared(t, path)
	pages := 0
	for _, text := range questions {
		for _, list := range []query.ListOptions{
			{Limit: 3}, {Limit: 5, Closest: true}, {Limit: 4, Offset: 6}, {Limit: 10, Scope: model.ScopeAll},
			{Limit: 7, Scope: model.ScopeArchived}, {Limit: 5, Scope: model.ScopeAll, EverySession: true},
		} {
			list.Order, list.RowsOnly = query.ByRelevance, true
			q := query.Parse(text, false)
			want, got, byPart := searchPreparedAndFresh(t, prepared, path, q, list)
			if byPart && got.Conversations < want.Conversations {
				pages++
			}
			if !reflect.DeepEqual(got.Matches, want.Matches) || got.Close != want.Close || got.Conversations > want.Conversations || got.Hits > want.Hits || !got.RowsOnly && got.Conversations < want.Conversations {
				t.Errorf("%s (%+v):\n%s\nprepared:\n%s", text, list, describeResults(got), describeResults(want))
			}
		}
	}
	if pages < least {
		t.Errorf("only %d answers came from the sessions of a page", pages)
	}
}

// openPrepared opens a store until the end of the test, and prepares it.
func openPrepared(t *testing.T, path string) *Store {
	t.Helper()
	prepared, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { prepared.Close() })
	if err := prepared.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return prepared
}

// searchPreparedAndFresh asks a prepared store, and one that is opened for the question. byPart says
// that the second has not read all sessions.
func searchPreparedAndFresh(t *testing.T, prepared *Store, path string, q query.Query, list query.ListOptions) (want, got model.SearchResults, byPart bool) {
	t.Helper()
	want, err := prepared.Search(t.Context(), q, list)
	if err != nil {
		t.Fatalf("%s: %v", q.Text, err)
	}
	fresh, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if got, err = fresh.Search(t.Context(), q, list); err != nil {
		t.Fatalf("%s: %v", q.Text, err)
	}
	return want, got, fresh.sessions.CachedSnapshot() == nil
}

// comparePartSearches asks a prepared store, and for every question one that was just
// opened. At least as many answers must come from a part of the sessions.
func comparePartSearches(t *testing.T, path string, least int) {
	t.Helper()
	prepared := openPrepared(t, path)
	lists := []query.ListOptions{
		{Order: query.ByRelevance, Limit: 50, FirstPage: true},
		{Order: query.ByRelevance, Limit: 20, Closest: true},
		{Scope: model.ScopeAll, Order: query.ByActivity, Closest: true},
		{Scope: model.ScopeArchived, Order: query.ByTitle, Limit: 3, Offset: 1},
		{Scope: model.ScopeAll, EverySession: true, Order: query.ByRelevance},
		{Sources: []string{"cron", "cli"}, Order: query.ByMessages, Limit: 10, Closest: true},
	}
	parts := 0
	for at, text := range []string{
		"docker", "docker build", `"exit code 137"`, "exit code 137", "部署", "数据库 error", "error", "the", "d*", "dock*", "Dockerfile -docker",
		"docker OR zebra", "C++ OR .env", ".py", "error.", "🚀", "}", "role:user docker", "tool:terminal error", "-role:tool the", "role:tool role:user a*",
		"why did the docker deploy fail with exit code 137", "dokcer", "deployments", "title:a docker", "source:cli error", "has:tool docker", "is:archived the",
		"cron", "telegram docker", "202601", "2026010", "session", "session_", "zzznothing", "-the", "café", "ÄRGER", "build OR cron",
	} {
		for i, list := range lists {
			if (at+i)%campaign.Length(11, 1) > 0 {
				continue
			}
			q := query.Parse(text, i%2 == 0)
			want, got, byPart := searchPreparedAndFresh(t, prepared, path, q, list)
			if byPart {
				parts++
			}
			if got.RowsOnly && !want.RowsOnly { // rows from the newest messages, before the whole answer
				checkFirstRows(t, prepared, q, list, got)
				continue
			}
			want.Plan, got.Plan = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s (%+v):\n%s\nprepared:\n%s", text, list, describeResults(got), describeResults(want))
			}
		}
	}
	if parts < least {
		t.Errorf("only %d answers came from a part of the sessions", parts)
	}
}

// checkFirstRows checks an answer from the newest messages alone: every row is one of
// the whole answer, and nothing is counted.
func checkFirstRows(t *testing.T, prepared *Store, q query.Query, list query.ListOptions, got model.SearchResults) {
	t.Helper()
	list.Limit = 0
	all, err := prepared.Search(t.Context(), q, list)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range all.Matches {
		known[m.ID] = true
	}
	for _, m := range got.Matches {
		if !known[m.ID] || m.Hits > 1 {
			t.Errorf("%s: %s with %d hits is among the first rows, in the whole answer: %v", q.Text, m.ID, m.Hits, known[m.ID])
		}
	}
	if len(got.Matches) == 0 || got.Hits+got.HiddenHits+got.HiddenConversations > 0 {
		t.Errorf("%s: the first rows count what was not searched: %s", q.Text, describeResults(got))
	}
}

// describeResults returns the rows of an answer, one per line.
func describeResults(r model.SearchResults) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d conversations, %d hits, hidden %d %d %v, close %d, %q %v\n", r.Conversations, r.Hits, r.HiddenConversations, r.HiddenHits, r.HiddenScope, r.Close, r.IndexNote, r.Readings)
	for _, m := range r.Matches {
		fmt.Fprintf(&b, "\t%s: %d, best %d %v, messages %d, %v %v\n", m.ID, m.Hits, m.Best.MessageID, m.Best.Kind, m.Messages, m.Close, m.Missing)
	}
	return b.String()
}
