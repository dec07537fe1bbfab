package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"

	"hermes-sessions/model"
)

// ExportOptions say what to export.
type ExportOptions struct {
	IDs    []string // these sessions, in this order; nil for all
	Source string   // of all, only this source
}

// Export writes sessions with their messages as JSON lines in the documented
// shape (store-behaviour 3.7) and gives how many it wrote. All sessions come
// latest active first and carry last_active. It holds one message at a time in
// memory; each session is of one moment. An id that is not there is an error
// before anything of it is written.
func (s *Store) Export(ctx context.Context, w io.Writer, o ExportOptions) (int, error) {
	ids, columns := o.IDs, s.sessionRow()
	if ids == nil {
		columns += ", " + s.lastActive()
		var err error
		if ids, err = s.recentIDs(ctx, o.Source); err != nil {
			return 0, s.wrap("export", err)
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	n := 0
	for _, id := range ids {
		found, err := s.exportOne(ctx, out, id, columns)
		switch {
		case err != nil:
			return n, s.wrap("export "+id+" of", err)
		case found:
			n++
		case o.IDs != nil:
			return n, s.notFound(id)
		}
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("export %s: %w", s.path, err)
	}
	return n, nil
}

// recentIDs gives all ids in the order of [Store.RecentSessions].
func (s *Store) recentIDs(ctx context.Context, source string) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT s.id, `+s.lastActive()+` FROM sessions s
		WHERE ? = '' OR s.source = ? ORDER BY last_active DESC, s.started_at DESC, s.id DESC`, source, source)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = eachRecord(rows, func(r Record) error {
		ids = append(ids, text(r[0].Value))
		return nil
	})
	return ids, err
}

func (s *Store) exportOne(ctx context.Context, w *bufio.Writer, id, columns string) (found bool, err error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // ends the read
	rows, err := s.readRecords(ctx, tx, []string{id}, columns)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	line := model.AppendJSON(nil, rows[id])
	line = append(line[:len(line)-1], `, "messages": [`...)
	first := true
	err = s.eachMessage(ctx, tx, id, func(r Record) error {
		if !first {
			line = append(line, ", "...)
		}
		first = false
		line = model.AppendJSON(line, r)
		_, err := w.Write(line)
		line = line[:0]
		return err
	})
	if err != nil {
		return true, err
	}
	_, err = w.Write(append(line, "]}\n"...))
	return true, err
}
