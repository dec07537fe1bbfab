package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// snapshotOf is what the recordings of changes compare.
func snapshotOf(t testing.TB, s *Store) (sessions, messages map[string][]any, fts, trigrams any) {
	t.Helper()
	read := func(query string) map[string][]any {
		rows, err := s.db.Pool.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]any{}
		if err := db.ScanRecords(rows, func(r Record) error {
			var row []any
			for _, f := range r {
				row = append(row, plain(t, f.Value))
			}
			out[db.AsText(r[0].Value)] = row
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	return read(`SELECT id, parent_session_id, title, ended_at, end_reason, message_count, tool_call_count FROM sessions`),
		read(`SELECT session_id, count(*), min(id), max(id) FROM messages GROUP BY session_id`),
		float64(Count(t, s, `SELECT count(*) FROM messages_fts`)), float64(Count(t, s, `SELECT count(*) FROM messages_fts_trigram`))
}

// TestDocumentedChanges makes the recorded changes, each to a fresh copy, and
// compares the answer and all that is different in the file afterwards.
func TestDocumentedChanges(t *testing.T) {
	t.Parallel()
	var r struct {
		Clock float64
		Items []struct {
			Call, Note string
			Input      struct {
				Args   []any
				Calls  []any  `json:"tool_calls"`
				Parent string `json:"parent_session_id"`
			}
			Output any
			Raises *struct{ Type, Message string }
			Effect struct {
				SessionsRemoved []string                        `json:"sessions_removed"`
				SessionsAdded   []any                           `json:"sessions_added"`
				SessionsChanged []struct{ Before, After []any } `json:"sessions_changed"`
				MessagesRemoved [][]any                         `json:"messages_removed"`
				MessagesAdded   [][]any                         `json:"messages_added"`
				FTS             [2]any                          `json:"fts_rows"`
				Trigrams        [2]any                          `json:"trigram_rows"`
			}
		}
	}
	Recorded(t, "v11/changes", &r)
	made := 0
	for _, it := range r.Items {
		if it.Call == "maybe_auto_prune_and_vacuum" {
			continue // held to its recording where it is implemented
		}
		t.Run(it.Call+"/"+it.Note, func(t *testing.T) {
			ctx := t.Context()
			now := time.UnixMicro(int64(math.Round(r.Clock * 1e6)))
			s, err := Open(ctx, fixture(t, "v11.db"), WithClock(func() time.Time { return now }))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			arg := func(i int) string {
				if i >= len(it.Input.Args) || it.Input.Args[i] == nil {
					return ""
				}
				return it.Input.Args[i].(string)
			}
			before, spoken, _, _ := snapshotOf(t, s)
			var got any
			switch it.Call {
			case "prune_empty_ghost_sessions":
				got, err = s.PruneGhosts(ctx)
			case "finalize_orphaned_compression_sessions":
				got, err = s.FinalizeOrphans(ctx)
			case "set_session_title":
				_, err = s.SetTitle(ctx, arg(0), arg(1))
				got = err == nil
				if kind(err) == model.KindNotFound { // there: False
					err = nil
				}
			case "end_session":
				err = s.EndSession(ctx, arg(0), arg(1))
			case "reopen_session":
				err = s.ReopenSession(ctx, arg(0))
			case "clear_messages":
				err = s.ClearMessages(ctx, arg(0))
			case "append_message":
				m := sessiondb.NewMessage{Role: arg(1)}
				if len(it.Input.Args) > 2 {
					m.Content = it.Input.Args[2]
				}
				if it.Input.Calls != nil {
					m.ToolCalls = it.Input.Calls
				}
				got, err = s.AppendMessage(ctx, arg(0), m)
			case "create_session":
				_, err = s.CreateSession(ctx, sessiondb.NewSession{ID: arg(0), Source: arg(1), ParentID: it.Input.Parent})
				got = arg(0)
			default:
				t.Fatal("unknown call")
			}
			made++
			switch {
			case it.Raises == nil:
				if err != nil {
					t.Error(err)
				}
				if !reflect.DeepEqual(plain(t, got), Numbers(it.Output)) && it.Output != nil {
					t.Errorf("answers %v, recorded %v", got, it.Output)
				}
			case it.Raises.Type == "ValueError":
				if e, ok := errors.AsType[*model.Error](err); !ok || e.Message != it.Raises.Message {
					t.Errorf("%v, recorded %s", err, it.Raises.Message)
				}
			default: // an IntegrityError there is a session that is not found here
				if kind(err) != model.KindNotFound {
					t.Errorf("%v, recorded %s", err, it.Raises.Message)
				}
			}
			after, said, fts, trigrams := snapshotOf(t, s)
			for _, id := range it.Effect.SessionsRemoved {
				delete(before, id)
			}
			for _, c := range it.Effect.SessionsChanged {
				before[c.Before[0].(string)] = Numbers(c.After).([]any)
			}
			for _, m := range it.Effect.MessagesRemoved {
				delete(spoken, m[0].(string))
			}
			for _, m := range it.Effect.MessagesAdded {
				spoken[m[0].(string)] = Numbers(m).([]any)
			}
			if !reflect.DeepEqual(after, before) {
				t.Errorf("sessions: %s", difference(after, before))
			}
			if !reflect.DeepEqual(said, spoken) {
				t.Errorf("messages: %s", difference(said, spoken))
			}
			if fts != Numbers(it.Effect.FTS[1]) || trigrams != Numbers(it.Effect.Trigrams[1]) {
				t.Errorf("%v and %v rows are indexed, recorded %v and %v", fts, trigrams, it.Effect.FTS[1], it.Effect.Trigrams[1])
			}
		})
	}
	t.Logf("%d of %d recorded changes made", made, len(r.Items))
}

func difference(got, want map[string][]any) string {
	var b strings.Builder
	for id, row := range got {
		if !reflect.DeepEqual(row, want[id]) {
			fmt.Fprintf(&b, "\n got %v\nwant %v", row, want[id])
		}
	}
	for id, row := range want {
		if _, ok := got[id]; !ok {
			fmt.Fprintf(&b, "\n got none\nwant %v", row)
		}
	}
	return b.String()
}

func TestDocumentedTitles(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	for _, topic := range []string{"sanitize_title", "get_next_title_in_lineage"} {
		t.Run(topic, func(t *testing.T) {
			var r struct {
				Items []struct {
					Input, Output *string
					Raises        *struct{ Message string }
				}
			}
			Recorded(t, "v11/"+topic, &r)
			y := newVerdicts(t)
			for _, it := range r.Items {
				in := ""
				if it.Input != nil {
					in = *it.Input
				}
				var got string
				var err error
				if topic == "sanitize_title" {
					got, err = model.SanitizeTitle(in)
				} else {
					got, err = s.NextTitle(t.Context(), in)
				}
				var want any = ""
				switch {
				case it.Raises != nil:
					want = it.Raises.Message
				case it.Output != nil:
					want = *it.Output
				}
				if err != nil {
					got = err.Error()
				}
				y.check(fmt.Sprintf("%q", in), got, want, "")
			}
		})
	}
}

func TestDocumentedViews(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	ctx := t.Context()
	each := func(name string, f func(y *verdicts, it item)) {
		t.Run(name, func(t *testing.T) {
			var r recording
			Recorded(t, "v11/"+name, &r)
			y := newVerdicts(t)
			for _, it := range r.Items {
				it.Output = Numbers(it.Output)
				f(y, it)
			}
		})
	}
	read := func(it item, into any) {
		if err := json.Unmarshal(it.Input, into); err != nil {
			t.Fatal(err)
		}
	}
	each("get_messages_as_conversation", func(y *verdicts, it item) {
		var in struct {
			ID        string `json:"session_id"`
			Ancestors bool   `json:"include_ancestors"`
		}
		read(it, &in)
		got, err := s.ChatMessages(ctx, in.ID, in.Ancestors)
		if err != nil {
			t.Fatal(err)
		}
		y.check(string(it.Input), got, it.Output, "")
	})
	ids := func(rows []Record) []any {
		out := []any{}
		for _, r := range rows {
			out = append(out, r.Get("id"))
		}
		return out
	}
	type input struct {
		ID      string `json:"session_id"`
		Message int64  `json:"around_message_id"`
		Window  *int
		Ends    *int            `json:"bookend"`
		Roles   json.RawMessage `json:"keep_roles"`
	}
	number := func(n *int, usual int) int {
		if n == nil {
			return usual
		}
		return *n
	}
	each("get_messages_around", func(y *verdicts, it item) {
		var in input
		read(it, &in)
		v, err := s.MessagesAround(ctx, in.ID, in.Message, number(in.Window, 5))
		if err != nil {
			t.Fatal(err)
		}
		y.check(string(it.Input), map[string]any{
			"window": ids(v.Window), "messages_before": v.Before, "messages_after": v.After,
		}, it.Output, "")
	})
	each("get_anchored_view", func(y *verdicts, it item) {
		var in input
		read(it, &in)
		roles := []string{"user", "assistant"}
		if len(in.Roles) > 0 {
			roles = nil
			if err := json.Unmarshal(in.Roles, &roles); err != nil {
				t.Fatal(err)
			}
		}
		v, err := s.AnchoredView(ctx, in.ID, in.Message, number(in.Window, 5), number(in.Ends, 3), roles...)
		if err != nil {
			t.Fatal(err)
		}
		reason := ""
		for _, r := range append(v.Start, v.End...) {
			if _, text := r.Get("content").(string); !text {
				reason = "Q3"
			}
		}
		y.check(string(it.Input), map[string]any{
			"window": ids(v.Window), "messages_before": v.Before, "messages_after": v.After,
			"bookend_start": ids(v.Start), "bookend_end": ids(v.End),
		}, it.Output, reason)
	})
}

// chats compares recorded transcripts in chat form.
func chats(t testing.TB, y *verdicts, s *Store, items []item) {
	t.Helper()
	for _, it := range items {
		var id string
		if err := json.Unmarshal(it.Input, &id); err != nil {
			t.Fatal(err)
		}
		got, err := s.ChatMessages(t.Context(), id, false)
		if err != nil {
			t.Fatal(err)
		}
		y.check("chat "+id, WithoutNulls(plain(t, got)), WithoutNulls(Numbers(it.Output)), "")
	}
}

// The chats of a file of any version are those that its own software gave; of 30 and 31,
// those that the class of schema 26 gave.
func TestChatsOfEveryVersion(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		version := strings.TrimSuffix(name, ".db")
		for _, dir := range []string{"own-version", "newest-layout"} {
			if !fixtures.Exists("oracle/" + dir + "/" + version + ".json") {
				continue
			}
			t.Run(dir+"/"+version, func(t *testing.T) {
				var r struct {
					Chats []item `json:"get_messages_as_conversation"`
				}
				Recorded(t, dir+"/"+version, &r)
				if len(r.Chats) == 0 {
					t.Fatal("nothing is recorded")
				}
				chats(t, newVerdicts(t), openFixture(t, name), r.Chats)
			})
		}
	}
}
