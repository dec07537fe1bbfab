package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"hermes-sessions/model"
)

// upstream opens a file as the store does, for plain SQL.
func (b *bench) upstream() (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: b.path}).EscapedPath()+"?mode=rw&_pragma=query_only(1)&_pragma=busy_timeout(1000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// truth computes the correct answers by SQL alone, without code of the store: with
// FTS5's MATCH and with LIKE for messages, and with Hermes's rule for compression
// for conversations.
type truth struct {
	db    *sql.DB
	names *sql.DB // what conversations are called

	session []int32 // of a message, by id: an index into ids; -1 for none, or if the message is hidden
	tool    []bool  // by message id
	ids     []string
	index   map[string]int
	root    []int32 // of a session: the first of its conversation

	cut map[int64]bool // messages of which the index of the file holds the beginning; the table cut has all of them
}

// answer is what a query has to find.
type answer struct {
	messages     map[int64]bool
	textHits     map[int32]int // by root
	toolHits     map[int32]int
	sideBySide   map[int32]bool // roots of conversations with a message that has the words as typed
	titleMatches map[int32]bool // roots of conversations whose title matches
	nameMatches  map[int32]bool // those whose title, source or id does
}

// newTruth reads the sessions and the owners of all messages.
func newTruth(ctx context.Context, b *bench, db *sql.DB) (*truth, error) {
	t := &truth{db: db, index: map[string]int{}}
	title, source, started, err := t.readSessions(ctx)
	if err != nil {
		return nil, err
	}
	tip, err := t.findRoots(ctx, started)
	if err != nil {
		return nil, err
	}
	if err := t.indexNames(ctx, tip, title, source); err != nil {
		return nil, err
	}
	if err := t.readRuns(ctx); err != nil {
		return nil, err
	}
	if err := t.readCut(ctx); err != nil {
		return nil, err
	}
	return t, t.readMessages(ctx, b)
}

// readSessions fills ids and index, and returns the columns of the sessions in the
// order of ids.
func (t *truth) readSessions(ctx context.Context) (title, source []string, started []float64, err error) {
	err = each(ctx, t.db, `SELECT id, coalesce(title, ''), source, started_at FROM sessions`, nil, func(scan func(...any) error) error {
		var id, name, from string
		var at float64
		err := scan(&id, &name, &from, &at)
		t.index[id] = len(t.ids)
		t.ids, title, source, started = append(t.ids, id), append(title, name), append(source, from), append(started, at)
		return err
	})
	return title, source, started, err
}

// findRoots fills root, and returns the tip of each root, -1 for other sessions.
func (t *truth) findRoots(ctx context.Context, started []float64) (tip []int32, err error) {
	// A session that ended without a message is not a continuation.
	parent := map[string]string{}
	err = each(ctx, t.db, `SELECT c.id, p.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
		WHERE p.end_reason = 'compression' AND c.started_at >= p.ended_at AND (c.ended_at IS NULL OR c.end_reason = 'compression'
			OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = c.id))`, nil, func(scan func(...any) error) error {
		var child, of string
		err := scan(&child, &of)
		parent[child] = of
		return err
	})
	if err != nil {
		return nil, err
	}
	t.root = make([]int32, len(t.ids))
	tip = make([]int32, len(t.ids))
	for i := range t.ids {
		tip[i] = -1
	}
	for i, id := range t.ids {
		for n := 0; parent[id] != "" && n < len(t.ids); n++ {
			id = parent[id]
		}
		r := t.index[id]
		t.root[i] = int32(r)
		if tip[r] < 0 || started[i] > started[tip[r]] {
			tip[r] = int32(i)
		}
	}
	return tip, nil
}

// indexNames makes an FTS5 table in memory with the title and source of every
// conversation, by the index of its root.
func (t *truth) indexNames(ctx context.Context, tip []int32, title, source []string) (err error) {
	if t.names, err = sql.Open("sqlite", ":memory:"); err != nil {
		return err
	}
	t.names.SetMaxOpenConns(1)
	for _, q := range []string{`CREATE VIRTUAL TABLE names USING fts5(title, source, runs)`, `CREATE VIRTUAL TABLE runs USING fts5(text)`, `CREATE VIRTUAL TABLE one USING fts5(content)`,
		`CREATE VIRTUAL TABLE cut USING fts5(content, tool_name, tool_calls)`, `BEGIN`} {
		if _, err := t.names.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	for r, i := range tip {
		if i >= 0 {
			if _, err := t.names.ExecContext(ctx, `INSERT INTO names (rowid, title, source, runs) VALUES (?, ?, ?, ?)`, r, title[i], source[i], spaceScripts(title[i])); err != nil {
				return err
			}
		}
	}
	_, err = t.names.ExecContext(ctx, `COMMIT`)
	return err
}

// readMessages fills session and tool.
func (t *truth) readMessages(ctx context.Context, b *bench) error {
	// Later schemas have columns that hide messages.
	columns := map[string]bool{}
	err := each(ctx, t.db, `SELECT name FROM pragma_table_info('messages')`, nil, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		columns[name] = true
		return err
	})
	if err != nil {
		return err
	}
	visible := `role <> 'session_meta'`
	if columns["active"] && columns["compacted"] {
		visible += ` AND (coalesce(active, 1) = 1 OR compacted = 1)`
	}
	if columns["display_kind"] {
		visible += ` AND coalesce(display_kind, '') <> 'hidden'`
	}
	read := 0
	return each(ctx, t.db, `SELECT id, session_id, role = 'tool' FROM messages WHERE `+visible, nil, func(scan func(...any) error) error {
		var id int
		var of sql.RawBytes
		var tool bool
		if err := scan(&id, &of, &tool); err != nil {
			return err
		}
		for len(t.session) <= id {
			t.session, t.tool = append(t.session, -1), append(t.tool, false)
		}
		if i, ok := t.index[string(of)]; ok {
			t.session[id], t.tool[id] = int32(i), tool
		}
		if read++; read%10_000 == 0 {
			b.tell("reading whose messages they are: %d", read)
		}
		return nil
	})
}

// each runs a query and hands over its rows.
func each(ctx context.Context, db *sql.DB, query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// match spells a key for FTS5: its words, the last as a beginning unless a space ends it.
func match(k key) string {
	return `"` + strings.Join(strings.Fields(k.Text), `" "`) + `"` + star(k)
}

// star is what makes the last word a beginning.
func star(k key) string {
	if strings.HasSuffix(k.Text, " ") {
		return ""
	}
	return " *"
}

// minRunLength is how many letters a word has at least that is found beside a script
// without spaces.
const minRunLength = 2

// matchIn spells a key for the names of conversations: its words in some columns, or
// beside a script without spaces.
func matchIn(columns string, k key) string {
	words := strings.Fields(k.Text)
	for i, w := range words {
		of := columns
		if len(w) >= minRunLength {
			of += " runs"
		}
		words[i] = `{` + of + `} : "` + w + `"`
		if i == len(words)-1 {
			words[i] += star(k)
		}
	}
	return strings.Join(words, " AND ")
}

// unspacedScript matches characters of scripts without spaces, escaped the pairs of
// JSON escapes that may be such characters.
var (
	unspacedScript = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}ー]+`)
	escapedUnits   = regexp.MustCompile(`\\+u[0-9a-f]{4}`)
)

// spaceScripts puts spaces around what is in a script without spaces.
func spaceScripts(s string) string { return unspacedScript.ReplaceAllString(s, " $0 ") }

// readRuns fills the table runs with the texts in which a word may be beside a script
// without spaces.
func (t *truth) readRuns(ctx context.Context) error {
	insert, err := t.names.PrepareContext(ctx, `INSERT INTO runs (rowid, text) VALUES (?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	return each(ctx, t.db, `SELECT id, coalesce(content, '') || ' ' || coalesce(tool_name, '') || ' ' || coalesce(tool_calls, '') FROM messages`, nil, func(scan func(...any) error) error {
		var id int64
		var text string
		if err := scan(&id, &text); err != nil {
			return err
		}
		text = escapedUnits.ReplaceAllStringFunc(text, func(e string) string {
			v, err := strconv.ParseUint(e[len(e)-4:], 16, 16)
			if err != nil {
				return e
			}
			return string(rune(v))
		})
		if !unspacedScript.MatchString(text) {
			return nil
		}
		_, err := insert.ExecContext(ctx, id, spaceScripts(text))
		return err
	})
}

// readCut fills the table cut in a file whose index leaves out the ends of long results of tools.
func (t *truth) readCut(ctx context.Context) error {
	t.cut = map[int64]bool{}
	return each(ctx, t.db, `SELECT id, content, tool_name, tool_calls FROM messages WHERE role = 'tool' AND length(content) > 8192
		AND EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'messages_fts_src')`, nil, func(scan func(...any) error) error {
		var id int64
		var content, name, calls sql.NullString
		if err := scan(&id, &content, &name, &calls); err != nil {
			return err
		}
		t.cut[id] = true
		_, err := t.names.ExecContext(ctx, `INSERT INTO cut (rowid, content, tool_name, tool_calls) VALUES (?, ?, ?, ?)`, id, content, name, calls)
		return err
	})
}

// withWords returns the messages with all words of a key, the last as a beginning, as a
// list in JSON.
func (t *truth) withWords(ctx context.Context, k key) (list string, err error) {
	words := strings.Fields(k.Text)
	found := map[int64]int{} // how many of the words a message has
	for i, w := range words {
		expression := `"` + w + `"`
		if i == len(words)-1 {
			expression += star(k)
		}
		add := func(scan func(...any) error) error {
			var id int64
			err := scan(&id)
			if found[id] == i {
				found[id]++
			}
			return err
		}
		whole := func(scan func(...any) error) error {
			var id int64
			if err := scan(&id); err != nil || t.cut[id] {
				return err
			}
			return add(scan)
		}
		if err := each(ctx, t.db, `SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?`, []any{expression}, whole); err != nil {
			return "", err
		}
		if err := each(ctx, t.names, `SELECT rowid FROM cut WHERE cut MATCH ?`, []any{expression}, add); err != nil {
			return "", err
		}
		if len(w) < minRunLength {
			continue
		}
		if err := each(ctx, t.names, `SELECT rowid FROM runs WHERE runs MATCH ?`, []any{expression}, add); err != nil {
			return "", err
		}
	}
	ids := []int64{}
	for id, n := range found {
		if n == len(words) {
			ids = append(ids, id)
		}
	}
	b, err := json.Marshal(ids)
	return string(b), err
}

// likes are the columns that are looked into for a stretch of text.
const likes = `content LIKE ?1 OR tool_name LIKE ?1 OR tool_calls LIKE ?1`

// escaped spells a text as Python's JSON does.
func escaped(s string) string {
	var out strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&out, `\u%04x`, u)
	}
	return out.String()
}

// answer finds what a key has to find.
func (t *truth) answer(ctx context.Context, k key) (_ *answer, err error) {
	a := &answer{messages: map[int64]bool{}, textHits: map[int32]int{}, toolHits: map[int32]int{}, sideBySide: map[int32]bool{}, titleMatches: map[int32]bool{}, nameMatches: map[int32]bool{}}
	query, args := `SELECT value FROM json_each(?)`, []any{""}
	if k.Kind == "han" {
		// Arguments of tools are JSON inside JSON, with two backslashes.
		query = `SELECT id FROM messages WHERE ` + likes + ` OR content LIKE ?2 OR replace(tool_calls, '\\u', '\u') LIKE ?2`
		args = []any{"%" + k.Text + "%", "%" + escaped(k.Text) + "%"}
	} else if args[0], err = t.withWords(ctx, k); err != nil {
		return nil, err
	}
	err = each(ctx, t.db, query, args, func(scan func(...any) error) error {
		var id int64
		if err := scan(&id); err != nil {
			return err
		}
		if id >= int64(len(t.session)) || t.session[id] < 0 {
			return nil
		}
		a.messages[id] = true
		if r := t.root[t.session[id]]; t.tool[id] {
			a.toolHits[r]++
		} else {
			a.textHits[r]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := t.findSideBySide(ctx, k, a); err != nil {
		return nil, err
	}
	names := func(into map[int32]bool, query string, args ...any) error {
		return each(ctx, t.names, query, args, func(scan func(...any) error) error {
			var r int32
			err := scan(&r)
			into[r] = true
			return err
		})
	}
	if k.Kind == "han" {
		err = names(a.titleMatches, `SELECT rowid FROM names WHERE title LIKE ?`, args[0])
	} else if err = names(a.titleMatches, `SELECT rowid FROM names WHERE names MATCH ?`, matchIn("title", k)); err == nil {
		words := strings.Fields(k.Text)
		err = names(a.nameMatches, `SELECT rowid FROM names WHERE names MATCH ? AND source IN (?, ?)`, matchIn("title source", k), words[0], words[len(words)-1])
		if len(words) == 1 && len(words[0]) >= 6 {
			for i, id := range t.ids {
				if strings.HasPrefix(id, words[0]) {
					a.nameMatches[t.root[i]] = true
				}
			}
		}
	}
	for r := range a.titleMatches {
		a.nameMatches[r] = true
	}
	return a, err
}

// findSideBySide finds the conversations that have the words of a key one after the other, where
// few messages match. A short last word is not taken as a beginning.
func (t *truth) findSideBySide(ctx context.Context, k key, a *answer) error {
	words := strings.Fields(k.Text)
	if k.Kind == "han" || len(words) < 2 || len(a.messages) > 500 {
		return nil
	}
	expression := `"` + strings.Join(words, " ") + `"`
	if len(words[len(words)-1]) >= 4 {
		expression += star(k)
	}
	return each(ctx, t.db, `SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?`, []any{expression}, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if a.messages[id] {
			a.sideBySide[t.root[t.session[id]]] = true
		}
		return err
	})
}

// bucket is how relevant a conversation is, as Search documents it.
func (a *answer) bucket(r int32) int {
	n := int(math.Log2(float64(1 + 2*a.textHits[r] + a.toolHits[r])))
	if a.sideBySide[r] {
		n += 50
	}
	if a.titleMatches[r] {
		n += 100
	}
	return n
}

// all returns the conversations that match.
func (a *answer) all() map[int32]bool {
	all := map[int32]bool{}
	for _, of := range []map[int32]int{a.textHits, a.toolHits} {
		for r := range of {
			all[r] = true
		}
	}
	for r := range a.nameMatches {
		all[r] = true
	}
	return all
}

// textMatches reports whether the content of a message matches a key. Without such
// a match, the tool calls match, possibly by their ids, which are not displayed.
func (t *truth) textMatches(ctx context.Context, id int64, k key) (said bool, err error) {
	var content sql.NullString
	if err := t.db.QueryRowContext(ctx, `SELECT content FROM messages WHERE id = ?`, id).Scan(&content); err != nil {
		return false, err
	}
	if k.Kind == "han" {
		return strings.Contains(content.String, k.Text), nil
	}
	if _, err := t.names.ExecContext(ctx, `INSERT INTO one (rowid, content) VALUES (1, ?)`, content.String+"\n"+spaceScripts(content.String)); err != nil {
		return false, err
	}
	err = t.names.QueryRowContext(ctx, `SELECT count(*) > 0 FROM one WHERE one MATCH ?`, match(k)).Scan(&said)
	if err == nil {
		_, err = t.names.ExecContext(ctx, `DELETE FROM one`)
	}
	return said, err
}

// check holds an answer of the store against the truth. Where every scope was
// asked, the page has to be the most relevant of all.
func (t *truth) check(ctx context.Context, k key, a *answer, got model.SearchResults, everything bool) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := got.Hits + got.HiddenHits; n != len(a.messages) {
		wrong("%d hits, SQL finds %d", n, len(a.messages))
	}
	all := a.all()
	if n := got.Conversations + got.HiddenConversations; n != len(all) {
		wrong("%d conversations, SQL finds %d", n, len(all))
	}
	page := map[int32]bool{}
	last := math.MaxInt
	for i, m := range got.Matches {
		at, ok := t.index[m.RootID]
		if !ok {
			wrong("row %d: there is no session %s", i, m.RootID)
			continue
		}
		r := t.root[at]
		page[r] = true
		if want := a.textHits[r] + a.toolHits[r]; m.Hits != want {
			wrong("row %d: %d hits, SQL finds %d", i, m.Hits, want)
		}
		marked := false
		for _, s := range m.Best.Snippet {
			marked = marked || s.Hit
		}
		if id := m.Best.MessageID; id == 0 && !marked {
			wrong("row %d: nothing is marked in the name", i)
		} else if id != 0 && (!a.messages[id] || t.root[t.session[id]] != r) {
			wrong("row %d: message %d does not match", i, id)
		} else if id != 0 && !marked {
			if said, err := t.textMatches(ctx, id, k); err != nil || said {
				wrong("row %d: nothing is marked in message %d (%v)", i, id, err)
			}
		}
		if b := a.bucket(r); b > last {
			wrong("row %d is more relevant than the one before", i)
		} else {
			last = b
		}
	}
	if everything {
		missing := 0
		for r := range all {
			if a.bucket(r) > last && !page[r] {
				missing++
			}
		}
		if missing > 0 || len(got.Matches) != min(perPage, len(all)) {
			wrong("%d rows, and %d conversations of more relevance are missing", len(got.Matches), missing)
		}
	}
	return errors.Join(errs...)
}

// digest returns a hash of an answer.
func digest(r model.SearchResults) string {
	h := fnv.New64a()
	fmt.Fprint(h, r.Hits, r.HiddenHits, r.Conversations, r.HiddenConversations)
	for _, m := range r.Matches {
		fmt.Fprint(h, m.RootID, m.Hits, m.Best.MessageID, m.Best.Snippet)
	}
	return fmt.Sprintf("%x", h.Sum64())
}
