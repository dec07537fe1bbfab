package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode/utf8"
)

// This file writes into a shadow table of FTS5 (messages_fts_trigram_content),
// and its 'delete' command makes FTS5 remove other text than the row
// holds. Both are for messages that an older SQLite has indexed, or would index, only
// up to a NUL: SQLite 3.40 stops there, as did the one that wrote the files in testdata,
// and the SQLite in this program does not.

// RemoveMessages deletes the messages m that where picks, and the full-text
// index follows.
func RemoveMessages(ctx context.Context, t *Tx, where string, args ...any) error {
	if err := reindexBehindNUL(ctx, t, where, args...); err != nil {
		return err
	}
	return t.Delete(ctx, `messages AS m`, where, args...)
}

// trigramTable is the full-text table of trigrams, as far as it matters for
// rows that were cut at a NUL.
type trigramTable struct {
	columns  string // quoted, as in a list of columns
	count    int    // of them
	external bool   // the text is in another table, not in messages_fts_trigram_content
}

// reindexBehindNUL repairs the trigram index of the messages m that where picks before
// they are deleted.
//
// Messages with images begin with a NUL, at which the trigram tokenizer of older
// SQLite stopped. The one that this program has would take more out of the index
// than there is, which FTS5 refuses when a count falls below zero, and which
// leaves the counts wrong before. So what the index has of such a message is
// taken out as it was put in (store/README.md#nul-in-trigrams).
func reindexBehindNUL(ctx context.Context, t *Tx, where string, args ...any) error {
	const name = "messages_fts_trigram"
	ddl, ok := t.Schema.Tables[name]
	if !ok || t.Schema.Tables[name+"_delete"] == "" {
		return nil
	}
	table, err := describeTrigrams(ctx, t, ddl)
	if err != nil {
		return err
	}
	return eachWithNUL(ctx, t, where, args, func(id int64) error {
		whole, cut, has, err := table.cutColumns(ctx, t, id)
		if err == nil && has == hasCut {
			err = table.reindex(ctx, t, id, whole, cut)
		}
		return err
	})
}

// eachWithNUL calls each for the messages m with a NUL that where picks.
func eachWithNUL(ctx context.Context, t *Tx, where string, args []any, each func(id int64) error) error {
	var ids []int64
	err := EachRow(ctx, t, `SELECT m.id FROM messages m WHERE instr(CAST(m.content AS BLOB), x'00') > 0 AND (`+where+`)`, args, func(r Row) {
		ids = append(ids, r.Int(0))
	})
	for _, id := range ids {
		if err == nil {
			err = each(id)
		}
	}
	return err
}

// describeTrigrams returns the full-text table of trigrams by its DDL.
func describeTrigrams(ctx context.Context, t *Tx, ddl string) (trigramTable, error) {
	columns, _, err := ColumnsOf(ctx, t, "messages_fts_trigram", ddl)
	for i := range columns {
		columns[i] = Quote(columns[i])
	}
	return trigramTable{
		columns:  strings.Join(columns, ", "),
		count:    len(columns),
		external: strings.Contains(strings.ReplaceAll(ddl, " ", ""), "content="),
	}, err
}

// trigramExtent says what the index has of a message with a NUL.
type trigramExtent int

const (
	hasOther trigramExtent = iota // nothing, something else, or there is no NUL
	hasWhole                      // all of the text
	hasCut                        // the text before the NUL
)

// cutColumns returns the columns of a message as they are, cut at a NUL, and which of
// the two the index has. That shows in the number of trigrams that it counts for each
// column: a text of n characters has n-2, a newer SQLite skips each NUL.
func (table trigramTable) cutColumns(ctx context.Context, t *Tx, id int64) (whole, cut []any, has trigramExtent, err error) {
	sizes, indexed, err := t.One(ctx, `SELECT sz FROM messages_fts_trigram_docsize WHERE id = ?`, id)
	if err != nil {
		return nil, nil, hasOther, err
	}
	blob, ok := sizes.([]byte)
	if !indexed || !ok {
		return nil, nil, hasOther, nil
	}
	err = EachRow(ctx, t, `SELECT `+table.columns+` FROM messages_fts_trigram WHERE rowid = ?`, []any{id}, func(r Row) {
		short := false
		isWhole := true
		isCut := true
		for _, v := range r {
			var n int
			n, blob = TakeVarint(blob)
			text := AsText(v)
			before, _, found := strings.Cut(text, "\x00")
			short = short || found
			isCut = isCut && n == max(0, utf8.RuneCountInString(before)-2)
			isWhole = isWhole && n == max(0, utf8.RuneCountInString(text)-strings.Count(text, "\x00")-2)
			whole, cut = append(whole, v), append(cut, before)
		}
		switch {
		case short && isCut:
			has = hasCut
		case short && isWhole:
			has = hasWhole
		}
	})
	return whole, cut, has, err
}

// FitTrigrams corrects what the trigram index has of a message with a NUL that was just
// inserted, so that every SQLite finds it sound and can take it out again.
//
// An index that holds its text itself gets the text without NULs: this SQLite has made the same
// trigrams of it. Where the text is in messages, the index can only have what the SQLite of the
// program that writes the file would have put in: the text before a NUL, unless the last
// messages with one are indexed as a whole (store/README.md#nul-in-trigrams).
func FitTrigrams(ctx context.Context, t *Tx, id int64) error {
	ddl, ok := t.Schema.Tables["messages_fts_trigram"]
	if !ok || t.Schema.Tables["messages_fts_trigram_insert"] == "" {
		return nil
	}
	table, err := describeTrigrams(ctx, t, ddl)
	if err != nil {
		return err
	}
	if !table.external {
		_, err := t.Exec(ctx, table.withoutNULs()+` AND id = ?`, id)
		return err
	}
	whole, cut, has, err := table.cutColumns(ctx, t, id)
	if err != nil || has != hasWhole {
		return err
	}
	if t.trigramsOfWriter == hasOther {
		if t.trigramsOfWriter, err = table.extentOfWriter(ctx, t, id); err != nil {
			return err
		}
	}
	if t.trigramsOfWriter == hasWhole {
		return nil
	}
	return table.put(ctx, t, id, whole, cut)
}

// FitFilledTrigrams is [FitTrigrams] for all messages of a new file whose index does not hold its
// texts and was just filled. writer is the file whose writer goes on with the new one.
func FitFilledTrigrams(ctx context.Context, made *sql.Conn, ddl string, writer *DB) error {
	t := &Tx{conn: made}
	table, err := describeTrigrams(ctx, t, ddl)
	if err != nil {
		return err
	}
	cuts := true
	err = writer.ReadOnlyTx(ctx, func(t *Tx) error {
		extent, err := table.extentOfWriter(ctx, t, -1)
		cuts = err != nil || extent == hasCut // a damaged index shows nothing
		return nil
	})
	if err != nil || !cuts {
		return err
	}
	return eachWithNUL(ctx, t, `1`, nil, func(id int64) error {
		whole, cut, has, err := table.cutColumns(ctx, t, id)
		if err == nil && has == hasWhole {
			err = table.put(ctx, t, id, whole, cut)
		}
		return err
	})
}

// withoutNULs returns the statement that removes NULs from the texts of an index that holds
// them itself, up to further conditions.
func (table trigramTable) withoutNULs() string {
	var set, where []string
	for i := range table.count {
		set = append(set, fmt.Sprintf(`c%[1]d = CASE WHEN instr(CAST(c%[1]d AS BLOB), x'00') > 0 THEN hermes_without_nul(CAST(c%[1]d AS BLOB)) ELSE c%[1]d END`, i))
		where = append(where, fmt.Sprintf(`instr(CAST(c%d AS BLOB), x'00') > 0`, i))
	}
	return `UPDATE messages_fts_trigram_content SET ` + strings.Join(set, ", ") + ` WHERE (` + strings.Join(where, " OR ") + `)`
}

// writerSample is how many of the last messages show which SQLite writes a file.
const writerSample = 2000

// extentOfWriter returns what the index has of the last messages with a NUL, except one:
// hasWhole where it has all of each, else hasCut.
func (table trigramTable) extentOfWriter(ctx context.Context, t *Tx, except int64) (trigramExtent, error) {
	var ids []int64
	if err := EachRow(ctx, t, `SELECT id FROM (SELECT id, content FROM messages ORDER BY id DESC LIMIT ?)
		WHERE content >= char(0) AND content < char(1) AND id <> ?`, []any{writerSample, except}, func(r Row) {
		ids = append(ids, r.Int(0))
	}); err != nil {
		return hasOther, err
	}
	extent := hasCut
	for _, id := range ids {
		_, _, has, err := table.cutColumns(ctx, t, id)
		if err != nil || has == hasCut {
			return hasCut, err
		}
		if has == hasWhole {
			extent = hasWhole
		}
	}
	return extent, nil
}

// reindex makes the trigger of messages take out of the index what it has of a
// message: the text before the NUL.
func (table trigramTable) reindex(ctx context.Context, t *Tx, id int64, whole, cut []any) error {
	if !table.external {
		// The trigger takes out what the shadow table has as the text. Its row
		// goes with the message.
		_, err := t.Exec(ctx, `UPDATE messages_fts_trigram_content SET c0 = ? WHERE id = ?`, cut[0], id)
		return err
	}
	return table.put(ctx, t, id, cut, whole) // the trigger takes out what the message holds
}

// put makes an index that does not hold its texts have other ones of a message.
func (table trigramTable) put(ctx context.Context, t *Tx, id int64, before, after []any) error {
	values := `?, ` + Placeholders(len(before)) + `)`
	if _, err := t.Exec(ctx, `INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, `+table.columns+`) VALUES ('delete', `+values,
		append([]any{id}, before...)...); err != nil {
		return err
	}
	_, err := t.Exec(ctx, `INSERT INTO messages_fts_trigram(rowid, `+table.columns+`) VALUES (`+values, append([]any{id}, after...)...)
	return err
}

// TakeVarint reads one of SQLite's integers, below zero where there is none.
func TakeVarint(b []byte) (n int, rest []byte) {
	for i, c := range b[:min(len(b), 5)] {
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:]
		}
	}
	return -1, nil
}
