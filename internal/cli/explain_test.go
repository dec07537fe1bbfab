package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExplainTellsHowAQueryIsUnderstoodAndAnswered(t *testing.T) {
	dir := home(t)
	code, out, errs := run(t, dir, "", "search", "--explain", "three OR nine -four source:cli after:1d foo:bar")
	if code != 1 { // the fixture is from 1970
		t.Error(code, errs)
	}
	for _, want := range []string{
		"query   three OR nine foo:bar -four source:cli after:1d\n", "words   three\n", "or      nine and foo:bar without four\n",
		"filter  source:cli (source cli)\n", "filter  after:1d (active since 2026-09-", "hint    foo: is not a filter", "index   the pages of messages_fts\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, group := range []string{"conversation", "message"} {
		code, out, errs = run(t, dir, "", "--json", "search", "--explain", "--group", group, "three is:untitled")
		var answer struct {
			Total   int
			Explain struct {
				Query   string
				Groups  []struct{ All, None []string }
				Filters []struct{ Filter, Meaning string }
				Hints   []string
				Route   []string
			}
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 1 {
			t.Fatal(code, err, out, errs)
		}
		e := answer.Explain
		if e.Query != "three is:untitled" || len(e.Groups) != 1 || e.Groups[0].All[0] != "three" || e.Groups[0].None == nil || e.Filters[0].Meaning != "untitled" || e.Hints == nil || len(e.Route) == 0 {
			t.Errorf("%s: %+v", group, e)
		}
	}
	if _, out, _ = run(t, dir, "", "--json", "search", "three"); strings.Contains(out, "explain") {
		t.Errorf("explained without being asked: %s", out)
	}
}

func TestCommandsTakeFilters(t *testing.T) {
	dir := home(t)
	for _, c := range []struct {
		args []string
		code int
		ids  string // of the answer, in order
	}{
		{[]string{"list", "source:telegram"}, 0, "other"},
		{[]string{"list", "-source:telegram", "two"}, 0, "second"},
		{[]string{"list", "is:live"}, 1, ""},
		{[]string{"list", "id:first"}, 0, "second"},
		{[]string{"search", "source:telegram"}, 0, "other"},
		{[]string{"search", "title:open"}, 0, "open"},
		{[]string{"search", "three", "source:telegram"}, 1, ""},
		{[]string{"search", "three", "source:cli"}, 0, "open"},
		{[]string{"browse", "source:telegram"}, 0, "other"},
	} {
		args := []string{"--json", c.args[0], "--"}
		code, out, errs := run(t, dir, "", append(args, c.args[1:]...)...)
		var answer struct{ Sessions, Conversations []struct{ ID string } }
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatal(c.args, err, out, errs)
		}
		var ids []string
		for _, s := range append(answer.Sessions, answer.Conversations...) {
			ids = append(ids, s.ID)
		}
		if code != c.code || strings.Join(ids, " ") != c.ids {
			t.Errorf("%q: code %d and %q, want %d and %q (%s)", c.args, code, ids, c.code, c.ids, errs)
		}
	}
	if code, _, errs := run(t, dir, "", "search", "--group", "message", "source:cli"); code != 2 || !strings.Contains(errs, "add words") {
		t.Error(code, errs)
	}
	if _, out, _ := run(t, dir, "", "search", "--json", "--group", "message", "two", "role:user"); !strings.Contains(out, `"total": 1`) {
		t.Error(out)
	}
	// What a database does not keep is said, not shown as an empty answer.
	if code, _, errs := run(t, dir, "", "list", "is:pinned"); code != 1 || !strings.Contains(errs, "does not keep pins") {
		t.Error(code, errs)
	}
	if code, _, errs := run(t, dir, "", "search", "--group", "message", "two is:pinned"); code != 1 || !strings.Contains(errs, "does not keep pins") {
		t.Error(code, errs)
	}
	// A filter that is read as text is said, to scripts too.
	for _, line := range []string{"list", "list --json", "search --json", "search --group message", "search --json --group message"} {
		if _, _, errs := run(t, dir, "", append(strings.Fields(line), "two after:2026-02-30")...); !strings.Contains(errs, "after:2026-02-30 is searched as text") {
			t.Errorf("%s: %q", line, errs)
		}
	}
	// Without a screen, the browser's list takes the same language.
	if code, out, _ := run(t, dir, "", "browse", "source:telegram"); code != 0 || !strings.Contains(out, "other") || strings.Contains(out, "the chain") {
		t.Error(code, out)
	}
}
