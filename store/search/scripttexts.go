package search

import (
	"context"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/scriptborders"
	"hermes-sessions/store/search/scripttexts"
)

// readsScriptTexts reports whether texts in scripts without spaces are looked for in those that
// Prepare has read: the trigram index does not answer for every message, and the word index tells
// which were written since. maxBorderID bounds how long Prepare reads.
func (ex *executor) readsScriptTexts(ctx context.Context) (bool, error) {
	if ex.words.table == "" || ex.lacksMessages || ex.rebuilding || !ex.engine.db.Schema.HasSyncTriggers(ex.words.table) {
		return false, nil
	}
	if _, last, err := ex.idRange(ctx); err != nil || last > maxBorderID {
		return false, err
	}
	err := ex.probeTrigrams(ctx)
	return ex.trigrams.table == "" || ex.trigrams.unindexedRows != "" || !ex.trigrams.oneColumn, err
}

// inScriptTexts returns what the texts in scripts without spaces tell about a text with characters
// of these. ok is false where they do not.
func (ex *executor) inScriptTexts(ctx context.Context, t match.Term) (found evidence, ok bool, err error) {
	if !matchesVerbatim(t.Text) {
		return evidence{}, false, nil
	}
	if reads, err := ex.readsScriptTexts(ctx); err != nil || !reads {
		return evidence{}, false, err
	}
	having, unread, exact, ok, err := ex.engine.scriptTexts.Search(ctx, ex.changesOf(&ex.words), t.Text)
	if err != nil || !ok || unread.Len() > scriptborders.FewRows {
		return evidence{}, false, err
	}
	found = evidence{&idset.Set{}, having}
	if exact {
		found.sure = having.Clone()
	}
	found.possible.Union(unread)
	if ex.hasIDRange() {
		found.sure.Clip(ex.firstID, ex.lastID)
		found.possible.Clip(ex.firstID, ex.lastID)
	}
	ex.addStep("the texts in scripts without spaces")
	return found, true, nil
}

// prepareScriptTexts reads what inScriptTexts looks through.
func (ex *executor) prepareScriptTexts(ctx context.Context) error {
	if reads, err := ex.readsScriptTexts(ctx); err != nil || !reads {
		return err
	}
	cache := &ex.engine.scriptTexts
	unread, all, at, err := cache.Unread(ctx, ex.changesOf(&ex.words))
	if err != nil || !all && unread.Empty() {
		return err
	}
	from, args := `messages m`, []any(nil)
	if !all {
		from, args = fromIDs(unread.All())
	}
	texts := &scripttexts.Texts{}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err = ex.eachText(reading, from, args, func(t messageText) {
		if texts.Add(t.id, pyjson.Unescape(t.content), t.toolName, pyjson.Unescape(t.toolCalls)); texts.Full() {
			stop()
		}
	})
	if err != nil && (ctx.Err() != nil || !texts.Full()) {
		return err
	}
	cache.Add(at, texts, all)
	return nil
}
