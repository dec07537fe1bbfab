package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// recordedCall is one call of the real software with its answer.
type recordedCall struct {
	Call, Name, Input string
	Output            json.RawMessage
}

// recordedCallsOf reads a file of recorded calls.
func recordedCallsOf(t testing.TB, name string) []recordedCall {
	t.Helper()
	var o struct{ Items []recordedCall }
	if err := json.Unmarshal(fixtures.Read(t, name), &o); err != nil || len(o.Items) == 0 {
		t.Fatal(name, len(o.Items), err)
	}
	return o.Items
}

// only1 is a machine on which process 1 alone exists, as on the one of the recorded answers.
func only1(pid int) bool { return pid == 1 }

// lockOf returns what another process does with a session, "" for nothing.
func lockOf(t testing.TB, s *Store, id string) (activity string) {
	t.Helper()
	err := s.db.ReadTx(t.Context(), func(q db.Querier) error {
		l, err := s.db.LockOf(t.Context(), q, s.db.Schema, db.Seconds(clock()), id)
		activity = l.Activity
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return activity
}

// A turn or a compression stands in the way exactly where the real software lets no other
// process begin one: not where its holder is dead, and not after it has expired.
func TestLocksStandInTheWayAsInHermes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v26", "v30", "v31"} {
		file, folder := name+".db", "oracle/newest-layout/"+name
		if name == "v26" {
			folder = "oracle/v26"
		}
		s, err := Open(t.Context(), fixture(t, file), WithClock(clock), WithProcesses(only1))
		if err != nil {
			t.Fatal(err)
		}
		q := otherConnection(t, s.Path())
		free, keys := 0, 0
		for _, c := range recordedCallsOf(t, folder+"/leases.json") {
			if c.Call != "_session_turn_lease_key" {
				want := string(c.Output) == "true"
				if got := lockOf(t, s, c.Input) == ""; got != want {
					t.Errorf("%s: %s %s is free: %t, want %t", file, c.Call, c.Name, got, want)
				}
				free++
				continue
			}
			var first string
			if err := json.Unmarshal(c.Output, &first); err != nil {
				t.Fatal(err)
			}
			Must(t, q, `DELETE FROM session_turn_leases`, `DELETE FROM compression_locks`,
				`INSERT INTO session_turn_leases VALUES ('`+first+`', 'worker', 1, 1790000001)`)
			if lockOf(t, s, c.Input) == "" {
				t.Errorf("%s: the turn of %s is not seen at %s", file, c.Name, first)
			}
			// No session above the first segment is part of the conversation.
			Must(t, q, `INSERT OR REPLACE INTO session_turn_leases SELECT parent_session_id, 'worker', 1, 1790000001 FROM sessions WHERE id = '`+first+`' AND parent_session_id IS NOT NULL`,
				`DELETE FROM session_turn_leases WHERE conversation_id = '`+first+`'`)
			if got := lockOf(t, s, c.Input); got != "" {
				t.Errorf("%s: %s %s", file, c.Name, got)
			}
			keys++
		}
		if free < 10 || keys < 5 {
			t.Errorf("%s: %d locks and %d first segments", file, free, keys)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Whatever stands in a lock, it is read without an error: a holder that names no process is
// live until it expires, and what has no number as its end is no lock.
func TestLocksWithGarbage(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v26.db", session("a"))
	s.db.ProcessExists = only1
	for _, c := range []struct {
		holder, acquired, expires string
		live                      bool
	}{
		{`'pid=1:turn=x:platform=cli'`, `1789999999`, `1790000001`, true},
		{`'pid=2:turn=x:platform=cli'`, `1789999999`, `1790000001`, false},
		{`'turn=x:pid=2'`, `1789999999`, `1790000001`, false},
		{`'pid=1:turn=x'`, `1789999999`, `1790000000`, false},
		{`'pid=1'`, `9e300`, `9e300`, true},
		{`'pid=2'`, `9e300`, `9e300`, false},
		{`'worker-7'`, `2790000000`, `2790000000`, true},
		{`''`, `'soon'`, `1790000001`, true},
		{`x'00ff'`, `x'00'`, `1790000001`, true},
		{`7`, `''`, `'1790000001'`, true},
		{`'pid=99999999999999999999'`, `0`, `1790000001`, true},
		{`'pid=-1'`, `0`, `1790000001`, true},
		{`'pid=0'`, `0`, `1790000001`, true},
		{`'pid=1'`, `0`, `'later'`, false},
		{`'pid=1'`, `0`, `x'ff'`, false},
		{`'pid=1'`, `0`, `''`, false},
		{`'pid=1'`, `0`, `-9e300`, false},
	} {
		for _, table := range []string{"session_turn_leases", "compression_locks"} {
			Must(t, q, `DELETE FROM session_turn_leases`, `DELETE FROM compression_locks`,
				`INSERT INTO `+table+` VALUES ('a', `+c.holder+`, `+c.acquired+`, `+c.expires+`)`)
			if got := lockOf(t, s, "a") != ""; got != c.live {
				t.Errorf("%s, %s, from %s until %s: live %t", table, c.holder, c.acquired, c.expires, got)
			}
			err := s.db.Write(t.Context(), "test", func(x *db.Tx) error { return s.db.CheckNotInUse(context.Background(), x, "a") })
			if got := kind(err) == model.KindInUse; got != c.live {
				t.Errorf("%s, %s, until %s: %v", table, c.holder, c.expires, err)
			}
		}
	}
}

// A process is advised to be ended that can be: not the first of a container, and not this one.
func TestOnlyAnotherProcessIsAdvisedToBeEnded(t *testing.T) {
	t.Parallel()
	for pid, want := range map[int]string{7: "or end process 7, then", 1: "finished, then", os.Getpid(): "finished, then", 0: "or end it, then"} {
		s, q := One(t, "v26.db", session("a"))
		s.db.ProcessExists = func(int) bool { return true }
		Must(t, q, fmt.Sprintf(`INSERT INTO session_turn_leases VALUES ('a', 'pid=%d', 1, 9e300)`, pid))
		err := s.db.Write(t.Context(), "test", func(x *db.Tx) error { return s.db.CheckNotInUse(t.Context(), x, "a") })
		e, ok := errors.AsType[*model.Error](err)
		if !ok || !strings.Contains(e.Remedy.Text, want) {
			t.Errorf("of process %d: %+v, want %s", pid, err, want)
		}
	}
}

// Without an option it is this machine that is asked.
func TestProcessesOfThisMachine(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v26.db")
	const nobody = 4194999 // above the limit of Linux; of no process elsewhere either
	if !s.db.ProcessExists(os.Getpid()) || !s.db.ProcessExists(os.Getppid()) || s.db.ProcessExists(nobody) {
		t.Error("the processes of this machine are not known")
	}
}
