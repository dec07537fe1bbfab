//go:build unix

package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// BenchmarkExport writes everything as JSON lines, in turns with the naive way:
// each session with its messages read into memory and then written, as
// export_all does. Both give the same bytes. Goal: 50 MB/s. Times are of the
// processor.
func BenchmarkExport(b *testing.B) {
	sizes(b, func(b *testing.B, path string) {
		s, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		var want bytes.Buffer
		exportNaively(b, s, &want)
		var got bytes.Buffer
		if _, err := s.Export(b.Context(), &got, model.ExportOptions{}); err != nil {
			b.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			b.Fatal("not what the naive way gives")
		}
		b.SetBytes(int64(want.Len()))
		size := want.Len()
		want, got = bytes.Buffer{}, bytes.Buffer{}
		var mine, theirs []time.Duration
		for b.Loop() {
			start := cpuTime(b)
			if _, err := s.Export(b.Context(), io.Discard, model.ExportOptions{}); err != nil {
				b.Fatal(err)
			}
			mine = append(mine, cpuTime(b)-start)
			b.StopTimer()
			start = cpuTime(b)
			exportNaively(b, s, io.Discard)
			theirs = append(theirs, cpuTime(b)-start)
			b.StartTimer()
		}
		report(b, mine, theirs)
		b.ReportMetric(float64(size)/1e3/millis(mine), "MB/s-cpu")
	})
}

// cpuTime is what this process has used of all cores: what else the machine
// does hardly changes it.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func exportNaively(b *testing.B, s *Store, w io.Writer) {
	all, err := s.RecentSessions(b.Context(), "", -1, 0)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(w)
	for _, session := range all {
		messages, err := s.Messages(b.Context(), db.AsText(session.Get("id")))
		if err != nil {
			b.Fatal(err)
		}
		list := make([]any, len(messages))
		for i := range messages {
			list[i] = messages[i]
		}
		line := append(session, pyjson.Field{Name: "messages", Value: list})
		if _, err := out.Write(append(pyjson.Append(nil, line), '\n')); err != nil {
			b.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkImport brings an export into a new database, in turns with the
// naive way: one INSERT a row, one transaction a session. What both databases
// then export is equal.
//
// The goal of 50 MB/s is out of reach: of an import's processor time 85 % is
// spent by the triggers that keep the two full-text indexes (hashing terms
// 20 %, writing them out 14 %, FTS5's merges 35 %), two thirds of it for the
// one by trigrams. The rows alone come in at about 20 MB/s of one core, SQLite
// in C indexes about 1.7 times as fast. Loading without triggers and indexing
// at the end was measured too: it takes three quarters of the time, and a
// crash would leave a database without an index, so it is not done.
func BenchmarkImport(b *testing.B) {
	s := corpusCopy(b, corpus.Config{Messages: 2_000, Seed: 1})
	var lines strings.Builder
	if _, err := s.Export(b.Context(), &lines, model.ExportOptions{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(lines.Len()))
	fresh := func() *Store {
		path := filepath.Join(b.TempDir(), "new.db")
		if _, err := Migrate(context.Background(), path); err != nil {
			b.Fatal(err)
		}
		into, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		return into
	}
	var mine, theirs []time.Duration
	for b.Loop() {
		ours, naive := fresh(), fresh()
		start := cpuTime(b)
		if r, err := ours.Import(b.Context(), strings.NewReader(lines.String()), model.ImportOptions{}); err != nil || r.BadLines > 0 {
			b.Fatal(r, err)
		}
		mine = append(mine, cpuTime(b)-start)
		b.StopTimer()
		start = cpuTime(b)
		importNaively(b, naive.db.Path, lines.String())
		theirs = append(theirs, cpuTime(b)-start)
		var a, c bytes.Buffer
		for s, w := range map[*Store]io.Writer{ours: &a, naive: &c} {
			if _, err := s.Export(b.Context(), w, model.ExportOptions{}); err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), c.Bytes()) || a.String() != lines.String() {
			b.Fatal("not what was exported")
		}
		b.StartTimer()
	}
	report(b, mine, theirs)
	b.ReportMetric(float64(lines.Len())/1e3/millis(mine), "MB/s-cpu")
}

func importNaively(b *testing.B, path, lines string) {
	q, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(1000)")
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	insert := func(tx *sql.Tx, table string, row pyjson.Object) {
		names, values := []string{}, []any{}
		for _, f := range row {
			v := f.Value
			switch v.(type) {
			case pyjson.Object, []any:
				v = string(pyjson.AppendASCII(nil, v))
				if f.Name == "content" {
					v = "\x00json:" + v.(string)
				}
			}
			names, values = append(names, db.Quote(f.Name)), append(values, v)
		}
		if _, err := tx.Exec(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+db.Placeholders(len(names))+`)`, values...); err != nil {
			b.Fatal(err)
		}
	}
	for line := range strings.Lines(lines) {
		v, err := pyjson.Parse(line)
		if err != nil {
			b.Fatal(err)
		}
		tx, err := q.Begin()
		if err != nil {
			b.Fatal(err)
		}
		var session pyjson.Object
		for _, f := range v.(pyjson.Object) {
			if f.Name != "messages" && f.Name != "last_active" && f.Name != "parent_session_id" {
				session = append(session, f)
			}
		}
		insert(tx, "sessions", session)
		messages, _ := v.(pyjson.Object).Get("messages").([]any)
		for _, m := range messages {
			insert(tx, "messages", m.(pyjson.Object))
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	for line := range strings.Lines(lines) { // every parent is there now
		v, _ := pyjson.Parse(line)
		o := v.(pyjson.Object)
		if _, err := q.Exec(`UPDATE sessions SET parent_session_id = ? WHERE id = ?`, o.Get("parent_session_id"), o.Get("id")); err != nil {
			b.Fatal(err)
		}
	}
}
