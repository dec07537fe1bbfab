package search

import (
	"context"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/ftsquery"
)

// summaryIDs caches which messages are summaries of compressed context alone, without
// anything that was said. Their words were said elsewhere, often in other words.
type summaryIDs struct {
	mu          sync.Mutex
	dataVersion int64      // DataVersion that they were read at, 0 for none yet
	read        *idset.Set // messages with the words that a summary begins with
	summaries   *idset.Set // those of read that are summaries
}

// summaries returns the summaries of a database, as far as the word index has them. The
// set is not to be changed.
func (ex *executor) summaries(ctx context.Context) (*idset.Set, error) {
	s := &ex.engine.summaryIDs
	s.mu.Lock()
	version := s.dataVersion
	read := s.read
	summaries := s.summaries
	s.mu.Unlock()
	if version != 0 && version == ex.dataVersion {
		return summaries, nil
	}
	words := ex.engine.newExecutor(ex.tx, query.Query{}, ex.dataVersion) // its steps are not those of the answer
	words.capabilityCache = ex.capabilityCache
	if err := words.probeOnce(ctx); err != nil || words.words.table == "" {
		return nil, err
	}
	var phrases []ftsquery.Query
	for _, prefix := range model.SummaryPrefixes() {
		phrases = append(phrases, ftsquery.Phrase(prefix, false))
	}
	ids, err := words.matchTable(ctx, &words.words, ftsquery.AnyOf(phrases...))
	if err != nil {
		return nil, ctx.Err() // the search itself says that the index is damaged
	}
	ids.Subtract(read)
	if !ids.Empty() {
		read, summaries = read.Clone(), summaries.Clone() // another search may be reading them
		from, args := fromIDs(ids.All())
		err := db.EachRow(ctx, words.tx, `SELECT m.id, m.content FROM `+from, args, func(r db.Row) {
			if _, said, ok := model.SplitSummary(r.Text(1)); ok && said == "" {
				summaries.Add(r.Int(0))
			}
		})
		if db.IsCorrupt(err) {
			return summaries, nil // the search reads around the damage
		}
		if err != nil {
			return nil, err
		}
		read.Union(ids)
	}
	s.mu.Lock()
	s.dataVersion = ex.dataVersion
	s.read = read
	s.summaries = summaries
	s.mu.Unlock()
	return summaries, nil
}

// countSummaries counts the summaries among the messages that match, per conversation.
func (h *hitCounter) countSummaries(ctx context.Context, ex *executor) error {
	all, err := ex.summaries(ctx)
	if err != nil {
		return err
	}
	for id := range idset.Intersection(h.ids, all).All() {
		if n := h.conversationOf(h.sessionOf(id)); n >= 0 && !h.roles.FromTools.Has(id) {
			if h.summaries == nil {
				h.summaries = map[int32]int32{}
			}
			h.summaries[n]++
		}
	}
	return nil
}
