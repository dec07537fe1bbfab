package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// change is one change to a history, which a search sees completely or not at all. Both
// processes compute all changes, and the history after each, in advance.
type change struct {
	what     string // say, begin, split, drop, restore, rewrite, name, tidy
	id, text string
	was      string // the text that is rewritten
}

// conversationTexts is a conversation: the texts of each segment, root first.
type conversationTexts struct {
	title    string
	segments []string
	texts    [][]string
}

func (k conversationTexts) clone() conversationTexts {
	k.segments = slices.Clone(k.segments)
	k.texts = slices.Clone(k.texts)
	for i := range k.texts {
		k.texts[i] = slices.Clone(k.texts[i])
	}
	return k
}

// changesOf returns n random changes and the history after each of them; the first history
// is the one before all changes.
func changesOf(n int, seed uint64) (script []change, after []map[string]conversationTexts) {
	r := rand.New(rand.NewPCG(seed, 11))
	now := map[string]conversationTexts{}
	var gone []conversationTexts
	id := func() string {
		roots := slices.Sorted(maps.Keys(now))
		return roots[r.IntN(len(roots))]
	}
	text := func(k int) string {
		s := fmt.Sprintf("quagga grazing number%d 斑驴在吃草", k)
		if r.IntN(2) == 0 {
			s += " even"
		}
		return s + strings.Repeat(" filling", r.IntN(40))
	}
	keep := func() {
		all := map[string]conversationTexts{}
		for root, k := range now {
			all[root] = k.clone()
		}
		after = append(after, all)
	}
	keep()
	for k := range n {
		d := change{what: "tidy"}
		p := r.IntN(100)
		switch {
		case len(now) == 0 || p < 8:
			d = change{what: "begin", id: fmt.Sprintf("storm%d", k)}
			now[d.id] = conversationTexts{segments: []string{d.id}, texts: [][]string{nil}}
		case p < 60:
			c := now[id()]
			d = change{what: "say", id: c.segments[len(c.segments)-1], text: text(k)}
			last := len(c.texts) - 1
			c.texts[last] = append(c.texts[last], d.text)
		case p < 65:
			root := id()
			c := now[root]
			d = change{what: "split", id: c.segments[len(c.segments)-1], text: fmt.Sprintf("storm%d", k)}
			c.segments, c.texts = append(c.segments, d.text), append(c.texts, nil)
			c.title = "" // that of the tip, which has none yet
			now[root] = c
		case p < 75:
			root := id()
			d = change{what: "drop", id: root}
			gone = append(gone, now[root])
			delete(now, root)
		case p < 82 && len(gone) > 0:
			d = change{what: "restore"}
			c := gone[len(gone)-1]
			gone = gone[:len(gone)-1]
			now[c.segments[0]] = c
		case p < 89:
			c := now[id()]
			s := r.IntN(len(c.texts))
			if len(c.texts[s]) == 0 {
				break
			}
			m := r.IntN(len(c.texts[s]))
			d = change{what: "rewrite", id: c.segments[s], was: c.texts[s][m], text: text(k)}
			c.texts[s][m] = d.text
		case p < 94:
			root := id()
			c := now[root]
			d = change{what: "name", id: c.segments[len(c.segments)-1], text: fmt.Sprintf("okapi %d", k)}
			c.title = d.text
			now[root] = c
		}
		script = append(script, d)
		keep()
	}
	return script, after
}

// asked are the questions of the storm, each with what it means.
var asked = []struct {
	query string
	finds func(text string) bool
}{
	{"quagga", func(string) bool { return true }},
	{"quag*", func(string) bool { return true }},
	{"q*", nil}, // other messages begin so too: only looked at for errors
	{`"quagga grazing"`, func(string) bool { return true }},
	{"quagga even", even},
	{"quagga -even", func(s string) bool { return !even(s) }},
	{"even OR number1* grazing", nil},
	{"斑驴", func(string) bool { return true }},
	{"驴在吃", func(string) bool { return true }},
	{"斑驴 even", even},
	{"okapi", func(string) bool { return false }}, // titles
}

func even(s string) bool { return strings.Contains(s, " even") }

// hits counts the messages that are found.
func (k conversationTexts) hits(finds func(string) bool) (n int) {
	for _, s := range k.texts {
		for _, text := range s {
			if finds(text) {
				n++
			}
		}
	}
	return n
}

// expectedHits returns the hits of a search in one history: by conversation, or by session
// for a search of messages.
func expectedHits(history map[string]conversationTexts, query string, finds func(string) bool, way int) map[string]int {
	all := map[string]int{}
	for root, k := range history {
		if way == byMessage {
			for i, id := range k.segments {
				for _, text := range k.texts[i] {
					if finds(text) {
						all[id]++
					}
				}
			}
			continue
		}
		n := k.hits(finds)
		if n > 0 || query == "okapi" && k.title != "" {
			all[root] = n
		}
	}
	return all
}

// The other half of TestSearchesDuringConcurrentChanges: it does the changesOf. The
// file of STORE_TEST_LOG grows by a byte before each and by one after it.
func TestStormChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_STORM")
	if path == "" {
		t.Skip("runs inside TestSearchesDuringConcurrentChanges")
	}
	n, err := strconv.Atoi(os.Getenv("STORE_TEST_DEEDS"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(os.Getenv("STORE_TEST_SEED"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(os.Getenv("STORE_TEST_LOG"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	q, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	q.SetMaxIdleConns(0) // nothing is locked between two changesOf
	script, _ := changesOf(n, seed)
	var gone []model.Undo
	for k, d := range script {
		if _, err := log.Write([]byte{'.'}); err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		switch d.what {
		case "begin":
			_, err = s.CreateSession(ctx, sessiondb.NewSession{ID: d.id, Source: "cli"})
		case "say":
			_, err = s.AppendMessage(ctx, d.id, sessiondb.NewMessage{Role: "user", Content: d.text})
		case "split":
			if err = s.EndSession(ctx, d.id, "compression"); err == nil {
				_, err = s.CreateSession(ctx, sessiondb.NewSession{ID: d.text, Source: "cli", ParentID: d.id})
			}
		case "drop":
			var u model.Undo
			u, err = s.Delete(ctx, []string{d.id}, model.DeleteOptions{})
			gone = append(gone, u)
		case "restore":
			last := len(gone) - 1
			if err = s.Restore(ctx, gone[last], model.RestoreOptions{}); err == nil {
				err = gone[last].Close()
			}
			gone = gone[:last]
		case "rewrite":
			_, err = q.ExecContext(ctx, `UPDATE messages SET content = ? WHERE session_id = ? AND content = ?`, d.text, d.id, d.was)
		case "name":
			_, err = s.SetTitle(ctx, d.id, d.text)
		case "tidy":
			tidy := []string{
				`INSERT INTO messages_fts(messages_fts, rank) VALUES ('merge', 50)`,
				`INSERT INTO messages_fts(messages_fts, rank) VALUES ('merge', -8)`,
				`INSERT INTO messages_fts(messages_fts) VALUES ('optimize')`,
				`INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('optimize')`,
				`VACUUM`,
			}[k%5]
			if _, err = q.ExecContext(ctx, tidy); db.ResultCode(err) == db.SQLiteBusy || db.ResultCode(err) == db.SQLiteLocked {
				err = nil // another time: it changes no answer
			}
		}
		if err != nil {
			t.Fatalf("change %d, %+v: %v", k, d, err)
		}
		if _, err := log.Write([]byte{'.'}); err != nil {
			t.Fatal(err)
		}
		if err := db.SleepContext(ctx, time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range gone {
		u.Close()
	}
	if err := errors.Join(s.Close(), log.Close()); err != nil {
		t.Fatal(err)
	}
}

// Another process says, splits, drops, brings back, rewrites and names without
// a rest, and merges, optimizes and vacuums in between, while this one searches
// from several sides and gives up some of the searches. Whatever is found is
// the rows of one version of the file between the beginning and the end of the search.
func TestSearchesDuringConcurrentChanges(t *testing.T) {
	for _, name := range []string{"v11.db", "v25.db", "v10.db"}[:campaign.Length(2, 3)] {
		n := campaign.Length(60, 1000)
		t.Run(name, func(t *testing.T) { stormOf(t, name, n, 1) })
	}
}

func stormOf(t *testing.T, name string, n int, seed uint64) {
	path := fixture(t, name)
	s := openAt(t, path)
	for _, q := range asked {
		if q.finds != nil && searchAllScopes(t, s, q.query).Conversations > 0 {
			t.Fatalf("%s is in the fixture", q.query)
		}
	}
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	written := func() int {
		info, err := os.Stat(log)
		if err != nil {
			t.Error(err)
			return 0
		}
		return int(info.Size())
	}
	_, after := changesOf(n, seed)
	c := child(t.Context(), "TestStormChild", "STORE_TEST_STORM="+path, "STORE_TEST_LOG="+log, fmt.Sprint("STORE_TEST_DEEDS=", n), fmt.Sprint("STORE_TEST_SEED=", seed))
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	stop, stopped := context.WithCancel(t.Context())
	defer stopped()
	var searches, midway, given, moving sync.Map // how many, by searcher
	var all sync.WaitGroup
	for who := range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			r := rand.New(rand.NewPCG(seed, uint64(100+who)))
			count := map[string]int{}
			defer func() {
				searches.Store(who, count["all"])
				midway.Store(who, count["midway"])
				given.Store(who, count["given up"])
				moving.Store(who, count["found"])
			}()
			for stop.Err() == nil && !t.Failed() {
				// With a rollback journal no process writes while another one reads.
				if name == "v25.db" && db.SleepContext(stop, 5*time.Millisecond) != nil {
					return
				}
				q := asked[r.IntN(len(asked))]
				ctx, cancel := context.WithCancel(t.Context())
				if r.IntN(4) == 0 {
					time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, cancel)
				}
				way := r.IntN(ways)
				first := written() / 2 // changesOf that were done for certain
				got, err := searched(ctx, s, q.query, way)
				last := (written() + 1) / 2 // changesOf that were begun
				cancel()
				count["all"]++
				switch {
				case errors.Is(err, context.Canceled):
					count["given up"]++
					continue
				case err != nil:
					t.Errorf("%s: %v", q.query, err)
					return
				case q.finds == nil:
					continue
				}
				if last > first {
					count["midway"]++
				}
				if len(got) > 0 {
					count["found"]++
				}
				if !slices.ContainsFunc(after[first:last+1], func(h map[string]conversationTexts) bool {
					return maps.Equal(got, expectedHits(h, q.query, q.finds, way))
				}) {
					for k, h := range after[first : last+1] {
						t.Errorf("%s (%d) finds what no version of the file had; after %d changes %s", q.query, way, first+k, unlike(got, expectedHits(h, q.query, q.finds, way)))
					}
				}
			}
		}()
	}
	err := <-ended
	stopped()
	all.Wait()
	if err != nil {
		t.Fatalf("the other process: %v\n%s", err, &out)
	}
	for _, q := range asked {
		if q.finds == nil {
			continue
		}
		for way := range ways {
			got, err := searched(t.Context(), s, q.query, way)
			if want := expectedHits(after[n], q.query, q.finds, way); err != nil || !maps.Equal(got, want) {
				t.Errorf("in the end %s finds %v, want %v (%v)", q.query, got, want, err)
			}
		}
	}
	sum := func(m *sync.Map) (n int) {
		m.Range(func(_, v any) bool { n += v.(int); return true })
		return n
	}
	if sum(&moving) == 0 || sum(&midway) == 0 || sum(&given) == 0 {
		t.Errorf("of %d searches %d found something, %d were beside a change, %d were given up", sum(&searches), sum(&moving), sum(&midway), sum(&given))
	}
	t.Logf("%d changes; of %d searches %d found something, %d were beside a change, %d were given up", n, sum(&searches), sum(&moving), sum(&midway), sum(&given))
	if got := texts(t, s, `PRAGMA integrity_check`); slices.ContainsFunc(got, func(l string) bool {
		return l != "ok" && !strings.Contains(l, "messages_fts_trigram")
	}) {
		t.Error(got)
	}
}

// unlike tells two answers apart.
func unlike(got, want map[string]int) string {
	var b strings.Builder
	for id := range got {
		if got[id] != want[id] {
			fmt.Fprintf(&b, "%s: %d, not %d; ", id, got[id], want[id])
		}
	}
	for id, n := range want {
		if _, ok := got[id]; !ok {
			fmt.Fprintf(&b, "%s: none, not %d; ", id, n)
		}
	}
	return b.String()
}

// The ways to search: conversations in two orders, and messages.
const (
	byRelevance = iota
	byActivity
	byMessage
	ways
)

// searched returns the hits of each conversation, by its root, or of each
// session.
func searched(ctx context.Context, s *Store, asked string, way int) (map[string]int, error) {
	got := map[string]int{}
	if way == byMessage {
		hits, total, err := s.SearchMessages(ctx, asked, SearchOptions{Limit: -1})
		for _, h := range hits {
			got[h.SessionID]++
			if !strings.Contains(h.Snippet, ">>>") || len(h.Context) == 0 || h.Source == "" {
				return nil, errors.Join(err, fmt.Errorf("half a hit: %+v", h))
			}
		}
		if total != len(hits) {
			return nil, errors.Join(err, fmt.Errorf("%d hits, it says %d", len(hits), total))
		}
		return got, err
	}
	sort := query.ByRelevance
	if way == byActivity {
		sort = query.ByActivity
	}
	r, err := s.Search(ctx, query.Parse(asked, true), query.ListOptions{Scope: model.ScopeAll, Order: sort})
	if err != nil {
		return nil, err
	}
	hits := 0
	for _, m := range r.Matches {
		got[m.RootID] = m.Hits
		hits += m.Hits
		marked := slices.ContainsFunc(m.Best.Snippet, func(p match.Span) bool { return p.Hit })
		if m.Hits > 0 && (m.Best.MessageID == 0 || !marked) {
			return nil, fmt.Errorf("%s has %d hits, the best of which is %+v", m.RootID, m.Hits, m.Best)
		}
	}
	if hits != r.Hits || len(got) != r.Conversations || r.HiddenHits > 0 || r.IndexNote != "" {
		return nil, fmt.Errorf("%d hits in %d rows, it says %d in %d and %d hidden; %s", hits, len(got), r.Hits, r.Conversations, r.HiddenHits, r.IndexNote)
	}
	return got, nil
}
