package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/escapegaps"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
)

// escapePrepareBatch is how many of the newest messages Prepare reads for
// [escapegaps.Cache].
const escapePrepareBatch = 50_000

// withoutGaps returns which of some messages contain a text of several
// characters. In all of them the word index has the escapes of the text one after
// the other. The cache says for most whether other characters are between the escapes;
// the rest are read.
func (ex *executor) withoutGaps(ctx context.Context, t match.Term, ids *idset.Set) (*idset.Set, error) {
	if ids.Empty() {
		return ids, nil
	}
	ex.addStep("escapes, by reading the messages that the index found")
	now, ok, err := ex.refreshEscapeGaps(ctx)
	if err != nil {
		return nil, err
	}
	found := &idset.Set{}
	if ok {
		found = ex.engine.escapeGaps.Contiguous(now, t.Text, ids)
	}
	if ids = idset.Difference(ids, found); ids.Empty() {
		return found, nil
	}
	m := match.NewMatcher(singleTerm(t).Groups)
	return found, ex.readEscapeGaps(ctx, now, ids, func(b messageText) {
		if b.matches(m) {
			found.Add(b.id)
		}
	})
}

// refreshEscapeGaps brings the cache to the version of the word index now, and gives that.
// ok is false when the cache cannot be used: the index cannot be read, does not follow
// every change of messages, or has a tokenizer whose words package escapegaps does not
// know.
func (ex *executor) refreshEscapeGaps(ctx context.Context) (now fts.Version, ok bool, err error) {
	if !ex.engine.db.Schema.HasSyncTriggers(ex.words.table) || strings.Contains(ex.engine.db.Schema.Tables[ex.words.table], "tokenize") {
		return now, false, nil
	}
	return ex.engine.escapeGaps.Refresh(ctx, ex.changesOf(&ex.words))
}

// readEscapeGaps reads messages, adds their gaps to the cache, where it is at the
// version now, and calls each with their texts.
func (ex *executor) readEscapeGaps(ctx context.Context, now fts.Version, ids *idset.Set, each func(messageText)) error {
	var read escapegaps.Gaps
	from, args := fromIDs(ids.All())
	err := ex.eachText(ctx, from, args, func(b messageText) {
		read.AddMessage(b.id, b.content, b.toolName, b.toolCalls)
		each(b)
	})
	ex.engine.escapeGaps.Add(now, &read) // also what was read before a cancellation
	return err
}

// prepareEscapeGaps fills the cache with the newest messages that have escapes of
// characters of scripts without spaces.
func (ex *executor) prepareEscapeGaps(ctx context.Context) error {
	prefixes := []string{"u0e", "u0f", "u10", "u11", "u17", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}
	for hangul := 0xac; hangul <= 0xd7; hangul++ {
		prefixes = append(prefixes, fmt.Sprintf("u%x", hangul))
	}
	var escapes []ftsquery.Query
	for _, p := range prefixes {
		escapes = append(escapes, ftsquery.Phrase(p, true))
	}
	now, ok, err := ex.refreshEscapeGaps(ctx)
	if err != nil || !ok {
		return err
	}
	ids, ok, err := ex.matchByIndex(ctx, &ex.words, ftsquery.AnyOf(escapes...), nil)
	if err != nil || !ok {
		return err
	}
	rows := ex.engine.escapeGaps.Unread(ids).Rowids()
	for batch := range slices.Chunk(rows[max(0, len(rows)-escapePrepareBatch):], snapshot.RoleReadBatch) {
		some := &idset.Set{}
		for _, id := range batch {
			some.Add(id)
		}
		if err := ex.readEscapeGaps(ctx, now, some, func(messageText) {}); err != nil {
			return err
		}
	}
	return nil
}
