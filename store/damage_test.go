package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// With any one page of the file destroyed, either the file cannot be opened
// and that is said, or what is left is shown, with a note where something that
// was asked for is missing. An empty list never hides an error.
func TestAnyPageDestroyed(t *testing.T) {
	t.Parallel()
	const page = 4096
	for _, name := range []string{"v06.db", "v18.db"} {
		whole := fixture(t, name)
		content, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		read := func(path string) (conversations, messages int, notes []model.HealthNote) {
			t.Helper()
			s, err := Open(t.Context(), path, WithClock(clock))
			if err != nil {
				expect(t, err, model.KindDamaged)
				return -1, 0, nil
			}
			list, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list.Conversations {
				o, err := s.Outline(t.Context(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				all, err := s.MessagesByID(t.Context(), o.MessageIDs)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range all {
					if m.Role != "" {
						messages++
					}
				}
				if _, err := s.Tail(t.Context(), c.ID, 3); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return list.Total, messages, s.Notes()
		}
		conversations, messages, _ := read(whole)
		refused, shortened, silent := 0, 0, 0
		for p := 1; p < len(content)/page; p += campaign.Length(13, 1) {
			damaged := slices.Clone(content)
			clear(damaged[p*page : (p+1)*page])
			path := whole + ".damaged"
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			c, m, notes := read(path)
			switch {
			case c < 0:
				refused++
				continue
			case m == 0 && c > 0:
				silent++ // the root of the messages
			case c < conversations*2/3 || m < messages/2:
				t.Errorf("%s, page %d: %d of %d conversations, %d of %d messages", name, p, c, conversations, m, messages)
			}
			if c < conversations || m < messages {
				shortened++
				if len(notes) == 0 {
					t.Errorf("%s, page %d: nothing says that something is missing", name, p)
				}
			}
		}
		t.Logf("trust: %s with any of %d pages destroyed: %d files refused, %d lack something and say so", name, len(content)/page, refused, shortened)
		if refused > 2 || silent > 1 {
			t.Errorf("%s: %d pages make the file unreadable, %d hide all messages", name, refused, silent)
		}
	}
}

// With any page destroyed, the documented calls answer in full or with an
// error, and an export has all that can be read and says that it lacks
// something. What it has can be imported.
func TestDocumentedCallsOnDamagedPages(t *testing.T) {
	t.Parallel()
	const page = 4096
	ctx := t.Context()
	whole := openFixture(t, "v18.db")
	content, err := os.ReadFile(whole.db.Path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := whole.RecentSessions(ctx, "", -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string][]Record{}
	total := 0
	for _, r := range all {
		id := db.AsText(r.Get("id"))
		if messages[id], err = whole.Messages(ctx, id); err != nil {
			t.Fatal(err)
		}
		total += len(messages[id])
	}
	step := campaign.Length(17, 3)
	in, incomplete, unsaid := 0, 0, 0
	for p := 1; p < len(content)/page; p += step {
		damaged := slices.Clone(content)
		clear(damaged[p*page : (p+1)*page])
		path := filepath.Join(t.TempDir(), "damaged.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(ctx, path, WithClock(clock))
		if err != nil {
			expect(t, err, model.KindDamaged)
			continue
		}
		in++
		if got, err := s.RecentSessions(ctx, "", -1, 0); err != nil {
			expect(t, err, model.KindDamaged)
		} else if len(got) != len(all) {
			t.Errorf("page %d: %d of %d sessions and no error", p, len(got), len(all))
		}
		for id, want := range messages {
			if got, err := s.Messages(ctx, id); err != nil {
				expect(t, err, model.KindDamaged)
			} else if len(got) != len(want) {
				t.Errorf("page %d: %d of %d messages of %s and no error", p, len(got), len(want), id)
			}
		}
		var lines strings.Builder
		n, err := s.Export(ctx, &lines, model.ExportOptions{})
		lostSessions, lostMessages, said := 0, 0, err != nil
		switch kind(err) {
		case "": // nothing that was needed lay there
		case model.KindIncomplete:
			incomplete++
			e, _ := errors.AsType[*model.Error](err)
			if _, err := fmt.Sscanf(strings.NewReplacer("session ", "sessions ", "message ", "messages ").Replace(e.Message), "the database is damaged: at least %d sessions and %d messages could not be read", &lostSessions, &lostMessages); err != nil && !strings.Contains(e.Message, "what can be read") {
				t.Error(err)
			}
		default:
			t.Errorf("page %d: %v", p, err)
		}
		into := fresh(t)
		r, err := into.Import(ctx, strings.NewReader(lines.String()), model.ImportOptions{})
		if err != nil || r.BadLines > 0 || r.Sessions < n || r.Sessions > n+lostSessions { // some by their messages alone
			t.Errorf("page %d: of %d sessions %+v %v", p, n, r, err)
		}
		if n+lostSessions != len(all) {
			t.Errorf("page %d: %d sessions were exported, %d are said to be lost, of %d", p, n, lostSessions, len(all))
		}
		if r.Messages+lostMessages != total {
			unsaid++ // messages of which nothing is left but a gap
			if !said {
				t.Errorf("page %d: %d of %d messages and nothing says so", p, r.Messages, total)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d pages: %d exports lack something and say so, %d cannot say how much", in, incomplete, unsaid)
	if incomplete == 0 {
		t.Error("not what damage does")
	}
}

// A damaged file whose rows are not in the order of their numbers ends every reading:
// looking for readable rows only moves forward. No damaged file gives an empty answer, or
// one without a note.
func TestReadingADamagedFileEnds(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures.Names(t, "damaged/*.db", 7) {
		t.Run(strings.TrimPrefix(name, "damaged/"), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s, err := Open(ctx, fixture(t, name), WithClock(clock))
			if err != nil {
				expect(t, err, model.KindDamaged)
				return
			}
			defer s.Close() //nolint:errcheck // nothing was written
			page, listing := s.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll})
			_, searching := s.Search(ctx, query.Parse("docker", false), query.ListOptions{Scope: model.ScopeAll})
			_, counting := s.Stats(ctx)
			if len(s.Notes()) == 0 && name != "damaged/fts-lacks-rows.db" {
				t.Error("nothing says that the file is damaged")
			}
			var lines bytes.Buffer
			_, exporting := s.Export(ctx, &lines, model.ExportOptions{})
			if page.Total == 0 || lines.Len() == 0 {
				t.Errorf("%d conversations are listed, %d bytes exported", page.Total, lines.Len())
			}
			for line := range bytes.Lines(lines.Bytes()) {
				if !json.Valid(line) {
					t.Errorf("not JSON: %.80s", line)
				}
			}
			_, checking := s.Check(ctx, true)
			for _, err := range []error{listing, searching, counting, exporting, checking} {
				if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
		})
	}
}

// An index that lacks rows, or has the ids of other rows, hides nothing: everything is
// read from the tables, a note says so, and nothing is deleted by such an index.
func TestDamagedIndexesHideNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"index-lacks-rows-a", "index-lacks-rows-b", "primary-key-damaged"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := openFixture(t, "damaged/"+name+".db")
			total := Count(t, s, `SELECT count(*) FROM main.messages NOT INDEXED`)
			page, err := s.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			shown := 0
			for _, c := range page.Conversations {
				o, err := s.Outline(ctx, c.ID)
				if err != nil {
					t.Fatal(err)
				}
				shown += len(o.MessageIDs) + len(o.Replays)
			}
			if visible := Count(t, s, `SELECT count(*) FROM main.messages NOT INDEXED WHERE role <> 'session_meta'`); shown != visible {
				t.Errorf("transcripts have %d of %d messages", shown, visible)
			}
			var lines strings.Builder
			n, err := s.Export(ctx, &lines, model.ExportOptions{})
			if err != nil {
				expect(t, err, model.KindIncomplete)
			}
			r, err := fresh(t).Import(ctx, strings.NewReader(lines.String()), model.ImportOptions{})
			if err != nil || r.BadLines > 0 || r.Messages != total {
				t.Errorf("export wrote %d sessions, of which %+v could be imported: %v; the table has %d messages", n, r, err, total)
			}
			if len(s.Notes()) == 0 {
				t.Error("nothing says that an index is damaged")
			}
			expect(t, s.Editable().ReadOnly, model.KindDamaged)
			id := page.Conversations[0].ID
			_, err = s.Delete(ctx, []string{id}, model.DeleteOptions{})
			expect(t, err, model.KindDamaged)
			if left := Count(t, s, `SELECT count(*) FROM main.messages NOT INDEXED`); left != total {
				t.Errorf("a refused delete leaves %d of %d messages", left, total)
			}
		})
	}
}

// One conversation that is read by itself, before the list, is whole too.
func TestDamagedIndexOfOneConversation(t *testing.T) {
	t.Parallel()
	whole := openFixture(t, "damaged/index-lacks-rows-a.db")
	page, err := whole.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Conversations {
		s := openFixture(t, "damaged/index-lacks-rows-a.db")
		tail, err := s.Tail(t.Context(), c.ID, 1000)
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		want, err := whole.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.MessageIDs) != len(want.MessageIDs) || len(tail) < len(want.MessageIDs) {
			t.Errorf("%s: %d messages, %d from its end, of %d", c.ID, len(o.MessageIDs), len(tail), len(want.MessageIDs))
		}
	}
}

// Pages of the full-text index that have changed places leave words out without an
// error. A search notices when it comes to such a page, reads every message, and says
// so.
func TestSearchNoticesMisplacedIndexPages(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "damaged/fts-lacks-rows.db")
	for _, word := range []string{"docker", "03", "10", "1"} {
		r, err := s.Search(t.Context(), query.Parse(word, false), query.ListOptions{Scope: model.ScopeAll, EverySession: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.IndexNote == "" {
			t.Errorf("%s: nothing says that the index is damaged", word)
		}
	}
	whole, err := s.Search(t.Context(), query.Parse("07z", false), query.ListOptions{Scope: model.ScopeAll})
	if err != nil || whole.Hits == 0 {
		t.Errorf("a word whose page is misplaced has %d hits: %v", whole.Hits, err)
	}
}
