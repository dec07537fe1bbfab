package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// salvagePlan says what the new file of a salvage is made of. Triggers come last, so that
// none runs while rows are stored.
type salvagePlan struct {
	version  int
	tables   []statement // of ordinary tables, and views
	indexes  []statement
	virtual  []statement // full-text tables
	triggers []statement

	copied   []string // tables whose rows are copied, in order
	fullText []string // full-text tables that were made and filled
	notes    []string // what will be otherwise than it was
}

// statement is one entry of the list of tables: what makes it, and its name.
type statement struct{ kind, name, table, sql string }

var baseTables = []string{"schema_version", "sessions", "messages", "state_meta"}

// salvagePlans returns the plan for the newest schema that is known in full, which is 11.
// Where the file has columns that schema 11 does not have and its list of tables can be
// read to the end, own is the plan for the very tables, indexes and triggers of the file.
func (u *Upkeep) salvagePlans(ctx context.Context) (own *salvagePlan, known salvagePlan) {
	all, broken := u.statements(ctx)
	known = salvagePlan{version: ddl.Version, copied: slices.Clone(baseTables)}
	known.tables = []statement{{"table", "", "", ddl.Tables}}
	known.indexes = []statement{{"index", "idx_sessions_title_unique", "sessions", ddl.TitleIndex}}
	known.virtual = []statement{{"table", "messages_fts", "messages_fts", ddl.Index}}
	known.triggers = []statement{{"trigger", "", "messages", ddl.Triggers}}
	for _, s := range all {
		if s.kind == "table" && isOrdinary(s, all) && !slices.Contains(baseTables, s.name) && s.name != "system_prompts" {
			known.tables = append(known.tables, s)
			known.copied = append(known.copied, s.name)
		}
	}
	want, err := declaredColumns(ctx)
	if err != nil || u.checkColumnsKnown(want) == nil && u.db.Schema.Version <= ddl.Version {
		return nil, known
	}
	var dropped []string
	for _, table := range []string{"sessions", "messages"} {
		for _, name := range u.db.Schema.ColumnOrder[table] {
			if !slices.ContainsFunc(want[table], func(c columnDef) bool { return c.name == name }) && name != "system_prompt_hash" {
				dropped = append(dropped, table+"."+name)
			}
		}
	}
	if len(dropped) > 0 {
		known.notes = append(known.notes, fmt.Sprintf("schema %d has no %s", ddl.Version, strings.Join(dropped, ", ")))
	}
	if broken {
		known.notes = append(known.notes, "the list of tables could not be read to its end")
		return nil, known
	}
	own = &salvagePlan{version: u.db.Schema.Version}
	for _, s := range all {
		switch {
		case s.kind == "table" && isOrdinary(s, all):
			own.tables = append(own.tables, u.withoutTypes(s))
			own.copied = append(own.copied, s.name)
		case s.kind == "view":
			own.tables = append(own.tables, s)
		case s.kind == "table" && isVirtual(s):
			own.virtual = append(own.virtual, s)
		case s.kind == "index":
			own.indexes = append(own.indexes, s)
		case s.kind == "trigger":
			own.triggers = append(own.triggers, s)
		}
	}
	// Views name tables, which have to be there first.
	sort.SliceStable(own.tables, func(i, j int) bool { return own.tables[i].kind < own.tables[j].kind })
	return own, known
}

// statements reads the list of tables. broken is true where it could not be read to its
// end.
func (u *Upkeep) statements(ctx context.Context) (all []statement, broken bool) {
	err := db.EachRow(ctx, u.db.Pool, `SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid`, nil, func(r db.Row) {
		s := statement{r.Text(0), r.Text(1), r.Text(2), r.Text(3)}
		if small := strings.ToLower(s.name); u.db.Schema.ColumnOrder[small] != nil {
			s.name = small
			if rest, ok := strings.CutPrefix(s.sql, "CREATE "); ok && u.db.HasNote(model.NoteOtherCase) {
				s.sql = "CREATE " + strings.ToLower(rest)
			}
		}
		s.sql = collations.ReplaceAllStringFunc(s.sql, func(clause string) string {
			if known := strings.Fields(strings.ToUpper(clause)); slices.Contains([]string{"BINARY", "NOCASE", "RTRIM"}, strings.Trim(known[1], "\"'`[]")) {
				return clause
			}
			return ""
		})
		broken = broken || s.kind == "" || s.name == "" || !strings.HasPrefix(s.sql, "CREATE ")
		all = append(all, s)
	})
	return all, broken || err != nil
}

// collations matches the collation of a column. The salvaged file does without those that only
// another program has.
var collations = regexp.MustCompile("(?i)\\bCOLLATE\\s+[\"'`\\[]?\\w+[\"'`\\]]?")

// withoutTypes lets a table take values of all types, which one declared STRICT may hold,
// and ids of sessions as text, which a column of numbers would change.
func (u *Upkeep) withoutTypes(s statement) statement {
	s.sql = strictOption.ReplaceAllString(s.sql, ")$1")
	for _, column := range idColumns[s.name] {
		if u.db.Schema.NumericIDs[s.name+"."+column] {
			first := regexp.MustCompile("(?is)^(.*?\\b" + column + "[\"`\\]]?)\\s+[a-z]+")
			s.sql = first.ReplaceAllString(s.sql, "$1 TEXT")
		}
	}
	return s
}

var strictOption = regexp.MustCompile(`(?i)\)(\s*WITHOUT\s+ROWID)?\s*,?\s*STRICT\s*$`)

// checks matches the CHECK constraints of a table, with up to two more pairs of
// parentheses in each. SQLite takes a CONSTRAINT with a name alone in its place.
var checks = regexp.MustCompile(`(?i)\bCHECK\s*\(([^()']|'[^']*'|\(([^()']|'[^']*'|\(([^()']|'[^']*')*\))*\))*\)`)

// isVirtual reports whether a table is a virtual one.
func isVirtual(s statement) bool {
	return strings.HasPrefix(strings.ToUpper(s.sql), "CREATE VIRTUAL ")
}

// isOrdinary reports whether a table keeps rows of its own: it is not virtual, belongs to
// no virtual table, and is not one of SQLite's.
func isOrdinary(s statement, all []statement) bool {
	if isVirtual(s) || strings.HasPrefix(s.name, "sqlite_") || strings.HasPrefix(s.name, "messages_fts") {
		return false
	}
	return !slices.ContainsFunc(all, func(v statement) bool { return isVirtual(v) && strings.HasPrefix(s.name, v.name+"_") })
}

// createTables makes the tables and views. A table that is neither of sessions nor of
// messages and cannot be made is lost.
func (r *salvageRun) createTables(ctx context.Context) error {
	for _, s := range r.plan.tables {
		statement := checks.ReplaceAllString(s.sql, "CONSTRAINT unchecked")
		if statement != s.sql {
			r.Notes = append(r.Notes, "the table "+s.name+" was created without its CHECK constraints, to keep the rows that violate them")
		}
		err := r.exec(ctx, statement)
		if err != nil && (s.kind == "view" || s.name == "" || s.name == "sessions" || s.name == "messages") {
			return err
		}
		if err != nil {
			r.Notes = append(r.Notes, "the table "+s.name+" could not be created: "+db.CauseOf(err))
			r.gaps[s.name] = true
		}
	}
	return nil
}

// createIndexes makes and fills the full-text tables, then the indexes, then the triggers.
func (r *salvageRun) createIndexes(ctx context.Context) error {
	if err := r.clearDuplicateTitles(ctx); err != nil {
		return err
	}
	for _, s := range r.plan.indexes {
		if err := r.exec(ctx, s.sql); err != nil {
			r.Notes = append(r.Notes, "the index "+s.name+" could not be created: "+db.CauseOf(err))
		}
	}
	var left []string // full-text tables that only Hermes can make
	for _, s := range r.plan.virtual {
		err := r.exec(ctx, s.sql)
		if err != nil && strings.Contains(err.Error(), "no such tokenizer") {
			left = append(left, s.name)
			r.Notes = append(r.Notes, "the index "+s.name+" was left out, because only Hermes can create it")
			continue
		}
		if err != nil {
			return err
		}
		if err := r.fillIndex(ctx, s); err != nil {
			return err
		}
	}
	for _, s := range r.plan.triggers {
		if slices.ContainsFunc(left, func(table string) bool { return strings.Contains(s.sql, table) }) {
			continue
		}
		if err := r.exec(ctx, s.sql); err != nil {
			return err
		}
	}
	if r.plan.version == ddl.Version || !slices.Contains(r.plan.copied, "state_meta") || r.gaps["state_meta"] {
		return nil
	}
	// The indexes hold every message now, so no rebuild of them is under way. Hermes makes
	// the one that was left out where this mark says that it is stale.
	statements := []string{`DELETE FROM state_meta WHERE key IN ('fts_rebuild_high_water', 'fts_rebuild_progress', 'fts_rebuild_deferral')`}
	if len(left) > 0 {
		statements = append(statements, `INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1')`)
	}
	return r.exec(ctx, statements...)
}

// fillIndex indexes every message in a full-text table.
func (r *salvageRun) fillIndex(ctx context.Context, s statement) error {
	var fill []string
	switch {
	case s.sql == ddl.Index:
		fill = []string{ddl.FillWords, ddl.FillTrigrams, ddl.FitTrigrams}
		r.plan.fullText = append(r.plan.fullText, "messages_fts", "messages_fts_trigram")
	case db.HasExternalContent(s.sql):
		fill = []string{`INSERT INTO ` + db.Quote(s.name) + `(` + db.Quote(s.name) + `) VALUES('rebuild')`}
	case s.name == "messages_fts":
		fill = []string{ddl.FillWords}
	case s.name == "messages_fts_trigram":
		fill = []string{ddl.FillTrigrams, ddl.FitTrigrams}
	default:
		r.Notes = append(r.Notes, "the full-text table "+s.name+" is empty: this program cannot fill it")
		r.LostRows = append(r.LostRows, model.LostRows{Table: s.name})
	}
	if s.sql != ddl.Index {
		r.plan.fullText = append(r.plan.fullText, s.name)
	}
	return r.exec(ctx, fill...)
}

// clearDuplicateTitles lets the newest of several sessions with one title keep it
// (store/README.md#q15).
func (r *salvageRun) clearDuplicateTitles(ctx context.Context) error {
	if columns, err := r.targetColumns(ctx, "sessions"); err != nil || !slices.ContainsFunc(columns, func(c targetColumn) bool { return c.name == "title" }) {
		return err
	}
	key, err := db.RowidName(ctx, r.conn, "sessions", "rowid")
	if err != nil {
		return err
	}
	key = cmp.Or(key, "id")
	if err := db.EachRow(ctx, r.conn, olderTitles(key), nil, func(row db.Row) {
		r.Notes = append(r.Notes, fmt.Sprintf("session %s lost its title '%s': a newer session has the same", row.Text(0), row.Text(1)))
	}); err != nil {
		return err
	}
	return r.exec(ctx, dropTitles(key))
}
