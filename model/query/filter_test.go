package query

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
)

func TestFiltersAreTakenOutOfTheText(t *testing.T) {
	for _, c := range []struct{ text, words, filters string }{
		{"source:telegram kafka", "kafka", "source:telegram"},
		{"kafka source:telegram retry", "kafka retry", "source:telegram"},
		{"-source:cron", "", "-source:cron"},
		{"NOT source:cron kafka", "kafka", "-source:cron"},
		{"kafka NOT source:cron", "kafka", "-source:cron"},
		{"kafka NOT -source:cron", "kafka", "source:cron"},
		{"kafka AND source:cron", "kafka", "source:cron"},
		{"a OR b source:cli", "a OR b", "source:cli"},
		{"source:cli source:cli", "", "source:cli"},
		{"source:tele*", "", "source:tele*"},
		{"file:ui/list/*.go x", "x", `file:ui/list/*.go`},
		{`file:"my notes.md"`, "", `file:"my notes.md"`},
		{"file:ui/*", "", `file:"ui/*"`},
		{"file:.", "file:.", ""},
		{`title:"docker build" x`, "x", `title:"docker build"`},
		{`title:"docker build`, "", `title:"docker build"`},
		{`title:"docker bui"*`, "", `title:"docker bui"*`},
		{`cwd:"~/my project"`, "", `cwd:"~/my project"`},
		{`cwd:C:\work`, "", `cwd:C:\work`},
		{"after:2026-05 before:2026-06", "", "after:2026-05 before:2026-06"},
		{"started:2026-05-04..2026-05-10 started:2026-05..", "", "started:2026-05-04..2026-05-10 started:2026-05.."},
		{"msgs:>100 tokens:>100k cost:>$1", "", "msgs:>100 tokens:>100k cost:>$1"},
		{"msgs:10..50 tokens:..2m cost:0.5..", "", "msgs:10..50 tokens:..2m cost:0.5.."},
		{"is:pinned -has:tool", "", "is:pinned -has:tool"},
		// Taken at its word: text.
		{"foo:bar", "foo:bar", ""},
		{"http://example.com/x", "http://example.com/x", ""},
		{"Source:cli", "Source:cli", ""},
		{"x-source:cli", "x-source:cli", ""},
		{"(source:cli)", `"source:cli"`, ""},
		{`"source:cli"`, `"source:cli"`, ""},
		{"title: foo", "title foo", ""},
		{"source:", "source", ""},
		{`source:" "`, "source", ""},
		{"after:party", "after:party", ""},
		{"started:..", "started:..", ""},
		{"started:2026-05..x", "started:2026-05..x", ""},
		{"after:2026-13", "after:2026-13", ""},
		{"after:2026-02-30", "after:2026-02-30", ""},
		{"msgs:many", "msgs:many", ""},
		{"msgs:0x10", "msgs:0x10", ""},
		{"cost:>>1", "cost:>>1", ""},
		{"is:it", "is:it", ""},
		{"12:30", "12:30", ""},
	} {
		q := Parse(c.text, false)
		words, filters := Query{Groups: q.Groups}, Query{Filters: q.Filters}
		wantWords := Parse(c.words, false)
		if len(wantWords.Filters) > 0 || !sameGroups(words.Groups, wantWords.Groups) || filters.String() != c.filters {
			t.Errorf("%q: words %q, filters %q; want %q, %q", c.text, words, filters, c.words, c.filters)
		}
	}
}

func TestAnIncompleteFilterUsesItsValidPart(t *testing.T) {
	for _, c := range [][2]string{
		{"kafka source:", "kafka"},
		{"kafka source:tele", "kafka source:tele*"},
		{"kafka source:tele ", "kafka source:tele"},
		{"kafka -source:c", "kafka -source:c*"},
		{`kafka title:"doc`, `kafka title:doc*`},
		{`kafka title:"`, "kafka"},
		{"kafka file:g", "kafka"},
		{"kafka file:go", "kafka file:go*"},
		{"kafka file:go*", `kafka file:"go*"`},
		{"kafka file:go ", "kafka file:go"},
		{"kafka after:", "kafka"},
		{"kafka after:2", "kafka"},
		{"kafka after:202", "kafka"},
		{"kafka after:2026", "kafka after:2026"},
		{"kafka after:2026-", "kafka after:2026"},
		{"kafka after:2026-0", "kafka after:2026"},
		{"kafka after:2026-05-", "kafka after:2026-05"},
		{"kafka after:2026-05-3", "kafka after:2026-05"},
		{"kafka after:tod", "kafka"},
		{"kafka after:3m", "kafka"},
		{"kafka msgs:>", "kafka"},
		{"kafka msgs:>1", "kafka msgs:>1"},
		{"kafka msgs:10.", "kafka msgs:10."},
		{"kafka msgs:10..", "kafka msgs:10.."},
		{"kafka cost:unk", "kafka"},
		{"kafka is:pin", "kafka"},
		{"kafka is:pinned", "kafka is:pinned"},
		{"kafka is:pinne ", `kafka "is:pinne"`},
	} {
		if got := Parse(c[0], true).String(); got != c[1] {
			t.Errorf("typing %q understood as %q, want %q", c[0], got, c[1])
		}
	}
}

func TestTokensHaveTheirPositions(t *testing.T) {
	text := "kafka -xyz \"a b\" OR y source:cli -is:pinned … foo:bar tokens:"
	var got []string
	for _, p := range Parse(text, true).Tokens {
		s := text[p.Start:p.End] + "=" + [...]string{"word", "phrase", "without", "operator", "filter", "begun", "noise"}[p.Kind]
		if p.Field != "" {
			s += "(" + string(p.Field) + " " + text[p.ValueStart:p.End] + ")"
		}
		if p.Hint != "" {
			s += "!"
		}
		got = append(got, s)
	}
	want := []string{
		"kafka=word", "-xyz=without", `"a b"=phrase`, "OR=operator", "y=word", "source:cli=filter(source cli)",
		"-is:pinned=filter(is pinned)", "…=noise", "foo:bar=word!", "tokens:=begun(tokens )!",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tokens\n%q, want\n%q", got, want)
	}
}

func TestHintsNameWhatIsSearchedAsText(t *testing.T) {
	for text, want := range map[string]string{
		"foo:bar":                         "foo: is not a filter; searched as text",
		"title: x":                        "right after the colon",
		"is:it x":                         "is: needs one of pinned",
		"after:soon x":                    "needs a day",
		"-foo source:cli":                 "",
		"git commit -m":                   "-m is searched as text, as in a command; NOT m excludes it",
		"rm -rf x":                        "NOT rf excludes it",
		"git -ldflags -s -w":              "-ldflags is searched as text",
		"pytest suite -slow":              `-slow excludes slow; "-slow" in quotes searches for it`,
		"go test -race":                   "-race is searched as text, as in a command; NOT race excludes it",
		"-do":                             `-do excludes do; "-do" in quotes searches for it`,
		"docker -compose":                 "",
		"error: -compose":                 "",
		"ld: library not found for -lssl": "-lssl is searched as text, as in an error message; NOT lssl excludes it",
		"go: -race requires cgo; enable cgo by setting CGO_ENABLED=1": "-race is searched as text",
		`"ld:" library not found for it -lssl`:                        "-lssl excludes lssl",
		"why does the linker not find -lssl":                          "-lssl excludes lssl",
		"go test NOT race":                                            "",
		"a OR source:cli b":                                           "OR joins words only",
		"http://example.com":                                          "",
		"note: it is late":                                            "",
		"C:\\path":                                                    "",
		"docker source:cli":                                           "",
	} {
		if got := strings.Join(Parse(text, false).Hints(), "|"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: hint %q, want %q", text, got, want)
		}
	}
}

func TestDatesUseTheTimeZoneOfTheClock(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	now := time.Date(2026, 5, 31, 14, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"today": "2026-05-31 00:00", "yesterday": "2026-05-30 00:00",
		"7d": "2026-05-24 00:00", "2w": "2026-05-17 00:00", "3mo": "2026-02-28 00:00", "1y": "2025-05-31 00:00", "12h": "2026-05-31 02:30",
		"2026": "2026-01-01 00:00", "2026-05": "2026-05-01 00:00", "2026-05-03": "2026-05-03 00:00", "2026-05-03T08:15": "2026-05-03 08:15",
	} {
		d, ok := parseDate(text)
		if got := d.startTime(now); !ok || got.Format("2006-01-02 15:04") != want || got.Location() != zone {
			t.Errorf("%s is %v (%v), want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "d", "2026-5-3", "-7d", "99999999999999999999d", "0000", "2026-05-03T", "tomorrow"} {
		if d, ok := parseDate(text); ok {
			t.Errorf("%q is a day: %v", text, d)
		}
	}
}

// Where the clock goes from 24:00 to 1:00, a day begins at 1:00.
func TestSpansOfDaysWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2025, 9, 7, 14, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"2025-09-06": "09-06 00:00 to 09-07 01:00", "2025-09-07": "09-07 01:00 to 09-08 00:00",
		"yesterday": "09-06 00:00 to 09-07 01:00", "today": "09-07 01:00 to 09-08 00:00",
		"2025-09-06..2025-09-07": "09-06 00:00 to 09-08 00:00", "2025-09": "09-01 00:00 to 10-01 00:00",
	} {
		from, to, _ := Span(text, now)
		if got := from.Format("01-02 15:04") + " to " + to.Format("01-02 15:04"); got != want {
			t.Errorf("started:%s is %s, want %s", text, got, want)
		}
	}
}

func TestFiltersSelectConversations(t *testing.T) {
	now := time.Date(2026, 5, 31, 14, 30, 0, 0, time.UTC)
	c := model.Conversation{
		Session: model.Session{
			ID: "20260530_tip", Source: "telegram", Model: "nousresearch/hermes-4-Large", Title: "Café kafka retries", CWD: "/home/ana/Work/app",
			GitBranch: "feature/Retry", Profile: "work", Pinned: true, EndReason: "model_error", EndedAt: now.Add(-20 * time.Hour),
		},
		Segments: []string{"20260101_root", "20260530_tip"}, Messages: 50, Calls: 3, Branches: 1, Scope: model.ScopeConversations,
		LastActive: now.Add(-20 * time.Hour),
		Starts:     []time.Time{{}, time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), time.Date(2026, 5, 30, 0, 0, 0, 0, time.UTC)},
		Total:      model.Usage{Input: 90_000, Output: 20_000, Cost: model.Cost{USD: 1.5, Known: true}},
	}
	said := func(id string, f Filter) bool {
		if f.Field == FieldFailed || f.Field == FieldFile {
			return id == "20260101_root" && (f.Value == "terminal" || f.Value == "go.mod")
		}
		return id == "20260101_root" && f.OnMessages() && MessagePasses([]Filter{f}, "tool", []string{"terminal"})
	}
	passes := func(c *model.Conversation, text string) bool {
		filters := Resolve(Parse(text, false).Filters, func(f Filter) *Known {
			if f.Value == "later" {
				return NewKnown(map[string]int64{c.RootID: 0})
			}
			return nil
		})
		return Predicate(filters, now, func(Filter) bool { return false }, said)(c)
	}
	hold := []string{
		"source:telegram", "source:TELEGRAM", "source:tele*", "-source:cli", "source:cli source:telegram",
		"model:large", "model:hermes", "title:kafka", "title:cafe", `title:"kafka retries"`, "title:retr*", "id:202605", "id:20260101", "ID:x id:2026",
		"role:tool", "tool:terminal", "tool:term*", "-tool:browser", "tool:browser tool:terminal", "failed:terminal", "-failed:patch", "file:go.mod", "-file:x",
		"cwd:/home/ana", "cwd:/home/ana/work/app/", "cwd:~/work", "cwd:~", "cwd:app", "-cwd:/home/an", "branch:retry", "profile:work", "tag:later",
		"after:yesterday", "before:today", "-after:today", "after:2026-05-30", "after:2026", "before:2026-05-31",
		"started:2026-01-01 started:2026-05-30", "started:yesterday", "started:1d", "started:2025-12-31..2026-01-01", "started:..2026-01", "-started:2026-02..2026-04",
		"msgs:50", "msgs:>49", "msgs:>=50", "msgs:<51", "msgs:=50", "msgs:10..50", "tokens:>100k", "tokens:<1m", "tokens:0.1m",
		"cost:>1", "cost:1..2", "-cost:unknown", "is:pinned", "is:error", "-is:live", "-is:empty", "-is:untitled", "-is:branch", "-is:sub", "-is:archived",
		"has:tool", "has:branch", "-has:sub", "-has:reasoning", "",
	}
	for _, text := range hold {
		if !passes(&c, text) {
			t.Errorf("%s is said not to hold", text)
		}
	}
	fail := []string{
		"source:tele", "-source:telegram", "source:cli", "source:cli -source:telegram", "model:gpt", "title:retr", "title:x title:kafka", "id:2027",
		"role:user", "tool:term", "-tool:terminal", "failed:patch", "-failed:terminal", "file:x", "file:go.mod file:x", "cwd:/home/an", "cwd:~/app", "branch:main", "profile:home", "tag:now", "-tag:later", "after:today", "before:yesterday",
		"started:today", "started:2026-01-02..2026-05-29", "started:..2025", "started:2026-06..", "started:2026-05-30T00:01",
		"msgs:51", "msgs:>50", "msgs:<50", "msgs:=5", "msgs:..49", "tokens:>110k", "cost:>2", "cost:unknown", "-is:pinned", "is:live", "has:sub", "has:reasoning",
		"is:pinned is:live", "after:yesterday before:2026-05-30",
	}
	for _, text := range fail {
		if passes(&c, text) {
			t.Errorf("%s is said to hold", text)
		}
	}
	for _, field := range fieldsWithout(hold) {
		t.Errorf("no example of %s: holds: add one, for its row in fieldRows", field)
	}
	for _, field := range fieldsWithout(fail) {
		t.Errorf("no example of %s: fails: add one, for its row in fieldRows", field)
	}
	c.Total.Cost = model.Cost{USD: 0.5, Known: true, Partial: true}
	if passes(&c, "cost:<1") || !passes(&c, "cost:>0.4") {
		t.Error("a cost known in part counts as known")
	}
	c.Total.Cost = model.Cost{}
	if passes(&c, "cost:<1") || passes(&c, "cost:0") || !passes(&c, "cost:unknown") {
		t.Error("an unknown cost counts as free")
	}
	lacking := Predicate(Parse("is:pinned", false).Filters, now, func(f Filter) bool { return f.Field == FieldIs }, nil)
	if lacking(&c) {
		t.Error("a filter holds that the database cannot answer")
	}
	if without := Predicate(Parse("-is:pinned", false).Filters, now, func(Filter) bool { return true }, nil); !without(&c) {
		t.Error("nothing is pinned, and not being pinned does not hold")
	}
}

// fieldsWithout returns the fields of which no query has a filter.
func fieldsWithout(queries []string) (missing []Field) {
	for _, info := range Fields() {
		if !slices.ContainsFunc(queries, func(text string) bool {
			return slices.ContainsFunc(Parse(text, false).Filters, func(f Filter) bool { return f.Field == info.Field })
		}) {
			missing = append(missing, info.Field)
		}
	}
	return missing
}

func TestFilterDescriptions(t *testing.T) {
	now := time.Date(2026, 5, 31, 14, 30, 0, 0, time.UTC)
	descriptions := map[string]string{
		"model:opus": "model opus", "title:kafka": "titled “kafka”", "id:2026": "ID 2026…", "tool:term*": "tool term…", "failed:terminal": "with failed calls of terminal", "-failed:patch": "without failed calls of patch", "file:ui/*.go": "file ui/*.go", "branch:main": "git branch …main…", "profile:work": "profile work", "tag:later": "tagged later",

		"source:tele*": "source tele…", "-source:cli": "not source cli", "after:2w": "active since 2026-05-17", "-after:2w": "not active since 2026-05-17",
		"started:2026-05-03": "started 2026-05-03", "started:2026-05-04..2026-05-10": "started 2026-05-04 to 2026-05-10", "started:2026-05": "started 2026-05-01 to 2026-05-31",
		"started:7d": "started since 2026-05-24", "-started:..2026-04": "not started before 2026-05-01", "started:today": "started 2026-05-31", "started:2026-05-03T14:30": "started 2026-05-03 14:30",
		"before:today": "not active since 2026-05-31", "-before:today": "active since 2026-05-31", "after:12h": "active since 2026-05-31 02:30",
		"msgs:>100": "over 100 messages", "msgs:7": "at least 7 messages", "tokens:<2m": "under 2m tokens", "cost:1..5": "$1 to $5", "cost:>$1": "over $1",
		"is:pinned": "pinned", "-is:live": "not running now", "has:tool": "with tool calls", "-has:sub": "without subagents", "cwd:~/x": "in ~/x", "role:assistant": "said by hermes", "role:user": "said by you", "msgs:=1": "exactly 1 message", "msgs:>1": "over 1 message",
	}
	for _, field := range fieldsWithout(slices.Collect(maps.Keys(descriptions))) {
		t.Errorf("no example of %s: add one, for its row in fieldRows", field)
	}
	for text, want := range descriptions {
		q := Parse(text, false)
		if len(q.Filters) != 1 {
			t.Fatalf("%s: %d filters", text, len(q.Filters))
		}
		if got := q.Filters[0].Describe(now); got != want {
			t.Errorf("%s means %q, want %q", text, got, want)
		}
	}
}

// Every filter word that is taught can be typed with the values that are
// taught.
func TestDocumentedFiltersAreParsed(t *testing.T) {
	for _, w := range Fields() {
		values := w.Values
		if len(values) == 0 {
			values = []string{"x"}
		}
		for _, v := range values {
			text := string(w.Field) + ":" + v
			if q := Parse(text, false); len(q.Filters) != 1 || q.String() != text || len(q.Hints()) > 0 {
				t.Errorf("%s is understood as %q", text, q)
			}
		}
	}
}

func TestAFilterShowsTheScopeItNames(t *testing.T) {
	for text, want := range map[string]model.Scope{"is:archived": model.ScopeArchived, "is:sub": model.ScopeSubagents, "source:cron": model.ScopeAutomation, "is:empty": model.ScopeAll, "id:2026": model.ScopeArchived} {
		if q := (ListOptions{Filters: Parse(text, false).Filters}); !q.ShowsScope(want) {
			t.Errorf("%s does not show scope %d", text, want)
		}
		if q := (ListOptions{Filters: Parse("-"+text, false).Filters}); q.ShowsScope(want) {
			t.Errorf("-%s shows scope %d", text, want)
		}
	}
}
