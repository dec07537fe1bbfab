package trash

import (
	"context"
	"fmt"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/transfer"
)

// Restore puts back what a Delete removed: every row as it was, ids, parents
// and transcript files included; the full-text index follows by itself. What
// is there already, equal, is left alone, so Restore may be called again.
//
// Up to 128 KB, counted as in Delete, come back in one transaction, whole or not at all.
// More come in parts of about 30 ms with pauses, sessions first, so that nobody
// else waits long to write; when ctx ends between two parts the error is of
// kind partly and Restore can be called again to go on.
//
// A parent that does not exist any more is left out, one that did not exist
// before either is not; a link is only put back where the child has found no
// other parent. The error is of kind
// title-in-use (Candidates names the session) or exists where another session has
// taken the title or the id: then nothing was changed.
func (b *Bin) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error {
	mine, ok := u.(*UndoLog)
	if !ok || mine == nil || mine.Rows.Discard {
		return fmt.Errorf("restore into %s: not an undo that holds anything", b.db.Path)
	}
	r := &transfer.Restorer{Store: b.transfer, Rows: mine.Rows, DropTitles: o.DropTitles, Progress: o.Progress}
	return r.Run(ctx)
}
