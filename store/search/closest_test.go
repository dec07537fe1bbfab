package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/closest"
)

// plainSource answers as closest.Source by reading every message, without an index or
// a cache.
type plainSource struct {
	*closeSource // for titles and scopes
	texts        []messageText
	tools        map[int64]bool
	summaries    map[int64]bool
	users        map[int64]bool
	bytes        map[int64]int
	conversation map[int64]int32
	words        []string
}

// newPlainSource reads all messages that a search may find.
func newPlainSource(t *testing.T, s *closeSource) *plainSource {
	t.Helper()
	p := &plainSource{closeSource: s, tools: map[int64]bool{}, summaries: map[int64]bool{}, users: map[int64]bool{}, bytes: map[int64]int{}, conversation: map[int64]int32{}}
	sc := s.f.engine.db.Schema
	where := `m.role <> 'session_meta' AND ` + sc.NotRewoundRows("m")
	if sc.Has("messages", "display_kind") {
		where += ` AND coalesce(m.display_kind, '') <> 'hidden'`
	}
	if err := s.f.eachText(t.Context(), `messages m WHERE `+where, nil, func(m messageText) { p.texts = append(p.texts, m) }); err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, m := range p.texts {
		_, said, ok := model.SplitSummary(m.content)
		p.summaries[m.id] = ok && said == ""
		for _, text := range []string{m.content, m.toolName, m.toolCalls} {
			for _, w := range strings.FieldsFunc(pyjson.Unescape(text), func(r rune) bool { return !match.IsWord(r) }) {
				words[strings.ToLower(w)] = true
			}
		}
	}
	for w := range words {
		p.words = append(p.words, w)
	}
	slices.Sort(p.words)
	err := db.EachRow(t.Context(), s.f.tx, `SELECT m.id, m.session_id, m.role, CAST(m.content AS BLOB), CAST(`+s.f.toolCallsColumn+` AS BLOB) FROM messages m`, nil, func(r db.Row) {
		id, role := r.Int(0), r.Text(2)
		p.tools[id], p.users[id], p.bytes[id] = role == "tool", role == "user", len(r.Text(3))+len(r.Text(4))
		p.conversation[id] = -1
		if n := s.snapshot.SessionNumber(r.Text(1)); n >= 0 {
			p.conversation[id] = s.index.ConversationOf(n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *plainSource) Rows(_ context.Context, terms []match.Term) (*idset.Set, error) {
	var groups []match.Group
	for _, t := range terms {
		groups = append(groups, match.Group{All: []match.Term{t}})
	}
	m, ids := match.NewMatcher(groups), &idset.Set{}
	for _, text := range p.texts {
		if text.matches(m) {
			ids.Add(text.id)
		}
	}
	return ids, nil
}

func (p *plainSource) Terms(_ context.Context, prefix string, _ int) (terms []string, err error) {
	for _, w := range p.words {
		if strings.HasPrefix(w, prefix) {
			terms = append(terms, w)
		}
	}
	return terms, nil
}

func (p *plainSource) HasTerm(_ context.Context, term string) (bool, error) {
	_, ok := slices.BinarySearch(p.words, term)
	return ok, nil
}

func (p *plainSource) Count(_ context.Context, ids *idset.Set, each func(conversation, bySpeakers, byTools int32)) error {
	counts := make([][3]int32, p.ConversationCount())
	for id := range ids.All() {
		n := p.conversation[id]
		switch {
		case n < 0:
		case p.tools[id]:
			counts[n][1]++
		case p.summaries[id]:
			counts[n][2] = 1
		default:
			counts[n][0]++
		}
	}
	for n, c := range counts {
		if c != [3]int32{} {
			each(int32(n), c[0], c[1]+c[2])
		}
	}
	return nil
}

func (p *plainSource) ConversationOf(_ context.Context, id int64) (int32, error) {
	return p.conversation[id], nil
}

func (p *plainSource) IsTool(id int64) bool { return p.tools[id] || p.summaries[id] }

func (p *plainSource) ReadRoles(context.Context, *idset.Set) error { return nil }

func (p *plainSource) ReadMessages(_ context.Context, ids []int64, each func(id int64, byUser bool, bytes int)) error {
	for _, id := range ids {
		each(id, p.users[id] && !p.summaries[id], p.bytes[id])
	}
	return nil
}

func (p *plainSource) Version() any { return nil }

// The indexes and the caches give the ranking that reading every message gives.
func TestClosestRankingIsThatOfAllTexts(t *testing.T) {
	t.Parallel()
	questions := []string{
		"fixing docker builds", "how did we fix the dokcer build", "weekly menu with soup", "部署服务器", "用docker部署失败的原因", "getUserName username",
		"error -docker", "read files OR terminal", `"docker build" tests`, "gateway", "a", "the", "zzyzx", "role:user deployed databases", "tool:terminal fixed tests", "東京のホテル", "器署的",
	}
	for _, name := range fixtures.Names(t, "v*.db", 25) {
		if !campaign.On() && !slices.Contains([]string{"v11.db", "v25.db", "v31.db"}, name) {
			continue
		}
		e := openFixture(t, name)
		candidates := 0
		for range 2 { // with empty and with filled caches
			for _, text := range questions {
				candidates += compareRankings(t, e, name, query.Parse(text, true))
			}
		}
		if name >= "v11" && candidates < 60 {
			t.Errorf("%s: only %d candidates were compared", name, candidates)
		}
	}
}

// compareRankings compares the ranking by the indexes with that of all texts, and
// returns how many candidates it has.
func compareRankings(t *testing.T, e *Engine, name string, q query.Query) (candidates int) {
	t.Helper()
	err := e.sessions.ReadSnapshotTx(t.Context(), func(conn db.Querier, snap *snapshot.Snapshot) error {
		list := query.ListOptions{Filters: q.Filters}
		filter, err := e.newListFilter(t.Context(), snap, snap.Conversations, list, true)
		if err != nil {
			return err
		}
		if err := e.sessions.ReadMessageSessions(t.Context(), conn, snap); err != nil {
			return err
		}
		s, err := e.newCloseSource(t.Context(), conn, snap, q, list, filter, &hitCounter{index: snap.Conversations}, nil)
		if err != nil || s.f.words.table == "" {
			return err
		}
		got, err := closest.Rank(t.Context(), s, q, time.Time{}, false, &e.closeWords)
		if err != nil {
			return err
		}
		plain := newPlainSource(t, s)
		if len(q.Filters) > 0 || len(s.excluded) > 0 { // its own look-up of rows, from all texts
			plain.texts = slices.DeleteFunc(plain.texts, func(m messageText) bool { return !passes(t, s, q, m) })
		}
		want, err := closest.Rank(t.Context(), plain, q, time.Time{}, false, &closest.Cache{})
		if err != nil {
			return err
		}
		candidates = len(want.Candidates)
		same := func(a, b closest.Candidate) bool {
			return a.Conversation == b.Conversation && a.Message == b.Message && math.Abs(a.Score-b.Score) < 1e-4
		}
		if !slices.EqualFunc(got.Candidates, want.Candidates, same) {
			t.Errorf("%s: %s:\n%v\nby all texts\n%v", name, q.Text, got.Candidates, want.Candidates)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %s: %v", name, q.Text, err)
	}
	return candidates
}

// passes reports whether a message passes the filters on messages and has no
// excluded term.
func passes(t *testing.T, s *closeSource, q query.Query, m messageText) bool {
	t.Helper()
	for _, x := range s.excluded {
		if m.matches(match.NewMatcher([]match.Group{{All: []match.Term{x}}})) {
			return false
		}
	}
	var role, calls any
	err := db.EachRow(t.Context(), s.f.tx, `SELECT m.role, `+s.f.toolCallsColumn+` FROM messages m WHERE m.id = ?`, []any{m.id}, func(r db.Row) { role, calls = r[0], r[1] })
	if err != nil {
		t.Fatal(err)
	}
	return query.MessagePasses(q.Filters, db.AsText(role), sessionroles.ToolNames(m.toolName, calls))
}

// The closest conversations follow those with all words, on pages too, and none comes
// twice.
func TestClosestFollowAllWords(t *testing.T) {
	t.Parallel()
	e := openFixture(t, "v25.db")
	ask := func(text string, offset, limit int) model.SearchResults {
		t.Helper()
		res, err := e.Search(t.Context(), query.Parse(text, true), query.ListOptions{Order: query.ByRelevance, Closest: true, Offset: offset, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, text := range []string{"docker build", "docker gateway", "the deploy failed"} {
		all := ask(text, 0, 0)
		if len(all.Matches) != all.Conversations+all.Close || all.Close == 0 {
			t.Fatalf("%s: %d rows of %d and %d", text, len(all.Matches), all.Conversations, all.Close)
		}
		seen := map[string]bool{}
		for i, m := range all.Matches {
			if m.Close != (i >= all.Conversations) {
				t.Errorf("%s: row %d of %d with all words: close is %v", text, i, all.Conversations, m.Close)
			}
			if seen[m.ID] {
				t.Errorf("%s: %s comes twice", text, m.ID)
			}
			seen[m.ID] = true
		}
		for offset := range all.Matches {
			page := ask(text, offset, 3)
			want := all.Matches[offset:min(offset+3, len(all.Matches))]
			if !slices.EqualFunc(page.Matches, want, func(a, b model.Match) bool { return a.ID == b.ID && a.Best.MessageID == b.Best.MessageID }) {
				t.Errorf("%s: the page at %d is another", text, offset)
			}
		}
	}
}

// An error message that only a subagent met is the first row, though the list shows no
// subagents. Where more than two have all words, they are counted and not shown.
func TestTheOnlyOnesWithAllWordsAreShownFromOtherScopes(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v25.db", "docker docker docker daemon", "is the docker daemon running")
	text := query.Parse("docker daemon is not running xylophone", false)
	for n, want := range []int{0, 1, 2, 0} {
		if n > 0 {
			id := fmt.Sprint("sub", n)
			fixtures.Exec(t, s.db.Path,
				`INSERT INTO sessions (id, source, started_at, parent_session_id, model_config) VALUES ('`+id+`', 'cli', 1780000010, 'asked', '{"_delegate_from": "asked"}')`,
				`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('`+id+`', 'tool', '{"output": "xylophone: docker daemon is not running"}', 1780000011)`)
		}
		res, err := s.Search(t.Context(), text, query.ListOptions{Order: query.ByRelevance, Closest: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Conversations != 0 || res.HiddenConversations != n {
			t.Errorf("%d conversations, %d hidden, want 0 and %d", res.Conversations, res.HiddenConversations, n)
		}
		shown := 0
		for i, m := range res.Matches {
			if !m.Close || m.OutOfScope != (i < want) || m.OutOfScope && (!m.Together || m.Scope != model.ScopeSubagents) {
				t.Errorf("%d with all words, row %d: %+v", n, i, m)
			}
			if !m.OutOfScope {
				shown++
			}
		}
		if shown == 0 {
			t.Errorf("%d with all words: no other row", n)
		}
	}
}

// A word inside others is a guess: where no index holds the texts, it is looked for in the newest.
func TestInsideWordsOfToolsOnlyTheNewestAreRead(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v26.db")
	other := otherConnection(t, path)
	must(t, other, `INSERT INTO sessions (id, source, started_at) VALUES ('old', 'cli', 1780000000), ('said', 'cli', 1780000001), ('new', 'cli', 1780000002)`)
	for i, m := range []struct {
		session, role string
		id            int
	}{{"old", "tool", 100_001}, {"said", "user", 100_002}, {"new", "tool", 100_002 + newestRead}} {
		must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, '%s', '%s', 'getZyzzyvaName', %d)`, m.id, m.session, m.role, 1780000000+i))
	}
	res, err := openAt(t, path).Search(t.Context(), query.Parse("zyzzyva", false), query.ListOptions{Closest: true, Further: true})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range res.Matches {
		found = append(found, m.ID)
	}
	if slices.Sort(found); !slices.Equal(found, []string{"new", "said"}) {
		t.Errorf("found in %v", found)
	}
	if res, err := openAt(t, path).Search(t.Context(), query.Parse("getZyzzyvaName", false), query.ListOptions{}); err != nil || len(res.Matches) != 3 {
		t.Errorf("the whole word is found in %d conversations, %v", len(res.Matches), err)
	}
}
