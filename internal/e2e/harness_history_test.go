//go:build !windows

package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/store/demo"
)

// histories are what the journeys are made on.
func histories(t *testing.T, journey func(t *testing.T, args ...string)) {
	t.Run("demo", func(t *testing.T) { journey(t, "--demo") })
	t.Run("made", func(t *testing.T) {
		t.Parallel()
		db := filepath.Join(t.TempDir(), "state.db")
		if err := corpus.Make(t.Context(), db, corpus.Config{Messages: campaign.Length(2000, 3000), Seed: 5}); err != nil {
			t.Fatal(err)
		}
		journey(t, "--db="+db)
	})
}

// target is a conversation that a journey looks for.
type target struct {
	title string // as far as every layout shows it
	words string // that its first message begins with, and no other has
	first string // of these words; several conversations have it
	id    string // of its tip
	other string // a title at the top of the list that must go away
}

// lookFor picks a conversation that the beginning of its first message finds
// alone, from what the command line says. Nothing of a history is written
// down here.
func lookFor(t *testing.T, args ...string) target {
	t.Helper()
	if !slices.Equal(args, []string{"--demo"}) {
		return chosen(t, args...)
	}
	inDemo.once.Do(func() { inDemo.target = chosen(t, args...) })
	if inDemo.target.id == "" {
		t.Fatal("another test found nothing to look for in the demo")
	}
	return inDemo.target
}

// inDemo is what journeys look for in the demo, which is the same for all.
var inDemo struct {
	once   sync.Once
	target target
}

func chosen(t *testing.T, args ...string) target {
	t.Helper()
	var list struct {
		Sessions []struct{ ID, Title, Preview string }
	}
	ask(t, &list, append(args, "list", "--limit", "0")...)
	word := regexp.MustCompile(`[A-Za-z]{4,}`)
	top := strings.Join(strings.Fields(list.Sessions[0].Title)[:2], " ")
	for _, s := range list.Sessions[3:] {
		said, title := word.FindAllString(s.Preview, 3), strings.Fields(s.Title)
		if len(said) < 3 || len(title) < 2 || len(title[0]) < 4 {
			continue
		}
		query := strings.ToLower(strings.Join(said, " "))
		first, _, _ := strings.Cut(query, " ")
		var few, many struct {
			Total         int // with all words
			Conversations []struct {
				ID   string
				Hits int
			}
		}
		ask(t, &few, append(args, "search", query+"*")...) // a word that is being typed may go on
		ask(t, &many, append(args, "search", first+"*")...)
		shown := false // the first of the list, below the one that has all words
		for _, c := range few.Conversations {
			shown = shown || c.ID == list.Sessions[0].ID
		}
		if c := few.Conversations; few.Total == 1 && c[0].ID == s.ID && c[0].Hits > 0 && !shown && many.Total > 1 {
			return target{title: strings.Join(title[:2], " "), words: query, first: first, id: s.ID, other: top}
		}
	}
	t.Fatal("no conversation is found alone")
	return target{}
}

// one is what the screen counts when one conversation is left, before a dot, or in ASCII a dash.
const one = " 1 conversation "

// find types the words that find the target alone. All but the first come in
// one piece: each letter is a search of its own, and only the answer to the
// last can be acted upon.
func find(u user, to target) {
	u.Sees(to.other)
	u.Types(to.first + " ")
	u.Sees(to.first)
	u.Pastes(strings.TrimPrefix(to.words, to.first+" "))
	u.Sees(to.words)
	u.Sees(one)
	u.Sees(to.title)
	u.Loses(to.other)
}

// topOfDemo returns the ids of the first nine conversations on the screen of the demo: those
// that run, those that are pinned, then the newest.
func topOfDemo(t *testing.T) (ids []string) {
	t.Helper()
	for _, query := range [][]string{{"is:live"}, {"is:pinned"}, nil} {
		var list struct{ Sessions []struct{ ID string } }
		ask(t, &list, append([]string{"--demo", "list", "--limit", "9"}, query...)...)
		for _, s := range list.Sessions {
			if !slices.Contains(ids, s.ID) && len(ids) < 9 {
				ids = append(ids, s.ID)
			}
		}
	}
	return ids
}

// ownDemo is a database with the conversations of the demo.
func ownDemo(t *testing.T) (db string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "demo.db")
	if err := demo.Write(t.Context(), db, today); err != nil {
		t.Fatal(err)
	}
	return db
}

// runningSessions is a database with conversations that may run elsewhere, that know
// their folder, or neither.
func runningSessions(t *testing.T, folder string) (db string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "running.db")
	fixtures.Unpack(t, "v25.db", db)
	now := float64(today.Unix())
	lines := fmt.Sprintf(`{"id": "busy-one", "source": "cli", "title": "Turbine blades", "started_at": %f, "messages": [{"role": "user", "content": "turbine", "timestamp": %f}]}
{"id": "quiet-one", "source": "cli", "title": "Quarry survey", "cwd": %s, "started_at": %f, "ended_at": %f, "messages": [{"role": "user", "content": "quarry", "timestamp": %f}]}
`, now-600, now-30, jsonText(t, folder), now-9000, now-8000, now-8500)
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Import(t.Context(), strings.NewReader(lines), model.ImportOptions{Strict: true})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return db
}

// exported is the whole history, as the program exports it.
func exported(t *testing.T, db string) string {
	t.Helper()
	r := run(t, "--db", db, "export", "-")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	return r.stdout
}

// otherWriter is another program that writes the same database.
func otherWriter(t *testing.T, db string) func(statement string, args ...any) {
	t.Helper()
	c, err := sql.Open("sqlite", "file:"+db+"?_pragma=busy_timeout(10000)&_pragma=synchronous(off)")
	if err != nil {
		t.Fatal(err)
	}
	c.SetMaxOpenConns(1)
	t.Cleanup(func() { c.Close() })
	return func(statement string, args ...any) {
		t.Helper()
		if _, err := c.Exec(statement, args...); err != nil {
			t.Fatal(statement, err)
		}
	}
}

// branchFixture is a conversation with a branch: its title and how that begins, the
// branch and its title.
type branchFixture struct{ words, first, branch, title string }

// findBranch picks a branch that was forked from a conversation with these words in the list.
func findBranch(t *testing.T, words string, args ...string) branchFixture {
	t.Helper()
	var list struct {
		Sessions []struct {
			ID       string
			Title    string
			Branches int
		}
	}
	ask(t, &list, append(args, "list", "--limit", "0", words)...)
	for _, s := range list.Sessions {
		if s.Branches == 0 {
			continue
		}
		var tree struct {
			Title    string
			Children []struct{ ID, Kind, Title string }
		}
		ask(t, &tree, append(args, "lineage", s.ID)...)
		for _, c := range tree.Children {
			if c.Kind == "branch" && c.Title != "" {
				return branchFixture{tree.Title, strings.Join(strings.Fields(tree.Title)[:2], " "), c.ID, c.Title}
			}
		}
	}
	t.Fatal("there is no branch")
	return branchFixture{}
}
