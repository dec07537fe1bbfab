package db

import (
	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
)

// ShownStatement is the command with which a person runs a statement on the file.
func (d *DB) ShownStatement(statement string) string {
	return "sqlite3 " + model.ShellWord(d.Path) + " " + model.ShellWord(statement)
}

// MigrateCommand is the command that repairs a file of version 1 to 11, and
// reindex the one that makes the full-text index anew.
func (d *DB) MigrateCommand() string {
	return "hermes-sessions doctor --migrate --db " + model.ShellWord(d.Path)
}

// ReindexCommand is what a person types to have the full-text index made anew, by
// the version of the schema.
func (d *DB) ReindexCommand() string {
	if d.Schema.Version <= ddl.Version {
		return d.MigrateCommand()
	}
	return "hermes sessions optimize-storage"
}

// RecoveryAdvice is the command that saves what a damaged file still holds. The .recover
// command of SQLite's shell is no advice: many builds of the shell lack it, and others
// give an empty file where the list of tables is damaged.
func (d *DB) RecoveryAdvice() string {
	if d.Pool == nil {
		return "nothing can be read from the file: put a backup in its place"
	}
	return "hermes-sessions doctor --salvage saved.db --db " + model.ShellWord(d.Path) + " writes what can be read to a new file, and lists what is lost"
}
