package transcriptfiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transfer"
)

// Export writes sessions as t does, and behind them those that only files have.
func (f *Folder) Export(ctx context.Context, t *transfer.Transfer, w io.Writer, o model.ExportOptions) (n int, err error) {
	only, err := f.exported(ctx, o)
	if err != nil {
		return 0, err
	}
	if o.IDs != nil {
		o.IDs = slices.DeleteFunc(slices.Clone(o.IDs), func(id string) bool { return slices.Contains(only, id) })
	}
	if len(only) == 0 || o.IDs == nil || len(o.IDs) > 0 {
		n, err = t.Export(ctx, w, o)
	}
	for _, id := range only {
		if e, ok := errors.AsType[*model.Error](err); err != nil && !(ok && e.Kind == model.KindIncomplete) {
			return n, err
		}
		wrote, failed := f.exportOne(ctx, w, id, o)
		if e, ok := errors.AsType[*model.Error](failed); err == nil || failed != nil && !(ok && e.Kind == model.KindIncomplete) {
			err = failed
		}
		n += wrote
	}
	return n, err
}

// exported returns the sessions of an export that only files have.
func (f *Folder) exported(ctx context.Context, o model.ExportOptions) ([]string, error) {
	switch {
	case f.db.Transcripts == "":
		return nil, nil
	case o.IDs != nil:
		missing, err := f.missing(ctx, o.IDs)
		return slices.DeleteFunc(missing, func(id string) bool { return len(db.TranscriptNames(f.db.Transcripts, id)) == 0 }), err
	case o.Source != "" && o.Source != model.SourceFile:
		return nil, nil
	}
	l, err := f.current(ctx)
	if err != nil {
		return nil, ctx.Err() // a checkup says what is wrong with the folder
	}
	ids := make([]string, len(l.only))
	for i := range l.only {
		ids[i] = l.only[i].ID
	}
	return ids, nil
}

// exportOne writes a session in files.
func (f *Folder) exportOne(ctx context.Context, w io.Writer, id string, o model.ExportOptions) (int, error) {
	c, err := f.Open(ctx, id)
	if c == nil || err != nil {
		return 0, cmp.Or[error](err, f.db.NotFoundError(id))
	}
	messages, broken, err := c.write(ctx, w, func(r pyjson.Object) pyjson.Object {
		if o.Redact != nil {
			r = o.Redact(r)
		}
		if o.NullNonFinite {
			r, _ = pyjson.NullNonFinite(r).(pyjson.Object)
		}
		return r
	})
	if err == nil && len(broken) > 0 {
		err = &model.Error{
			Kind: model.KindIncomplete, Path: f.db.Path, Err: broken[0], Remedy: model.Advise("correct the file, and export it again"),
			Message: fmt.Sprintf("%s of transcript files could not be exported (%v); everything else was", model.Quantity(len(broken), "line"), broken[0]),
		}
	}
	return min(messages, 1), err
}
