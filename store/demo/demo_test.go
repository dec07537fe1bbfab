package demo

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func scriptOf(text string) fs.FS { return fstest.MapFS{"a.txt": {Data: []byte(text)}} }

// TestHistoryEndsNow builds the real scripts at awkward times of day.
func TestHistoryEndsNow(t *testing.T) {
	east, west := time.FixedZone("east", 14*3600), time.FixedZone("west", -11*3600)
	for _, now := range []time.Time{
		time.Date(2026, 6, 18, 16, 30, 0, 0, time.UTC),
		time.Date(2026, 1, 1, 0, 0, 1, 0, east),
		time.Date(2024, 2, 29, 23, 59, 59, 999, west),
	} {
		sessions, messages, err := History(now)
		if err != nil {
			t.Fatal(err)
		}
		ids, titles := map[string]bool{}, map[string]bool{}
		for _, s := range sessions {
			if ids[s.ID] {
				t.Errorf("two sessions are called %s", s.ID)
			}
			ids[s.ID] = true
			if s.Title != nil {
				if titles[*s.Title] {
					t.Errorf("two sessions are titled %q", *s.Title)
				}
				titles[*s.Title] = true
			}
			if s.Parent != nil && !ids[*s.Parent] {
				t.Errorf("%s begins before its parent", s.ID)
			}
			if s.Ended != nil && *s.Ended < s.Started {
				t.Errorf("%s ends before it begins", s.ID)
			}
		}
		last := messages[len(messages)-1]
		if ago := float64(now.UnixMilli())/1000 - last.At; ago < 0 || ago > 60 {
			t.Errorf("at %s the last message is %g s old", now, ago)
		}
		answered := map[string]bool{}
		for _, m := range messages {
			if m.At < m.Session.Started {
				t.Errorf("a message of %s comes before it", m.Session.ID)
			}
			if m.CallID != nil {
				answered[*m.CallID] = true
			}
		}
		for _, m := range messages {
			for _, c := range m.calls {
				if m.Session.Ended != nil && !answered[c.ID] {
					t.Errorf("%s ended without a result of %s", m.Session.ID, c.Name)
				}
			}
		}
	}
}

// The ids are the same at all times of a day, so that a list and a command that names an id of it go
// together, and as many as before on the next.
func TestIDsAreThoseOfTheDay(t *testing.T) {
	ids := func(now time.Time) (all []string) {
		sessions, _, err := History(now)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions {
			all = append(all, s.ID)
		}
		slices.Sort(all)
		return all
	}
	day := time.Date(2026, 6, 18, 0, 0, 0, 0, time.FixedZone("east", 5*3600))
	noon := ids(day.Add(12 * time.Hour))
	for _, at := range []time.Duration{0, 3*time.Hour + 1234567*time.Nanosecond, 24*time.Hour - time.Nanosecond} {
		if got := ids(day.Add(at)); !slices.Equal(got, noon) {
			t.Errorf("other ids at %s", at)
		}
	}
	if slices.Equal(ids(day.Add(36*time.Hour)), noon) {
		t.Error("the ids of the next day are the same")
	}
}

func TestEveryDirectiveOfAScript(t *testing.T) {
	now := time.Date(2026, 6, 18, 12, 0, 0, 0, time.UTC)
	sessions, messages, err := history(scriptOf(`:: Title
source: tui
at: 1h ago

::user
a ⟨1B⟩ and ⟨xFF⟩ but ⟨this⟩

::think
hm

::call one {"x": "…"}
"body"
::call two {}
::result
first
::output 2
second
::repeat 2
::agent
{n} {pick: a | b}
::end

::compressed
what happened
`), now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range messages {
		text := "-"
		if m.Content != nil {
			text = *m.Content
		}
		got = append(got, m.Role+" "+text)
	}
	want := []string{
		"user a \x1b and \xff but ⟨this⟩", "assistant -", "tool first", `tool {"output": "second", "exit_code": 2, "error": null}`,
		"assistant 1 a", "assistant 2 b", "user what happened",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	call := messages[1]
	if len(call.calls) != 2 || call.calls[0].Arguments != `{"x": "\"body\""}` || *call.Reasoning != "hm" || *messages[2].Tool != "one" {
		t.Errorf("the calls are %+v", call.calls)
	}
	if len(sessions) != 2 || *sessions[0].EndReason != "compression" || *sessions[1].Title != "Title #2" || *sessions[1].Parent != sessions[0].ID {
		t.Errorf("the sessions are %+v", sessions)
	}
	if end := messages[6].At; end != float64(now.Add(-time.Hour).Unix()) {
		t.Errorf("it ends at %f", end)
	}
}

func TestScriptErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"hello":                                   "a.txt:1",
		":: T\nat: 1h ago\nnonsense":              "a.txt:3",
		":: T\nat: soon":                          "a.txt:1",
		":: T\nat: 1h ago\n\n::user\nx\n::shout":  "a.txt:6",
		":: T\nat: 1h ago\n\n::result\nx":         "a.txt:4",
		":: T\nat: 1h ago\n\n::call t {\n":        "a.txt:4",
		":: T\nat: 1h ago\n\n::delegate\n::user":  "a.txt:4",
		":: T\nat: 1h ago\n\n::think loudly\nx":   "a.txt:4",
		":: T\nat: 1h ago\n\n::pause for a while": "a.txt:4",
		":: T\nat: 1h ago\n\n::repeat often\n":    "a.txt:4",
		":: T\nat: 1h ago\n\n::pause 2h\nwords":   "a.txt:4",
		":: T\nin: /home\nflag: pinned\nwhere: /": "a.txt:4",
		":: T\nat: 1h ago\n\n::end":               "a.txt:4",
	} {
		if _, _, err := history(scriptOf(text), time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a word about %s", text, err, want)
		}
	}
}

func TestLastWord(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for at, want := range map[string]string{
		"20s ago":          "2026-03-01 08:59:40",
		"2h ago":           "2026-03-01 07:00:00",
		"yesterday 18:40":  "2026-02-28 18:40:00",
		"9 days ago 08:15": "2026-02-20 08:15:00",
	} {
		if got, err := lastMessageTime(at, now); err != nil || got.Format(time.DateTime) != want {
			t.Errorf("%s: %s, %v, want %s", at, got, err, want)
		}
	}
	for _, at := range []string{"", "tomorrow", "9 days", "yesterday 25:00", "x days ago 10:00"} {
		if got, err := lastMessageTime(at, now); err == nil {
			t.Errorf("%q is understood as %s", at, got)
		}
	}
}
