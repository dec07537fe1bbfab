package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// measure counts all bytes of a database.
func measure(t *testing.T, s *Store) (m model.Storage, steps int) {
	t.Helper()
	var err error
	if m.Sizes, err = s.FileSizes(t.Context()); err != nil {
		t.Fatal(err)
	}
	for m.Next = model.FromNewest; !m.Done; steps++ {
		step, err := s.MeasureStorage(t.Context(), m.Next)
		if err != nil {
			t.Fatal(err)
		}
		m.Add(step)
	}
	return m, steps
}

// The bytes of a measurement are those that plain SQL counts, in every version, by session
// and by month.
func TestStorageCountsEveryText(t *testing.T) {
	t.Parallel()
	for _, version := range versionsToTest(t) {
		s := openFixture(t, version)
		m, _ := measure(t, s)
		messages := Count(t, s, `SELECT count(*) FROM messages`)
		text := int64(0)
		for _, table := range []string{"messages", "sessions"} {
			for _, column := range texts(t, s, `SELECT name FROM pragma_table_info('`+table+`') WHERE type IN ('TEXT', 'BLOB')`) {
				text += int64(Count(t, s, `SELECT coalesce(sum(length(CAST(`+db.Quote(column)+` AS BLOB))), 0) FROM `+table))
			}
		}
		months := model.StoredBytes{}
		for _, r := range m.ByMonth() {
			months = months.Add(r.StoredBytes)
		}
		if m.Total.Messages != messages || m.Total.Text != text || months != m.Total {
			t.Errorf("%s: %+v, by month %+v; want %d messages with %d bytes", version, m.Total, months, messages, text)
		}
		if m.Sizes.File == 0 || m.Percent() != 100 || m.Overhead() <= 0 || m.Freed(m.Total) > m.Sizes.Used() {
			t.Errorf("%s: %+v, overhead %d, all would free %d", version, m.Sizes, m.Overhead(), m.Freed(m.Total))
		}
	}
}

// A table may have as many columns as SQLite takes.
func TestStorageOfManyColumns(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	var columns strings.Builder
	for i := range 1900 {
		fmt.Fprintf(&columns, ", extra%d TEXT", i)
	}
	conn := otherConnection(t, path)
	for _, statement := range []string{
		`PRAGMA writable_schema = 1`,
		`UPDATE sqlite_master SET sql = replace(sql, 'codex_message_items TEXT', 'codex_message_items TEXT` + columns.String() + `') WHERE name = 'messages'`,
	} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before, _ := measure(t, s)
	other := otherConnection(t, path)
	if _, err := other.ExecContext(t.Context(), `UPDATE messages SET extra0 = 'ten bytes.', extra600 = 'ten bytes.', extra1899 = 'ten bytes.' WHERE id = (SELECT min(id) FROM messages)`); err != nil {
		t.Fatal(err)
	}
	if after, _ := measure(t, s); after.Total.Text != before.Total.Text+30 || after.Total.Messages != before.Total.Messages {
		t.Errorf("%+v before, %+v after 30 more bytes", before.Total, after.Total)
	}
}

// A long history is measured in steps; a session that goes on for months counts in each.
func TestStorageGoesOnWhereAStepEnded(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	before, _ := measure(t, s)
	if err := s.db.Write(t.Context(), "test", func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), `DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_trigram_insert;
			INSERT INTO sessions (id, source, started_at) VALUES ('long', 'cli', 1800000000);
			INSERT INTO messages (session_id, role, content, timestamp)
				WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20099) SELECT 'long', 'user', 'ten bytes.', 1800000000 + i * 1000 FROM n`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	m, steps := measure(t, s)
	long := m.Sessions["long"]
	if steps != 2 || m.Total.Messages != before.Total.Messages+20100 || long.Messages != 20100 || long.Indexed != 201000 {
		t.Errorf("%d steps, %+v, %+v", steps, m.Total, long)
	}
	if n := len(m.Months) - len(before.Months); n < 8 {
		t.Errorf("%d more months for 232 days", n)
	}
	first, err := s.MeasureStorage(t.Context(), model.FromNewest)
	if err != nil || !first.More {
		t.Fatal(first.More, err)
	}
	half := model.Storage{Sizes: m.Sizes}
	half.Add(first)
	if half.Done || half.Percent() == 0 || half.Percent() == 100 || half.Freed(long) > m.Freed(long) {
		t.Error("half measured:", half.Percent(), half.Freed(long))
	}
}

// A checkpoint empties the log, and says where a reader keeps it from that. A forecast says
// what a vacuum gives back.
func TestCheckpointAndForecast(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	ctx := t.Context()
	if err := s.db.Write(ctx, "test", func(x *db.Tx) error {
		_, err := x.Exec(ctx, `CREATE TABLE gone AS SELECT * FROM messages; DROP TABLE gone`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	log := func() int64 {
		info, err := os.Stat(s.Path() + "-wal")
		if err != nil {
			return 0
		}
		return info.Size()
	}
	if log() == 0 {
		t.Fatal("no log")
	}
	f, err := s.ForecastVacuum(ctx)
	if err != nil || f.Sizes.Free == 0 || f.Sizes.Log != log() || f.Needs < f.Sizes.Used() || f.InUse == model.InUseByOther || f.Takes > time.Minute {
		t.Errorf("%+v, %v", f, err)
	}
	reader := otherConnection(t, s.Path())
	tx, err := reader.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRow(`SELECT count(*) FROM sessions`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(ctx, "test", func(x *db.Tx) error {
		_, err := x.Exec(ctx, `UPDATE sessions SET system_prompt = 'x'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if emptied, err := s.Checkpoint(ctx); emptied || err != nil || log() == 0 {
		t.Error("beside a reader:", emptied, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if emptied, err := s.Checkpoint(ctx); !emptied || err != nil || log() != 0 {
		t.Error("afterwards:", emptied, err, log())
	}
}

// Nothing is moved in a file that was opened without the right to write.
func TestNoCheckpointWithoutTheRightToWrite(t *testing.T) {
	t.Parallel()
	path := openFixture(t, "v11.db").Path()
	s, err := Open(t.Context(), path, ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Checkpoint(t.Context()); kind(err) != model.KindReadOnly {
		t.Error(err)
	}
}

// What a delete and a vacuum free is about what the measurement said, whether the full-text
// indexes have copies of the texts or not.
func TestADeleteFreesAboutWhatWasEstimated(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v11.db", "v25.db"} {
		s := openFixture(t, version)
		ctx := t.Context()
		if err := s.Vacuum(ctx); err != nil {
			t.Fatal(err)
		}
		m, _ := measure(t, s)
		var ids []string
		var of model.StoredBytes
		for id, b := range m.Sessions {
			if b.Text > 50_000 {
				ids, of = append(ids, id), of.Add(b)
			}
		}
		if _, err := s.Delete(ctx, ids, model.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		size := func() int64 {
			info, err := os.Stat(s.Path())
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		forecast, err := s.ForecastVacuum(ctx)
		if err != nil {
			t.Fatal(err)
		}
		whole := size()
		if err := s.Vacuum(ctx); err != nil {
			t.Fatal(err)
		}
		after, err := s.FileSizes(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if gave, said := whole-size(), forecast.Sizes.Free; gave == 0 || said > 3*gave/2 || gave > 3*said/2 {
			t.Errorf("%s: the vacuum gave back %d, forecast %d", version, gave, said)
		}
		if freed, said := m.Sizes.Used()-after.Used(), m.Freed(of); said > 3*freed/2 || freed > 3*said/2 {
			t.Errorf("%s: deleting %d bytes of text freed %d, estimated %d", version, of.Text, freed, said)
		}
	}
}

// What is in the log only counts too.
func TestStorageOfAFileWithALog(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	writer := otherConnection(t, s.Path())
	writer.SetMaxOpenConns(1)
	for _, statement := range []string{
		`PRAGMA wal_autocheckpoint = 0`,
		`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', hex(randomblob(1000000)), 0 FROM sessions LIMIT 1`,
	} {
		if _, err := writer.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if m, _ := measure(t, s); m.Sizes.File > m.Total.Text || m.Sizes.Used() < m.Total.Text || m.Overhead() < 2_000_000 {
		t.Errorf("%d bytes of text and %d around them in %+v", m.Total.Text, m.Overhead(), m.Sizes)
	}
}
