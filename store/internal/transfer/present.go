package transfer

import (
	"context"
	"maps"
	"slices"

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
// is there when its number is, with the same session. A few hundred lines are compared at a
// time: a backup may have any number of them.
func (t *Transfer) CountPresent(ctx context.Context, backup *Spool) (c Present, err error) {
	var sessions []string
	owner := make(map[int64]string, db.MaxVariables) // of messages
	compare := func() error {
		return t.db.ReadTx(ctx, func(q db.Querier) error {
			if err := db.InChunks(sessions, func(where string, args []any) error {
				ids, err := db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE id `+where, args...)
				c.SessionsThere += len(ids)
				return err
			}); err != nil {
				return err
			}
			return db.InChunks(slices.Collect(maps.Keys(owner)), func(where string, args []any) error {
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
	if err := eachLine(backup.reader(), func(n int, line []byte) error {
		l, ok, err := parseBackupLine(string(line))
		if err != nil {
			return t.badLineError(n, err)
		}
		switch {
		case !ok:
		case l.table == "sessions":
			c.Sessions++
			sessions = append(sessions, db.AsText(l.value("id")))
			if title := db.AsText(l.value("title")); title != "" && len(c.Titles) < maxTitles {
				c.Titles = append(c.Titles, title)
			}
		case l.table == "messages":
			c.Messages++
			owner[db.AsInt(l.value("id"))] = db.AsText(l.value("session_id"))
		}
		if len(sessions) < db.MaxVariables && len(owner) < db.MaxVariables {
			return nil
		}
		err = compare()
		sessions = sessions[:0]
		clear(owner)
		return err
	}); err != nil {
		return c, err
	}
	return c, compare()
}
