package upkeep

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// checkIndexes finds the layout of the full-text index and counts where its row
// numbers and those of the messages differ.
func (c *checkRun) checkIndexes(ctx context.Context) error {
	u, x := c.upkeep, &c.Index
	x.CJK = slices.ContainsFunc(db.CJKTriggers[:], func(name string) bool { _, ok := u.db.Schema.Tables[name]; return ok })
	if x.CJK {
		c.addAdvice(model.KindTokenizer, "the index messages_fts_cjk needs a tokenizer that only Hermes loads, so messages cannot be deleted or changed from here", model.AdviseToRun("delete with Hermes", "hermes sessions delete ID"))
	}
	words, ok := u.db.Schema.Tables["messages_fts"]
	if !ok {
		x.Layout = "none"
		c.addProblem(model.NoteFTSMissing, "there is no full-text index; search reads every message and is slower", u.db.AdviseReindex())
		return nil
	}
	if c.damaged {
		x.Layout = u.ftsLayout("")
		return nil // the index shares the damage
	}
	var slow []string // why search is slow
	err := u.db.ReadTx(ctx, func(q db.Querier) error {
		marks := map[string]string{}
		if u.db.Schema.Has("state_meta", "value") {
			err := db.EachRow(ctx, q, `SELECT key, value FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`, nil, func(r db.Row) {
				marks[r.Text(0)] = r.Text(1)
			})
			if err != nil {
				return err
			}
		}
		x.Layout = u.ftsLayout(marks["fts_storage_version"])
		_, x.Stale = marks["fts_stale"]
		// A rebuild has reached messages up to low and leaves those above high.
		low, high := int64(-1), int64(-1)
		if mark, ok := marks["fts_rebuild_high_water"]; ok {
			low, high = db.AsInt(marks["fts_rebuild_progress"]), db.AsInt(mark)
			if err := scanCount(ctx, q, &x.Pending, `SELECT count(*) FROM messages WHERE id > ? AND id <= ?`, low, high); err != nil {
				return err
			}
		}
		if x.Stale {
			return nil
		}
		var err error
		if slow, err = u.unsupportedIndexes(ctx, q); err != nil {
			return err
		}
		if err := compareTable(ctx, &x.Words, q, "messages_fts", words, low, high); err != nil {
			return err
		}
		if made, ok := u.db.Schema.Tables["messages_fts_trigram"]; ok {
			return compareTable(ctx, &x.Trigrams, q, "messages_fts_trigram", made, low, high)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(slow) > 0 && !x.Stale {
		c.addAdvice(model.NoteSlowSearch, "search asks SQLite's own full-text engine, which is slower: "+strings.Join(slow, "; "), u.db.AdviseReindex())
	}
	missing := u.missingIndexParts()
	switch {
	case x.Stale:
		c.addProblem(model.NoteFTSOutOfStep, "Hermes has set its full-text index aside; search reads every message and is slower", u.db.AdviseReindex())
	case x.Pending > 0:
		c.addAdvice(model.NoteFTSOutOfStep, fmt.Sprintf("Hermes is rebuilding its full-text index; %s to go, which search reads one by one", model.Quantity(x.Pending, "message")), model.AdviseToRun("wait, or let Hermes finish it", "hermes sessions optimize-storage"))
	case len(missing) > 0:
		c.addProblem(model.NoteFTSOutOfStep, "parts of the full-text index are missing, so new messages are not indexed: "+strings.Join(missing, ", "), u.db.AdviseReindex())
	}
	if off := max(x.Words.Missing, x.Trigrams.Missing); off > 0 {
		c.addProblem(model.NoteFTSOutOfStep, "the full-text index lacks "+model.Quantity(off, "message")+", which this program finds more slowly and Hermes does not find", u.db.AdviseReindex())
	}
	if off := max(x.Words.Extra, x.Trigrams.Extra); off > 0 {
		c.addProblem(model.NoteFTSOutOfStep, "the full-text index still holds "+countNoun(off, "message that no longer exists", "messages that no longer exist"), u.db.AdviseReindex())
	}
	return nil
}

// unsupportedIndexes says why a search cannot read full-text tables without FTS5 in the read
// transaction q, one sentence per table. A search gives the same answer then, only slower. The
// error is ctx's.
func (u *Upkeep) unsupportedIndexes(ctx context.Context, q db.Querier) (reasons []string, err error) {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		ddl, ok := u.db.Schema.Tables[table]
		if !ok {
			continue
		}
		x, err := fts.New(table, ddl)
		if err == nil {
			_, err = x.Refresh(ctx, q, 0)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			reasons = append(reasons, err.Error())
		}
	}
	return reasons, nil
}

// ftsLayout names the layout of the full-text index (store/README.md#fts-layouts).
// stated is the storage version that Hermes has stored in state_meta, "" for none.
func (u *Upkeep) ftsLayout(stated string) string {
	words, trigrams := u.db.Schema.Tables["messages_fts"], u.db.Schema.Tables["messages_fts_trigram"]
	switch {
	case !db.HasExternalContent(words):
		return "inline"
	case !strings.Contains(words, "tool_name"):
		return "external"
	case stated != "":
		return "storage " + stated
	case strings.Contains(words, "messages_fts_src"):
		return "storage 3"
	case trigrams != "" && !strings.Contains(trigrams, "tool_calls"):
		return "storage 2"
	}
	return "storage 1"
}

// missingIndexParts names the tables and triggers of the full-text index that
// the file should have and does not. Trigrams came with version 10.
func (u *Upkeep) missingIndexParts() (missing []string) {
	tables := []string{"messages_fts"}
	if u.db.Schema.Version >= 10 {
		tables = append(tables, "messages_fts_trigram")
	}
	for _, table := range tables {
		for _, part := range []string{"", "_insert", "_delete", "_update"} {
			if _, ok := u.db.Schema.Tables[table+part]; !ok {
				missing = append(missing, table+part)
			}
		}
	}
	return missing
}

// contentTable matches the table or view that holds the text of a full-text table, in
// the statement that made it.
var contentTable = regexp.MustCompile(`\bcontent\s*=\s*['"]?(\w+)`)

// compareTable counts the messages that a full-text table lacks and the rows that it has
// without a message, by row numbers alone. Messages after low and up to high are not
// expected in it. made is the statement that made the table.
func compareTable(ctx context.Context, t *model.TableCheck, q db.Querier, table, made string, low, high int64) error {
	t.Present = true
	source, expected := "messages", ""
	if m := contentTable.FindStringSubmatch(made); m != nil {
		source = m[1] // a view leaves out what the index leaves out by design
		if table == "messages_fts_trigram" && !strings.Contains(made, "tool_name") {
			expected = " AND m.content IS NOT NULL" // version 10 left those out when it made the index
		}
	}
	return errors.Join(
		scanCount(ctx, q, &t.Missing, `SELECT count(*) FROM `+db.Quote(source)+` m WHERE NOT (m.id > ? AND m.id <= ?)`+expected+` AND `+db.NotIndexedCondition(table), low, high),
		scanCount(ctx, q, &t.Extra, `SELECT count(*) FROM `+table+`_docsize d WHERE NOT EXISTS (SELECT 1 FROM `+db.Quote(source)+` m WHERE m.id = d.id)`))
}

// scanCount reads the one number that a query gives.
func scanCount(ctx context.Context, q db.Querier, into *int, query string, args ...any) error {
	return db.EachRow(ctx, q, query, args, func(r db.Row) {
		*into = int(r.Int(0))
	})
}

// secondsToCompare estimates how long it takes to compare every text with the index.
func (c *checkRun) secondsToCompare() int64 { return c.Bytes/50e6 + 1 }

// compareIndexes lets SQLite compare the full-text index with every text. The pragma
// integrity_check only reads, unlike FTS5's own command of that name.
func (c *checkRun) compareIndexes(ctx context.Context, thorough bool) error {
	u, x := c.upkeep, &c.Index
	if x.Layout == "none" || x.Stale || c.damaged {
		return nil
	}
	if !thorough && c.Bytes > maxComparedBytes {
		c.addAdvice(model.NoteNotCompared, "the texts were not compared with the full-text index",
			model.Remedy{Kind: model.RemedyCompare, Text: fmt.Sprintf("compare them, which takes about %d s", c.secondsToCompare()), Object: u.db.Path})
		return nil
	}
	var bad, damage []string
	check := func(query string) error {
		err := u.complaints(ctx, query, func(line string) {
			switch {
			case strings.Contains(line, "messages_fts"):
				bad = append(bad, line)
			case !isOddValueComplaint(line):
				damage = append(damage, line)
			}
		})
		// Of an index without one of its tables FTS5 says that it cannot be opened.
		if db.IsCorrupt(err) || err != nil && strings.Contains(err.Error(), "constructor failed: messages_fts") {
			bad, err = append(bad, db.CauseOf(err)), nil
		}
		return err
	}
	if thorough {
		// SQLite does not say how far it has come.
		u.report(model.Progress{Step: fmt.Sprintf("checking each text in the full-text index, which takes about %d s", c.secondsToCompare())})
		// One check of the whole file also finds pages that belong to no table,
		// or to two.
		if err := check(`PRAGMA integrity_check`); err != nil {
			return err
		}
		if len(damage) > 0 {
			c.damaged = true
			c.addProblem(model.NoteDamaged, damageText(damage), u.db.AdviseRecovery())
			return nil
		}
	} else {
		for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
			if _, ok := u.db.Schema.Tables[table]; !ok {
				continue
			}
			if err := check(`PRAGMA quick_check(` + table + `)`); err != nil {
				return err
			}
		}
		bad = append(bad, damage...)
	}
	x.Compared = true
	if len(bad) == 0 && x.Pending == 0 {
		var err error
		if bad, err = c.lostTexts(ctx); err != nil {
			return err
		}
	}
	if len(bad) == 0 || c.hasNote(model.NoteFTSDamaged, model.NoteFTSOutOfStep, model.NoteFTSMissing) {
		return nil
	}
	if !slices.ContainsFunc(bad, func(line string) bool { return !strings.Contains(line, "messages_fts_trigram") }) {
		// Older SQLite cut a text at a NUL when it made trigrams
		// (store/README.md#nul-in-trigrams), and content with images begins
		// with one. It is not plain text anyway.
		var marked int
		if err := scanCount(ctx, u.db.Pool, &marked, `SELECT EXISTS (SELECT 1 FROM messages WHERE content >= char(0) AND content < char(1))`); err != nil {
			return err
		}
		if marked > 0 {
			if found, err := c.findsTexts(ctx, "messages_fts_trigram"); err != nil || found {
				return err
			}
		}
	}
	c.addProblem(model.NoteFTSDamaged, "the full-text index does not match the messages: "+listSeveral(bad), u.db.AdviseReindex())
	return nil
}

// lostTexts names the full-text tables that do not find messages by their own text, of those
// that hold no text: of these SQLite compares the index only with itself.
func (c *checkRun) lostTexts(ctx context.Context) (bad []string, err error) {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if !db.HasExternalContent(c.upkeep.db.Schema.Tables[table]) {
			continue
		}
		found, err := c.findsTexts(ctx, table)
		if err != nil {
			return nil, err
		}
		if !found {
			bad = append(bad, "messages are not found in "+table+" by their own text")
		}
	}
	return bad, nil
}

// sampledTexts is how many of the newest messages, and about how many of all, findsTexts
// looks up.
const sampledTexts = 250

// findsTexts reports whether a full-text table finds messages by the beginning of their
// texts: the newest ones, and some from everywhere. Of texts that begin with anything but
// plain ASCII it says nothing.
func (c *checkRun) findsTexts(ctx context.Context, table string) (found bool, err error) {
	found = true
	source := "messages"
	least := 1
	if m := contentTable.FindStringSubmatch(c.upkeep.db.Schema.Tables[table]); m != nil {
		source = m[1]
	}
	if table == "messages_fts_trigram" {
		least = 3
	}
	err = c.upkeep.db.ReadTx(ctx, func(q db.Querier) error {
		begins := map[int64]string{}
		indexed := table + "_docsize"
		err := db.EachRow(ctx, q, fmt.Sprintf(`WITH sampled(id) AS (SELECT * FROM (SELECT id FROM %[1]s ORDER BY id DESC LIMIT %[2]d)
				UNION SELECT id FROM %[1]s WHERE id %% (SELECT max(1, count(*) / %[2]d) FROM %[1]s) = 0)
			SELECT m.id, substr(m.content, 1, 40) FROM sampled CROSS JOIN %[3]s m ON m.id = sampled.id WHERE typeof(m.content) = 'text'`, indexed, sampledTexts, db.Quote(source)), nil, func(r db.Row) {
			if words := wholeWords(r.Text(1), 40); len(words) >= least {
				begins[r.Int(0)] = words
			}
		})
		for id, words := range begins {
			if err != nil || !found {
				break
			}
			_, found, err = db.FirstValue(ctx, q, `SELECT 1 FROM `+table+` WHERE `+table+` MATCH ? AND rowid = ?`, `"`+strings.ReplaceAll(words, `"`, `""`)+`"`, id)
		}
		return err
	})
	if db.IsCorrupt(err) {
		return false, nil
	}
	return found, err
}

// wholeWords returns the plain ASCII at the beginning of a text that was cut at a length, up
// to the end of its last whole word; "" if that has no letter or digit.
func wholeWords(text string, cut int) string {
	plain := text
	if end := strings.IndexFunc(text, func(c rune) bool { return c < ' ' || c > '~' }); end >= 0 {
		plain = text[:end]
	}
	if len(plain) < len(text) || len(text) >= cut {
		plain = plain[:strings.LastIndexByte(plain, ' ')+1]
	}
	if !strings.ContainsFunc(plain, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
		return ""
	}
	return strings.TrimSpace(plain)
}
