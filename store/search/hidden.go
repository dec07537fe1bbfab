package search

import (
	"context"
	"sync"

	"hermes-sessions/store/search/fts"
)

// hiddenIDs remembers which messages nobody is shown. To ask each hit would
// mean to read to the end of its row, behind its text: the marks stand there.
type hiddenIDs struct {
	mu          sync.Mutex
	dataVersion int64    // DataVersion of rewound; 0 for none yet
	rewound     *fts.Set // taken back, see [schema.said]
	hidden      *fts.Set // scaffolding, marked so when it is written
	lastID      int64    // greatest id looked at for hidden
}

// removeHidden takes the rewound and the hidden messages out of ids.
func (f *executor) removeHidden(ctx context.Context, ids *fts.Set) error {
	sc := f.engine.db.Schema
	if ids.Empty() || !sc.Has("messages", "active") && !sc.Has("messages", "display_kind") {
		return nil
	}
	u := &f.engine.hiddenIDs
	u.mu.Lock()
	version, rewound, hidden, seen := u.dataVersion, u.rewound, u.hidden, u.lastID
	u.mu.Unlock()
	if version == 0 || version != f.dataVersion {
		rewound = &fts.Set{}
		var last int64
		if sc.Has("messages", "active") {
			// The inner question is answered from an index, the outer for few.
			err := f.queryInto(ctx, rewound, `SELECT m.id FROM messages m WHERE m.id IN (SELECT id FROM messages WHERE coalesce(active, 1) <> 1)
				AND NOT `+sc.SaidByPeople("m"))
			if err != nil {
				return err
			}
		}
		if sc.Has("messages", "display_kind") {
			err := f.eachRow(ctx, `SELECT coalesce(max(id), 0) FROM messages`, nil, func(scan func(...any) error) error { return scan(&last) })
			if err != nil {
				return err
			}
			hidden = hidden.Clone() // others may be reading it
			if err := f.queryInto(ctx, hidden, `SELECT m.id FROM messages m WHERE m.id > ? AND m.display_kind = 'hidden'`, seen); err != nil {
				return err
			}
			seen = last
		}
		u.mu.Lock()
		u.dataVersion, u.rewound, u.hidden, u.lastID = f.dataVersion, rewound, hidden, seen
		u.mu.Unlock()
	}
	ids.Subtract(rewound)
	ids.Subtract(hidden)
	return nil
}
