package trash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/transfer"
)

// What is going on with the rows of a spool, as the beginning of its name.
const (
	deletingPrefix  = "deleting-"
	deletedPrefix   = "deleted-"
	restoringPrefix = "restoring-"
)

// prefixes has, for each state of an interrupted undo, how the names of its spools begin.
var prefixes = map[model.UndoState]string{
	model.DeleteInterrupted: deletingPrefix, model.DeleteNotUndone: deletedPrefix, model.UndoInterrupted: restoringPrefix,
}

// undoPrefix returns the beginning of the names of the spools of this database. doing is
// one of the prefixes above.
func (b *Bin) undoPrefix(doing string) string {
	path, err := filepath.Abs(b.db.Path)
	if err != nil {
		path = b.db.Path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	return doing + hex.EncodeToString(sum[:8]) + "-"
}

// newSpool makes a spool whose file is still there when the process was killed: in the
// folder for undos, or where there is none, among the temporary files.
func (b *Bin) newSpool() *transfer.Spool {
	if b.db.UndoFolder == "" {
		return transfer.NewSurvivingSpool("", "hermes-sessions-")
	}
	return transfer.NewSurvivingSpool(b.db.UndoFolder, b.undoPrefix(deletingPrefix))
}

// InterruptedUndos finds the spools of processes that were killed; see
// store.Store.InterruptedUndos for the contract.
func (b *Bin) InterruptedUndos(ctx context.Context) (found []model.InterruptedUndo, err error) {
	if err := b.db.CheckOpen(); err != nil {
		return nil, err
	}
	if b.db.UndoFolder == "" {
		return nil, nil
	}
	var files []string
	states, written := map[string]model.UndoState{}, map[string]time.Time{}
	for state, doing := range prefixes {
		of, err := filepath.Glob(filepath.Join(globEscape(b.db.UndoFolder), b.undoPrefix(doing)+"*.jsonl"))
		if err != nil {
			return nil, fmt.Errorf("look for interrupted undos: %w", err)
		}
		for _, file := range of {
			states[file] = state
			if info, err := os.Stat(file); err == nil {
				written[file] = info.ModTime()
			}
		}
		files = append(files, of...)
	}
	// A delete that was stopped has left a session that a later one may have deleted with the
	// rest: it has to be back first.
	slices.SortFunc(files, func(x, y string) int { return written[y].Compare(written[x]) })
	for _, file := range files {
		u, left, err := b.inspectSpool(ctx, file, states[file])
		if err != nil {
			return nil, err
		}
		if left {
			found = append(found, u)
		}
	}
	return found, nil
}

// globEscape returns a path as a pattern that only it matches.
func globEscape(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// inspectSpool compares a spool with the database. left is false where another process
// has the spool open, and where all of its rows are in the database: then it is removed.
// That of an interrupted restore is kept even so, because links to parents and files may
// still be missing.
func (b *Bin) inspectSpool(ctx context.Context, file string, state model.UndoState) (u model.InterruptedUndo, left bool, err error) {
	s, ok, err := transfer.OpenSpool(file)
	if errors.Is(err, os.ErrNotExist) || err == nil && !ok {
		return u, false, nil
	}
	if err != nil {
		return u, false, err
	}
	c, err := b.transfer.CountPresent(ctx, s)
	if err != nil {
		return u, false, errors.Join(err, s.Release())
	}
	if state != model.UndoInterrupted && c.Sessions == c.SessionsThere && c.Messages == c.MessagesThere {
		return u, false, s.Close()
	}
	u = model.InterruptedUndo{State: state, File: file, Sessions: c.Sessions, Messages: c.Messages, Back: c.MessagesThere, Title: c.Title}
	return u, true, s.Release()
}

// FinishUndo restores what an interrupted undo has not; see store.Store.FinishUndo for
// the contract.
func (b *Bin) FinishUndo(ctx context.Context, u model.InterruptedUndo, o model.RestoreOptions) error {
	s, err := b.takeSpool(u)
	if err != nil {
		return err
	}
	s.Rename(b.undoPrefix(restoringPrefix) + strings.TrimPrefix(filepath.Base(u.File), b.undoPrefix(prefixes[u.State])))
	if err := b.transfer.Restore(ctx, s, o); err != nil {
		return errors.Join(err, s.Release())
	}
	return s.Close()
}

// DropUndo removes the rows that an interrupted undo would bring back. The error is of
// [model.KindInUse] where another process is finishing that undo.
func (b *Bin) DropUndo(u model.InterruptedUndo) error {
	s, err := b.takeSpool(u)
	if err != nil {
		return err
	}
	return s.Close()
}

func (b *Bin) takeSpool(u model.InterruptedUndo) (*transfer.Spool, error) {
	if err := b.db.CheckOpen(); err != nil {
		return nil, err
	}
	s, ok, err := transfer.OpenSpool(u.File)
	if err == nil && !ok {
		err = &model.Error{
			Kind: model.KindInUse, Path: b.db.Path, Message: "another process is finishing this undo",
			Remedy: model.Advise("wait until it has finished"),
		}
	}
	return s, err
}
