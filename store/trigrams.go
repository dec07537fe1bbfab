package store

import (
	"context"
	"strings"
	"unicode/utf8"
)

// removeMessages deletes the messages m that where picks, and the full-text
// index follows.
func removeMessages(ctx context.Context, t *tx, where string, args ...any) error {
	if err := trigramsBehindNUL(ctx, t, where, args...); err != nil {
		return err
	}
	_, err := t.exec(ctx, `DELETE FROM messages AS m WHERE `+where, args...)
	return err
}

// trigramsBehindNUL makes the trigram index fit for the messages m that where
// picks and that are about to go.
//
// The trigram tokenizer of older SQLite stopped at a NUL, with which messages
// with images begin, and the one that this program has does not. It would take
// more out of the index than there is, which FTS5 refuses when a count falls
// below zero, and which leaves the counts wrong before. So what the index has
// of such a message is taken out as it was put in. How that was shows in the
// number of trigrams that the index counts for it (store/README.md#nul-in-trigrams).
func trigramsBehindNUL(ctx context.Context, t *tx, where string, args ...any) error {
	const table = "messages_fts_trigram"
	ddl, ok := t.schema.tables[table]
	if !ok || t.schema.tables[table+"_delete"] == "" {
		return nil
	}
	rows, err := t.QueryContext(ctx, `SELECT m.id FROM messages m WHERE instr(CAST(m.content AS BLOB), x'00') > 0 AND (`+where+`)`, args...)
	if err != nil {
		return err
	}
	var ids []int64
	if err := eachRecord(rows, func(r Record) error {
		ids = append(ids, number(r[0].Value))
		return nil
	}); err != nil || len(ids) == 0 {
		return err
	}
	columns, _, err := columnsOf(ctx, t, table, ddl)
	if err != nil {
		return err
	}
	outside := strings.Contains(strings.ReplaceAll(ddl, " ", ""), "content=")
	for i := range columns {
		columns[i] = quote(columns[i])
	}
	names := strings.Join(columns, ", ")
	for _, id := range ids {
		sizes, indexed, err := t.one(ctx, `SELECT sz FROM `+table+`_docsize WHERE id = ?`, id)
		if err != nil {
			return err
		}
		blob, ok := sizes.([]byte)
		if !indexed || !ok {
			continue
		}
		rows, err := t.QueryContext(ctx, `SELECT `+names+` FROM `+table+` WHERE rowid = ?`, id)
		if err != nil {
			return err
		}
		var whole, cut []any
		old := false
		if err := eachRecord(rows, func(r Record) error {
			old = true
			short := false
			for _, f := range r {
				var n int
				n, blob = takeVarint(blob)
				before, _, has := strings.Cut(text(f.Value), "\x00")
				short = short || has
				old = old && n == max(0, utf8.RuneCountInString(before)-2)
				whole, cut = append(whole, f.Value), append(cut, before)
			}
			old = old && short
			return nil
		}); err != nil {
			return err
		}
		if !old {
			continue
		}
		if !outside {
			// The trigger takes out what is kept here. The row goes with it.
			if _, err := t.exec(ctx, `UPDATE `+table+`_content SET c0 = ? WHERE id = ?`, cut[0], id); err != nil {
				return err
			}
			continue
		}
		// The trigger takes out what the message holds, so that is put in.
		if _, err := t.exec(ctx, `INSERT INTO `+table+`(`+table+`, rowid, `+names+`) VALUES ('delete', ?, `+marks(len(cut))+`)`,
			append([]any{id}, cut...)...); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO `+table+`(rowid, `+names+`) VALUES (?, `+marks(len(whole))+`)`,
			append([]any{id}, whole...)...); err != nil {
			return err
		}
	}
	return nil
}

// takeVarint reads one of SQLite's integers, below zero where there is none.
func takeVarint(b []byte) (n int, rest []byte) {
	for i, c := range b[:min(len(b), 5)] {
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:]
		}
	}
	return -1, nil
}
