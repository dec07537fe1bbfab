package transfer

import (
	"context"

	"hermes-sessions/store/internal/db"
)

// Present says how much of a backup the database has.
type Present struct {
	Sessions, SessionsThere int
	Messages, MessagesThere int
	Taken                   int      // messages whose numbers other sessions have
	Titles                  []string // of the first few sessions that have one
}

// maxTitles is how many titles say what a backup is about.
const maxTitles = 3

// CountPresent counts which sessions and messages of a backup are in the database. A message
// is there when its number is, with the same session.
func (t *Transfer) CountPresent(ctx context.Context, backup *Spool) (c Present, err error) {
	var sessions []string
	var messages []int64
	owner := map[int64]string{}
	if err := eachLine(backup.reader(), func(n int, line []byte) error {
		l, ok, err := parseBackupLine(string(line))
		if err != nil {
			return t.badLineError(n, err)
		}
		switch {
		case !ok:
		case l.table == "sessions":
			sessions = append(sessions, db.AsText(l.value("id")))
			if title := db.AsText(l.value("title")); title != "" && len(c.Titles) < maxTitles {
				c.Titles = append(c.Titles, title)
			}
		case l.table == "messages":
			id := db.AsInt(l.value("id"))
			messages = append(messages, id)
			owner[id] = db.AsText(l.value("session_id"))
		}
		return nil
	}); err != nil {
		return c, err
	}
	c.Sessions, c.Messages = len(sessions), len(messages)
	return c, t.db.ReadTx(ctx, func(q db.Querier) error {
		if err := db.InChunks(sessions, func(where string, args []any) error {
			ids, err := db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE id `+where, args...)
			c.SessionsThere += len(ids)
			return err
		}); err != nil {
			return err
		}
		return db.InChunks(messages, func(where string, args []any) error {
			return db.EachRow(ctx, q, `SELECT id, session_id FROM messages WHERE id `+where, args, func(r db.Row) {
				if owner[r.Int(0)] == r.Text(1) {
					c.MessagesThere++
				} else {
					c.Taken++
				}
			})
		})
	})
}
