package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"time"

	"modernc.org/sqlite" // the driver, pure Go
)

// builder makes one database. The file itself has the current step, as its
// user_version, and each step commits its work, so that an interrupted build can be
// resumed. To resume a partly written history, it is generated from the beginning
// without writing, which is fast.
type builder struct {
	path   string
	config Config
	layout layout
	tell   func(progress string)
	db     *sql.DB
}

// The steps, in order.
const (
	stepMessages = iota // write most of the messages
	stepWords           // fill the word index
	stepTrigrams        // fill the trigram index
	stepTail            // write the last messages, which the triggers index
	stepDone
)

// chunk is how many messages are written in one transaction.
const chunk = 10_000

func (b *builder) part() string { return b.path + ".part" }

func (b *builder) run(ctx context.Context) (err error) {
	if err := b.claim(ctx); err != nil {
		return err
	}
	defer func() {
		if b.db != nil {
			err = errors.Join(err, b.db.Close())
		}
		if err == nil {
			// Unlike a rename, a link never replaces a file that another
			// process has created in the meantime.
			err = os.Link(b.part(), b.path)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = errors.Join(err, os.Remove(b.part()))
		}
	}()
	return b.steps(ctx)
}

// claim opens the unfinished database, or a new one, with an exclusive lock. It waits
// while another process has the lock.
func (b *builder) claim(ctx context.Context) error {
	for {
		if _, err := os.Lstat(b.path); err == nil {
			return fs.ErrExist
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// synchronous(off): commits survive a crash of the process, but not of
		// the machine.
		db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: b.part()}).EscapedPath()+
			"?_pragma=locking_mode(exclusive)&_pragma=synchronous(off)&_pragma=cache_size(-262144)&_pragma=temp_store(memory)")
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(1)
		b.db = db
		err = b.exec(ctx, "PRAGMA journal_mode=truncate", "BEGIN EXCLUSIVE", "COMMIT")
		const busy = 5
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == busy {
			if err := db.Close(); err != nil {
				return err
			}
			b.tell("another process makes it")
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			continue
		}
		if _, gone := os.Lstat(b.path); err == nil && gone == nil { // made while we waited
			err = fs.ErrExist
		}
		if err != nil {
			return errors.Join(err, db.Close())
		}
		return nil
	}
}

func (b *builder) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := b.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.60q: %w", s, err)
		}
	}
	return nil
}

func (b *builder) ask(ctx context.Context, query string) (n int, err error) {
	err = b.db.QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// nextStep returns the statement that stores the next step. It belongs in the last
// transaction of the step before.
func nextStep(step int) string { return fmt.Sprintf("PRAGMA user_version=%d", step) }

func (b *builder) steps(ctx context.Context) (err error) {
	if b.layout, err = layoutOf(ctx, b.config.Schema); err != nil {
		return err
	}
	step, err := b.ask(ctx, `PRAGMA user_version`)
	if err != nil {
		return err
	}
	if tables, err := b.ask(ctx, `SELECT count(*) FROM sqlite_master`); err != nil {
		return err
	} else if tables == 0 {
		if err := b.exec(ctx, slices.Concat([]string{"BEGIN"}, b.layout.tables, []string{"COMMIT"})...); err != nil {
			return err
		}
	}
	if triggers, err := b.ask(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'trigger'`); err != nil {
		return err
	} else if triggers > 0 && step == stepMessages { // only its name was missing
		step = stepDone
	}
	end := b.config.Messages
	bulk := end - min(2_000, end/4)
	if step < stepDone {
		h, err := newHistory(ctx, b.db, b.config)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.close()) }()
		written, err := b.ask(ctx, `SELECT count(*) FROM messages`)
		if err != nil {
			return err
		}
		if err := h.replay(ctx, written); err != nil {
			return err
		}
		for step < stepDone {
			switch step {
			case stepMessages:
				err = b.write(ctx, h, bulk, chunk, stepWords)
			case stepWords:
				err = b.index(ctx, "words", b.layout.words, nextStep(stepTrigrams))
			case stepTrigrams:
				err = b.index(ctx, "trigrams", append(append([]string{b.layout.trigrams}, b.layout.triggers...), nextStep(stepTail))...)
			case stepTail:
				// In small transactions, as a live agent writes.
				if err = b.write(ctx, h, end, 4, stepTail); err == nil {
					err = b.exec(ctx, "BEGIN")
				}
				if err == nil {
					err = h.endAll(ctx)
				}
				if err == nil {
					err = b.exec(ctx, append(b.layout.lastTriggers, nextStep(stepDone), "COMMIT")...)
				}
			}
			if err != nil {
				return err
			}
			step++
		}
	}
	return b.exec(ctx, nextStep(stepMessages), "PRAGMA locking_mode=normal", "PRAGMA journal_mode=wal", "PRAGMA wal_checkpoint(truncate)")
}

// write writes messages up to a number, some of them per transaction; the last
// transaction sets the next step.
func (b *builder) write(ctx context.Context, h *history, until, some, next int) error {
	for {
		b.tell(fmt.Sprintf("%d of %d messages", h.next, b.config.Messages))
		n := min(some, until-h.next)
		if err := b.exec(ctx, "BEGIN"); err != nil {
			return err
		}
		if err := h.advance(ctx, n); err != nil {
			return err
		}
		if h.next < until {
			if err := b.exec(ctx, "COMMIT"); err != nil {
				return err
			}
			continue
		}
		return b.exec(ctx, nextStep(next), "COMMIT")
	}
}

// index fills a full-text table in one transaction. For L it takes minutes; the only
// progress to report is the size of the file.
func (b *builder) index(ctx context.Context, what string, statements ...string) error {
	done, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		for tick := time.NewTicker(2 * time.Second); ; {
			if info, err := os.Stat(b.part()); err == nil {
				b.tell(fmt.Sprintf("the index of %s: the file has %d MB", what, info.Size()>>20))
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
	return b.exec(ctx, append(statements, "COMMIT")...)
}
