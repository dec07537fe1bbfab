package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/pyjson"
)

// Symbols match next to their words however these are written. The index and reading
// every message give the same answer.
func TestSymbolsMatchNextToTheirWords(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	texts := []string{
		".cafe", ".café", ".CAFÉ au lait", ".cafe\u0301", "a.Çafe", "caf\u00e9#", "CAFE\u0301#", "cafe\u0301\u0302# x", "cafe #", "café. #", "x.çafé]", "[cafe]", "{cafe}", `"cafe"`,
		"\u212a#", "k#", "K#", "İ#", "i#", "ı#", "§cafe", "🚀cafe", "cafe🚀", "…cafe…", `\cafe`,
		"--cafe", "-cafe-", "cafe", "..cafe", ".ecaf", ".caf", "#", ".", "cafe.\x00.cafe",
		".cafes", ".cafe_", `.cafe\`, "x.cafe1", ".caf\u0303e", ".cafe\u0303", "CAFE}$", "cafe}.$", "caf\u00e9}$", `cafe}\u0024`, `cafe\u007d$`, "cafe}", "cafe}é",
		".\x00cafe", "..\x00cafe", ".ca\x00fe", "été.", ".été", `.\u00e9t\u00e9`, `\u00e9t\u00e9#`, "§€/cafe", `\u00a7€/cafe`, `§\u20ac/cafe`, `\u00a7\u20ac/\u00e9t\u00e9`, "€/cafe", "§€/été", "🚀./cafe", `\ud83d\ude80./cafe`, "e\u0301./cafe", "Ⓐ./cafe", "ⓐ./cafe", `\./cafe`, "a - .cafe", "a\x00 - .cafe", `\u00c9T\u00c9}$`, `.\ud801\udc37 \ud801\udc37#`, "+\u0301cafe", "\u0301k", "x+\u0345i", "\u0085cafe", "\x00json:[{\"type\": \"text\", \"text\": \"see .cafe and k#\"}]",
	}
	for i, text := range texts {
		for n, column := range []string{"content", "tool_calls", "tool_name"} {
			if strings.HasPrefix(text, "\x00") && column != "content" || strings.Contains(text, `\u`) && column == "tool_name" {
				continue
			}
			values := map[string]any{"content": nil, "tool_calls": nil, "tool_name": nil}
			values[column] = text
			if column == "tool_calls" {
				values[column] = `["` + text + `"]`
			}
			if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, content, tool_calls, tool_name, timestamp)
				SELECT ?, session_id, 'assistant', ?, ?, ?, timestamp FROM messages WHERE id = 5`,
				900_000+10*i+n, values["content"], values["tool_calls"], values["tool_name"]); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := openAt(t, path)
	found := 0
	for i, word := range []string{"cafe", "café", "caf*", "k", "i", "CAFE", "see .cafe", "c*", "ca", "été", "𐐷"} {
		for k, form := range []string{".%s", "%s#", "§%s", "🚀%s", "%s🚀", "…%s", "%s…", `\%s`, "--%s", "-%s", "..%s", "[%s]", "{%s}", "%s]", "%s.", "%s}$", `"%s}"`, "#%s#", "§€/%s", "🚀./%s", "\u0301./%s", "+\u0301%s", "\u0301%s", "+\u0345%s", "\u0085%s", "Ⓐ./%s", `\./%s`, `"- .%s"`, "cafe -§€/%s", "x OR .%s", "cafe -.%s", "cafe -%s#", ".%s #k"} {
			if (i+k)%campaign.Length(2, 1) > 0 {
				continue
			}
			q := fmt.Sprintf(form, word)
			got, want := ids(t, s, q, nil), ids(t, s, q, func(ex *executor) { ex.words.table = "" })
			if !slices.Equal(got, want) {
				t.Errorf("%s: by index %v more, by reading %v more", q, minus(got, want), minus(want, got))
			}
			found += len(want)
		}
	}
	if found < campaign.Length(150, 300) {
		t.Errorf("only %d messages were found", found)
	}
}

// One or two characters of any script are found by the trigram index, which gives the
// same answer as reading every message: also combining accents and U+FFFD.
func TestShortSubstringsAreFoundByTheTrigramIndex(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	texts := []string{
		"ภ", "ภา", "ก็", "ແ", "က", "ད", "§", "·", "«", "a·", "¿ภ", "서", "…", "€", "ー", "部ẖ", "部i", "部И", "۔", `\`, `\\`, `.\`, `\.`, "-", "}{", "}", "]", "}]", `"}`, `]}`, `\"`,
		"\ufffd", ":\ufffd", "部\ufffd", "\ufffdИ", "\ufffd\ufffd", "\ufffd]", "\u0301", "\u0301}", ":\u0300", "\u0345", "\u0345\u0301", "ⓐ", "Ⓐⓑ", "\x7f}", "部é", "é部", "}ǅ", "部\\", `\部`,
	}
	for i, short := range texts {
		for n, text := range []string{short, "x" + short + "y", `["` + short + `"]`, `["` + pyjson.Escape(short) + `"]`, "\x00json:[{\"text\": \"" + pyjson.Escape(short) + "\"}]", strings.ToUpper(short), strings.ToLower(short)} {
			column := "content"
			if strings.HasPrefix(text, "[") {
				column = "tool_calls"
			}
			if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, `+column+`, timestamp)
				SELECT ?, session_id, 'assistant', ?, timestamp FROM messages WHERE id = 5`, 900_000+10*i+n, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := openAt(t, path)
	const slow = "reading messages that no index answers for"
	for _, q := range texts {
		var f *executor
		got, want := ids(t, s, q, func(ex *executor) { f = ex }), ids(t, s, q, func(f *executor) { f.words.table = "" })
		if !slices.Equal(got, want) || len(want) < 4 {
			t.Errorf("%s: by index %v more, by reading %v more, of %d", q, minus(got, want), minus(want, got), len(want))
		}
		if slices.Contains(f.plan, slow) {
			t.Errorf("%s was found by %q", q, f.plan)
		}
	}
}

// Trigrams prove a phrase that begins or ends with symbols, with the same answer as
// reading every message: also where the phrase only seems to be there, across the space
// between content, tool name and arguments, with a NUL in it, or in an escape.
// Alternatives are proved each by itself.
func TestPhrasesWithSymbolsAreProvedByTrigrams(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	rows := [][3]string{ // what is said, the tool, its arguments
		{"so: null it"},
		{"so: null"},
		{"so: nullable it"},
		{"so:\x00 null"},
		{"so:\nnull"},
		{"so:  null"},
		{"so: nul\x00l"},
		{"é so: null it"},
		{"é so:\x00 null it"},
		{`so: nul\u00e9 it`},
		{"so:", "null", ""},
		{"null so:", "null", ""},
		{"null so:", "nullable", ""},
		{"null so:", "nul", "l x"},
		{"null so:", "nu", ""},
		{"null so:", "", "null x"},
		{"x", "so:", "null x"},
		{"null", "o:", "null x"},
		{"x", "so: null it", "null"},
		{"x so:", "null", "it x"},
		{`go to\u0021 x`},
		{`go to\ x`},
		{"so: null it", "null", ""},
		{"so:", "", `{"so": null}`},
		{"x", "y", `{"so": null, "so": "null"}`},
		{"x", "y", `{\"so\": null}`},
		{"SO: NULL IT"},
		{"so\u0301: null it"},
		{"go to. there"},
		{"go to."},
		{"to. there"},
		{"go to . there"},
		{"onto. there to"},
		{"x to\x00. to"},
		{`x \nto. to`},
		{"(to.) there"},
		{"é to. there"},
		{"x to.\u0301 there"},
		{"TO. THERE"},
		{"to", "x", "."},
		{"x", "to.", "y"},
		{"go to.. there"},
		{"go to.x there"},
		{`go to.\u002e there`},
		{"to be, or not"},
		{"to be", "", ", or"},
		{"x to", "be,", "x"},
		{"to", "be", ", x"},
		{"into be, to be"},
		{"[to be] so"},
		{"to be] so"},
		{"x [to", "be]", "y"},
		{"to be so", "[to", "be]"},
		{"[to, be]"},
		{"[to - be]"},
		{"[to.be] so"},
		{"[to\nbe]"},
		{"[to  be]"},
		{"é [to be]"},
		{"[to", "be", "]"},
		{"[to\x00 be]"},
		{"to. be] [to so"},
	}
	for i, row := range rows {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, content, tool_name, tool_calls, timestamp)
			SELECT ?, session_id, 'assistant', ?, nullif(?, ''), nullif(?, ''), timestamp FROM messages WHERE id = 5`, 900_000+i, row[0], row[1], row[2]); err != nil {
			t.Fatal(err)
		}
	}
	s := openAt(t, path)
	phrases := []string{`": null"`, `": nul"`, `": null"*`, `": nul"*`, `"\": null"`, `": null it"`, `"to."`, `"to.."`, `"go to."`, `"to\"`, `"to be,"`, `"[to be]"`, `"[to be"`, `"to be]"`, `"be,"`, `"to ."`, `". there"`, `"[to, be]"`, `"[to/b"*`}
	found := 0
	check := func(q string) {
		t.Helper()
		got, want := ids(t, s, q, nil), ids(t, s, q, func(ex *executor) { ex.words.table = "" })
		if !slices.Equal(got, want) {
			t.Errorf("%s: by index %v more, by reading %v more", q, minus(got, want), minus(want, got))
		}
		found += len(want)
	}
	for i, p := range phrases {
		check(p)
		for k, o := range phrases {
			if (i+k)%campaign.Length(10, 1) > 0 {
				continue
			}
			for _, form := range []string{"%s OR %s", "so OR %s -%s", "%s OR it %s", "%s -%s", "to -%s OR %s", "%s -%s OR nothing"} {
				check(fmt.Sprintf(form, p, o))
			}
		}
	}
	if found < campaign.Length(1000, 10_000) {
		t.Errorf("only %d messages were found", found)
	}
}

// A word with symbols behind it is distinguished from the end of a longer word at every
// place in a message, and a word with symbols before it from the symbols alone. A
// message that may contain it in another form is not refuted.
func TestRefutedMessagesDoNotMatch(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	texts := []string{"%s", "%s x", "%s  ", "x%s z", "2%s", "é%s", "—%s x", "x —%s", "\u0301%s", `x a at \u2014%s x`, `\u4e2d%s`, `x a at \\u2014%s`, `u2014%s`, `x\n%s y`, `\\%s`, "x %s%s", "[%s", "%s]", "{\"%s\"}", "\x00%s", "x\x00%s x"}
	for c := rune(1); c < 0x80; c += rune(campaign.Length(15, 1)) {
		texts = append(texts, "go "+string(c)+"%s", "stop "+string(c)+"%s to")
	}
	words := []string{"a.", "a. ", "A. b", "a.b", "a . ", `a \`, `a "}`, `a \"}`, `a\u002e x`, "at.", "at. x", `at \u0022}`, `at "}`, "at,\x00 ", "\": a", "\":\x00 a", "\": at", `\": at "`, "\": b", `\u0022: at`}
	n := 0
	for _, of := range texts {
		for _, w := range words {
			text := strings.ReplaceAll(of, "%s", w)
			for _, row := range [][3]any{{text, nil, nil}, {"a at", text, `["a at"]`}, {"at a", nil, `["` + text + `"]`}} {
				if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, content, tool_name, tool_calls, timestamp)
					SELECT ?, session_id, 'assistant', ?, ?, ?, timestamp FROM messages WHERE id = 5`, 900_000+n, row[0], row[1], row[2]); err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
	}
	// These are indexed twice.
	for _, change := range []string{`UPDATE messages SET content = 'at a. ' || content WHERE id > 900000 AND id % 7 = 0`, `UPDATE messages SET content = substr(content, 2) WHERE id > 900000 AND id % 5 = 0`} {
		if _, err := db.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	s := openAt(t, path)
	for _, q := range []string{`"a."`, `"a. `, `"a. "`, `"a \"`, `"a .`, `"at."`, `"at. "`, `"at,"`, `"at \"`, `": a"`, `": a`, `"\": at"`, `": at`, `"a." OR "at. "`, `a -"a. "`} {
		got, want := ids(t, s, q, nil), ids(t, s, q, func(ex *executor) { ex.words.table = "" })
		if !slices.Equal(got, want) {
			t.Errorf("%s: by index %v more, by reading %v more, of %d", q, minus(got, want), minus(want, got), len(want))
		}
		if len(want) < 20 || len(want) == n {
			t.Errorf("%s: %d messages were found", q, len(want))
		}
	}
}

// Symbols at the end of a message are found, at the end of JSON, of text that only
// begins like JSON, and of a tool name. U+FFFD for invalid bytes is found there too.
func TestSymbolsAtTheEndOfAMessageAreFound(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	var texts []any
	for _, end := range []string{
		"{}", "}", "]", "[]", "}]", ":]", "…]", "部}", `"`, `""`, `\"`, `{\u007d`, `\u007b\u007d"]`, `["\u2026]`, "é]", "\xff]", "\ufffd}", "}x", "] ", "}\x00",
		"x\xffy", "x\xc3(", "\ufffe", `\ud83d x`, `\ud83d\ude80`, `\ude80\ud83d`, `\ufffd`, "\xed\xa0\x80",
	} {
		texts = append(texts, end, "x"+end, `[{"a": "b"}`+end, []byte("x"+end))
	}
	for i := range 100 { // more kinds of names and ends than are remembered
		texts = append(texts, fmt.Sprintf("%c}", 0x4e00+i), fmt.Sprintf("x%d}", i))
	}
	columns := []string{"content", "tool_name", "tool_calls"}
	for i, text := range texts {
		for n, column := range columns {
			if column == "tool_name" && strings.Contains(fmt.Sprintf("%s", text), `\u`) {
				continue // no JSON
			}
			for m, also := range []any{nil, "", "x"} {
				if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, `+column+`, `+columns[(n+1)%3]+`, timestamp)
					SELECT ?, session_id, 'assistant', ?, ?, timestamp FROM messages WHERE id = 5`, 900_000+10*i+3*n+m, text, also); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s := openAt(t, path)
	found := 0
	for _, q := range []string{"}", "]", `"}"`, "{}", "}]", "[]", ":]", "…]", `"部}"`, `"部]"`, "-}", "]}", "} ]", "} -]", "\ufffd", `"\ufffd}"`, `"}\ufffd"`, "…\ufffd", "\ufffdИ", "部\ufffd"} {
		got, want := ids(t, s, q, nil), ids(t, s, q, func(ex *executor) { ex.words.table = "" })
		if !slices.Equal(got, want) {
			t.Errorf("%s: by index %v more, by reading %v more, of %d", q, minus(got, want), minus(want, got), len(want))
		}
		found += len(want)
	}
	if found < 3000 {
		t.Errorf("only %d messages were found", found)
	}
}
