// Package upkeep looks after the database file: it checks a whole file and says
// what is wrong, brings a file of schema 1 to 10 to 11 and repairs one of schema 11,
// writes what is left of a damaged one to a new file, ends
// orphaned sessions, and gives the space of deleted rows back.
//
//	check.go          Check: the file, its pages, lost rows, references, titles, lineage
//	checkindex.go     Check: the full-text index against the messages
//	migrate.go        Migrate: what happens outside of the transaction, and the backup
//	migrationplan.go  Migrate: the statements that a file needs, and why
//	salvage.go        Salvage: a new sound file of what can be read, and what is lost
//	salvageplan.go    Salvage: the schema of the new file
//	salvagerows.go    Salvage: its rows
//	storage.go        FileSizes, MeasureStorage: where the bytes are; ForecastVacuum; Checkpoint
//	vacuum.go         Vacuum
//	orphans.go        FinalizeOrphans
//
// A check only reads. A migration reads first, plans all statements, copies the file
// and runs the statements in one transaction.
package upkeep

import (
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Upkeep checks, migrates and vacuums one database.
type Upkeep struct {
	db       *db.DB
	sessions *snapshot.Sessions
	NoBackup bool // Migrate makes no copy of the file first
	Newest   bool // Migrate makes a new file of the newest schema, not of 11
	// Progress, if not nil, is told how far a check, a migration or a salvage has come.
	Progress func(model.Progress)
}

// report tells how far the task has come.
func (u *Upkeep) report(p model.Progress) {
	if u.Progress != nil {
		u.Progress(p)
	}
}

// reportEvery is how many rows are read between two reports.
const reportEvery = 512

// New returns the upkeep of a database. It reads nothing.
func New(d *db.DB, s *snapshot.Sessions) *Upkeep {
	return &Upkeep{db: d, sessions: s}
}
