package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// recordedEffect is what a call of the real software changed in the tables: the rows that were
// removed, and the columns that changed, each with its value before and after.
type recordedEffect struct {
	Sessions   []string                    `json:"sessions_removed"`
	Changed    map[string]map[string][]any `json:"sessions_changed"`
	MessagesOf []string                    `json:"messages_removed_of"`
	Messages   int                         `json:"messages_removed"`
	Usage      []string                    `json:"session_model_usage_removed"`
}

// recordedCalls are the calls of one topic.
type recordedCalls struct {
	Clock float64
	Items []struct {
		Call, Name string
		Input      any
		Raises     *struct{ Message string }
		Effect     recordedEffect
	}
}

// tables is every row of every table but the full-text indexes, by its key.
type tables map[string]map[string]db.Record

// readTables reads a whole file.
func readTables(t *testing.T, s *Store) tables {
	t.Helper()
	all := tables{}
	for table, made := range s.db.Schema.Tables {
		if strings.Contains(table, "_fts") || table == "sqlite_sequence" || !strings.HasPrefix(made, "CREATE TABLE") {
			continue
		}
		rows, err := s.db.Pool.QueryContext(t.Context(), `SELECT * FROM `+db.Quote(table))
		if err != nil {
			t.Fatal(err)
		}
		all[table] = map[string]db.Record{}
		if err := db.ScanRecords(rows, func(r db.Record) error {
			key := []any{r[0].Value}
			if table == "session_model_usage" {
				for _, f := range r[1:6] {
					key = append(key, f.Value)
				}
			}
			text := fmt.Sprint(key[0])
			if len(key) > 1 {
				text = string(pyjson.Append(nil, key))
			}
			all[table][text] = r
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// effectOf compares two states of a file. other names the tables that differ besides.
func effectOf(before, after tables) (e recordedEffect, other []string) {
	for table, rows := range before {
		if table != "sessions" && table != "messages" && table != "session_model_usage" {
			if !reflect.DeepEqual(rows, after[table]) {
				other = append(other, table)
			}
			continue
		}
		for key, row := range rows {
			now, there := after[table][key]
			switch {
			case !there && table == "sessions":
				e.Sessions = append(e.Sessions, key)
			case !there && table == "messages":
				e.Messages++
				if of := row.Get("session_id").(string); !slices.Contains(e.MessagesOf, of) {
					e.MessagesOf = append(e.MessagesOf, of)
				}
			case !there:
				e.Usage = append(e.Usage, key)
			case table == "sessions":
				for i, cell := range row {
					if !reflect.DeepEqual(cell.Value, now[i].Value) {
						if e.Changed == nil {
							e.Changed = map[string]map[string][]any{}
						}
						if e.Changed[key] == nil {
							e.Changed[key] = map[string][]any{}
						}
						e.Changed[key][cell.Name] = []any{cell.Value, now[i].Value}
					}
				}
			case !reflect.DeepEqual(row, now):
				other = append(other, table+" "+key)
			}
		}
		for key := range after[table] {
			if _, there := rows[key]; !there {
				other = append(other, table+" "+key+" added")
			}
		}
	}
	for _, list := range [][]string{e.Sessions, e.MessagesOf, e.Usage} {
		slices.Sort(list)
	}
	return e, other
}

// text is the effect as JSON, in an order.
func (e recordedEffect) text(t *testing.T) string {
	t.Helper()
	for _, list := range [][]string{e.Sessions, e.MessagesOf, e.Usage} {
		slices.Sort(list)
	}
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Where our changes of a file of version 26 differ from those of the real software, by call
// and name of the session.
var effectsThatDiffer = map[string]string{
	"delete lease_live_far":                  "that software deletes a session in which another process works; a newer one refuses it",
	"delete lease_chain2":                    "the same, by the lease of the first segment",
	"delete lease_chain1":                    "the same",
	"delete lock_live_far":                   "the same, under a lock",
	"set_session_archived chain_fork_branch": "that software takes the compressed parent of a branch for a segment of it",
	"set_session_pinned chain_fork_branch":   "the same",
	"set_session_pinned hidden":              "a newer one shows a hidden conversation again when it is pinned",
	"set_session_pinned hidden_archived":     "the same",
	"set_session_pinned chain_hidden2":       "the same",
	"set_session_archived no such":           "it answers false, we say that there is none",
	"set_session_title bot_chat":             "by its title Hermes recognizes the hidden chat; a newer one refuses it too",
}

// Each change of one session does to the columns of every table what the real software of
// version 26 did to them, and after the undo of each of them every table is as it was.
func TestChangesHaveTheRecordedEffects(t *testing.T) {
	t.Parallel()
	equal, differ := 0, map[string]bool{}
	for _, topic := range []string{"delete", "flags", "titles"} {
		s := openFixture(t, "v26.db")
		before := readTables(t, s)
		var recorded recordedCalls
		Recorded(t, "v26/"+topic, &recorded)
		for _, item := range recorded.Items {
			input, _ := item.Input.([]any)
			what, refused := strings.TrimSpace(item.Call+" "+item.Name), error(nil)
			undo := func() error { return nil }
			edited := func(e model.Edit, err error) {
				refused, undo = err, func() error { return s.UndoEdit(t.Context(), e) }
			}
			switch item.Call {
			case "":
				what = "delete " + item.Name
				u, err := s.Delete(t.Context(), []string{item.Input.(string)}, model.DeleteOptions{SegmentOnly: true})
				refused, undo = err, func() error { return s.Restore(t.Context(), u, model.RestoreOptions{}) }
			case "set_session_archived":
				edited(s.SetArchived(t.Context(), []string{input[0].(string)}, input[1].(bool)))
			case "set_session_pinned":
				edited(s.SetPinned(t.Context(), []string{input[0].(string)}, input[1].(bool)))
			case "set_session_title":
				title, _ := input[1].(string)
				_, refused = s.SetTitle(t.Context(), input[0].(string), title)
			default: // it changes nothing, or we have no such call
				continue
			}
			got, other := effectOf(before, readTables(t, s))
			same := got.text(t) == item.Effect.text(t) && len(other) == 0 && (refused == nil) == (item.Raises == nil)
			switch {
			case !same && effectsThatDiffer[what] != "":
				differ[what] = true
			case !same:
				t.Errorf("%s %v: %v\n got %s %v\nwant %s", what, item.Input, refused, got.text(t), other, item.Effect.text(t))
			default:
				equal++
			}
			if refused == nil {
				if err := undo(); err != nil {
					t.Errorf("%s: undo: %v", what, err)
				}
			}
			if item.Call == "set_session_title" { // which has no undo
				s = openFixture(t, "v26.db")
			}
		}
		if !reflect.DeepEqual(before, readTables(t, s)) {
			t.Errorf("%s: not all is as before", topic)
		}
	}
	if len(differ) != len(effectsThatDiffer) {
		t.Errorf("differ: %v", differ)
	}
	t.Logf("%d effects are equal, %d named ones differ", equal, len(differ))
}
