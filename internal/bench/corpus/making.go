package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite" // the driver, pure Go

	"hermes-sessions/store/ddl"
)

// making is one database on its way to being whole. The step it is in stands
// in the file itself, as its user_version, and each step commits what it did;
// a history that was written in part is played again from its beginning, which
// is quick, without being written again.
type making struct {
	path   string
	config Config
	tell   func(progress string)
	db     *sql.DB
}

// The steps, in their order.
const (
	writing  = iota // the bulk of the messages
	words           // it is indexed by words
	trigrams        // and by trigrams, in one go each
	tail            // the last messages come through the triggers
	whole
)

// chunk is how many messages are written in one transaction.
const chunk = 10_000

func (m *making) part() string { return m.path + ".part" }

func (m *making) run(ctx context.Context) (err error) {
	if err := m.claim(ctx); err != nil {
		return err
	}
	defer func() {
		if m.db != nil {
			err = errors.Join(err, m.db.Close())
		}
		if err == nil {
			// A link, unlike a rename, never replaces a file that somebody put
			// there meanwhile and may have open.
			err = os.Link(m.part(), m.path)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = errors.Join(err, os.Remove(m.part()))
		}
	}()
	return m.steps(ctx)
}

// claim opens what is there of the database, and waits while somebody else is
// at work on it.
func (m *making) claim(ctx context.Context) error {
	for {
		if _, err := os.Lstat(m.path); err == nil {
			return fs.ErrExist
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// A crash of this program must not cost what was committed; one of the
		// machine may.
		db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: m.part()}).EscapedPath()+
			"?_pragma=locking_mode(exclusive)&_pragma=synchronous(off)&_pragma=cache_size(-262144)&_pragma=temp_store(memory)")
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(1)
		m.db = db
		err = m.exec(ctx, "PRAGMA journal_mode=truncate", "BEGIN EXCLUSIVE", "COMMIT")
		const busy = 5
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == busy {
			if err := db.Close(); err != nil {
				return err
			}
			m.tell("another process makes it")
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			continue
		}
		if _, gone := os.Lstat(m.path); err == nil && gone == nil { // made while we waited
			err = fs.ErrExist
		}
		if err != nil {
			return errors.Join(err, db.Close())
		}
		return nil
	}
}

func (m *making) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := m.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.60q: %w", s, err)
		}
	}
	return nil
}

func (m *making) ask(ctx context.Context, query string) (n int, err error) {
	err = m.db.QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// at says that a step is what comes next, in the transaction that ended the
// one before.
func at(step int) string { return fmt.Sprintf("PRAGMA user_version=%d", step) }

func (m *making) steps(ctx context.Context) (err error) {
	step, err := m.ask(ctx, `PRAGMA user_version`)
	if err != nil {
		return err
	}
	if tables, err := m.ask(ctx, `SELECT count(*) FROM sqlite_master`); err != nil {
		return err
	} else if tables == 0 {
		version := fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", ddl.Version)
		if err := m.exec(ctx, "BEGIN", ddl.Tables, ddl.TitleIndex, ddl.Index, version, "COMMIT"); err != nil {
			return err
		}
	}
	if triggers, err := m.ask(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'trigger'`); err != nil {
		return err
	} else if triggers > 0 && step == writing { // only its name was missing
		step = whole
	}
	end := m.config.Messages
	bulk := end - min(2_000, end/4)
	if step < whole {
		h, err := newHistory(ctx, m.db, m.config)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.close()) }()
		written, err := m.ask(ctx, `SELECT count(*) FROM messages`)
		if err != nil {
			return err
		}
		if err := h.recall(ctx, written); err != nil {
			return err
		}
		for step < whole {
			switch step {
			case writing:
				err = m.write(ctx, h, bulk, chunk, words)
			case words:
				err = m.index(ctx, "words", ddl.FillWords, at(trigrams))
			case trigrams:
				err = m.index(ctx, "trigrams", ddl.FillTrigrams, ddl.Triggers, at(tail))
			case tail:
				// In small transactions, as a live agent writes.
				if err = m.write(ctx, h, end, 4, tail); err == nil {
					err = m.exec(ctx, "BEGIN")
				}
				if err == nil {
					err = h.leave(ctx)
				}
				if err == nil {
					err = m.exec(ctx, at(whole), "COMMIT")
				}
			}
			if err != nil {
				return err
			}
			step++
		}
	}
	return m.exec(ctx, at(writing), "PRAGMA locking_mode=normal", "PRAGMA journal_mode=wal", "PRAGMA wal_checkpoint(truncate)")
}

// write plays on until so many messages are there, some in a transaction.
func (m *making) write(ctx context.Context, h *history, until, some, next int) error {
	for {
		m.tell(fmt.Sprintf("%d of %d messages", h.next, m.config.Messages))
		n := min(some, until-h.next)
		if err := m.exec(ctx, "BEGIN"); err != nil {
			return err
		}
		if err := h.advance(ctx, n); err != nil {
			return err
		}
		if h.next < until {
			if err := m.exec(ctx, "COMMIT"); err != nil {
				return err
			}
			continue
		}
		return m.exec(ctx, at(next), "COMMIT")
	}
}

// index fills a full-text table in one go, which takes minutes at size: what
// can be told meanwhile is how the file grows.
func (m *making) index(ctx context.Context, what string, statements ...string) error {
	done, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		for tick := time.NewTicker(2 * time.Second); ; {
			if info, err := os.Stat(m.part()); err == nil {
				m.tell(fmt.Sprintf("the index of %s: the file has %d MB", what, info.Size()>>20))
			}
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	defer func() { close(done); <-told }()
	statements = append([]string{"BEGIN"}, statements...)
	return m.exec(ctx, append(statements, "COMMIT")...)
}
