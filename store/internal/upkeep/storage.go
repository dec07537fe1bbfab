package upkeep

import (
	"context"
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// stepMessages is how many messages a step of a measurement reads: about 50 ms of work.
const stepMessages = 20_000

// FileSizes returns the sizes of the database file, of its write-ahead log, and of the pages
// that hold nothing. It takes a few milliseconds whatever the size.
func (u *Upkeep) FileSizes(ctx context.Context) (sizes model.FileSizes, err error) {
	if err := u.db.CheckOpen(); err != nil {
		return sizes, err
	}
	sizes = model.FileSizes{Path: u.db.Path, Schema: u.db.Schema.Version, Editable: !u.db.Writer.ReadOnly}
	if info, err := os.Stat(u.db.Path); err == nil {
		sizes.File = info.Size()
	}
	if info, err := os.Stat(u.db.Path + "-wal"); err == nil {
		sizes.Log = info.Size()
	}
	err = u.db.ReadTx(ctx, func(q db.Querier) error {
		if sizes.Journal, err = u.db.JournalMode(ctx, q); err != nil {
			return err
		}
		return db.EachRow(ctx, q, `SELECT n.page_count * s.page_size, f.freelist_count * s.page_size, (SELECT count(*) FROM sqlite_master WHERE name GLOB 'messages_fts*_content')
			FROM temp.pragma_page_count n, temp.pragma_freelist_count f, temp.pragma_page_size s`, nil, func(r db.Row) {
			sizes.Pages = r.Int(0)
			sizes.Free = min(r.Int(1), r.Int(0))
			sizes.Copies = int(r.Int(2))
		})
	})
	return sizes, u.db.WrapError("read the sizes", err)
}

// MeasureStorage makes one step of measuring how many bytes of text are stored, by session
// and by month in the zone of the clock: it reads up to 20,000 messages whose ids are not
// above from, newest first. The first step, from [model.FromNewest], also has the texts in
// the rows of the sessions. Add the steps to a [model.Storage]. Bytes are as SQLite stores
// them; numbers are not counted. A step takes about 50 ms.
func (u *Upkeep) MeasureStorage(ctx context.Context, from int64) (step model.StorageStep, err error) {
	if err := u.db.CheckOpen(); err != nil {
		return step, err
	}
	step = model.StorageStep{Sessions: map[string]model.StoredBytes{}, Months: map[time.Time]model.StoredBytes{}}
	err = u.db.ReadTx(ctx, func(q db.Querier) error {
		m := measurement{q: q, zone: u.db.Clock().Location(), step: &step}
		if from == model.FromNewest {
			if err := m.sessions(ctx); err != nil {
				return err
			}
		}
		return m.messages(ctx, from)
	})
	return step, u.db.WrapError("measure", err)
}

// measurement is one step of measuring a database.
type measurement struct {
	q    db.Querier
	zone *time.Location
	step *model.StorageStep
}

// add counts bytes for a session and a month.
func (m measurement) add(id string, at any, b model.StoredBytes) {
	m.step.Sessions[id] = m.step.Sessions[id].Add(b)
	m.addMonth(m.month(at), b)
}

// addMonth counts bytes for a month.
func (m measurement) addMonth(month time.Time, b model.StoredBytes) {
	m.step.Months[month] = m.step.Months[month].Add(b)
}

// month returns the first moment of the month of a stored time.
func (m measurement) month(at any) time.Time {
	t := db.AsTime(at)
	if t.IsZero() {
		return t
	}
	t = t.In(m.zone)
	return model.Midnight(t.Year(), t.Month(), 1, m.zone)
}

// sessions counts the texts in the rows of the sessions.
func (m measurement) sessions(ctx context.Context) error {
	texts, _, err := db.TextSums(ctx, m.q, "sessions")
	if err != nil {
		return err
	}
	return db.EachRow(ctx, m.q, `SELECT id, started_at, `+texts+` FROM sessions`, nil, func(r db.Row) {
		m.add(r.Text(0), r[1], model.StoredBytes{Text: r.Int(2)})
	})
}

// messages counts the next messages from an id down, by session.
func (m measurement) messages(ctx context.Context, from int64) error {
	texts, indexed, err := db.TextSums(ctx, m.q, "messages")
	if err != nil {
		return err
	}
	var overMonths []any // sessions with messages of several months
	read, oldest := 0, int64(math.MaxInt64)
	// Damaged pages give rows that no writer wrote, with any id and no session: SQLite takes a column
	// that is declared NOT NULL at its word, so its type is asked.
	err = db.EachRow(ctx, m.q, `SELECT session_id, count(*), sum(texts), sum(indexed), min(id), max(id), min(timestamp), max(timestamp)
		FROM (SELECT id, session_id, timestamp, `+texts+` AS texts, `+indexed+` AS indexed FROM messages WHERE id <= ? AND typeof(session_id) <> 'null' ORDER BY id DESC LIMIT ?)
		GROUP BY session_id`, []any{from, stepMessages}, func(r db.Row) {
		id := r.Text(0)
		first := r[6]
		last := r[7]
		b := model.StoredBytes{Text: r.Int(2), Indexed: r.Int(3), Messages: int(r.Int(1))}
		read += b.Messages
		oldest, m.step.Newest = min(oldest, r.Int(4)), max(m.step.Newest, r.Int(5))
		if m.month(first).Equal(m.month(last)) {
			m.add(id, first, b)
			return
		}
		m.step.Sessions[id] = m.step.Sessions[id].Add(b)
		overMonths = append(overMonths, r[0])
	})
	if err != nil {
		return err
	}
	for _, id := range overMonths {
		if err := m.byMonth(ctx, id, oldest, from, texts, indexed); err != nil {
			return err
		}
	}
	if m.step.More = read == stepMessages && oldest > math.MinInt64; m.step.More {
		m.step.Next = oldest - 1
	}
	return nil
}

// byMonth counts the messages of one session with ids in a range by their months.
func (m measurement) byMonth(ctx context.Context, session any, oldest, from int64, texts, indexed string) error {
	return db.EachRow(ctx, m.q, `SELECT timestamp, `+texts+`, `+indexed+` FROM messages WHERE session_id = ? AND id BETWEEN ? AND ?`, []any{session, oldest, from}, func(r db.Row) {
		m.addMonth(m.month(r[0]), model.StoredBytes{Text: r.Int(1), Indexed: r.Int(2), Messages: 1})
	})
}

// ForecastVacuum says what a vacuum would give back, need and take, without touching the
// file. Whether another process has it open is known only on Linux, in WAL mode.
func (u *Upkeep) ForecastVacuum(ctx context.Context) (model.VacuumForecast, error) {
	sizes, err := u.FileSizes(ctx)
	f := model.ForecastVacuum(sizes)
	if err != nil {
		return f, err
	}
	f.Available = freeSpace(filepath.Dir(u.db.Path))
	if sizes.Journal == "wal" { // else a connection that is idle holds no lock
		f.InUse = heldByOthers(u.db.Path + "-shm")
	}
	return f, nil
}

// Checkpoint moves the write-ahead log into the database file and empties it. Where a
// process is reading or writing, emptied is false: what could be moved has been, and the
// next checkpoint empties the log.
func (u *Upkeep) Checkpoint(ctx context.Context) (emptied bool, err error) {
	if err := u.db.CheckOpen(); err != nil {
		return false, err
	}
	if u.db.Writer.ReadOnly {
		return false, u.db.ReadOnlyError(nil)
	}
	if err := u.db.CheckLog(); err != nil {
		return false, err
	}
	emptied, err = u.checkpoint(ctx)
	return emptied, u.db.WriteError("empty the write-ahead log", err)
}

// checkpoint moves first what can be moved beside readers and writers, and then keeps
// writers waiting for the moment that it takes to move the rest and to empty the log.
func (u *Upkeep) checkpoint(ctx context.Context) (emptied bool, err error) {
	if err := u.db.CheckSameFile(ctx); err != nil {
		return false, err
	}
	name, err := db.FileURI(u.db.Path)
	if err != nil {
		return false, err
	}
	conn, err := sql.Open("sqlite", name+"?mode=rw&_pragma=busy_timeout(500)")
	if err != nil {
		return false, err
	}
	defer func() {
		if e := conn.Close(); err == nil {
			err = e
		}
	}()
	conn.SetMaxOpenConns(1)
	if _, err := conn.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil {
		return false, err
	}
	var busy, frames, moved int
	if err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved); err != nil {
		return false, err
	}
	return busy == 0, nil
}
