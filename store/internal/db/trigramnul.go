package db

import (
	"context"
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
	var ids []int64
	if err := EachRow(ctx, t, `SELECT m.id FROM messages m WHERE instr(CAST(m.content AS BLOB), x'00') > 0 AND (`+where+`)`, args, func(r Row) {
		ids = append(ids, r.Int(0))
	}); err != nil || len(ids) == 0 {
		return err
	}
	table, err := describeTrigrams(ctx, t, ddl)
	if err != nil {
		return err
	}
	for _, id := range ids {
		whole, cut, has, err := table.cutColumns(ctx, t, id)
		if err == nil && has == hasCut {
			err = table.reindex(ctx, t, id, whole, cut)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// describeTrigrams returns the full-text table of trigrams by its DDL.
func describeTrigrams(ctx context.Context, t *Tx, ddl string) (trigramTable, error) {
	columns, _, err := ColumnsOf(ctx, t, "messages_fts_trigram", ddl)
	for i := range columns {
		columns[i] = Quote(columns[i])
	}
	return trigramTable{
		columns:  strings.Join(columns, ", "),
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
		short, isWhole, isCut := false, true, true
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

// CutTrigramsAtNUL makes the trigram index have of a message that was just inserted
// what the SQLite of the program that writes the file would have put in: the text before
// a NUL. Else that program would call the index malformed, and leave trigrams behind
// when it deletes the message. Where the last messages with a NUL are indexed as a
// whole, a newer SQLite writes the file, and nothing is changed.
func CutTrigramsAtNUL(ctx context.Context, t *Tx, id int64) error {
	ddl, ok := t.Schema.Tables["messages_fts_trigram"]
	if !ok || t.Schema.Tables["messages_fts_trigram_insert"] == "" {
		return nil
	}
	table, err := describeTrigrams(ctx, t, ddl)
	if err != nil {
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
	if table.external {
		_, err = t.Exec(ctx, `INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, `+table.columns+`) VALUES ('delete', ?, `+Placeholders(len(whole))+`)`,
			append([]any{id}, whole...)...)
	} else {
		_, err = t.Exec(ctx, `DELETE FROM messages_fts_trigram WHERE rowid = ?`, id)
	}
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, `INSERT INTO messages_fts_trigram(rowid, `+table.columns+`) VALUES (?, `+Placeholders(len(cut))+`)`,
		append([]any{id}, cut...)...); err != nil || table.external {
		return err
	}
	_, err = t.Exec(ctx, `UPDATE messages_fts_trigram_content SET c0 = ? WHERE id = ?`, whole[0], id)
	return err
}

// TrigramsSkipNUL reports whether the SQLite of the program that writes the file indexes
// what follows a NUL, as far as its index shows that. Else it is an older one.
func TrigramsSkipNUL(ctx context.Context, t *Tx) bool {
	ddl, ok := t.Schema.Tables["messages_fts_trigram"]
	if !ok {
		return false
	}
	table, err := describeTrigrams(ctx, t, ddl)
	if err != nil {
		return false // a damaged index shows nothing
	}
	extent, err := table.extentOfWriter(ctx, t, -1)
	return err == nil && extent == hasWhole
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
	// The trigger takes out what the message holds, so that is put in.
	if _, err := t.Exec(ctx, `INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, `+table.columns+`) VALUES ('delete', ?, `+Placeholders(len(cut))+`)`,
		append([]any{id}, cut...)...); err != nil {
		return err
	}
	_, err := t.Exec(ctx, `INSERT INTO messages_fts_trigram(rowid, `+table.columns+`) VALUES (?, `+Placeholders(len(whole))+`)`,
		append([]any{id}, whole...)...)
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
