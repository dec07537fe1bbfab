package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// documents are the messages that a search may find, as they are in a file
// in one transaction, in a separate FTS5 table: the answers of SQL.
type documents struct {
	db      *sql.DB
	session map[int64]string
	meta    map[int64]bool // in no transcript, but messages
	words   []string       // of theirs, in ASCII
	phrases []string
	han     []string
	beside  bool // the file has a trigram index, by which all words beside scripts without spaces are found
}

// readDocuments reads them by plain SQL, whatever the file's own index holds.
func readDocuments(t testing.TB, file *sql.DB, sc db.Schema) *documents {
	t.Helper()
	q, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	q.SetMaxOpenConns(1)
	d := &documents{db: q, session: map[int64]string{}, meta: map[int64]bool{}}
	run := func(query string, args ...any) {
		if _, err := q.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(`CREATE VIRTUAL TABLE words USING fts5(content, tool_name, tool_calls)`)
	run(`CREATE VIRTUAL TABLE runs USING fts5(text)`) // with a space where a script without spaces begins or ends
	run(`CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB)`)
	run(`BEGIN`)
	if err := file.QueryRow(`SELECT count(*) > 0 FROM sqlite_master WHERE name = 'messages_fts_trigram'`).Scan(&d.beside); err != nil {
		t.Fatal(err)
	}
	rows, err := file.Query(`SELECT m.id, m.session_id, m.role, m.content, ` + sc.ColumnOrNull("messages", "m", "tool_name") + `, ` + sc.ColumnOrNull("messages", "m", "tool_calls") + `
		FROM messages m JOIN sessions s ON s.id = m.session_id WHERE ` + sc.NotRewoundRows("m") + sc.AndNotHidden("m"))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	letters := func(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsNumber(r)) }
	for rows.Next() {
		var id int64
		var session, role, content, name, calls any
		if err := rows.Scan(&id, &session, &role, &content, &name, &calls); err != nil {
			t.Fatal(err)
		}
		d.session[id] = db.AsText(session)
		d.meta[id] = db.AsText(role) == "session_meta"
		run(`INSERT INTO words (rowid, content, tool_name, tool_calls) VALUES (?, ?, ?, ?)`, id, db.AsText(content), db.AsText(name), db.AsText(calls))
		run(`INSERT INTO runs (rowid, text) VALUES (?, ?)`, id, d.spaced(strings.Join([]string{db.AsText(content), db.AsText(name), db.AsText(calls)}, "\n")))
		// Text that JSON escapes is found by its characters (store/README.md#q2).
		run(`INSERT INTO texts VALUES (?, ?)`, id, []byte(strings.Join([]string{db.AsText(content), db.AsText(name), db.AsText(calls), decodeEscapes(db.AsText(content)), decodeEscapes(db.AsText(calls))}, "\n")))
		for _, line := range strings.Split(db.AsText(content), "\n") {
			in := strings.FieldsFunc(line, func(r rune) bool { return !letters(r) })
			// A word that goes on in another script is a longer word.
			if strings.ContainsFunc(line, func(r rune) bool { return r >= 0x80 }) {
				d.han = append(d.han, strings.FieldsFunc(line, func(r rune) bool { return r < 0x3040 || r > 0x9fff })...)
				continue
			}
			for i, w := range in {
				if operatorWord(w) {
					continue
				}
				d.words = append(d.words, w)
				if i+2 < len(in) {
					d.phrases = append(d.phrases, strings.Join(in[i:i+2+len(w)%2], " "))
				}
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	run(`COMMIT`)
	if len(d.words) == 0 || len(d.phrases) == 0 {
		t.Fatal("a file without words")
	}
	return d
}

// unspacedScript matches characters of scripts without spaces.
var unspacedScript = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}ー]+`)

// spaceScripts puts spaces around what is in a script without spaces.
func spaceScripts(s string) string { return unspacedScript.ReplaceAllString(s, " $0 ") }

// tokens matches the words of an index.
var tokens = regexp.MustCompile(`[\pL\pN\pM]+`)

// spaced puts spaces where a script without spaces begins or ends. Without a trigram index,
// letters after a script are found only in a word of the index that begins with the script.
func (d *documents) spaced(s string) string {
	if d.beside {
		return spaceScripts(decodeEscapes(s))
	}
	s = jsonEscapes.ReplaceAllStringFunc(s, func(run string) string { // each begins a word of the index
		if text := decodeEscapes(run); unspacedScript.MatchString(text) {
			return " " + text
		}
		return run
	})
	return tokens.ReplaceAllStringFunc(s, func(word string) string {
		if at := unspacedScript.FindStringIndex(word); at != nil && at[0] > 0 {
			return word[:at[0]] + " " + word[at[0]:]
		}
		return spaceScripts(word)
	})
}

// word returns the messages with a word, which may be beside a script without spaces if
// it has two letters (store/README.md#q35).
func (d *documents) word(t testing.TB, w, star string) map[int64]bool {
	t.Helper()
	ids := d.set(t, `SELECT rowid FROM words WHERE words MATCH ?`, `"`+w+`"`+star)
	if len(w) >= 2 {
		for id := range d.set(t, `SELECT rowid FROM runs WHERE runs MATCH ?`, `"`+w+`"`+star) {
			ids[id] = true
		}
	}
	return ids
}

// jsonEscapes matches adjacent \uXXXX escapes. JSON inside a JSON string doubles their
// backslashes.
var jsonEscapes = regexp.MustCompile(`(?:\\+u[0-9a-fA-F]{4})+`)

// decodeEscapes decodes the JSON escapes of a text.
func decodeEscapes(s string) string {
	return jsonEscapes.ReplaceAllStringFunc(s, func(run string) string {
		var units []uint16
		for _, hex := range strings.Split(strings.ReplaceAll(run, `\`, ""), "u")[1:] {
			v, err := strconv.ParseUint(hex, 16, 16)
			if err != nil {
				panic(err) // the pattern matches hexadecimal digits only
			}
			units = append(units, uint16(v))
		}
		return string(utf16.Decode(units))
	})
}

func operatorWord(w string) bool {
	return slices.Contains([]string{"AND", "OR", "NOT"}, w)
}

// set runs a query for ids.
func (d *documents) set(t testing.TB, query string, args ...any) map[int64]bool {
	t.Helper()
	rows, err := d.db.Query(query, args...)
	if err != nil {
		t.Fatalf("%s %q: %v", query, args, err)
	}
	defer rows.Close()
	out := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		out[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s %q: %v", query, args, err)
	}
	return out
}

// asking is a query in our language with the messages that SQL finds for it.
type asking struct {
	query string
	ids   map[int64]bool
}

// ask makes up a query: alternatives of words, beginnings, phrases and
// stretches of Chinese that must all occur, and some that may not.
func (d *documents) ask(t testing.TB, r *rand.Rand) asking {
	t.Helper()
	term := func() (string, map[int64]bool) {
		pick := func(of []string) string { return of[r.IntN(len(of))] }
		k := r.IntN(10)
		switch {
		case k < 3:
			w := pick(d.words)
			return w, d.word(t, w, "")
		case k < 6:
			w := pick(d.words)
			w = w[:1+r.IntN(min(len(w), 5))]
			return w + "*", d.word(t, w, " *")
		case k < 8 || len(d.han) == 0:
			p := pick(d.phrases)
			return `"` + p + `"`, d.set(t, `SELECT rowid FROM words WHERE words MATCH ?`, `"`+p+`"`)
		default:
			runes := []rune(pick(d.han))
			from := r.IntN(len(runes))
			s := string(runes[from : from+1+r.IntN(min(4, len(runes)-from))])
			return s, d.set(t, `SELECT id FROM texts WHERE instr(text, CAST(? AS BLOB)) > 0`, s)
		}
	}
	a := asking{ids: map[int64]bool{}}
	var groups []string
	for range 1 + r.IntN(2)*r.IntN(3) {
		text, ids := term()
		for range r.IntN(3) {
			more, also := term()
			text += " " + more
			for id := range ids {
				if !also[id] {
					delete(ids, id)
				}
			}
		}
		if r.IntN(3) == 0 {
			none, not := term()
			if strings.HasSuffix(none, "*") || strings.HasPrefix(none, `"`) || len(none) < 3 || r.IntN(2) == 0 {
				text += " NOT " + none
			} else {
				text += " -" + none
			}
			for id := range not {
				delete(ids, id)
			}
		}
		groups = append(groups, text)
		for id := range ids {
			a.ids[id] = true
		}
	}
	a.query = strings.Join(groups, " OR ")
	return a
}

// wholly asks both searches of a store and compares each with what SQL says.
func (d *documents) wholly(t *testing.T, s *Store, r *rand.Rand, stage string, n int) (found int) {
	t.Helper()
	for range n {
		a := d.ask(t, r)
		found += len(a.ids)
		hits, total, err := s.SearchMessages(t.Context(), a.query, SearchOptions{Limit: -1})
		if err != nil {
			t.Fatalf("%s: %s: %v", stage, a.query, err)
		}
		got := map[int64]bool{}
		for _, h := range hits {
			got[h.ID] = true
			if h.SessionID != d.session[h.ID] {
				t.Errorf("%s: %s: message %d is of %s, not of %s", stage, a.query, h.ID, d.session[h.ID], h.SessionID)
			}
		}
		if more, less := apart(got, a.ids); len(more)+len(less) > 0 || total != len(a.ids) {
			t.Errorf("%s: %s (%s): %d messages, %d too many %v and %d missing %v", stage, a.query, query.Parse(a.query, false), total, len(more), head(more), len(less), head(less))
		}
		// Conversations: the same messages, by their sessions.
		bySession, all := map[string]int{}, 0
		for id := range a.ids {
			if !d.meta[id] {
				bySession[d.session[id]]++
				all++
			}
		}
		res, err := s.Search(t.Context(), query.Parse(a.query, false), query.ListOptions{Scope: model.ScopeAll})
		if err != nil {
			t.Fatalf("%s: %s: %v", stage, a.query, err)
		}
		rows, sum := 0, 0
		for _, m := range res.Matches {
			want := 0
			for _, id := range m.Segments {
				want += bySession[id]
				delete(bySession, id)
			}
			if want != m.Hits {
				t.Errorf("%s: %s: %d hits in %s, SQL has %d", stage, a.query, m.Hits, m.RootID, want)
			}
			if id := m.Best.MessageID; (id != 0) != (want > 0) || id != 0 && !a.ids[id] {
				t.Errorf("%s: %s: the best of %d hits in %s is message %d", stage, a.query, want, m.RootID, id)
			}
			rows, sum = rows+1, sum+m.Hits
		}
		if len(bySession) > 0 || res.Hits != all || sum != all || rows != res.Conversations {
			t.Errorf("%s: %s: %d hits in %d rows, SQL has %d; missing are %v", stage, a.query, res.Hits, rows, all, bySession)
		}
	}
	return found
}

func head(ids []int64) []int64 { return ids[:min(len(ids), 10)] }

// apart returns what is only in one of two sets.
func apart(a, b map[int64]bool) (onlyA, onlyB []int64) {
	for id := range a {
		if !b[id] {
			onlyA = append(onlyA, id)
		}
	}
	for id := range b {
		if !a[id] {
			onlyB = append(onlyB, id)
		}
	}
	slices.Sort(onlyA)
	slices.Sort(onlyB)
	return onlyA, onlyB
}

// Through everything that happens to a database both searches give what SQL
// finds in the messages themselves, on files of every version: one store that
// stays open, which remembers, and one that is opened anew.
func TestSearchesFindWhatSQLFindsThroughALife(t *testing.T) {
	t.Parallel()
	files := map[string]string{"v25.db": ""}
	if campaign.On() {
		for _, name := range Versions(t) {
			files[name] = ""
		}
		made := filepath.Join(t.TempDir(), "state.db")
		if err := corpus.Make(t.Context(), made, corpus.Config{Messages: 3000, Seed: 9}); err != nil {
			t.Fatal(err)
		}
		files["a made history"] = made
	}
	for name, path := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if path == "" {
				path = fixture(t, name)
			}
			liveThrough(t, path)
		})
	}
}

func liveThrough(t *testing.T, path string) {
	queries := campaign.Length(3, 8)
	r := rand.New(rand.NewPCG(21, 8))
	s := reopen(t, path)
	db := otherConnection(t, path)
	ctx := t.Context()
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(ctx, query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	found := 0
	look := func(stage string) *documents {
		t.Helper()
		d := readDocuments(t, db, s.db.Schema)
		found += d.wholly(t, s, r, stage, queries)
		again, err := Open(ctx, path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		d.wholly(t, again, r, stage+", opened anew", queries/3)
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := look("as it came")

	for i, session := range []string{"life-a", "life-b"} {
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: session, Source: "cli"}); err != nil {
			t.Fatal(err)
		}
		for n := range 25 {
			m := sessiondb.NewMessage{Role: "user", Content: fmt.Sprintf("%s 部署到桂林 number %d of %s", d.phrases[r.IntN(len(d.phrases))], n, d.words[r.IntN(len(d.words))])}
			if n%5 == i {
				m = sessiondb.NewMessage{Role: "assistant", Content: nil, ToolCalls: []any{map[string]any{
					"id": "c", "type": "function",
					"function": map[string]any{"name": "terminal", "arguments": `{"command": "部署 ` + d.words[r.IntN(len(d.words))] + `"}`},
				}}}
			}
			if _, err := s.AppendMessage(ctx, session, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	look("after appends")

	var some []string
	for session := range rootsOf(ctx, t, db) {
		some = append(some, session)
	}
	slices.Sort(some)
	r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	some = append(some[:min(len(some), 3)], "life-a")
	undo, err := s.Delete(ctx, some, model.DeleteOptions{SkipBlocked: true})
	if err != nil {
		t.Fatal(err)
	}
	look("after deletes")

	if s.db.Schema.HasSyncTriggers("messages_fts") {
		run(`UPDATE messages SET content = content || ' rewritten 漓江 ' || id WHERE id % 7 = 3 AND typeof(content) = 'text'`)
		look("after updates in place")
	}
	if s.db.Schema.Has("messages", "active") {
		run(`UPDATE messages SET active = 0 WHERE id % 11 = 5`)
		look("after a rewind")
	}
	tables := []string{"messages_fts", "messages_fts_trigram"}
	for stage, command := range map[string]string{"merge": `(%s, rank) VALUES ('merge', -16)`, "optimize": `(%s) VALUES ('optimize')`} {
		for _, table := range tables {
			if _, ok := s.db.Schema.Tables[table]; ok {
				run(`INSERT INTO ` + table + fmt.Sprintf(command, table))
			}
		}
		look("after " + stage)
	}
	run(`VACUUM`)
	look("after a vacuum")

	if err := errors.Join(s.Restore(ctx, undo, model.RestoreOptions{}), undo.Close()); err != nil {
		t.Fatal(err)
	}
	look("after a restore")
	if found < 150 {
		t.Errorf("only %d messages were found in all", found)
	}
}

// rootsOf returns the sessions without a parent.
func rootsOf(ctx context.Context, t *testing.T, db *sql.DB) map[string]bool {
	t.Helper()
	rows, err := db.QueryContext(ctx, `SELECT id FROM sessions WHERE parent_session_id IS NULL`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		out[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
