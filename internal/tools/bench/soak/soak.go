package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-sessions/store"
)

// result is what became of a soak.
type result struct {
	Length    time.Duration
	Processes int
	Written   int // messages that the writer committed
	Lost      int // of them, those that are not there
	Pruned    int // conversations that were pruned
	Restored  int // of them, those that came back
	Keys      int // what the browsers did
	Errors    []string

	WriterP99, WriterMax time.Duration // waits for the lock
	WriterAlone          time.Duration // the same without us, p99
	KeyP99, KeyMax       time.Duration

	LogAlone, LogWithUs int64 // the largest write-ahead log, in bytes
	Unsound             string
}

// String returns the line that goes into the page of results.
func (r result) String() string {
	return fmt.Sprintf("trust: soak of %v: %d processes, %d messages written, %d lost, %d conversations pruned, %d restored, %d keys, %d errors; the writer waits %v (p99; %v alone), %v (most); a key takes %v (p99), %v (most); write-ahead log %d KB alone, %d KB beside us",
		r.Length.Round(time.Second), r.Processes, r.Written, r.Lost, r.Pruned, r.Restored, r.Keys, len(r.Errors),
		r.WriterP99.Round(time.Millisecond/10), r.WriterAlone.Round(time.Millisecond/10), r.WriterMax.Round(time.Millisecond), r.KeyP99.Round(time.Millisecond/10), r.KeyMax.Round(time.Millisecond), r.LogAlone>>10, r.LogWithUs>>10)
}

// What is promised.
const (
	maxWriterWait = 100 * time.Millisecond // p99
	maxLogGrowth  = 3                      // times the log without us
	smallestLog   = 4 << 20                // to which Hermes lets it grow, in bytes
)

// wrong lists the promises that were not kept. slack is how much longer than promised the
// writer may wait.
func (r result) wrong(slack time.Duration) (all []string) {
	all = slices.Clone(r.Errors)
	if r.Lost > 0 {
		all = append(all, fmt.Sprintf("%d messages are lost", r.Lost))
	}
	if r.Unsound != "" {
		all = append(all, "the file is not sound: "+r.Unsound)
	}
	if limit := maxWriterWait + slack; r.WriterP99 > limit {
		all = append(all, fmt.Sprintf("the writer waits %v, more than %v", r.WriterP99, limit))
	}
	if limit := maxLogGrowth * max(r.LogAlone, smallestLog); r.LogWithUs > limit {
		all = append(all, fmt.Sprintf("the write-ahead log grows to %d KB, more than %d KB", r.LogWithUs>>10, limit>>10))
	}
	if r.Written == 0 || r.Keys == 0 || r.Pruned == 0 {
		all = append(all, "a process did nothing")
	}
	return all
}

// soak runs all processes.
func soak(ctx context.Context, dir string, length time.Duration) (r result, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "soak"); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	path := filepath.Join(dir, "state.db")
	if _, err := store.Migrate(ctx, path); err != nil {
		return r, err
	}
	if err := fill(ctx, path); err != nil {
		return r, err
	}
	r.Length = length
	alone, together := length/5, length-length/5
	first, largest, err := play(ctx, path, alone, "writer", "checkpointer")
	if err != nil {
		return r, err
	}
	r.LogAlone = largest
	second, largest, err := play(ctx, path, together, "writer", "browser", "browser", "pruner", "checkpointer")
	if err != nil {
		return r, err
	}
	r.LogWithUs, r.Processes = largest, len(second)
	for _, p := range slices.Concat(first, second) {
		r.Errors = append(r.Errors, p.Errors...)
	}
	var keys, waits, waitsAlone []time.Duration
	for _, p := range first {
		r.Written += p.Written
		if p.Role == "writer" {
			waitsAlone = append(waitsAlone, p.Took...)
		}
	}
	r.WriterAlone, _ = percentiles(waitsAlone)
	for _, p := range second {
		r.Written, r.Pruned, r.Restored = r.Written+p.Written, r.Pruned+p.Pruned, r.Restored+p.Restored
		switch p.Role {
		case "browser":
			keys = append(keys, p.Took...)
		case "writer":
			waits = append(waits, p.Took...)
		}
	}
	r.Keys = len(keys)
	r.WriterP99, r.WriterMax = percentiles(waits)
	r.KeyP99, r.KeyMax = percentiles(keys)
	return r, r.verify(ctx, path)
}

// percentiles returns the 99th percentile and the longest of some durations.
func percentiles(all []time.Duration) (p99, longest time.Duration) {
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return all[len(all)*99/100], all[len(all)-1]
}

// play runs processes in these roles for a while. It returns what each did, and the
// largest size of the write-ahead log.
func play(ctx context.Context, path string, length time.Duration, roles ...string) (done []report, largest int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	type child struct {
		cmd *exec.Cmd
		in  io.Closer
		out bytes.Buffer
	}
	var children []*child
	for n, role := range roles {
		c := &child{cmd: exec.CommandContext(ctx, self)}
		c.cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path, fmt.Sprintf("%s=%d", seedVariable, n))
		c.cmd.Stdout, c.cmd.Stderr = &c.out, os.Stderr
		if c.in, err = c.cmd.StdinPipe(); err != nil {
			return nil, 0, err
		}
		if err := c.cmd.Start(); err != nil {
			return nil, 0, err
		}
		children = append(children, c)
	}
	end, sample := time.NewTimer(length), time.NewTicker(10*time.Millisecond)
	defer sample.Stop()
	for running := true; running; {
		select {
		case <-end.C:
			running = false
		case <-ctx.Done():
			running = false
		case <-sample.C:
			if info, err := os.Stat(path + "-wal"); err == nil {
				largest = max(largest, info.Size())
			}
		}
	}
	for _, c := range children { // the end of their standard input stops them
		err = errors.Join(err, c.in.Close())
	}
	for i, c := range children {
		err = errors.Join(err, c.cmd.Wait())
		var d report
		if e := json.Unmarshal(c.out.Bytes(), &d); e != nil {
			err = errors.Join(err, fmt.Errorf("%s said %q", roles[i], c.out.String()))
		}
		done = append(done, d)
	}
	return done, largest, err
}

// pastMessages is how many messages [fill] writes.
const pastMessages = 6000

// fill writes a history of sessions that no process changes.
func fill(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 200)
			INSERT INTO sessions (id, source, started_at, title) SELECT 'past' || n, 'cli', unixepoch() - n * 1000, 'conversation ' || n FROM i`,
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 6000)
			INSERT INTO messages (session_id, role, content, timestamp) SELECT 'past' || (n % 200 + 1), iif(n % 2, 'user', 'assistant'), 'word' || (n % 97) || ' docker error number ' || n, unixepoch() - 200000 + n FROM i`,
		`INSERT INTO sessions (id, source, started_at) VALUES ('writer', 'cli', unixepoch())`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return db.Close()
}

// verify counts what is there and checks the file.
func (r *result) verify(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	db.SetMaxOpenConns(1)
	var there, past int
	if err := db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM messages WHERE session_id = 'writer'), (SELECT count(*) FROM messages WHERE session_id LIKE 'past%')`).Scan(&there, &past); err != nil {
		return err
	}
	r.Lost = r.Written - there + pastMessages - past
	var line string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&line); err != nil {
		return err
	}
	if line != "ok" {
		r.Unsound = strings.TrimSpace(line)
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, err := db.ExecContext(ctx, `INSERT INTO `+table+`(`+table+`) VALUES ('integrity-check')`); err != nil {
			r.Unsound = table + ": " + err.Error()
		}
	}
	return nil
}
