package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"hermes-sessions/model"
	"slices"
	"strings"
	"testing"
)

// newestRecordings are the recorded answers to resume, latest and titles, and the files that
// they are about.
var newestRecordings = map[string]string{"v26": "v26.db", "newest-layout/v30": "v30.db", "newest-layout/v31": "v31.db"}

// What a person names is resumed where Hermes resumes it. It differs where Hermes knows no such
// name, because it takes neither another case nor a part of a title, and by "Bot Chat", which the
// class of 26 takes for a series; Hermes of September does not.
func TestNamesResumeWhereHermesResumes(t *testing.T) {
	t.Parallel()
	for recording, file := range newestRecordings {
		s := openFixture(t, file)
		var r struct {
			Items []struct {
				Input, Then string
				CLI         *string
			}
		}
		Recorded(t, recording+"/resume", &r)
		y := newVerdicts(t)
		for _, it := range r.Items {
			tip, err := s.Tip(t.Context(), meant(t, s, it.Input))
			if err != nil {
				t.Fatal(err)
			}
			want, reason := "", ""
			switch {
			case it.CLI == nil || *it.CLI == "":
				reason = "no such name in Hermes"
			case it.Input == "Bot Chat":
				want, reason = *it.CLI, "no series"
			default:
				want = *it.CLI
			}
			y.check(file+" "+it.Input, tip, want, reason)
			if want == "" {
				continue
			}
			then, err := s.ResumeTarget(t.Context(), want)
			if err != nil {
				t.Fatal(err)
			}
			y.check(file+" then "+it.Input, then, it.Then, "")
		}
		if y.equal < 400 || y.differ["no series"] != 1 || y.differ["no such name in Hermes"] > 8 {
			t.Errorf("%s: %d of %d equal, %v", file, y.equal, y.total, y.differ)
		}
	}
}

// Without a name, Hermes continues what was active last in the workspace. Ours leaves out what is
// hidden, archived, or the work of a delegate: one of each is the newest of its workspace here.
func TestLatestIsWhatHermesResumes(t *testing.T) {
	t.Parallel()
	ours := map[string]string{"/home/mira/src/beta": "archived and hidden", "/srv/mira/gamma": "a delegate"}
	for recording, file := range newestRecordings {
		s := openFixture(t, file)
		var r struct {
			Items []struct {
				Input struct {
					Workspace string `json:"workspace_key"`
					Source    string
				}
				Scoped []string
				Latest string
			}
		}
		Recorded(t, recording+"/latest", &r)
		y := newVerdicts(t)
		for _, it := range r.Items {
			got, err := s.Newest(t.Context(), it.Input.Workspace, it.Input.Source)
			if err != nil {
				t.Fatal(err)
			}
			y.check(file+" "+it.Input.Workspace+" "+it.Input.Source, got.ID, it.Latest, ours[it.Input.Workspace])
		}
		if y.equal != 40 || y.differ["archived and hidden"] != 1 || y.differ["a delegate"] != 1 {
			t.Errorf("%s: %d of %d equal, %v", file, y.equal, y.total, y.differ)
		}
	}
}

// The folder of a workspace is compared as it is: neither _ nor % stands for anything, and two
// workspaces of one name are two. A date in the future does not make a session the newest.
func TestLatestOfOddWorkspaces(t *testing.T) {
	t.Parallel()
	in := func(id, folder, root string, active int) string {
		return session(id, "ended_at", "1") + `; UPDATE sessions SET source = 'mine', started_at = 1700000000, cwd = '` + folder +
			`', git_repo_root = nullif('` + root + `', '') WHERE id = '` + id + `'; ` + message(id, 1) +
			`; UPDATE messages SET timestamp = ` + fmt.Sprint(active) + ` WHERE session_id = '` + id + `'`
	}
	s, _ := One(t, "v25.db", `UPDATE sessions SET source = 'cli' WHERE source = 'oneshot'`,
		in("under", "/w/a_b", "", 1700000100), in("like", "/w/axb", "", 1700000200),
		in("percent", "/w/100%", "", 1700000300), in("hundred", "/w/1000", "", 1700000400),
		in("one", "/home/a/site/src", "/home/a/site", 1700000500), in("two", "/home/b/site/src", "/home/b/site", 1700000600),
		in("ahead", "/w/clock", "", 1990000000), in("now", "/w/clock/sub", "", 1700000700),
		in("windows", `C:\work\app`, "", 1700000800), in("slash", "/w/slash/", "/w/slash/", 1700000900),
	)
	for folder, want := range map[string]string{
		"/w/a_b": "under", "/w/axb": "like", "/w/100%": "percent", "/w/1000": "hundred", "/w/10": "slash",
		"/home/a/site": "one", "/home/b/site": "two", "/home/b/site/": "two", "/home/b/site/src": "slash",
		"/w/clock": "now", `C:\work`: "windows", "/w/slash": "slash", "": "slash", "/": "slash", "/w": "now",
	} {
		if got, err := s.Newest(t.Context(), folder, "mine", "oneshot"); err != nil || got.ID != want {
			t.Errorf("%q: %q, want %q (%v)", folder, got.ID, want, err)
		}
	}
	if got, err := s.Newest(t.Context(), "/w/clock", "nothing"); err != nil || got.ID != "" {
		t.Errorf("of no source: %q (%v)", got.ID, err)
	}
}

// The titles of recorded renames: what changes in which row, and the next title of a series.
func TestTitlesAreSetAsHermesSetsThem(t *testing.T) {
	t.Parallel()
	for recording, file := range newestRecordings {
		var r struct {
			Items []struct {
				Call, Name string
				Input      json.RawMessage
				Output     any
				Raises     struct{ Message string }
				Effect     struct {
					Changed map[string]map[string][2]any `json:"sessions_changed"`
				}
			}
		}
		Recorded(t, recording+"/titles", &r)
		y := newVerdicts(t)
		next := openFixture(t, file)
		for _, it := range r.Items {
			switch it.Call {
			case "get_next_title_in_lineage":
				var title string
				if err := json.Unmarshal(it.Input, &title); err != nil {
					t.Fatal(err)
				}
				got, err := next.NextTitle(t.Context(), title)
				if err != nil {
					t.Fatal(err)
				}
				y.check(file+" next "+title, got, it.Output, "")
			case "set_session_title":
				var in [2]*string
				if err := json.Unmarshal(it.Input, &in); err != nil {
					t.Fatal(err)
				}
				title, reason := "", ""
				if in[1] != nil {
					title = *in[1]
				}
				if it.Name == "bot_chat" {
					reason = "the hidden chat keeps its title" // Hermes of September refuses too
				}
				s, db := One(t, file)
				before := titlesIn(t, db)
				_, err := s.SetTitle(t.Context(), *in[0], title)
				message := ""
				if err != nil {
					message = err.Error()
				}
				if it.Raises.Message != "" && !strings.Contains(message, it.Raises.Message) {
					t.Errorf("%s: %s %q: %v, want %s", file, it.Name, title, err, it.Raises.Message)
				}
				got := map[string]map[string][2]any{}
				for id, after := range titlesIn(t, db) {
					for column, value := range after {
						if was := before[id][column]; was != value {
							if got[id] == nil {
								got[id] = map[string][2]any{}
							}
							got[id][column] = [2]any{was, value}
						}
					}
				}
				want := it.Effect.Changed
				if want == nil {
					want = map[string]map[string][2]any{}
				}
				y.check(file+" "+it.Name+" "+title, got, plain(t, want), reason)
			}
		}
		if y.equal != y.total-1 {
			t.Errorf("%s: %d of %d equal, %v", file, y.equal, y.total, y.differ)
		}
	}
}

// titlesIn returns the titles and their origins in a file.
func titlesIn(t testing.TB, db *sql.DB) map[string]map[string]any {
	t.Helper()
	rows, err := db.Query(`SELECT id, title, title_source FROM sessions`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]map[string]any{}
	for rows.Next() {
		var id string
		var title, source sql.NullString
		if err := rows.Scan(&id, &title, &source); err != nil {
			t.Fatal(err)
		}
		all[id] = map[string]any{"title": nil, "title_source": nil}
		if title.Valid {
			all[id]["title"] = title.String
		}
		if source.Valid {
			all[id]["title_source"] = source.String
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A title that an earlier segment has moves to the one renamed; its origin stays where it was.
func TestATitleMovesWithoutItsOrigin(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"v26.db", "v31.db"} {
		s, db := One(t, file,
			session("one", "ended_at", "1700000100", "end_reason", "'compression'", "title", "'moving'", "title_source", "'llm'"), message("one", 1),
			session("two", "parent_session_id", "'one'"), `UPDATE sessions SET started_at = 1700000100 WHERE id = 'two'`, message("two", 1))
		if _, err := s.Rename(t.Context(), model.Renaming{ID: "two", Title: "moving"}); err != nil {
			t.Fatal(file, err)
		}
		got := titlesIn(t, db)
		if fmt.Sprint(got["one"], got["two"]) != "map[title:<nil> title_source:llm] map[title:moving title_source:user]" {
			t.Errorf("%s: %v %v", file, got["one"], got["two"])
		}
	}
}

// The documented list equals the recorded one for all options that it has: which sessions, under
// which title, with which counts and times. Sessions that began at one moment come in any order there,
// and previews have tests of their own.
func TestListsEqualTheRecordedOnes(t *testing.T) {
	t.Parallel()
	for recording, file := range newestRecordings {
		s := openFixture(t, file)
		var r struct {
			Items []struct {
				Input  json.RawMessage
				Output []any
			}
		}
		Recorded(t, recording+"/list", &r)
		y := newVerdicts(t)
		for _, it := range r.Items {
			text := string(it.Input)
			if strings.Contains(text, "archived") || strings.Contains(text, "hidden") || strings.Contains(text, "cwd_prefix") {
				continue // options that came after the document
			}
			o, _ := options(t, it.Input)
			listed, err := s.Sessions(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			var got []any
			for _, row := range listed {
				var values []any
				for _, column := range []string{"id", "_lineage_root_id", "title", "last_active", "source", "message_count"} {
					values = append(values, row.Get(column))
				}
				got = append(got, values)
			}
			var want []any
			for _, row := range it.Output {
				row := row.([]any)
				want = append(want, slices.Delete(row[:7], 3, 4)) // without the preview, and the last, unread
			}
			for _, rows := range [][]any{got, want} {
				slices.SortFunc(rows, func(a, b any) int {
					return strings.Compare(a.([]any)[0].(string), b.([]any)[0].(string))
				})
			}
			y.checkRows(file+" "+text, got, Numbers(want))
		}
		if y.equal < 500 {
			t.Errorf("%s: %d of %d equal", file, y.equal, y.total)
		}
	}
}
