package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// escapedTexts are texts with JSON escapes, adjacent or with other characters between
// them, and texts that only look escaped. {0} to {4} are the escapes of 数据库, or
// others, with one backslash each.
var escapedTexts = []string{
	`{0}{1}`, `{0}{1}{2}`, `say {0}{1}{2} here`, `{1}{0}`, `{0}`, `{0}\{1}`, `\\{0}\\{1}\\{2}`, `\\\{0}{1}\\\\\\\{2}`,
	`{0} {1}`, `{0}-{1}`, `{0}", "{1}`, `{0}\n{1}`, `{0}\\n{1}`, `{0}x{1}`, `{0}xy {1}`, `{0} xy{1}`, `{0} xy {1}`, `{0}{1} {2}`, `{0} {1}{2}`, `{0}{1}xy`, `{0} {1} {0}{1}`, `{1} {0}{1} {2}`,
	"{0}\x00{1}", "{0}\\\x00{1}", "{0}\x00\\{1}", "\x00json:[\"{0}{1}\"]", "\x00json:[\"{0} {1}\"]", "{0}\n{1}", "{0}\u00a0{1}", `{0}，{1}`, `{0}部{1}`, `部{0}{1}`, `{0}é{1}`, "{0}\u0301{1}", "{0}\u3099{1}", "{0}😀{1}", "{0}\ufffd{1}", "{0}\xff{1}",
	`{U0}{1}`, `{0}{U1}`, `{u0}{u1}`, `{u0}\{u1}`, `{u0} {1}`, `{0}{u1}`, `{0} {u1}`, `x{u0}{1}`, `x {u0}{1}`, `部{u0}{1}`, `、{u0}{1}`, `{0}\u{1}`, `\u{0}{1}`, `\u6{0}{1}`, `{0}\u00{1}`, `{0}\\u{1}`, `{0}\u12\u{1}`,
	`\ud840{0}{1}`, `{0}\ud840{1}`, `{0}{1}\ud840`, `\ud840\ud840\udc00{0}{1}`, `\ud840\udc00{0}`, `\ud840 \udc00{0}`, `\\ud840\\udc00\\{0}`, `\ud840\udc00 {0}`, `\ud840x\udc00`, `{0}\ud840\udc00`, `{0}\udc00\ud840`, `{0} \ud840\udc00`,
	`\ú6570{1}`, "\\u\u030165{1}", `\u65７0{1}`, "\\u65\x0070{1}", "\\\xe0\x83\xb96570{1}", `\ù6570 \ù636e`, "\\u657\u03010{1}", "\\u6570\u0301 {1}", `{0}{1} café`, `café {0} {1}`,
	strings.Repeat(`{0} \u90e8-{1} {2}, `, 3), strings.Repeat(`{0}{1}, `, 40),
}

// escapedMessages returns escapedTexts with the escapes of 数据库.
func escapedMessages() (all []string) {
	units := []string{"6570", "636e", "5e93"}
	for _, s := range escapedTexts {
		for i, u := range units {
			s = strings.ReplaceAll(s, fmt.Sprintf("{%d}", i), `\u`+u)
			s = strings.ReplaceAll(s, fmt.Sprintf("{u%d}", i), `u`+u)
			s = strings.ReplaceAll(s, fmt.Sprintf("{U%d}", i), `\U`+u)
		}
		all = append(all, s)
	}
	many := ""
	for i := range 100 { // too many pairs to remember
		many += fmt.Sprintf(`\u%04x \u%04x, `, 0x4e00+i, 0x4f00+3*i)
	}
	return append(all, strings.ReplaceAll(all[0], "636e", "636E"), strings.ToUpper(all[0]), many+all[0], many+`\u6570 \u636e`)
}

// escapedQueries are the queries for escapedTexts. None contains part of an escape,
// which JSON does not write.
var escapedQueries = []string{"数据", "据数", "数据库", "据库", "数", "𠀀", "𠀀数", "数𠀀", "一伀", `"数 据"`, `"数据 库"`, "数x据", "数据 -数据库", "库数"}

// Escaped text matches only where its escapes are adjacent. The indexes of every layout
// and reading every message give the same answer: when the messages are read for the
// first time, when their gaps are cached, and after Prepare has read them.
func TestAdjacentEscapesMatchOnlyWhenAdjacentInTheText(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v10.db", "v11.db", "v16.db", "v22.db", "v25.db", "v28.db", "v31.db"} {
		if !campaign.On() && !slices.Contains([]string{"v01.db", "v11.db", "v31.db"}, name) {
			continue
		}
		path := fixtures.Database(t, name)
		db := otherConnection(t, path)
		id := 900_000
		said := func(content, name, calls any) {
			id++
			if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, content, tool_name, tool_calls, timestamp)
				SELECT ?, session_id, 'assistant', ?, ?, ?, timestamp FROM messages WHERE id = 5`, id, content, name, calls); err != nil {
				t.Fatal(err)
			}
		}
		for i, s := range escapedMessages() {
			said(s, nil, nil)
			if !strings.HasPrefix(s, "\x00") {
				said(nil, nil, `["`+s+`"]`)
				said("x "+escapedMessages()[(i+7)%20], nil, `["`+s+`"]`)
			}
		}
		said(`x \u6570`, nil, `\u636e`)
		said(`x \u6570`, "", ` \u636e"`)
		said(`x \u6570`, "read", `\u636e`)
		said(`\u636e`, nil, `\u6570`)
		said(`x \u6570`, "u636e", `\u5e93`)
		said("x", `\u6570\u636e`, nil)
		s := openAt(t, path)
		found := 0
		check := func(when string) {
			t.Helper()
			for _, q := range escapedQueries {
				got, want := ids(t, s, q, nil), ids(t, s, q, func(ex *executor) { ex.words.table = "" })
				if len([]rune(q)) == 1 { // a word like an escape is taken for one, and so is a tool's name
					got = slices.DeleteFunc(got, func(id int64) bool { return !slices.Contains(want, id) })
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %s: %s: by index %v more, by reading %v more", name, when, q, minus(got, want), minus(want, got))
				}
				found += len(want)
			}
		}
		check("read")
		if err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		check("prepared")
		said(`new \u6570 xy \u636e`, nil, nil)
		check("after another one came")
		if found < 1000 {
			t.Errorf("%s: only %d messages were found", name, found)
		}
	}
}

// A message that another process rewrites in place is read again.
func TestEscapeGapsOfRewrittenMessagesAreReadAgain(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	for i := range 20 {
		must(t, db, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp)
			SELECT %d, session_id, 'assistant', '\u4e00\u4f00', timestamp FROM messages WHERE id = 5`, 900_000+i))
	}
	s := openAt(t, path)
	check := func(when string, want int) {
		t.Helper()
		for range 2 {
			if got := len(ids(t, s, "一伀", nil)); got != want {
				t.Errorf("%s: %d messages, want %d", when, got, want)
			}
		}
	}
	check("first", 20)
	for n, between := range []string{" ", "-", ""} {
		for i := range 20 {
			must(t, db, fmt.Sprintf(`UPDATE messages SET content = '\u4e00%s\u4f00' WHERE id = %d`, between, 900_000+i))
			check("rewritten", []int{19 - i, 0, i + 1}[n])
			if i%7 == n {
				if err := s.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
				check("prepared", []int{19 - i, 0, i + 1}[n])
			}
		}
		must(t, db, `INSERT INTO messages_fts(messages_fts) VALUES ('optimize')`)
		check("merged", []int{0, 0, 20}[n])
	}
}
