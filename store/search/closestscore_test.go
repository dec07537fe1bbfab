package search

import (
	"database/sql"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/analysis"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/closest"
)

// plainTables are the messages that a search may find, the conversations, and the terms of
// the units of a ranking: a word, a part of one, a compound or a phrase. A pair of
// characters, or a word that is looked for inside others, is like, the others are match.
const plainTables = `
	CREATE TABLE message (id INTEGER PRIMARY KEY, n, tool, summary, user, bytes);
	CREATE VIRTUAL TABLE word USING fts5(content, name, calls);
	CREATE TABLE conversation (n INTEGER PRIMARY KEY, title, source, messages);
	CREATE TABLE titleStem (n, stem);
	CREATE VIRTUAL TABLE titleWord USING fts5(title);
	CREATE TABLE unit (u INTEGER PRIMARY KEY, share, stem, source);
	CREATE TABLE term (u, weight, match, like);`

// plainScores scores every conversation by the units in one statement, as the doc comment
// of package closest says it.
const plainScores = `
WITH hit AS MATERIALIZED ( -- the best weight of a unit's terms in a message
	SELECT u, id, max(weight) AS weight FROM (
		SELECT t.u, w.rowid AS id, t.weight FROM term t JOIN word w ON word MATCH t.match WHERE t.match <> ''
		UNION ALL
		SELECT t.u, w.rowid, t.weight FROM term t JOIN word w ON w.content LIKE t.like OR w.name LIKE t.like OR w.calls LIKE t.like WHERE t.like <> ''
	) GROUP BY u, id),
frequency AS ( -- summaries of one conversation count together as one message of a tool
	SELECT u, n, sum(f) AS f FROM (
		SELECT h.u, m.n, h.weight * (sum(NOT m.tool AND NOT m.summary) + 0.25 * (sum(m.tool) + max(m.summary))) AS f
		FROM hit h JOIN message m USING (id) WHERE m.n >= 0 GROUP BY h.u, m.n, h.weight)
	GROUP BY u, n),
title AS (
	SELECT u, n FROM term JOIN titleWord w ON titleWord MATCH term.match JOIN conversation c ON c.n = w.rowid WHERE term.match <> ''
	UNION SELECT u, n FROM term JOIN conversation c ON c.title LIKE term.like WHERE term.like <> ''
	UNION SELECT u, n FROM unit JOIN titleStem USING (stem) WHERE stem <> ''),
origin AS (SELECT u, n FROM unit u JOIN conversation c ON lower(c.source) = u.source),
weight AS (
	SELECT u, share * ln(1 + total / (1.0 + coalesce(nullif(max(f, t), 0), o))) AS weight, share * ln(1 + total / (1.0 + o)) AS sourceWeight
	FROM (SELECT u, share, (SELECT count(*) FROM frequency f WHERE f.u = unit.u) AS f, (SELECT count(*) FROM title t WHERE t.u = unit.u) AS t,
		(SELECT count(*) FROM origin o WHERE o.u = unit.u) AS o, ?1 AS total FROM unit)),
part AS (
	SELECT n, weight * f / (f + 1.2 * (0.4 + 0.6 * ln(2 + messages) / ln(10))) AS score, weight * f / (f + 1.2) AS first
	FROM frequency JOIN weight USING (u) JOIN conversation USING (n)
	UNION ALL SELECT n, 0.6 * weight, 0.6 * weight FROM title JOIN weight USING (u)
	UNION ALL SELECT n, 0.6 * sourceWeight, 0.6 * sourceWeight FROM origin JOIN weight USING (u)),
heavy AS ( -- the three messages with the greatest weights
	SELECT *, row_number() OVER (PARTITION BY n ORDER BY weight DESC, id DESC) AS place FROM (
		SELECT m.*, sum(w.weight) * iif(m.tool OR m.summary, 0.25, 1) AS weight FROM hit JOIN weight w USING (u) JOIN message m USING (id) GROUP BY id)),
best AS (
	SELECT n, max(weight / (1 + 0.5 * ln(max(1, bytes / 300.0))) * iif(user AND NOT summary, 1.3, 1)) AS weight FROM heavy WHERE place <= 3 GROUP BY n)
SELECT n, sum(score) + 0.5 * coalesce((SELECT weight FROM best WHERE best.n = part.n), 0), sum(first) FROM part GROUP BY n`

// lookedInto is how many conversations are scored by their length and their best message: those
// with the best first score.
const lookedInto = 60

type plainScore struct{ score, first float64 }

// plainUnit is what is looked up for a word, or a part of one.
type plainUnit struct {
	typed, others []string
	share         float64
	stem, source  string
	inside        bool // others are looked for inside words
}

// plainUnits returns the units of words that are neither quoted nor typed halfway.
func plainUnits(words []model.WordReading) (units []plainUnit) {
	for i, w := range words {
		if a, b, ok := strings.Cut(w.Word, " "); ok && a != "" && b != "" { // a compound
			units = append(units, plainUnit{typed: w.Forms[:1], others: w.Forms[1:], share: 1, stem: plainStem(w.Forms[0]), source: w.Forms[0]})
			continue
		}
		for _, p := range w.Parts {
			u := plainUnit{typed: []string{p.Word}, others: p.Forms, share: 1, stem: plainStem(p.Word), source: p.Word}
			if p.Inside {
				u.others, u.inside = append(slices.Clone(p.Forms), p.Word), true
			}
			if match.IsUnspaced([]rune(p.Word)[0]) {
				if u.share = 0.6; analysis.IsFunctionPair(p.Word) || strings.ContainsFunc(p.Word, analysis.IsFunctionCharacter) {
					u.share = 0.2
				}
			}
			units = append(units, u)
		}
		if len(w.Parts) == 0 {
			units = append(units, plainUnit{typed: []string{w.Word}, others: w.Forms, share: 1, stem: plainStem(w.Word), source: w.Word})
			if w.Inside {
				units[len(units)-1].others, units[len(units)-1].inside = append(slices.Clone(w.Forms), w.Word), true
			}
		}
		if i+1 == len(words) || strings.Contains(words[i+1].Word, " ") || !analysis.IsPlain(w.Word) || !analysis.IsPlain(words[i+1].Word) {
			continue
		}
		phrase := plainUnit{share: 0.2}
		for _, a := range append([]string{w.Word}, w.Forms...) {
			for _, b := range append([]string{words[i+1].Word}, words[i+1].Forms...) {
				phrase.typed = append(phrase.typed, a+" "+b)
			}
		}
		phrase.typed = phrase.typed[:min(16, len(phrase.typed))]
		units = append(units, phrase)
	}
	return units
}

// plainStem returns the stem by which titles are looked through for a word, "" for none.
func plainStem(word string) string {
	if len(word) < 3 || !analysis.IsPlain(word) || analysis.InflectionPrefix(strings.ToLower(word)) == "" {
		return ""
	}
	return analysis.Stem(strings.ToLower(word))
}

// apart returns a text with spaces between scripts without spaces and others, which are
// words of their own: docker in 用docker部署.
func apart(text string) string {
	var b strings.Builder
	last := ' '
	for _, r := range pyjson.Unescape(text) {
		if match.IsUnspaced(r) != match.IsUnspaced(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// newPlainDatabase fills the tables of messages and conversations. Words beside a script
// without spaces are words.
func newPlainDatabase(t *testing.T, p *plainSource) *sql.DB {
	t.Helper()
	conn := otherConnection(t, t.TempDir()+"/plain.db")
	must(t, conn, plainTables)
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	insert := func(table string, values ...any) {
		t.Helper()
		if _, err := tx.ExecContext(t.Context(), `INSERT INTO `+table+` VALUES (`+strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")+`)`, values...); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range p.texts {
		insert("message", m.id, p.conversation[m.id], p.tools[m.id], p.summaries[m.id], p.users[m.id], p.bytes[m.id])
		insert("word(rowid, content, name, calls)", m.id, apart(m.content), m.toolName, apart(m.toolCalls))
	}
	for n, scope := range p.index.Scopes {
		if scope == snapshot.NoScope {
			continue
		}
		c := p.index.Conversation(int32(n))
		insert("conversation", n, c.Title, c.Source, c.Messages)
		insert("titleWord(rowid, title)", n, c.Title)
		for _, w := range analysis.Segments(c.Title) {
			if word := strings.ToLower(w.Text); analysis.IsPlain(word) {
				insert("titleStem", n, analysis.Stem(word))
			}
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	return conn
}

// scoreByPlainSQL returns the score of every conversation.
func scoreByPlainSQL(t *testing.T, conn *sql.DB, units []plainUnit, conversations int) map[int32]plainScore {
	t.Helper()
	must(t, conn, `DELETE FROM unit`, `DELETE FROM term`)
	for i, u := range units {
		add := func(text string, weight float64, inside bool) {
			phrase, like := `"`+text+`"`, ""
			if inside || match.IsUnspaced([]rune(text)[0]) {
				phrase, like = "", "%"+text+"%"
			}
			if _, err := conn.ExecContext(t.Context(), `INSERT INTO term VALUES (?, ?, ?, ?)`, i, weight, phrase, like); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range u.typed {
			add(text, 1, false)
		}
		for _, text := range u.others {
			add(text, 0.8, u.inside && text == u.source)
		}
		if _, err := conn.ExecContext(t.Context(), `INSERT INTO unit VALUES (?, ?, ?, ?)`, i, u.share, u.stem, strings.ToLower(u.source)); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.QueryContext(t.Context(), plainScores, conversations)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	scores := map[int32]plainScore{}
	for rows.Next() {
		var n int32
		var score plainScore
		if err := rows.Scan(&n, &score.score, &score.first); err != nil {
			t.Fatal(err)
		}
		scores[n] = score
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return scores
}

// The score of the closest conversations is that of one plain SQL statement, on every file
// whose word index can be read.
func TestClosestScoreIsThatOfPlainSQL(t *testing.T) {
	t.Parallel()
	questions := []string{
		"fixing docker builds", "how did we fix the dokcer build", "weekly menu with soup", "gateway daemon", "telegram deploy failed",
		"read files terminal output", "change log tests", "deployed databases", "部署服务器", "用docker部署失败的原因", "器署的",
		"log in with docker", "read out the weekly menu", "menu yesterday", "read_me_tests", "dokcer-fixing of the menu",
	}
	names := fixtures.Names(t, "*.db", 27)
	for _, name := range fixtures.Names(t, "bad/*.db", 20) {
		without := []string{"damaged-pages", "empty", "fts-corrupt", "fts-missing", "not-a-database", "other-application", "truncated", "truncated-header"}
		if !slices.Contains(without, strings.TrimSuffix(strings.TrimPrefix(name, "bad/"), ".db")) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := openFixture(t, name)
			compared := 0
			err := e.sessions.ReadSnapshotTx(t.Context(), func(conn db.Querier, snap *snapshot.Snapshot) error {
				var plain *sql.DB
				for _, text := range questions {
					q := query.Parse(text, false)
					filter, err := e.newListFilter(t.Context(), snap, snap.Conversations, query.ListOptions{}, true)
					if err != nil {
						return err
					}
					s, err := e.newCloseSource(t.Context(), conn, snap, q, query.ListOptions{}, filter, &hitCounter{index: snap.Conversations}, nil)
					if err != nil {
						return err
					}
					ranking, err := closest.Rank(t.Context(), s, q, time.Time{}, false, &e.closeWords)
					if err != nil {
						return err
					}
					if plain == nil {
						plain = newPlainDatabase(t, newPlainSource(t, s))
					}
					want := scoreByPlainSQL(t, plain, plainUnits(ranking.Words()), s.ConversationCount())
					compared += compareScores(t, s, text, ranking, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if compared < 10 {
				t.Errorf("only %d scores were compared", compared)
			}
		})
	}
}

// compareScores compares the scores of a ranking with those by plain SQL, and returns how
// many they are. Every conversation that is shown, was looked into and has enough of the best
// score is in the ranking.
func compareScores(t *testing.T, s *closeSource, text string, r *closest.Ranking, want map[int32]plainScore) int {
	t.Helper()
	got, best, last := map[int32]bool{}, 0.0, math.MaxFloat64
	for _, c := range r.Candidates {
		got[c.Conversation], best, last = true, max(best, c.Score), min(last, c.Score)
		if plain := want[c.Conversation].score; math.Abs(c.Score-plain) > 1e-4 {
			t.Errorf("%s: conversation %d (%s) has the score %.4f, by plain SQL %.4f: %+v", text, c.Conversation, s.Title(c.Conversation), c.Score, plain, r.Words())
		}
	}
	for n, w := range want {
		if s.Visibility(n) != closest.Shown || got[n] || w.score <= last+1e-4 && (len(r.Candidates) >= 30 || w.score <= 0.2*best+1e-4) {
			continue
		}
		before := 0
		for other, o := range want {
			if s.Visibility(other) != closest.Excluded && o.first >= w.first-1e-4 {
				before++
			}
		}
		if before <= lookedInto {
			t.Errorf("%s: conversation %d with the score %.4f by plain SQL is not in the ranking", text, n, w.score)
		}
	}
	return len(r.Candidates)
}
