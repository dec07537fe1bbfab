package search

import (
	"context"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/unindexed"
)

// readsUnindexed reports whether what the indexes lack is looked for in what Prepare has read: the
// trigram index does not answer for every message, and the word index tells which were written
// since. maxBorderID bounds how long Prepare reads: of a larger file it reads cutOnly, those of which
// the word index holds the beginning.
func (ex *executor) readsUnindexed(ctx context.Context) (reads, cutOnly bool, err error) {
	if ex.words.table == "" || ex.lacksMessages || ex.rebuilding || !ex.engine.db.Schema.HasSyncTriggers(ex.words.table) {
		return false, false, nil
	}
	_, last, err := ex.idRange(ctx)
	if err != nil || last > maxBorderID {
		return ex.words.cutRows != "" && ex.words.unindexedRows == "", true, err
	}
	err = ex.probeTrigrams(ctx)
	return ex.trigrams.table == "" || ex.trigrams.unindexedRows != "" || !ex.trigrams.oneColumn, false, err
}

// unindexedTexts returns what Prepare has read of what the indexes lack, nil where it has not.
func (ex *executor) unindexedTexts(ctx context.Context) (*unindexed.View, error) {
	if ex.viewed {
		return ex.view, nil
	}
	reads, _, err := ex.readsUnindexed(ctx)
	if err != nil {
		return nil, err
	}
	if reads {
		if ex.view, err = ex.engine.unindexed.View(ctx, ex.changesOf(&ex.words), ex.maxID); err != nil {
			return nil, err
		}
	}
	ex.viewed = true
	return ex.view, nil
}

// withUnread is evidence of what Prepare has read, with the messages that were written since.
func (ex *executor) withUnread(v *unindexed.View, sure, possible *idset.Set) evidence {
	found := evidence{sure, possible}
	found.possible.Union(v.Unread())
	if ex.hasIDRange() {
		found.sure.Clip(ex.firstID, ex.lastID)
		found.possible.Clip(ex.firstID, ex.lastID)
	}
	ex.addStep("what no index holds, read before")
	return found
}

// unindexedText returns what Prepare has read tells about a text that matches anywhere. ok is
// false where it does not.
func (ex *executor) unindexedText(ctx context.Context, t match.Term) (found evidence, ok bool, err error) {
	v, err := ex.unindexedTexts(ctx)
	if err != nil || v == nil {
		return evidence{}, false, err
	}
	if matchesVerbatim(t.Text) {
		if having, exact, ok := v.Script(t.Text); ok {
			sure := &idset.Set{}
			if exact {
				sure = having.Clone()
			}
			return ex.withUnread(v, sure, having), true, nil
		}
	}
	sure, possible, ok := v.Symbols(t)
	if !ok {
		return evidence{}, false, nil
	}
	return ex.withUnread(v, sure, possible), true, nil
}

// inCut finds the messages that match among those of which the word index holds the beginning
// only, in the place of what the index says of them. ok is false where Prepare has not read them.
func (ex *executor) inCut(ctx context.Context, ids *idset.Set) (ok bool, err error) {
	v, err := ex.unindexedTexts(ctx)
	if err != nil || v == nil || ex.words.unindexedRows != "" {
		return false, err
	}
	cut, ok := v.Cut()
	if !ok {
		return false, nil
	}
	unread := &idset.Set{}
	if written := v.Unread(); !written.Empty() {
		from, args := fromIDs(written.All())
		if err := ex.queryInto(ctx, unread, `SELECT m.id FROM `+from+` AND (`+ex.words.cutRows+`)`, args...); err != nil {
			return false, err
		}
	}
	found := certain(&idset.Set{})
	for _, g := range ex.query.Groups {
		of := certain(cut.Clone())
		for _, t := range g.All {
			one, err := ex.termInCut(ctx, v, cut, t)
			if err != nil {
				return false, err
			}
			of.both(one)
		}
		for _, t := range g.Not {
			one, err := ex.termInCut(ctx, v, cut, t)
			if err != nil {
				return false, err
			}
			of.without(one)
		}
		found.either(of)
	}
	found.possible.Union(unread)
	if cut.Union(unread); ex.hasIDRange() {
		found.sure.Clip(ex.firstID, ex.lastID)
		found.possible.Clip(ex.firstID, ex.lastID)
	}
	ex.addStep("the ends of long results, read before")
	matching, err := ex.verify(ctx, found)
	if err != nil {
		return false, err
	}
	ids.Subtract(cut)
	ids.Union(matching)
	return true, nil
}

// termInCut returns what Prepare has read tells about a term in the messages of cut.
func (ex *executor) termInCut(ctx context.Context, v *unindexed.View, cut *idset.Set, t match.Term) (evidence, error) {
	found := evidence{&idset.Set{}, cut.Clone()}
	if t.Words() != nil {
		found.sure, found.possible = v.InCut(t)
		if !t.HasSymbols() {
			return found, nil
		}
	}
	beside, ok, err := ex.unindexedText(ctx, t)
	if err != nil || !ok {
		return found, err
	}
	if t.Words() != nil { // the word and the symbols
		beside.possible.Intersect(found.possible)
	}
	return beside, nil
}

// prepareUnindexed reads what the indexes lack.
func (ex *executor) prepareUnindexed(ctx context.Context) error {
	reads, cutOnly, err := ex.readsUnindexed(ctx)
	if err != nil || !reads {
		return err
	}
	cache := &ex.engine.unindexed
	unread, all, err := cache.Unread(ctx, ex.changesOf(&ex.words), ex.maxID, cutOnly)
	if err != nil || !all && unread.Empty() {
		return err
	}
	texts, err := ex.readUnindexed(ctx, unread, all, cutOnly)
	if err == nil {
		cache.Add(texts, ex.maxID, all)
	}
	return err
}

// readUnindexed reads the texts of some messages, or of all, as far as a cache holds them. cutOnly
// leaves out messages that the word index holds whole.
func (ex *executor) readUnindexed(ctx context.Context, of *idset.Set, all, cutOnly bool) (*unindexed.Texts, error) {
	from, args := `messages m WHERE 1`, []any(nil)
	if !all {
		from, args = fromIDs(of.All())
	}
	cut := "0"
	if ex.words.cutRows != "" {
		cut = ex.words.cutRows
	}
	texts := &unindexed.Texts{}
	if cutOnly {
		texts = unindexed.OfCutMessages()
		from += ` AND ` + cut
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err := db.EachRow(reading, ex.tx, `SELECT m.id, m.content, `+ex.toolNameColumn+`, `+ex.toolCallsColumn+`, `+cut+` FROM `+from, args, func(r db.Row) {
		if texts.Add(r.Int(0), r.Int(4) != 0, pyjson.Unescape(r.Text(1)), r.Text(2), pyjson.Unescape(r.Text(3))); texts.Full() {
			stop()
		}
	})
	if err != nil && (ctx.Err() != nil || !texts.Full()) {
		return nil, err
	}
	return texts, nil
}
