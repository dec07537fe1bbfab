package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// transcriptToImport returns the session that a word of import names, with the path where it
// is a transcript file; without one, the word is an id that the folder of transcript files
// has. The id is "" for anything else.
func (a *app) transcriptToImport(ctx context.Context, word string) (id, path string) {
	info, err := os.Stat(word)
	if err == nil && info.Mode().IsRegular() {
		if id, ok := store.TranscriptSession(ctx, word); ok {
			return id, word
		}
		return "", ""
	}
	if at, lerr := a.locate(); lerr == nil && errors.Is(err, fs.ErrNotExist) && store.HasTranscript(at.Transcripts(), word) {
		return word, ""
	}
	return "", ""
}

// importTranscript imports the transcript files of a session, or the one at path.
func (a *app) importTranscript(ctx context.Context, id, path string, o model.ImportOptions) (err error) {
	s, err := a.openForChange(ctx)
	if err != nil {
		return offerNew(err)
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	r, err := s.ImportTranscript(ctx, id, path, o)
	if errors.Is(err, context.Canceled) {
		a.say("hermes-sessions: stopped; import it again to continue: what is there already is not added twice")
	}
	if err == nil && r.Sessions == 0 && r.BadLines+len(r.Unknown) == 0 && !a.json {
		text := "The database has all messages of these files."
		if r.Messages > 0 {
			text = "Added " + output.Count(r.Messages, "message", "messages") + " to session " + output.Clean(id) + "."
		}
		_, err = fmt.Fprintln(a.out, text)
		return err
	}
	return cmp.Or(err, a.printImported(r))
}
