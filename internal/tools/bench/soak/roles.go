package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// What a process of a soak does, and to which file, is in its environment.
const (
	roleVariable = "SOAK_ROLE"
	pathVariable = "SOAK_PATH"
	seedVariable = "SOAK_SEED"
)

// report is what a process has done, which it prints as JSON at its end.
type report struct {
	Role                      string
	Written, Pruned, Restored int
	Took                      []time.Duration // the writer's waits, a browser's keys
	Errors                    []string
}

// runRole runs the role that the environment names until standard input ends. It returns false
// where the environment names none.
func runRole() bool {
	role := os.Getenv(roleVariable)
	if role == "" {
		return false
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	seed, _ := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	p := &process{report: report{Role: role}, path: os.Getenv(pathVariable), random: rand.New(rand.NewPCG(seed, uint64(os.Getpid())))}
	play := map[string]func(context.Context) error{"writer": p.write, "browser": p.browse, "pruner": p.prune, "checkpointer": p.checkpoint}[role]
	if err := play(ctx); err != nil {
		p.failed(ctx, err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(p.report); err != nil {
		os.Exit(1)
	}
	return true
}

// process is one of the processes.
type process struct {
	report
	path   string
	random *rand.Rand
}

// failed records an error, unless the end of the soak caused it.
func (p *process) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		p.Errors = append(p.Errors, p.Role+": "+err.Error())
	}
}

// rest waits, and reports whether the soak goes on.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connection opens one connection as Hermes does.
func (p *process) connection(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("sqlite", "file:"+p.path+"?_pragma=busy_timeout(1000)&_pragma=foreign_keys(1)")
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, conn, nil
}

// write writes as Hermes does (store/README.md#write-rules).
func (p *process) write(ctx context.Context) error {
	db, conn, err := p.connection(ctx)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the process ends
	// The end of the soak must not leave it open whether a message was written.
	whole := context.WithoutCancel(ctx)
	for rest(ctx, 15*time.Millisecond) {
		text := "docker error " + strings.Repeat(fmt.Sprintf("word%d ", p.random.IntN(900)), 5+p.random.IntN(150))
		began := time.Now()
		for try := 1; ; try++ {
			if _, err = conn.ExecContext(whole, `BEGIN IMMEDIATE`); err == nil || try == 15 {
				break
			}
			rest(ctx, time.Duration(20+p.random.IntN(130))*time.Millisecond)
		}
		if err != nil {
			return err
		}
		p.Took = append(p.Took, time.Since(began))
		for _, statement := range []string{
			`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('writer', 'assistant', '` + text + `', unixepoch('subsec'))`,
			`UPDATE sessions SET message_count = message_count + 1 WHERE id = 'writer'`, `COMMIT`,
		} {
			if _, err := conn.ExecContext(whole, statement); err != nil {
				return err
			}
		}
		if p.Written++; p.Written%50 == 0 {
			_, _ = conn.ExecContext(whole, `PRAGMA wal_checkpoint(PASSIVE)`) // as Hermes, which ignores errors
		}
	}
	return nil
}

// browse lists, searches as one types, and reads, with a rest between two keys.
func (p *process) browse(ctx context.Context) error {
	s, err := store.Open(ctx, p.path)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // nothing was written
	key := func(do func() error) bool {
		began := time.Now()
		err := do()
		p.Took = append(p.Took, time.Since(began))
		p.failed(ctx, err)
		return rest(ctx, time.Duration(60+p.random.IntN(90))*time.Millisecond)
	}
	for ctx.Err() == nil {
		var page model.ConversationPage
		key(func() (err error) {
			page, err = s.Conversations(ctx, query.ListOptions{Limit: 50})
			return err
		})
		word := []string{"docker", "error", "word42", "number 77"}[p.random.IntN(4)]
		for n := 1; n <= len(word) && ctx.Err() == nil; n++ {
			key(func() error {
				_, err := s.Search(ctx, query.Parse(word[:n], true), query.ListOptions{Limit: 50})
				return err
			})
		}
		for range 3 {
			if len(page.Conversations) == 0 {
				break
			}
			id := page.Conversations[p.random.IntN(len(page.Conversations))].ID
			key(func() error {
				o, err := s.Outline(ctx, id)
				if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindNotFound { // pruned since
					return nil
				}
				if err == nil {
					_, err = s.MessagesByID(ctx, o.MessageIDs[max(0, len(o.MessageIDs)-40):])
				}
				return err
			})
		}
		key(func() error { _, err := s.DataVersion(ctx); return err })
	}
	return nil
}

// prune makes old conversations, prunes them, and takes every third prune back.
func (p *process) prune(ctx context.Context) error {
	s, err := store.Open(ctx, p.path)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // it was written already
	db, conn, err := p.connection(ctx)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the process ends
	whole := context.WithoutCancel(ctx)
	for round := 0; rest(ctx, 700*time.Millisecond); round++ {
		old := fmt.Sprintf("old%d", round)
		statement := fmt.Sprintf(`BEGIN IMMEDIATE; INSERT INTO sessions (id, source, started_at, ended_at, end_reason) VALUES ('%s', 'cli', 1000, 2000, 'user_exit');
			WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 60)
			INSERT INTO messages (session_id, role, content, timestamp) SELECT '%[1]s', 'user', 'an old message about docker, number ' || n, 1000 + n FROM i; COMMIT`, old)
		if _, err := conn.ExecContext(whole, statement); err != nil {
			return err
		}
		u, err := s.Prune(whole, model.PruneOptions{OlderThan: 365 * 24 * time.Hour})
		if err != nil {
			return err
		}
		p.Pruned++
		if round%3 == 0 {
			if err := s.Restore(whole, u, model.RestoreOptions{}); err != nil {
				return err
			}
			p.Restored++
		}
		if err := u.Close(); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint moves the write-ahead log into the file from time to time.
func (p *process) checkpoint(ctx context.Context) error {
	db, conn, err := p.connection(ctx)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	for rest(ctx, 2*time.Second) {
		if _, err := conn.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil {
			p.failed(ctx, err)
		}
	}
	return nil
}
