package store

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// inventedSchemas is how many schemas TestInventedSchemas invents.
var inventedSchemas = flag.Int("schemas", campaign.Length(1, 45), "newer schemas to invent")

// The parts of an invented schema.
var (
	inventedColumns = []string{
		`ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'`,
		`ALTER TABLE sessions ADD COLUMN "order" INTEGER`,
		`ALTER TABLE sessions ADD COLUMN vector BLOB DEFAULT x'00ff00'`,
		`ALTER TABLE sessions ADD COLUMN "a ""quoted"" name" REAL DEFAULT 1e300`,
		`ALTER TABLE sessions ADD COLUMN title_folded TEXT GENERATED ALWAYS AS (lower(title)) VIRTUAL`,
		`ALTER TABLE messages ADD COLUMN content_id TEXT`,
		`ALTER TABLE messages ADD COLUMN tokens INTEGER GENERATED ALWAYS AS (length(content)) VIRTUAL`,
		`ALTER TABLE messages ADD COLUMN visible_to TEXT NOT NULL DEFAULT 'all' CHECK (visible_to IN ('all', 'none'))`,
		`ALTER TABLE messages ADD COLUMN rowid_of INTEGER REFERENCES messages(id)`,
		`ALTER TABLE sessions DROP COLUMN git_branch`,
		`ALTER TABLE sessions DROP COLUMN billing_mode`,
		`ALTER TABLE sessions DROP COLUMN rewind_count`,
		`ALTER TABLE messages DROP COLUMN token_count`,
		`ALTER TABLE messages DROP COLUMN display_metadata`,
	}
	inventedTables = []string{
		`CREATE TABLE reactions (message INTEGER REFERENCES messages(id) ON DELETE CASCADE, mark TEXT, PRIMARY KEY (message, mark)) WITHOUT ROWID; INSERT INTO reactions SELECT id, '+' FROM messages WHERE id % 9 = 0`,
		`CREATE TABLE ledger (session TEXT REFERENCES sessions(id) ON DELETE RESTRICT, n INTEGER) STRICT; INSERT INTO ledger SELECT id, 1 FROM sessions LIMIT 3`,
		`CREATE TABLE sessions_archive AS SELECT * FROM sessions LIMIT 2`,
		`CREATE VIEW recent AS SELECT id, title FROM sessions ORDER BY started_at DESC`,
		`CREATE VIRTUAL TABLE titles_fts USING fts5(title); INSERT INTO titles_fts(rowid, title) SELECT rowid, title FROM sessions`,
		`CREATE TRIGGER sessions_guard BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'a newer Hermes guards this session'); END`,
		`CREATE TRIGGER messages_count AFTER INSERT ON messages BEGIN UPDATE sessions SET message_count = message_count + 0 WHERE id = new.session_id; END`,
	}
	inventedIndexes = []string{
		`DROP INDEX idx_sessions_started; CREATE INDEX ix_started ON sessions(started_at DESC, id)`,
		`DROP INDEX idx_messages_session; CREATE INDEX ix_messages ON messages(session_id, id, timestamp)`,
		`DROP INDEX idx_sessions_parent`,
		`DROP INDEX idx_sessions_title_unique; CREATE UNIQUE INDEX ux_title ON sessions(title COLLATE NOCASE, id)`,
		`CREATE INDEX ix_odd ON sessions(lower(title)) WHERE title IS NOT NULL`,
	}
	inventedTokenizers = []string{`unicode61`, `porter unicode61`, `ascii`, `unicode61 remove_diacritics 0`, `unicode61 tokenchars ''-_.''`, `trigram`, `trigram case_sensitive 1`}
)

// inventedIndex makes messages_fts anew in another layout.
func inventedIndex(r *rand.Rand) (what string, statements []string) {
	drop := func(table string) {
		for _, event := range []string{"insert", "delete", "update"} {
			statements = append(statements, `DROP TRIGGER IF EXISTS `+table+`_`+event)
		}
		statements = append(statements, `DROP TABLE IF EXISTS `+table)
	}
	drop("messages_fts")
	tokenizer := inventedTokenizers[r.IntN(len(inventedTokenizers))]
	external := func(options string, columns ...string) {
		list := strings.Join(columns, ", ")
		with := func(row string) string { return row + "." + strings.Join(columns, ", "+row+".") }
		old := `INSERT INTO messages_fts(messages_fts, rowid, ` + list + `) VALUES ('delete', old.id, ` + with("old") + `);`
		add := `INSERT INTO messages_fts(rowid, ` + list + `) VALUES (new.id, ` + with("new") + `);`
		statements = append(statements,
			`CREATE VIRTUAL TABLE messages_fts USING fts5(`+list+`, content='messages', content_rowid='id', tokenize='`+tokenizer+`'`+options+`)`,
			`CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN `+add+` END`,
			`CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN `+old+` END`,
			`CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN `+old+` `+add+` END`,
			`INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')`)
	}
	switch r.IntN(8) {
	case 0:
		return "no index", statements
	case 1:
		external("", "content", "tool_name", "tool_calls", "reasoning")
		return "four columns, " + tokenizer, statements
	case 2:
		external(", prefix='2 3'", "content", "tool_name", "tool_calls")
		return "prefixes, " + tokenizer, statements
	case 3:
		external(", detail=none", "content", "tool_name", "tool_calls")
		return "detail=none, " + tokenizer, statements
	case 4:
		external(", detail=column, columnsize=0", "tool_calls", "content")
		return "other order and sizes, " + tokenizer, statements
	case 5:
		statements = append(statements,
			`CREATE VIRTUAL TABLE messages_fts USING fts5(content, content='', contentless_delete=1, tokenize='`+tokenizer+`')`,
			ddl.FillWords, strings.Join(strings.SplitAfter(ddl.Triggers, "END;\n")[:3], ""))
		return "without content, " + tokenizer, statements
	case 6:
		statements = append(statements, `CREATE VIRTUAL TABLE messages_search USING fts5(content, content='messages', content_rowid='id', tokenize='`+tokenizer+`')`,
			`INSERT INTO messages_search(messages_search) VALUES ('rebuild')`)
		return "an index of another name, " + tokenizer, statements
	}
	external("", "content", "tool_name", "tool_calls")
	statements = append(statements, `PRAGMA writable_schema = 1`,
		`UPDATE sqlite_master SET sql = replace(sql, 'tokenize=''`+strings.ReplaceAll(tokenizer, "''", "''''")+`''', 'tokenize=''hermes32''') WHERE name = 'messages_fts'`, `PRAGMA writable_schema = 0`)
	return "an unknown tokenizer", statements
}

// inventSchema turns a file of schema 25 into one of a schema that does not exist.
func inventSchema(t *testing.T, path string, version int, r *rand.Rand) string {
	t.Helper()
	what, statements := "the index as it was", []string(nil)
	if r.IntN(4) > 0 {
		what, statements = inventedIndex(r)
	}
	statements = append(statements, fmt.Sprintf(`UPDATE schema_version SET version = %d`, version))
	for _, from := range [][]string{inventedIndexes, inventedColumns, inventedTables} {
		for _, n := range r.Perm(len(from))[:r.IntN(4)] {
			statements = append(statements, from[n])
			what += "; " + from[n][:min(60, len(from[n]))]
		}
	}
	fixtures.Exec(t, path, statements...)
	return fmt.Sprintf("schema %d: %s", version, what)
}

// Every change works on a schema that does not exist yet: the newest with another trigger, which
// keeps a column of its own in the rows of a session, another column and two other tables. Undo
// takes back what the trigger has written.
func TestEveryChangeOnTheNextSchema(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v31.db")
	fixtures.Exec(t, path,
		fmt.Sprintf(`UPDATE schema_version SET version = %d`, db.NewestSchema+1),
		`ALTER TABLE messages ADD COLUMN visible_position INTEGER`,
		`ALTER TABLE sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0`,
		`UPDATE messages SET visible_position = id`,
		`CREATE TABLE session_notes (session_id TEXT REFERENCES sessions(id) ON DELETE CASCADE, note TEXT, PRIMARY KEY (session_id, note)) WITHOUT ROWID`,
		`INSERT INTO session_notes SELECT id, 'note' FROM sessions`,
		`CREATE TABLE message_marks (message INTEGER REFERENCES messages(id) ON DELETE CASCADE, mark TEXT)`,
		`INSERT INTO message_marks SELECT id, '+' FROM messages WHERE id % 2`,
		`CREATE TRIGGER messages_position_delete AFTER DELETE ON messages BEGIN
			UPDATE messages SET visible_position = visible_position - 1 WHERE session_id = old.session_id AND id > old.id;
			UPDATE sessions SET revision = revision + 1 WHERE id = old.session_id; END`,
		`CREATE TRIGGER messages_position_insert AFTER INSERT ON messages WHEN new.visible_position IS NULL BEGIN
			UPDATE messages SET visible_position = (SELECT count(*) FROM messages WHERE session_id = new.session_id) WHERE id = new.id; END`,
		`CREATE TRIGGER sessions_revision AFTER UPDATE OF title, archived, pinned ON sessions BEGIN
			UPDATE sessions SET revision = revision + 1 WHERE id = new.id;
			UPDATE messages SET visible_position = 0 WHERE session_id = new.id; END`)
	checkReversible(t, reopen(t, path), "the next schema", campaign.Length(6, 1000))
}

// inventedWords are searched in invented schemas.
var inventedWords = []string{"docker", "config", "the", "error", "\"config file\"", "terminal"}

// found returns the conversations that a search finds, in order.
func found(t *testing.T, s *Store, word string) (ids []string, said bool) {
	t.Helper()
	r, err := s.Search(t.Context(), query.Parse(word, false), everyConversation)
	if err != nil {
		t.Fatalf("%s: %v", word, err)
	}
	for _, c := range r.Matches {
		ids = append(ids, c.Conversation.ID)
	}
	slices.Sort(ids)
	return ids, r.IndexNote != ""
}

// A schema that does not exist yet is read: every conversation, every message, every hit.
// What is not known is said. A change is made as a whole, with the index in step, or
// refused with a remedy and nothing changed.
func TestInventedSchemas(t *testing.T) {
	t.Parallel()
	known := openFixture(t, "v25.db")
	want := map[string][]string{}
	for _, word := range inventedWords {
		want[word], _ = found(t, known, word)
	}
	list, err := known.Conversations(t.Context(), everyConversation)
	if err != nil {
		t.Fatal(err)
	}
	messages := Count(t, known, `SELECT count(*) FROM messages`)
	active := Count(t, known, `SELECT count(*) FROM messages WHERE active = 1`)
	refused, made := 0, 0
	for n := range *inventedSchemas {
		r := rand.New(rand.NewPCG(uint64(n), 32))
		path := fixture(t, "v25.db")
		what := inventSchema(t, path, db.NewestSchema+1+n%9, r)
		s, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !slices.Contains(kinds(s.Notes()), model.NoteNewerSchema) {
			t.Errorf("%s: no note that the schema is not known", what)
		}
		page, err := s.Conversations(t.Context(), everyConversation)
		if err != nil || page.Total != list.Total {
			t.Errorf("%s: %d of %d conversations: %v", what, page.Total, list.Total, err)
		}
		for _, word := range inventedWords {
			got, said := found(t, s, word)
			for _, id := range want[word] {
				if !slices.Contains(got, id) && !said {
					t.Errorf("%s: %s finds %d of %d, without a note", what, word, len(got), len(want[word]))
					break
				}
			}
		}
		var lines bytes.Buffer
		if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil || strings.Count(lines.String(), `"session_id": `) < active {
			t.Errorf("%s: %d of %d messages exported: %v", what, strings.Count(lines.String(), `"session_id": `), active, err)
		}
		c, err := s.Check(t.Context(), true)
		if err != nil || c.Messages != messages || slices.Contains(kinds(c.Problems), model.NoteDamaged) {
			t.Errorf("%s: %+v %v", what, c, err)
		}
		if done, err := s.Salvage(t.Context(), path+".saved"); err != nil || done.Messages != messages {
			t.Errorf("%s: salvage: %+v %v", what, done, err)
		}
		changed, notChanged := changeInvented(t, s, what, list.Conversations)
		made, refused = made+changed, refused+notChanged
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("trust: %d invented schemas, all read; %d changes made, %d refused with a remedy", *inventedSchemas, made, refused)
}

// changeInvented makes changes in an invented schema.
func changeInvented(t *testing.T, s *Store, what string, conversations []model.Conversation) (made, refused int) {
	t.Helper()
	other := otherConnection(t, s.Path())
	for name, change := range map[string]func(model.Conversation) error{
		"rename": func(c model.Conversation) error {
			_, err := s.Rename(t.Context(), model.Renaming{ID: c.ID, Was: c.Title, Title: "a new title"})
			return err
		},
		"pin": func(c model.Conversation) error { _, err := s.SetPinned(t.Context(), []string{c.ID}, true); return err },
		"delete": func(c model.Conversation) error {
			u, err := s.Delete(t.Context(), []string{c.ID}, model.DeleteOptions{})
			if err != nil {
				return err
			}
			if err := s.Restore(t.Context(), u, model.RestoreOptions{}); err != nil {
				t.Errorf("%s: restore: %v", what, err)
			}
			return nil
		},
	} {
		before := dump(t, other)
		err := change(conversations[len(conversations)/2])
		if err != nil {
			refused++
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Remedy.Text == "" {
				t.Errorf("%s: %s: no kind or no remedy: %v", what, name, err)
			}
			same(t, what+": "+name, before, dump(t, other))
			continue
		}
		made++
		if name == "delete" {
			same(t, what+": delete and restore", before, dump(t, other))
		}
		for _, line := range texts(t, s, `PRAGMA integrity_check`) {
			if line != "ok" && !older(line) {
				t.Errorf("%s: after %s: %s", what, name, line)
			}
		}
	}
	return made, refused
}
