package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Lock is a row with which a process of Hermes says that it works in a conversation
// (store/README.md#sessions-in-use): its turn there, or that it compresses a segment.
type Lock struct {
	Session     string // the first segment of the conversation; of a compression the segment
	Compressing bool
	Acquired    time.Time // zero where the row has no time
	PID         int       // of the process, 0 where the row does not name it

	expires float64 // seconds since the epoch
}

// Live reports whether the process still works at now, in seconds since the epoch: the lock
// has not expired, and its process has not ended, as far as the row names it.
func (d *DB) Live(l Lock, now float64) bool {
	return l.expires > now && (l.PID == 0 || d.ProcessExists(l.PID))
}

// doing says what the process of a lock does.
func (l Lock) doing() string {
	if l.Compressing {
		return "is compressing session " + l.Session
	}
	return "is working in session " + l.Session
}

// sessionLock is another process that is writing a session; the zero value is none.
type sessionLock struct {
	Activity string
	Until    time.Time // at the latest
	pid      int
}

// CheckNotInUse refuses where another process is writing one of the sessions.
func (d *DB) CheckNotInUse(ctx context.Context, t *Tx, ids ...string) error {
	lock, err := d.LockOf(ctx, t, t.Schema, t.Timestamp, ids...)
	if err != nil || lock.Activity == "" {
		return err
	}
	end := "end it"
	if lock.pid > 0 {
		end = "end process " + strconv.Itoa(lock.pid)
	}
	return &Error{
		Kind: KindInUse, Path: d.Path,
		Message: fmt.Sprintf("another process %s (until %s at most)", lock.Activity, lock.Until.Format(time.TimeOnly)),
		Remedy:  model.Advise("wait until it has finished, or " + end + ", then try again"),
	}
}

// LockOf finds a live lock on one of the sessions: a compression of it, or a turn in the
// conversation that it is a segment of. now is in seconds since the epoch.
func (d *DB) LockOf(ctx context.Context, q Querier, sc Schema, now float64, ids ...string) (found sessionLock, err error) {
	if !sc.hasCompressionLocks() && !sc.HasTurnLeases() {
		return sessionLock{}, nil
	}
	for _, id := range ids {
		err := d.eachLock(ctx, q, sc, chainCTE(sc), `IN chain`, []any{id}, func(l Lock) {
			if found.Activity == "" && (!l.Compressing || l.Session == id) && d.Live(l, now) {
				found = sessionLock{l.doing(), AsTime(l.expires), l.PID}
			}
		})
		if err != nil || found.Activity != "" {
			return found, err
		}
	}
	return sessionLock{}, nil
}

// maxLocks is how many locks of each kind are read. Hermes keeps one for each process.
const maxLocks = "1000"

// EachLock calls each with the locks of a file, the expired ones and those of processes that
// have ended too, the newest first.
func (d *DB) EachLock(ctx context.Context, q Querier, each func(Lock)) error {
	return d.eachLock(ctx, q, d.Schema, "", `IS NOT NULL`, nil, each)
}

// eachLock reads the compression locks and then the turn leases whose session fulfils a
// condition. A row whose end is no number is no lock.
func (d *DB) eachLock(ctx context.Context, q Querier, sc Schema, with, condition string, args []any, each func(Lock)) error {
	var selects []string
	add := func(compressing int, table, session string) {
		column := func(name string) string {
			if sc.Mentions(table, name) {
				return name
			}
			return "NULL"
		}
		selects = append(selects, fmt.Sprintf(`SELECT * FROM (SELECT %d, %s, %s, %s, expires_at FROM %s WHERE %s %s ORDER BY expires_at DESC LIMIT %s)`,
			compressing, session, column("holder"), column("acquired_at"), table, session, condition, maxLocks))
	}
	if sc.hasCompressionLocks() {
		add(1, "compression_locks", "session_id")
	}
	if sc.HasTurnLeases() {
		add(0, "session_turn_leases", "conversation_id")
	}
	if selects == nil {
		return nil
	}
	return EachRow(ctx, q, with+strings.Join(selects, " UNION ALL "), args, func(r Row) {
		if expires, ok := AsFloat(r[4]); ok {
			each(Lock{Compressing: r.Bool(0), Session: r.Text(1), PID: pidOf(r.Text(2)), Acquired: r.Time(3), expires: expires})
		}
	})
}

func (s Schema) hasCompressionLocks() bool {
	return s.Mentions("compression_locks", "session_id", "expires_at")
}

// HasTurnLeases reports whether Hermes writes into the file which conversations it works in.
func (s Schema) HasTurnLeases() bool {
	return s.Mentions("session_turn_leases", "conversation_id", "expires_at")
}

// pidOf returns the process that the holder of a lock names, as in pid=12:turn=x, 0 for none.
func pidOf(holder string) int {
	for part := range strings.SplitSeq(holder, ":") {
		if number, ok := strings.CutPrefix(strings.TrimSpace(part), "pid="); ok {
			if pid, err := strconv.ParseInt(number, 10, 32); err == nil && pid > 0 {
				return int(pid)
			}
		}
	}
	return 0
}

// chainCTE makes the table chain of the session ?1 and the segments before it, whose first is
// what a turn lease names. UNION and not UNION ALL: parents may form a cycle
// (store/README.md#q18).
func chainCTE(sc Schema) string {
	continues := `p.end_reason = 'compression' AND s.source IS NOT 'tool'`
	if sc.Has("sessions", "model_config") {
		continues += ` AND CASE WHEN json_valid(s.model_config) THEN p.id IN (json_extract(s.model_config, '$._branched_from'),
			json_extract(s.model_config, '$._delegate_from'), json_extract(s.model_config, '$._reset_from')) END IS NOT 1`
	}
	return `WITH RECURSIVE chain(id) AS (SELECT ?1 UNION
		SELECT p.id FROM chain JOIN sessions s ON s.id = chain.id JOIN sessions p ON p.id = s.parent_session_id WHERE ` + continues + `) `
}
