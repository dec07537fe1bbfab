package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"hermes-sessions/model/document"
	"hermes-sessions/model/redact"
	"hermes-sessions/store"
)

// Options says how an export is written.
type Options struct {
	store.ExportOptions
	Format string // one of [Formats]
	Zone   *time.Location
	Masker *redact.Masker // nil where nothing is to be masked
}

// Write writes an export and returns how many sessions, or for a document how many
// conversations, it has. progress is called with how many sessions, or for a document
// messages, were written so far and in all; it may be nil.
func Write(ctx context.Context, parts []Part, w io.Writer, o Options, progress func(done, total int)) (int, error) {
	form := document.Markdown
	switch o.Format {
	case "jsonl":
		return writeLines(ctx, parts, w, o, progress)
	case "html":
		form = document.HTML
	}
	tips, total := make([]Part, len(parts)), 0
	for i, p := range parts {
		if p.IDs == nil {
			if err := p.Store.CompareIndexes(ctx); err != nil {
				return 0, err
			}
		}
		ids, messages, err := Tips(ctx, p.Store, p.IDs, o.Source)
		if err != nil {
			return 0, err
		}
		tips[i] = Part{Store: p.Store, IDs: ids}
		total += messages
	}
	done := 0
	n, err := Conversations(ctx, w, document.Options{Form: form, Zone: o.Zone, Redact: o.Masker}, tips, func(n int) {
		if done += n; progress != nil {
			progress(min(done, total), total)
		}
	})
	for _, p := range parts {
		o.IDs = p.IDs
		err = cmp.Or(err, p.Store.ExportGaps(ctx, o.ExportOptions))
	}
	return n, err
}

// writeLines writes sessions as lines of JSON, those of one database after the other. Where
// some could not be read it goes on, and returns the error at the end.
func writeLines(ctx context.Context, parts []Part, w io.Writer, o Options, progress func(done, total int)) (done int, incomplete error) {
	if o.Masker != nil {
		o.Redact = o.Masker.Record
	}
	for _, p := range parts {
		o.IDs = p.IDs
		if before := done; progress != nil {
			o.Progress = func(n, total int) { progress(before+n, before+total) }
		}
		n, err := p.Store.Export(ctx, w, o.ExportOptions)
		done += n
		if e, ok := errors.AsType[*store.Error](err); ok && e.Kind == store.KindIncomplete {
			incomplete, err = cmp.Or(incomplete, err), nil
		}
		if err != nil {
			return done, err
		}
	}
	return done, incomplete
}
