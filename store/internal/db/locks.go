package db

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
)

// lock is a row with which a process of Hermes says that it works in a conversation
// (store/README.md#sessions-in-use).
type lock struct {
	session string // the first segment of the conversation; of a compression the segment
	model.Lock
}

// sessionLock is another process that is writing a session; the zero value is none.
type sessionLock struct {
	Activity string
	Until    time.Time // at the latest
	pid      int
}

// CheckNotInUse refuses where another process is writing one of the sessions.
func (d *DB) CheckNotInUse(ctx context.Context, t *Tx, ids ...string) error {
	lock, err := d.LockOf(ctx, t.Prepared(), t.Schema, t.Timestamp, ids...)
	if err != nil || lock.Activity == "" {
		return err
	}
	end := ", or end it, then try again"
	switch lock.pid {
	case 0:
	case 1, os.Getpid(): // of another container
		end = ", then try again"
	default:
		end = ", or end process " + strconv.Itoa(lock.pid) + ", then try again"
	}
	return &model.Error{
		Kind: model.KindInUse, Path: d.Path,
		Message: fmt.Sprintf("another process %s, until %s at most", lock.Activity, model.ClockTime(AsTime(t.Timestamp), lock.Until)),
		Remedy:  model.Advise("wait until it has finished" + end),
	}
}

// LockOf finds a live lock on one of the sessions: a compression of it, or a turn in the
// conversation that it is a segment of. now is in seconds since the epoch. A lock is live
// until it expires, unless its holder names a process that has ended.
func (d *DB) LockOf(ctx context.Context, q Querier, sc Schema, now float64, ids ...string) (found sessionLock, err error) {
	query := locksQuery(sc, `IN chain`)
	if query == "" {
		return sessionLock{}, nil
	}
	at := AsTime(now)
	query = chainCTE(sc) + query
	for _, id := range ids {
		err := EachRow(ctx, q, query, []any{id}, func(r Row) {
			l, ok := lockOfRow(r)
			switch {
			case !ok || found.Activity != "" || l.PID != 0 && !d.ProcessExists(l.PID) || !l.Live(at):
			case l.Kind == model.LockTurn:
				found = sessionLock{"is working in session " + l.session, l.Expires, l.PID}
			case l.session == id:
				found = sessionLock{"is compressing session " + id, l.Expires, l.PID}
			}
		})
		if err != nil || found.Activity != "" {
			return found, err
		}
	}
	return sessionLock{}, nil
}

// Locks reads what the file says about the processes that work in its sessions, those that
// have ended too.
func (d *DB) Locks(ctx context.Context, q Querier) (model.Locks, error) {
	locks := model.Locks{Turns: hasTurnLeases(d.Schema), ProcessExists: d.ProcessExists}
	query := locksQuery(d.Schema, `IS NOT NULL`)
	if query == "" {
		return locks, nil
	}
	if d.Schema.Mentions("gateway_heartbeats", "pid", "last_heartbeat") {
		query += ` UNION ALL SELECT 0, pid, NULL, max(last_heartbeat), NULL FROM gateway_heartbeats GROUP BY pid`
	}
	heartbeats := map[int]time.Time{}
	err := EachRow(ctx, q, query, nil, func(r Row) {
		if r.Int(0) == 0 {
			heartbeats[int(r.Int(1))] = r.Time(3)
		} else if l, ok := lockOfRow(r); ok {
			if locks.BySession == nil {
				locks.BySession = map[string][]model.Lock{}
			}
			locks.BySession[l.session] = append(locks.BySession[l.session], l.Lock)
		}
	})
	for _, of := range locks.BySession {
		for i := range of {
			if beat := heartbeats[of[i].PID]; of[i].PID != 0 && beat.After(of[i].Seen) {
				of[i].Seen = beat
			}
		}
	}
	return locks, err
}

// locksQuery selects kind, session, holder, beginning and end of the locks whose session
// fulfils a condition; it is empty where the file has no locks.
func locksQuery(sc Schema, condition string) string {
	const most = "1000" // of each kind: Hermes keeps one for each process
	var selects []string
	add := func(kind model.LockKind, table, session string) {
		column := func(name string) string {
			if sc.Mentions(table, name) {
				return name
			}
			return "NULL"
		}
		selects = append(selects, fmt.Sprintf(`SELECT * FROM (SELECT %d, %s, %s, %s, expires_at FROM %s WHERE %s %s ORDER BY expires_at DESC LIMIT %s)`,
			kind, session, column("holder"), column("acquired_at"), table, session, condition, most))
	}
	if sc.Mentions("compression_locks", "session_id", "expires_at") {
		add(model.LockCompression, "compression_locks", "session_id")
	}
	if hasTurnLeases(sc) {
		add(model.LockTurn, "session_turn_leases", "conversation_id")
	}
	return strings.Join(selects, " UNION ALL ")
}

// hasTurnLeases reports whether Hermes writes into the file which conversations it works in.
func hasTurnLeases(sc Schema) bool {
	return sc.Mentions("session_turn_leases", "conversation_id", "expires_at")
}

// lockOfRow returns the lock of a row of locksQuery. A row whose end is no number is none.
func lockOfRow(r Row) (lock, bool) {
	const lastSecond = 253402300799 // of the year 9999
	expires, ok := AsFloat(r[4])
	l := lock{session: r.Text(1), Lock: model.Lock{Kind: model.LockKind(r.Int(0)), PID: pidOf(r.Text(2)), Seen: r.Time(3)}}
	l.Expires = AsTime(max(expires, 0))
	if expires > lastSecond {
		l.Expires = time.Unix(lastSecond, 0)
	}
	return l, ok
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
