package snapshot

import (
	"context"
	"hash/maphash"
	"strings"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/sessiontable"
)

// fingerprint shows whether sessions were added, removed or renamed, or messages added
// or rewound, since it was read. Each part is read from an index alone.
type fingerprint struct {
	seed                maphash.Seed
	idsHash, titlesHash uint64 // of all ids and titles, in the order of the index
	lastMessageID       int64  // the greatest id of a message

	inactiveHash uint64     // of the messages that were rewound or compacted
	inactiveIDs  *idset.Set // the ids of these messages
}

// The queries of a fingerprint.
const (
	titlesQuery      = `SELECT group_concat(title, char(10)) FROM sessions WHERE title IS NOT NULL`
	lastMessageQuery = `SELECT max(id) FROM messages`
	inactiveQuery    = `SELECT group_concat(id) FROM messages WHERE coalesce(active, 1) <> 1`
)

// sessionIDsQuery reads the ids of all sessions from the index by which sessions are found
// by their id, so that damage of it shows.
func sessionIDsQuery(d *db.DB) string {
	const query = `SELECT group_concat(coalesce(id, ''), char(10)) FROM sessions`
	if !readsIDsByIndex(d) {
		return query
	}
	return query + ` INDEXED BY ` + idsIndex
}

// readsIDsByIndex reports whether [sessionIDsQuery] reads the index, and so in its order.
func readsIDsByIndex(d *db.DB) bool {
	_, ok := d.Schema.Tables[idsIndex]
	return ok && !d.IndexesBypassed.Load()
}

// idsIndex is the index by which sessions are found by their id.
const idsIndex = "sqlite_autoindex_sessions_1"

// readFingerprint reads the fingerprint in the transaction q, and the ids and titles
// that it hashes, one per line. was is an earlier fingerprint, or nil.
func (s *Sessions) readFingerprint(ctx context.Context, q db.Querier, was *fingerprint) (m fingerprint, ids, titles string, err error) {
	if was == nil {
		was = &fingerprint{seed: maphash.MakeSeed()}
	}
	m.seed = was.seed
	read := func(query string) (v any) {
		if err == nil {
			v, err = db.QueryValue(ctx, q, query)
		}
		return v
	}
	m.lastMessageID = db.AsInt(read(lastMessageQuery))
	ids, titles = db.AsText(read(sessionIDsQuery(s.db))), db.AsText(read(titlesQuery))
	m.idsHash, m.titlesHash = maphash.String(m.seed, ids), maphash.String(m.seed, titles)
	if s.db.Schema.Has("messages", "active") {
		inactive := db.AsText(read(inactiveQuery))
		m.inactiveHash, m.inactiveIDs = maphash.String(m.seed, inactive), was.inactiveIDs
		if m.inactiveIDs == nil || m.inactiveHash != was.inactiveHash {
			m.inactiveIDs = &idset.Set{}
			for id := range ParseIDList([]byte(inactive)) {
				m.inactiveIDs.Add(id)
			}
		}
	}
	return m, ids, titles, err
}

// diffLines compares a text of each session of a table with lines: it gives the texts that
// are no longer among the lines, and the lines that are new.
func diffLines(known *sessiontable.Table, text func(i int) string, lines string) (gone, came []string) {
	count := map[string]int{}
	for i := range known.Live() {
		if line := text(i); line != "" {
			count[line]++
		}
	}
	if lines != "" {
		for line := range strings.SplitSeq(lines, "\n") {
			count[line]--
		}
	}
	for line, n := range count {
		switch {
		case n > 0:
			gone = append(gone, line)
		case n < 0:
			came = append(came, line)
		}
	}
	return gone, came
}
