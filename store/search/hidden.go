package search

import (
	"context"
	"sync"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
)

// hiddenIDs caches which messages no search finds (store/README.md#hidden-rows). To
// check each hit instead would read every row to its end: the columns that say so
// are stored behind the text.
type hiddenIDs struct {
	mu          sync.Mutex
	dataVersion int64      // DataVersion that rewound was read at, 0 for none yet
	rewound     *idset.Set // taken back by the user, without the archived ones of a compaction
	hidden      *idset.Set // display_kind is hidden, which is written with the row
	lastID      int64      // hidden is read up to this id
}

// removeHidden removes the rewound and the hidden messages from ids.
func (ex *executor) removeHidden(ctx context.Context, ids *idset.Set) error {
	sc := ex.engine.db.Schema
	if ids.Empty() || !sc.Has("messages", "active") && !sc.Has("messages", "display_kind") {
		return nil
	}
	cache := &ex.engine.hiddenIDs
	cache.mu.Lock()
	version := cache.dataVersion
	rewound := cache.rewound
	hidden := cache.hidden
	lastID := cache.lastID
	cache.mu.Unlock()
	if version == 0 || version != ex.dataVersion {
		rewound = &idset.Set{}
		if sc.Has("messages", "active") {
			// An index answers the inner condition, and few rows are left for the outer.
			err := ex.queryInto(ctx, rewound, `SELECT m.id FROM messages m WHERE m.id IN (SELECT id FROM messages WHERE coalesce(active, 1) <> 1)
				AND NOT `+sc.NotRewoundRows("m"))
			if err != nil {
				return err
			}
		}
		if sc.Has("messages", "display_kind") {
			last, err := db.QueryValue(ctx, ex.tx, `SELECT max(id) FROM messages`)
			if err != nil {
				return err
			}
			hidden = hidden.Clone() // another search may be reading it
			if err := ex.queryInto(ctx, hidden, `SELECT m.id FROM messages m WHERE m.id > ? AND m.display_kind = 'hidden'`, lastID); err != nil {
				return err
			}
			lastID = db.AsInt(last)
		}
		cache.mu.Lock()
		cache.dataVersion = ex.dataVersion
		cache.rewound = rewound
		cache.hidden = hidden
		cache.lastID = lastID
		cache.mu.Unlock()
	}
	ids.Subtract(rewound)
	ids.Subtract(hidden)
	return nil
}
