package store

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// corpusCopy opens a copy of a generated history.
func corpusCopy(b *testing.B, c corpus.Config) *Store {
	b.Helper()
	cached, err := corpus.Cached(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "state.db")
	copyFile(b, path, cached)
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func copyFile(b *testing.B, to, from string) {
	b.Helper()
	in, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
}

// beside runs f while another connection writes as Hermes does, a message
// every 5 ms, and reports its longest wait for the lock and the longest that
// we held it.
func beside(b *testing.B, s *Store, what string, f func() error) {
	b.Helper()
	other := otherConnection(b, s.Path())
	Must(b, other, `INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES ('other', 'cli', 1)`)
	held := time.Duration(0)
	s.db.Writer.OnLockHeld = func(d time.Duration) { held = max(held, d) }
	conn, err := other.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var longest time.Duration
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			ctx := context.WithoutCancel(b.Context())
			began := time.Now()
			_, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`)
			for db.ResultCode(err) == db.SQLiteBusy {
				_, err = conn.ExecContext(ctx, `BEGIN IMMEDIATE`)
			}
			longest = max(longest, time.Since(began))
			if err == nil {
				_, err = conn.ExecContext(ctx, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('other', 'user', 'x', 1); COMMIT`)
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	}()
	began := time.Now()
	if err := f(); err != nil {
		b.Fatal(what, err)
	}
	took := time.Since(began)
	close(stop)
	<-stopped
	s.db.Writer.OnLockHeld = nil
	b.ReportMetric(float64(took.Milliseconds()), what+"-ms")
	b.ReportMetric(float64(longest.Milliseconds()), what+"-wait-ms")
	b.ReportMetric(float64(held.Milliseconds()), what+"-held-ms")
	if err := conn.Close(); err != nil {
		b.Fatal(err)
	}
}

// talk is a session of so many messages of so many bytes.
type talk struct{ messages, size int }

func (t talk) String() string { return fmt.Sprintf("%dx%dB", t.messages, t.size) }

// talks are the lengths to measure at: few by default, many where
// HERMES_SESSIONS_BENCH names M, all with L.
func talks() []talk {
	all := []talk{{500, 1 << 10}, {2000, 1 << 10}}
	env := os.Getenv("HERMES_SESSIONS_BENCH")
	if strings.ContainsAny(env, "ML") {
		all = append(all, talk{5000, 1 << 10}, talk{20_000, 1 << 10}, talk{500, 20 << 10}, talk{2000, 20 << 10}, talk{5000, 20 << 10})
	}
	if strings.Contains(env, "L") {
		all = append(all, talk{20_000, 20 << 10})
	}
	return all
}

// into puts a session into the file, with words of the other messages.
func (t talk) into(b *testing.B, s *Store) {
	b.Helper()
	var words strings.Builder
	for _, text := range texts(b, s, `SELECT coalesce(content, '') FROM messages WHERE role <> 'user' LIMIT 4000`) {
		words.WriteString(text)
	}
	all, at := words.String(), 0
	err := s.db.Write(b.Context(), "fill", func(x *db.Tx) error {
		if _, err := x.Exec(b.Context(), `INSERT INTO sessions (id, source, started_at, message_count) VALUES ('talk', 'cli', 1, ?)`, t.messages); err != nil {
			return err
		}
		for n := 0; n < t.messages; n += 100 {
			var args []any
			for i := range min(100, t.messages-n) {
				if at+t.size > len(all) {
					at = (at + 7) % 1000
				}
				args = append(args, []string{"user", "assistant", "tool"}[i%3], strings.ToValidUTF8(all[at:at+t.size], ""), float64(n+i))
				at += t.size
			}
			if _, err := x.Exec(b.Context(), `INSERT INTO messages (session_id, role, content, timestamp) VALUES `+
				strings.TrimSuffix(strings.Repeat(`('talk', ?, ?, ?), `, len(args)/3), ", "), args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// Sessions of several lengths are deleted and restored while another
// connection writes all the time. wait-ms is its longest wait for us, held-ms
// the longest that we kept the lock.
func BenchmarkDeleteAndRestore(b *testing.B) {
	for _, t := range talks() {
		b.Run(t.String(), func(b *testing.B) {
			for range b.N {
				s := corpusCopy(b, corpus.Config{Messages: 12_500, Seed: 1})
				t.into(b, s)
				left := func(want int) {
					if n := Count(b, s, `SELECT count(*) FROM messages WHERE session_id = 'talk'`); n != want {
						b.Fatalf("%d messages are there, not %d", n, want)
					}
				}
				var u model.Undo
				beside(b, s, "delete", func() (err error) {
					u, err = s.Delete(b.Context(), []string{"talk"}, model.DeleteOptions{})
					return err
				})
				left(0)
				beside(b, s, "restore", func() error { return s.Restore(b.Context(), u, model.RestoreOptions{}) })
				left(t.messages)
				if err := u.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
