package trash

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
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

// deletedName returns the name of a spool, given its path, once its rows are deleted.
func deletedName(path string) string {
	return strings.Replace(filepath.Base(path), deletingPrefix, deletedPrefix, 1)
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
func (b *Bin) InterruptedUndos(ctx context.Context) ([]model.SavedUndo, error) {
	if err := b.expire(); err != nil {
		return nil, err
	}
	states := []model.UndoState{model.DeleteInterrupted, model.UndoInterrupted}
	if b.db.UndoLimits.Days == 0 { // then only a kill leaves what could be undone
		states = append(states, model.DeleteNotUndone)
	}
	return b.inspectSpools(ctx, states)
}

// SavedUndos finds all spools of this database; see store.Store.SavedUndos for the contract.
func (b *Bin) SavedUndos(ctx context.Context) ([]model.SavedUndo, error) {
	if err := b.expire(); err != nil {
		return nil, err
	}
	return b.inspectSpools(ctx, slices.Collect(maps.Keys(prefixes)))
}

// expire removes what is kept beyond the limits, of all databases. What may be needed to
// complete a conversation is kept without a limit, and so is what a process has open.
func (b *Bin) expire() error {
	if b.db.UndoFolder == "" || b.db.UndoLimits.Days == 0 {
		return nil
	}
	entries, err := os.ReadDir(b.db.UndoFolder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look for what is kept for undo: %w", err)
	}
	var kept []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), deletedPrefix) && strings.HasSuffix(e.Name(), ".jsonl") {
			kept = append(kept, info) // else it has just gone
		}
	}
	slices.SortFunc(kept, func(x, y os.FileInfo) int { return y.ModTime().Compare(x.ModTime()) })
	size, now := int64(0), b.db.Clock()
	var errs []error
	for i, info := range kept {
		size += info.Size()
		if !b.db.UndoLimits.Expired(info.ModTime(), now) && (i == 0 || size <= b.db.UndoLimits.Bytes) {
			continue
		}
		s, ok, err := transfer.OpenSpool(filepath.Join(b.db.UndoFolder, info.Name()))
		if err == nil && ok {
			size -= info.Size()
			err = s.Close()
		}
		if !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// inspectSpools compares the spools of this database in some states with it.
func (b *Bin) inspectSpools(ctx context.Context, states []model.UndoState) (found []model.SavedUndo, err error) {
	if err := b.db.CheckOpen(); err != nil {
		return nil, err
	}
	if b.db.UndoFolder == "" {
		return nil, nil
	}
	for _, state := range states {
		of, err := filepath.Glob(filepath.Join(globEscape(b.db.UndoFolder), b.undoPrefix(prefixes[state])+"*.jsonl"))
		if err != nil {
			return nil, fmt.Errorf("look for interrupted undos: %w", err)
		}
		for _, file := range of {
			u, left, err := b.inspectSpool(ctx, file, state)
			if err != nil {
				return nil, err
			}
			if left {
				found = append(found, u)
			}
		}
	}
	// A delete that was stopped has left a session that a later one may have deleted with the
	// rest: it has to be back first.
	slices.SortFunc(found, func(x, y model.SavedUndo) int { return cmp.Or(y.At.Compare(x.At), strings.Compare(x.File, y.File)) })
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
func (b *Bin) inspectSpool(ctx context.Context, file string, state model.UndoState) (u model.SavedUndo, left bool, err error) {
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
	u = model.SavedUndo{State: state, File: file, Sessions: c.Sessions, Messages: c.Messages, Back: c.MessagesThere, Titles: c.Titles, Bytes: s.Size}
	if info, err := s.File.Stat(); err == nil {
		u.At = info.ModTime()
	}
	u.Blocked, err = b.whyBlocked(ctx, s, c)
	return u, true, errors.Join(err, s.Release())
}

// whyBlocked says why nothing of a spool can be restored any more, "" where it can.
func (b *Bin) whyBlocked(ctx context.Context, s *transfer.Spool, c transfer.Present) (string, error) {
	if err := b.checkSameDatabase(ctx, s); err != nil {
		return whyRefused(err)
	}
	if c.Taken > 0 {
		return "other messages have its numbers now", nil
	}
	return whyRefused(b.transfer.Conflict(ctx, s, model.RestoreOptions{DropTitles: true}))
}

// whyRefused returns the reason of an error with which a restore is refused.
func whyRefused(err error) (string, error) {
	if e, ok := errors.AsType[*model.Error](err); ok && (e.Kind == model.KindExists || e.Kind == model.KindReplaced) {
		return strings.TrimSuffix(e.Message, "; nothing was restored"), nil
	}
	return "", err
}

// maxWitnesses is how many of the sessions that stay tell a database from another one.
const maxWitnesses = 32

// header returns the first line of a spool: it tells the database from which rows go, for
// a path may have another one later.
func (b *Bin) header(p *deletePlan) []byte {
	line := fmt.Appendf(nil, "{%q: %d, \"schema\": %d, \"file\": ", transfer.BackupHeader, transfer.BackupVersion, b.db.Schema.Version)
	line = append(pyjson.Append(line, b.db.FileID()), `, "witnesses": [`...)
	stay, n := p.snapshot.Lineage.Len()-len(p.ids), 0
	for _, m := range p.snapshot.All() {
		if p.ids[m.ID] || !utf8.ValidString(m.ID) {
			continue
		}
		if n++; (n-1)*maxWitnesses/stay == n*maxWitnesses/stay { // as many from each part of the history
			continue
		}
		if line[len(line)-1] != '[' {
			line = append(line, ", "...)
		}
		line = pyjson.Append(line, m.ID)
	}
	return append(line, "]}\n"...)
}

// checkSameDatabase returns an error of [model.KindReplaced] where the database is not the
// one that the header of a spool tells of: it is in another file, and has none of the
// sessions that stayed. A header of an earlier version tells nothing.
func (b *Bin) checkSameDatabase(ctx context.Context, s *transfer.Spool) error {
	header, err := s.Header()
	if err != nil {
		return err
	}
	witnesses, _ := header.Get("witnesses").([]any)
	if file, _ := header.Get("file").(string); file != "" && file == b.db.FileID() || len(witnesses) == 0 {
		return nil
	}
	var there []string
	err = b.db.ReadTx(ctx, func(q db.Querier) (err error) {
		there, err = db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE id IN (`+db.Placeholders(len(witnesses))+`) LIMIT 1`, witnesses...)
		return err
	})
	if err != nil || len(there) > 0 {
		return err
	}
	return &model.Error{
		Kind: model.KindReplaced, Path: b.db.Path, Message: "it was deleted from another database, which was here before; nothing was restored",
		Remedy: model.Advise("put that database back first"),
	}
}

// FinishUndo restores what a saved undo has not; see store.Store.FinishUndo for
// the contract.
func (b *Bin) FinishUndo(ctx context.Context, u model.SavedUndo, o model.RestoreOptions) error {
	s, err := b.takeSpool(u)
	if err != nil {
		return err
	}
	if err := b.checkSameDatabase(ctx, s); err != nil {
		return errors.Join(err, s.Release())
	}
	name := filepath.Base(u.File)
	s.Rename(b.undoPrefix(restoringPrefix) + strings.TrimPrefix(name, b.undoPrefix(prefixes[u.State])))
	err = b.transfer.Restore(ctx, s, o)
	if err == nil {
		return s.Close()
	}
	if e, ok := errors.AsType[*model.Error](err); ok && (e.Kind == model.KindExists || e.Kind == model.KindTitleInUse) {
		s.Rename(name) // nothing was restored
	}
	return errors.Join(err, s.Release())
}

// DropUndo removes the rows that a saved undo would bring back. The error is of
// [model.KindInUse] where another process is finishing that undo.
func (b *Bin) DropUndo(u model.SavedUndo) error {
	s, err := b.takeSpool(u)
	if err != nil {
		return err
	}
	return s.Close()
}

func (b *Bin) takeSpool(u model.SavedUndo) (*transfer.Spool, error) {
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
