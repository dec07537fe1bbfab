package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// typist makes up queries over the words of one database.
type typist struct {
	*rand.Rand
	words    []string // as in texts: the frequent ones come often
	han      []string // stretches of scripts without spaces
	texts    []string
	recorded []string // queries that the real software was asked
}

// newTypist reads what is said in a database.
func newTypist(t testing.TB, s *Store, seed uint64) *typist {
	t.Helper()
	y := &typist{Rand: rand.New(rand.NewPCG(seed, 5))}
	last := Count(t, s, `SELECT coalesce(max(id), 1) FROM messages`)
	for range 3000 {
		rows, err := s.db.Pool.QueryContext(context.Background(), `SELECT coalesce(content, tool_calls) FROM messages WHERE id >= ? ORDER BY id LIMIT 1`, 1+y.IntN(last))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.ScanRecords(rows, func(r Record) error {
			text := db.AsText(r[0].Value)
			y.texts = append(y.texts, text[:min(len(text), 4000)])
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range y.texts {
		letters := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
		unspaced := func(r rune) bool { return letters(r) && r >= 0x2e80 }
		spaced := func(r rune) bool { return letters(r) && r < 0x2e80 }
		y.han = append(y.han, strings.FieldsFunc(text, not(unspaced))...)
		for _, w := range strings.FieldsFunc(text, not(spaced)) {
			if len(w) <= 40 {
				y.words = append(y.words, w)
			}
		}
	}
	if len(y.words) == 0 || len(y.han) == 0 {
		t.Fatal("a database without words")
	}
	var table struct{ Items []struct{ Input string } }
	Recorded(t, "v11/sanitize_fts5_query", &table)
	for _, i := range table.Items {
		y.recorded = append(y.recorded, i.Input)
	}
	for _, name := range []string{"search_messages", "search_messages_filters"} {
		var r struct {
			Items []struct{ Input struct{ Query string } }
		}
		Recorded(t, "v11/"+name, &r)
		for _, i := range r.Items {
			y.recorded = append(y.recorded, i.Input.Query)
		}
	}
	return y
}

func not(f func(rune) bool) func(rune) bool { return func(r rune) bool { return !f(r) } }

func (y *typist) one(of []string) string { return of[y.IntN(len(of))] }
func (y *typist) word() string           { return y.one(y.words) }

// stretch returns n characters of a script without spaces.
func (y *typist) stretch(n int) string {
	for {
		runes := []rune(y.one(y.han))
		for len(runes) < n {
			runes = append(runes, []rune(y.one(y.han))...)
		}
		from := y.IntN(len(runes) - n + 1)
		if s := string(runes[from : from+n]); utf8.RuneCountInString(s) == n {
			return s
		}
	}
}

// begun returns the first n letters of a word.
func (y *typist) begun(n int) string {
	for range 100 {
		if r := []rune(y.word()); len(r) >= n {
			return string(r[:n])
		}
	}
	return strings.Repeat("a", n)
}

// cutting returns a piece of a text with all characters between its words.
func (y *typist) cutting(n int) string {
	runes := []rune(y.one(y.texts))
	if len(runes) <= n {
		return string(runes)
	}
	from := y.IntN(len(runes) - n)
	return string(runes[from : from+n])
}

func (y *typist) several(n int, sep string, one func() string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = one()
	}
	return strings.Join(all, sep)
}

const symbols = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~…·。，「」€§ "

// symbol returns one to three signs.
func (y *typist) symbol() string {
	all := []rune(symbols)
	return y.several(1+y.IntN(3), "", func() string { return string(all[y.IntN(len(all))]) })
}

func (y *typist) filter() string {
	value := func() string {
		return y.one([]string{
			"cli", "telegram", "cron", "user", "tool", "assistant", "terminal", "read_file", "today", "7d", "2025-06", "2025-06-01",
			">10", "<3", "10..50", ">100k", "unknown", ">0.10", "live", "empty", "branch", "sub", "error", "pinned", "untitled", "reasoning", "docker", "*", "~/", "/", "\"", "\"a b\"", "",
		})
	}
	words := query.Fields()
	return y.one([]string{"", "", "-", "NOT "}) + string(words[y.IntN(len(words))].Field) + ":" + value()
}

// shapes are the kinds of things that are typed, by name.
func (y *typist) shapes() map[string]func() string {
	return map[string]func() string{
		"word":               y.word,
		"one letter":         func() string { return y.begun(1) },
		"two letters":        func() string { return y.begun(2) },
		"three letters":      func() string { return y.begun(3) },
		"four letters":       func() string { return y.begun(4) },
		"beginning and star": func() string { return y.begun(1+y.IntN(5)) + "*" },
		"two words":          func() string { return y.several(2, " ", y.word) },
		"three words":        func() string { return y.several(3, " ", y.word) },
		"two beginnings":     func() string { return y.begun(1+y.IntN(3)) + "* " + y.begun(1+y.IntN(3)) },
		"many words":         func() string { return y.several(4+y.IntN(60), " ", y.word) },
		"phrase":             func() string { return `"` + y.cutting(6+y.IntN(30)) + `"` },
		"open phrase":        func() string { return `"` + y.cutting(1+y.IntN(40)) },
		"phrase of letters":  func() string { return `"` + y.begun(1) + " " + y.begun(1) },
		"word without word":  func() string { return y.word() + " -" + y.word() },
		"without only":       func() string { return "-" + y.word() },
		"alternatives":       func() string { return y.several(2+y.IntN(4), " OR ", y.word) },
		"many alternatives": func() string {
			return y.several(20+y.IntN(30), " OR ", func() string { return y.begun(1+y.IntN(3)) + "*" })
		},
		"operators": func() string {
			return y.several(2+y.IntN(9), " ", func() string {
				return y.one([]string{"AND", "OR", "NOT", "and", "-", "(", ")", y.word(), y.word(), y.begun(2) + "*", `"` + y.word() + " " + y.word() + `"`, y.stretch(2)})
			})
		},
		"FTS5's own words": func() string {
			return y.one([]string{"NEAR(%s %s)", "NEAR(%s %s, 3)", "content:%s %s", "content : (%s %s)", "{content tool_name}: %s %s", "- content : %s %s", "^%s + %s", "%s + %s", "%s %s*"}) +
				" " + fmt.Sprintf("%s*%s", y.word(), y.word())
		},
		"a sign of CJK":    func() string { return y.stretch(1) },
		"two of CJK":       func() string { return y.stretch(2) },
		"three of CJK":     func() string { return y.stretch(3) },
		"many of CJK":      func() string { return y.stretch(4 + y.IntN(20)) },
		"CJK phrase":       func() string { return `"` + y.stretch(1+y.IntN(4)) + " " + y.stretch(2) + `"` },
		"CJK and word":     func() string { return y.stretch(1+y.IntN(3)) + " " + y.word() },
		"CJK without CJK":  func() string { return y.stretch(2) + " -" + y.stretch(1+y.IntN(3)) },
		"word without CJK": func() string { return y.word() + " -" + y.stretch(1+y.IntN(3)) },
		"CJK alternatives": func() string {
			return y.several(2+y.IntN(5), " OR ", func() string { return y.stretch(1 + y.IntN(3)) })
		},
		"CJK and star": func() string { return y.stretch(1+y.IntN(3)) + "*" },
		"one script in other": func() string {
			return y.one([]string{y.begun(2) + y.stretch(2), y.stretch(2) + y.begun(2), y.stretch(1) + y.begun(1), y.begun(1) + y.stretch(1)})
		},
		"symbols":              y.symbol,
		"symbols before":       func() string { return y.symbol() + y.word() },
		"symbols behind":       func() string { return y.word() + y.symbol() },
		"symbols between":      func() string { return y.word() + y.symbol() + y.word() },
		"symbol before letter": func() string { return "." + y.begun(1) },
		"symbol behind letter": func() string { return y.begun(1) + "#" },
		"without symbols":      func() string { return y.word() + " -" + y.symbol() + y.word() },
		"CJK and symbols":      func() string { return y.stretch(2) + y.symbol() + y.stretch(1) },
		"path": func() string {
			return y.one([]string{"/", "~/", "./", ".", `C:\`, "https://"}) + y.several(2+y.IntN(3), "/", y.word) + ".go"
		},
		"address":            func() string { return y.word() + "@" + y.word() + ".com" },
		"number":             func() string { return strconv.FormatUint(y.Uint64()>>y.IntN(64), 10) },
		"hex":                func() string { return fmt.Sprintf("%x", y.Uint64()>>y.IntN(64)) },
		"id":                 func() string { return "2025" + fmt.Sprintf("%04d_%06d", y.IntN(1300), y.IntN(240000))[:y.IntN(11)] },
		"cutting":            func() string { return y.cutting(1 + y.IntN(80)) },
		"filter":             y.filter,
		"filter, half typed": func() string { f := y.filter(); return f[:1+y.IntN(len(f))] },
		"filter and word":    func() string { return y.filter() + " " + y.word() },
		"word and filters":   func() string { return y.begun(1+y.IntN(4)) + " " + y.several(1+y.IntN(3), " ", y.filter) },
		"CJK and filter":     func() string { return y.stretch(2) + " " + y.filter() },
		"capitals":           func() string { return strings.ToUpper(y.word()) },
		"accents": func() string {
			return strings.NewReplacer("a", "á", "e", "ë", "o", "ø", "i", "ı").Replace(y.word())
		},
		"escapes": func() string {
			return y.one([]string{`\u90e8`, `\u90e8\u7f72`, `u90e8`, `\ud83d\ude80`, `\`, `\\u`, `\u00`, `00e9`}) + y.one([]string{"", y.word()})
		},
		"emoji": func() string {
			return y.one([]string{"🚀", "👩‍💻", "🏳️‍🌈", "e\u0301", "🚀🚀", "\u200d", "\ufe0f"}) + y.one([]string{"", " " + y.word()})
		},
		"other scripts": func() string {
			return y.one([]string{"الخطأ", "שלום", "привет мир", "สวัสดีครับ", "नमस्ते", "ภ", "서버", "데이터베이스", "ﬁ", "İ", "ß", "ǅ"}) + y.one([]string{"", "*"})
		},
		"runes": func() string {
			return y.several(1+y.IntN(30), "", func() string { return string(rune(y.IntN(0x11000))) })
		},
		"bytes": func() string {
			return y.several(1+y.IntN(60), "", func() string { return string([]byte{byte(y.Uint32())}) })
		},
		"controls": func() string {
			return y.word() + y.one([]string{"\x00", "\x1b[31m", "\x00Q0\x00", "\u202e", "\r\n", "\t"}) + y.word()
		},
		"recorded": func() string { return y.one(y.recorded) },
		"recorded, changed": func() string {
			r := []rune(y.one(y.recorded))
			for range 1 + y.IntN(3) {
				if len(r) > 0 {
					all := []rune(symbols)
					r[y.IntN(len(r))] = all[y.IntN(len(all))]
				}
			}
			return string(r)
		},
		"recorded twice": func() string {
			return y.one(y.recorded) + y.one([]string{" ", "", " OR ", " NOT "}) + y.one(y.recorded)
		},
		"one long word": func() string { return strings.Repeat(y.word(), 1+2000/len(y.words[0])) },
	}
}

// pastes are a megabyte at once; they are made once.
func (y *typist) pastes() map[string]string {
	fill := func(one func() string) string {
		var b strings.Builder
		for b.Len() < 1<<20 {
			b.WriteString(one())
		}
		return b.String()
	}
	return map[string]string{
		"paste of text":         fill(func() string { return y.one(y.texts) }),
		"paste of words":        fill(func() string { return y.word() + " " }),
		"paste of CJK":          fill(func() string { return y.stretch(3) }),
		"paste of one letter":   strings.Repeat("a ", 1<<19),
		"paste without a space": strings.Repeat("a", 1<<20),
		"paste of quotes":       strings.Repeat(`"`, 1<<20),
		"paste of operators":    strings.Repeat("a OR -", 1<<18),
		"paste of filters":      fill(func() string { return y.filter() + " " }),
		"paste of bytes":        fill(func() string { return string([]byte{byte(y.Uint32())}) }),
	}
}

// lingers is the longest that a query may take on a heavy user's history.
const lingers = 100 * time.Millisecond

// Nothing that can be typed is an error, ends the program or is given another
// road than the index has. The queries are asked of a small history, and with
// HERMES_SESSIONS_BENCH=M of a heavy user's, where none may take longer than
// lingers.
func TestEveryTextIsAValidQuery(t *testing.T) {
	t.Parallel()
	runs := campaign.Length(100, 20_000)
	var s *Store
	timed := strings.Contains(os.Getenv("HERMES_SESSIONS_BENCH"), "M")
	if timed {
		runs = campaign.Length(runs, 100_000)
		path, err := corpus.Cached(t.Context(), corpus.M())
		if err != nil {
			t.Fatal(err)
		}
		s = openAt(t, path)
		if err := s.Prepare(t.Context()); err != nil { // as the browser does first
			t.Fatal(err)
		}
	} else {
		s = openFixture(t, "v11.db")
	}
	y := newTypist(t, s, 1)
	shapes := y.shapes()
	for name, paste := range y.pastes() {
		shapes[name] = func() string { return paste }
	}
	names := slices.Sorted(maps.Keys(shapes))
	ask := func(q query.Query, list query.ListOptions) (model.SearchResults, time.Duration) {
		start := time.Now()
		r, err := s.Search(t.Context(), q, list)
		took := time.Since(start)
		if err != nil || r.IndexNote != "" {
			t.Fatalf("%.300q, understood as %.300s: %v %s", q.Text, q, err, r.IndexNote)
		}
		return r, took
	}
	ask(query.Parse("docker", true), query.ListOptions{Limit: 50}) // the history is read
	ask(query.Parse("部署", true), query.ListOptions{Limit: 50})

	// A shape's longest query, the better of two tries: the machine has other
	// things to do. What is kept of the last phrases and words is forgotten first.
	forget := func() {
		for _, other := range []string{`"of the"`, `"the of"`, "docker*", "error*", "file*", "path*"} {
			ask(query.Parse(other, false), query.ListOptions{Limit: 50})
		}
	}
	type worst struct {
		runs, over int
		took       time.Duration
		query      string
		route      []string
	}
	slow := map[string]*worst{}
	found := 0
	for run := range runs {
		name := names[run%len(names)]
		text := shapes[name]()
		typing := y.IntN(4) > 0
		list := query.ListOptions{Limit: 50, Order: query.ByRelevance, Scope: model.Scope(y.IntN(int(model.ScopeAll) + 1))}
		if y.IntN(4) == 0 {
			list.Order, list.Offset = query.ByActivity, y.IntN(60)
		}
		q := query.Parse(text, typing)
		r, took := ask(q, list)
		if len(r.Matches) > list.Limit || len(r.Matches) > r.Conversations || r.Hits < 0 || r.HiddenHits < 0 {
			t.Fatalf("%.300q: %d rows of %d conversations, %d and %d hits", text, len(r.Matches), r.Conversations, r.Hits, r.HiddenHits)
		}
		for _, m := range r.Matches {
			if m.Best.MessageID != 0 && m.Hits == 0 {
				t.Fatalf("%.300q: a hit that is not counted", text)
			}
		}
		if run%campaign.Length(1, 8) == 0 {
			both := list
			both.Closest = true
			closest, _ := ask(q, both)
			if len(closest.Matches) > list.Limit || closest.Conversations != r.Conversations || closest.Hits != r.Hits {
				t.Fatalf("%.300q: with the closest %d rows of %d conversations, %d hits, not %d and %d", text, len(closest.Matches), closest.Conversations, closest.Hits, r.Conversations, r.Hits)
			}
		}
		if r.Hits+r.HiddenHits > 0 {
			found++
		}
		w := slow[name]
		if w == nil {
			w = &worst{}
			slow[name] = w
		}
		w.runs++
		if took > lingers {
			forget()
			_, again := ask(q, list)
			took = min(took, again)
		}
		if took > lingers {
			w.over++
		}
		if took > w.took {
			w.took, w.query, w.route = took, text, r.Plan
		}
	}
	if found < runs/4 {
		t.Errorf("only %d of %d queries found something", found, runs)
	}
	if !timed {
		return
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(slow[b].took, slow[a].took) })
	for _, name := range names {
		w := slow[name]
		t.Logf("%-22s %6d runs, %5d over, at most %8.1f ms: %.80q by %s", name, w.runs, w.over, float64(w.took.Microseconds())/1000, w.query, strings.Join(w.route, "; "))
		if w.over > 0 {
			t.Errorf("%s: %d of %d took longer than %v", name, w.over, w.runs, lingers)
		}
	}
}
