package store

import (
	"errors"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Notes says what is wrong with the database although it can be read: what
// showed at opening, and what reading has found since.
func (s *Store) Notes() []model.HealthNote {
	return s.db.Notes()
}

// ErrPagesBehindHeader is inside the error of [Open] where the header of a file states fewer pages
// than its tables have. [SalvagePages] reads all of them.
var ErrPagesBehindHeader = db.ErrPagesBehindHeader

// IsDiskFull reports whether an error of the system says that a disk is full or
// over its quota, or that a file would become too large for it.
func IsDiskFull(err error) bool { return db.IsDiskFull(err) }

// WrapDiskFull returns an [*model.Error] of [model.KindDiskFull] that names the file for which there was no
// room, and says what follows. Other errors stay as they are.
func WrapDiskFull(file, consequence string, err error) error {
	if _, known := errors.AsType[*model.Error](err); known || !IsDiskFull(err) {
		return err
	}
	return &model.Error{
		Kind: model.KindDiskFull, Path: file, Err: err, Message: "the disk is full or over its quota; " + consequence,
		Remedy: db.AdviseSpace("free some space, or write to another disk", file),
	}
}
