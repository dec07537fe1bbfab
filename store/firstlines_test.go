package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/sessiondb"
)

// skillCalls are the recorded calls of skills: what a person sees of each, by the id of its
// session in v26.
func skillCalls(t testing.TB) map[string]string {
	t.Helper()
	var o struct {
		Items []struct{ Input, Described string }
	}
	if err := json.Unmarshal(fixtures.Read(t, "oracle/v26/skills.json"), &o); err != nil || len(o.Items) == 0 {
		t.Fatal(err)
	}
	calls := map[string]string{}
	for _, i := range o.Items {
		calls[i.Input] = i.Described
	}
	return calls
}

// The documented list has the previews of the real software but for four: of two skills that
// reads only the beginning and the end, which have a note and no instruction; newer ones pass
// over the hidden first message of "display"; and of a message with an image it shows nothing
// (store/README.md#q3).
func TestPreviewsOfNewerFilesAsInHermes(t *testing.T) {
	t.Parallel()
	skills := skillCalls(t)
	for file, folder := range map[string]string{"v26.db": "oracle/v26", "v30.db": "oracle/newest-layout/v30", "v31.db": "oracle/newest-layout/v31"} {
		s, err := Open(t.Context(), fixture(t, file), WithClock(clock), WithProcesses(only1))
		if err != nil {
			t.Fatal(err)
		}
		var o struct {
			Items []struct{ Output [][]any }
		}
		if err := json.Unmarshal(fixtures.Read(t, folder+"/list.json"), &o); err != nil || len(o.Items) == 0 {
			t.Fatal(err)
		}
		rows, err := s.Sessions(t.Context(), sessiondb.ListOptions{Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]any{}
		for _, r := range rows {
			ours[r.Get("id").(string)] = r.Get("preview")
		}
		var manifest map[string]struct{ Named map[string]any }
		if err := json.Unmarshal(fixtures.Read(t, "manifest-26-31.json"), &manifest); err != nil {
			t.Fatal(err)
		}
		named := manifest[file].Named
		differ := []any{named["skill_note"], named["skill_bundle"], named["display"], named["multimodal"]}
		compared := 0
		for _, r := range o.Items[0].Output {
			id, want := r[0].(string), r[3].(string)
			got, ok := ours[id]
			if !ok {
				continue // which sessions the list has is another matter
			}
			compared++
			if same := got == want; same == slices.Contains(differ, any(id)) {
				t.Errorf("%s: %s is previewed as %q, in Hermes %q", file, id, got, want)
			}
			if call, ok := skills[id]; ok && file == "v26.db" && got != call {
				t.Errorf("%s: %s is previewed as %q, want %q", file, id, got, call)
			}
		}
		if compared < 100 {
			t.Errorf("%s: %d previews were compared", file, compared)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The list, the lineage and the outline show the call of a skill.
func TestSkillsAreShownByTheirCalls(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v26.db")
	for id, call := range skillCalls(t) {
		c, err := s.Conversation(t.Context(), id)
		if err != nil || c.Preview != call {
			t.Errorf("%s is previewed as %q, want %q (%v)", id, c.Preview, call, err)
		}
		node, err := s.Lineage(t.Context(), id)
		if err != nil || node.Preview != call {
			t.Errorf("%s stands in its lineage as %q, want %q (%v)", id, node.Preview, call, err)
		}
		if got := model.SuggestTitle(c.Preview); !strings.HasPrefix(call, got) || got == "" {
			t.Errorf("%s: the title offered is %q", id, got)
		}
	}
}

// A hit in what a person wrote beside a skill is theirs; one in the text of the skill is not.
func TestHitsInSkills(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"title leak": "you", "trigram index alpha": "skill"} {
		s, _ := One(t, "v26.db", session("a"),
			`INSERT INTO messages (session_id, role, content, timestamp) SELECT 'a', 'user', replace(content, 'skill content is', 'trigram index alpha is'), timestamp FROM (SELECT '[IMPORTANT: The user has invoked the "work" skill. The full skill content is loaded below.]

Body of it.

The user has provided the following instruction alongside the skill invocation: fix the title leak' AS content, 1789999999 AS timestamp)`)
		found, err := s.Search(t.Context(), query.Parse(word, false), query.ListOptions{Scope: model.ScopeAll})
		if err != nil || len(found.Matches) == 0 {
			t.Fatal(word, len(found.Matches), err)
		}
		h := found.Matches[0].Best
		text := ""
		for _, piece := range h.Snippet {
			text += piece.Text
		}
		if h.Speaker() != want || want == "you" && strings.Contains(text, "IMPORTANT") {
			t.Errorf("%s: %s says %q", word, h.Speaker(), text)
		}
	}
}

// A preview passes over a summary alone, and reads on behind one that has a prompt, however
// long it is.
func TestPreviewsPassOverSummaries(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Earlier turns were compacted. ", 300)
	say := func(id, text string) string {
		return `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('` + id + `', 'user', '` + text + `', 1789999000)`
	}
	s, _ := One(t, "v26.db", session("a"), say("a", "[CONTEXT COMPACTION — REFERENCE ONLY] "+long), say("a", "  "), say("a", "and now the tests"),
		session("b"), say("b", "[CONTEXT COMPACTION — REFERENCE ONLY] "+long+"\n--- END OF CONTEXT SUMMARY ---\n\nwhat a person wrote"),
		session("c"), say("c", "[CONTEXT SUMMARY]: alone"))
	for id, want := range map[string]string{"a": "and now the tests", "b": "what a person wrote", "c": ""} {
		c, err := s.Conversation(t.Context(), id)
		if err != nil || c.Preview != want {
			t.Errorf("%s: %q, want %q (%v)", id, c.Preview, want, err)
		}
	}
}
