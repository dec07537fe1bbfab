package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/model/redact"
)

// Options says how an export is written.
type Options struct {
	model.ExportOptions
	Format string // one of [Formats]
	Zone   *time.Location
	Masker *redact.Masker // nil where nothing is to be masked

	Pictures bool // see [document.Options]
	Prompts  bool // only what the user wrote, in a document
}

// Failures are the errors of the databases of which an export lacks something. It is
// complete otherwise.
type Failures []error

func (f Failures) Error() string { return f[0].Error() }

func (f Failures) Unwrap() []error { return f }

// add records the error of a database. It returns an error that ends the export: one of the
// file that is written, or of the only database.
func (f *Failures) add(err error, parts []Part) error {
	e, ok := errors.AsType[*model.Error](err)
	if err == nil || !ok || len(parts) == 1 && e.Kind != model.KindIncomplete {
		return err
	}
	for _, known := range *f {
		if of, ok := errors.AsType[*model.Error](known); ok && of.Path == e.Path {
			return nil // the first of a database is enough
		}
	}
	if e.Kind != model.KindIncomplete {
		err = &model.Error{Kind: model.KindIncomplete, Path: e.Path, Message: "this database was not exported, or only in part: " + e.Message, Remedy: e.Remedy, Err: e}
	}
	*f = append(*f, err)
	return nil
}

// err returns the errors as one, nil for none.
func (f Failures) err() error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return f[0]
	}
	return f
}

// Write writes an export and returns how many sessions, or for a document how many
// conversations, it has. progress is called with how many sessions, or for a document
// messages, were written so far and in all; it may be nil. Where databases cannot be read,
// or not wholly, the others are exported, and the error is of [model.KindIncomplete] or
// [Failures].
func Write(ctx context.Context, parts []Part, w io.Writer, o Options, progress func(done, total int)) (int, error) {
	form := document.Markdown
	switch o.Format {
	case "jsonl":
		return writeLines(ctx, parts, w, o, progress)
	case "html":
		form = document.HTML
	}
	var failed Failures
	var chosen []Part
	total := 0
	for _, p := range parts {
		ids, messages, err := tips(ctx, p, o.Source)
		if err := failed.add(err, parts); err != nil {
			return 0, err
		}
		chosen = append(chosen, Part{Store: p.Store, IDs: ids})
		total += messages
	}
	done := 0
	n, err := Conversations(ctx, w, document.Options{Form: form, Zone: o.Zone, Redact: o.Masker, Prompts: o.Prompts, Pictures: o.Pictures}, chosen, func(n int) {
		if done += n; progress != nil {
			progress(min(done, total), total)
		}
	})
	if all, ok := errors.AsType[Failures](err); ok {
		failed, err = append(failed, all...), nil
	} else if err = failed.add(err, parts); err != nil {
		return n, err
	}
	for _, p := range parts {
		o.IDs = p.IDs
		err = cmp.Or(err, failed.add(p.Store.ExportGaps(ctx, o.ExportOptions), parts))
	}
	return n, cmp.Or(err, failed.err())
}

// writeLines writes sessions as lines of JSON, those of one database after the other.
func writeLines(ctx context.Context, parts []Part, w io.Writer, o Options, progress func(done, total int)) (done int, err error) {
	var failed Failures
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
		if err := failed.add(err, parts); err != nil {
			return done, err
		}
	}
	return done, failed.err()
}
