package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// talks makes a home with conversations about a few topics.
func talks(t *testing.T) string {
	t.Helper()
	dir := home(t)
	code, _, errs := run(t, dir, strings.Join([]string{
		`{"id": "docker", "source": "cli", "title": "CI", "started_at": 10.0, "messages": [{"role": "user", "content": "the docker build failed in the pipeline", "timestamp": 10.5}, {"role": "assistant", "content": "fixed by pinning the image", "timestamp": 11.0}]}`,
		`{"id": "recipe", "source": "cli", "started_at": 20.0, "messages": [{"role": "user", "content": "we rewrote the recipe importer", "timestamp": 20.5}]}`,
		`{"id": "nightly", "source": "cron", "started_at": 30.0, "messages": [{"role": "user", "content": "docker pipeline report", "timestamp": 30.5}]}`,
		`{"id": "cook", "source": "cli", "started_at": 40.0, "messages": [{"role": "user", "content": "soup with docker, says the cook", "timestamp": 40.5}]}`,
	}, "\n"), "import", "-")
	if code != 0 {
		t.Fatal(code, errs)
	}
	return dir
}

func TestSearchPrintsTheClosestBelowARule(t *testing.T) {
	dir := talks(t)
	for query, want := range map[string][]string{
		"docker pipeline": {"CI · 1 match", "\n── Closest ──\nsoup with docker", "cook · 1 of 2 words · not: pipeline\n"},
		"dokcer pipelines": {
			"\"dokcer\" is not in any conversation: showing \"docker\" · also: pipeline\n── Closest ──\n", "docker · all words, in other forms\n",
		},
		"docker image":          {"── All words, in different messages ──\nCI · 1970-01-01 · cli · docker\n", "\n── Closest ──\nsoup"},
		"podman OR pipelin":     {"── Closest ──\n"},
		"podman OR report":      {"── Closest ──\n", "nightly"},
		"rewriting":             {"also: rewrote\nwe rewrote the recipe importer · 1970-01-01 · cli · recipe\n"},
		"soup last week":        {"soup with docker, says the cook · 1970-01-01 · cli · cook\n"}, // it has the word as it is
		"cook on the 3 january": {"cook · 1 of 3 words · not: 3, january\n"},
		"#pipeline":             {"\"#pipeline\" is not in any conversation: showing \"pipeline\"\n── Closest ──\n"},
		"image january":         {"january: 2026-01\n── Closest ──\n"},
		"\"dokcer build\" soup": {"without the quotes: 2\n"},
	} {
		code, out, errs := run(t, dir, "", "search", query)
		for _, w := range want {
			if code != 0 || !strings.Contains(out, w) {
				t.Errorf("%s: %d, no %q in\n%s%s", query, code, w, out, errs)
			}
		}
	}
	if code, out, errs := run(t, dir, "", "search", "docker", "pipeline"); code != 0 || strings.Contains(out, "nightly") || !strings.Contains(errs, "1 hidden (--scope all)") {
		t.Errorf("the note about what is hidden: %d %s%s", code, out, errs)
	}
	if code, _, errs := run(t, dir, "", "search", "--", "-soup"); code != 0 || !strings.Contains(errs, "1 hidden (--scope all)") {
		t.Errorf("the note about what is hidden of a list, which are not counted one by one: %d %s", code, errs)
	}
	if code, out, errs := run(t, dir, "", "search", "pipeline", "report"); code != 0 || !strings.Contains(out, "nightly") || strings.Contains(errs, "more") {
		t.Errorf("the only one with all words, of another scope: %d %s%s", code, out, errs)
	}
	if code, out, _ := run(t, dir, "", "search", "--words", "all", "docker", "soups"); code != 1 || out != "" {
		t.Errorf("--words all: %d %s", code, out)
	}
	if code, _, errs := run(t, dir, "", "search", "\"dokcer build\""); code != 1 || !strings.Contains(errs, "without the quotes: 1") {
		t.Errorf("a text in quotes that stands nowhere: %d %s", code, errs)
	}
	if code, _, errs := run(t, dir, "", "search", "is:bogus"); code != 2 || !strings.Contains(errs, "is:bogus: is: needs one of pinned") || strings.Contains(errs, "as text") {
		t.Errorf("a filter that is none: %d %s", code, errs)
	}
	if code, out, _ := run(t, dir, "", "search", "zzyzx"); code != 1 || out != "" {
		t.Errorf("a word that stands nowhere: %d %s", code, out)
	}
	// The same list where the browser has no screen.
	if code, out, _ := run(t, dir, "", "docker", "pipeline"); code != 0 || !strings.Contains(out, "Closest.") || !strings.Contains(out, "  2  soup with docker") {
		t.Errorf("plain: %d %s", code, out)
	}
}

// With --count the last line counts all that match, in a pipe too; without it the JSON may
// say that there are more.
func TestSearchCountsAllThatMatch(t *testing.T) {
	t.Parallel()
	dir := home(t)
	const all = 700
	var lines strings.Builder
	for i := range all {
		fmt.Fprintf(&lines, `{"id": "s%03d", "source": "cli", "started_at": %d.0, "messages": [{"role": "user", "content": "say \"x\": null to %d", "timestamp": %d.5}]}`+"\n", i, i, i, i)
	}
	if code, _, errs := run(t, dir, lines.String(), "import", "-"); code != 0 {
		t.Fatal(code, errs)
	}
	for _, c := range []struct {
		args []string
		last string
	}{
		{[]string{"null"}, "700 conversations · 700 matches"},
		{[]string{"is:pinned"}, "0 conversations"},
		{[]string{"\": null"}, "700 conversations · 700 matches"},
		{[]string{"--group", "message", "null"}, "700 messages"},
		{[]string{"--group", "message", "nowhere"}, "0 messages"},
	} {
		_, out, errs := run(t, dir, "", append([]string{"search", "--count", "--limit", "3"}, c.args...)...)
		printed := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if printed[len(printed)-1] != c.last {
			t.Errorf("%q: not %q at the end of\n%s%s", c.args, c.last, out, errs)
		}
		if _, without, _ := run(t, dir, "", append([]string{"search", "--limit", "3"}, c.args...)...); without+c.last+"\n" != out {
			t.Errorf("%q: without --count\n%swith it\n%s", c.args, without, out)
		}
	}
	counted := func(args ...string) (got struct {
		Total   int
		AtLeast bool `json:"at_least"`
	}) {
		t.Helper()
		_, out, errs := run(t, dir, "", append([]string{"search", "--json", "--limit", "3", "\": null"}, args...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err, out, errs)
		}
		return got
	}
	if got := counted(); !got.AtLeast || got.Total >= all {
		t.Errorf("rows only, where each text has to be read: %+v", got)
	}
	if got := counted("--count"); got.AtLeast || got.Total != all {
		t.Errorf("--count: %+v", got)
	}
	if code, _, errs := run(t, dir, "", "search", "--count", "--tsv", "null"); code != 2 || !strings.Contains(errs, "--tsv takes no --count") {
		t.Errorf("%d %s", code, errs)
	}
}

// In a conversation of several segments, the hit names its own.
func TestSearchNamesTheSegmentOfAHit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fixtures.Unpack(t, "v25.db", filepath.Join(dir, "state.db"))
	code, out, errs := run(t, dir, "", "search", "--words", "all", "docker")
	if code != 0 || strings.Count(out, " in segment ") != 2 || !strings.Contains(out, "\n    patch in segment 3 of 4: docker-compose.yml\n") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

func TestSearchJSONTellsHowConversationsMatch(t *testing.T) {
	dir := talks(t)
	type answer struct {
		Conversations []struct {
			ID, Match string
			Missing   []string
			Hits      int
		}
		Total, Close, Hidden int
		ReadAs               map[string][]string `json:"read_as"`
	}
	ask := func(args ...string) (got answer) {
		t.Helper()
		code, out, errs := run(t, dir, "", append([]string{"search", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 && len(got.Conversations) > 0 {
			t.Fatal(code, err, out, errs)
		}
		if got.ReadAs == nil || slices.ContainsFunc(strings.Split(out, "\n"), func(l string) bool { return strings.Contains(l, `"missing": null`) }) {
			t.Errorf("null in %s", out)
		}
		return got
	}
	got := ask("docker", "pipelines", "soup")
	if got.Total != 0 || got.Close != 2 || len(got.Conversations) != 2 || !slices.Equal(got.ReadAs["pipelines"], []string{"pipeline"}) {
		t.Fatalf("%+v", got)
	}
	for _, c := range got.Conversations {
		if c.Match != "close" || len(c.Missing) != 1 || c.Hits != 0 {
			t.Errorf("%+v", c)
		}
	}
	got = ask("docker", "pipeline")
	if got.Total != 1 || got.Close != 1 || got.Hidden != 1 || got.Conversations[0].Match != "all" || got.Conversations[0].ID != "docker" || got.Conversations[1].Match != "close" {
		t.Errorf("%+v", got)
	}
	// --limit and --offset go over both.
	if second := ask("--limit", "1", "--offset", "1", "docker", "pipeline"); len(second.Conversations) != 1 || second.Conversations[0].ID != got.Conversations[1].ID || second.Total != 1 || second.Close != 1 {
		t.Errorf("%+v", second)
	}
	if got := ask("--words", "all", "docker", "pipeline"); got.Total != 1 || got.Close != 0 || len(got.Conversations) != 1 || len(got.ReadAs) != 0 {
		t.Errorf("%+v", got)
	}
	if got := ask("source:cron"); got.Total != 1 || got.Conversations[0].Match != "all" || got.Conversations[0].Missing == nil {
		t.Errorf("filters alone: %+v", got)
	}
}

func TestExplainTellsTheFormsAndTheRarityOfWords(t *testing.T) {
	dir := talks(t)
	_, out, _ := run(t, dir, "", "search", "--explain", "how did the dokcer pipelines cat docker部署 ipelin")
	for _, want := range []string{
		"all     0 conversations with all words in one message, or in the title\n",
		"close   3 others with most of the words, rare words first\n",
		"word    dokcer: in no conversation; read as docker, in 3 conversations\n",
		"word    pipelines: in 2 conversations, also as pipeline\n",
		"word    docker部署: in no conversation as a whole; its parts: docker in 3, 部署 in 0\n",
		"word    ipelin: only inside longer words, in 2 conversations\n",
		"skipped how, did, the (say little of what a conversation is about)\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	_, out, _ = run(t, dir, "", "search", "--explain", "--json", "dokcer")
	var found struct{ Explain answer.Explanation }
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	if e := found.Explain; len(e.Tiers) != 2 || e.Tiers[1].Conversations == 0 || len(e.Words) != 1 || !e.Words[0].Corrected || e.Words[0].Forms[0] != "docker" {
		t.Errorf("%+v", e)
	}
	if _, out, _ := run(t, dir, "", "search", "--explain", "--words", "all", "docker"); strings.Contains(out, "close ") || !strings.Contains(out, "all     2 conversations") {
		t.Error(out)
	}
}

// The browser, the command and the search for messages have the same conversations with
// all words.
func TestEverySearchHasTheSameFirstTier(t *testing.T) {
	queries := append(slices.Clone(fixtures.Queries), "dokcer", "docker builds", "how did we fix the docker build", "source:cli docker", "role:user docker", "after:2026-03-05 docker", "deploy -docker", "")
	for k, file := range []string{"v01.db", "v11.db", "v25.db", "v31.db"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "state.db")
			fixtures.Unpack(t, file, path)
			s, err := store.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for i, text := range queries {
				if (i+k)%campaign.Length(8, 1) > 0 {
					continue
				}
				q := query.Parse(text, false)
				if q.FiltersOnly() {
					continue // a list
				}
				browser, err := s.Search(t.Context(), q, query.ListOptions{Scope: model.ScopeAll, Order: query.ByRelevance, Closest: true})
				if err != nil {
					t.Fatal(err)
				}
				var all, closest, withMessages []string
				for _, m := range browser.Matches {
					switch {
					case m.Close:
						closest = append(closest, m.ID)
					default:
						all = append(all, m.ID)
					}
					if m.Hits > 0 {
						withMessages = append(withMessages, m.ID)
					}
				}
				if len(all) != browser.Conversations || len(closest) != browser.Close {
					t.Errorf("%q: %d and %d matches, counted %d and %d", text, len(all), len(closest), browser.Conversations, browser.Close)
				}

				code, out, errs := run(t, dir, "", "search", "--json", "--limit", "0", "--scope", "all", "--", text)
				var command struct {
					Conversations []struct{ ID, Match string }
					Total, Close  int
				}
				if err := json.Unmarshal([]byte(out), &command); err != nil || (code == 0) != (len(browser.Matches) > 0) {
					t.Fatalf("%q: %d %v %s", text, code, err, errs)
				}
				var allOfCommand, closestOfCommand []string
				for _, c := range command.Conversations {
					if c.Match != "all" {
						closestOfCommand = append(closestOfCommand, c.ID)
					} else {
						allOfCommand = append(allOfCommand, c.ID)
					}
				}
				if !slices.Equal(allOfCommand, all) || !slices.Equal(closestOfCommand, closest) || command.Total != len(all) || command.Close != len(closest) {
					t.Errorf("%q: the command has %v and %v, the browser %v and %v", text, allOfCommand, closestOfCommand, all, closest)
				}

				hits, total, err := s.SearchMessages(t.Context(), text, store.SearchOptions{Limit: -1})
				if err != nil {
					t.Fatal(err)
				}
				var byMessages []string
				for _, h := range hits {
					c, err := s.Conversation(t.Context(), h.SessionID)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Contains(byMessages, c.ID) {
						byMessages = append(byMessages, c.ID)
					}
				}
				slices.Sort(byMessages)
				slices.Sort(withMessages)
				if !slices.Equal(byMessages, withMessages) || total != browser.Hits {
					t.Errorf("%q: %d messages of %v, the browser has %d of %v", text, total, byMessages, browser.Hits, withMessages)
				}
			}
		})
	}
}

// The order of earlier versions still works in scripts.
func TestTheOrderNewestIsThatByActivity(t *testing.T) {
	dir := talks(t)
	_, want, _ := run(t, dir, "", "search", "docker", "--sort", "active", "--json")
	if code, out, errs := run(t, dir, "", "search", "docker", "--sort", "newest", "--json"); code != 0 || out != want {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
