package db

import (
	"fmt"

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

// RecoveryAdvice is the command that saves what a damaged file still holds.
func (d *DB) RecoveryAdvice() string {
	return fmt.Sprintf("sqlite3 %s .recover | sqlite3 %s", model.ShellWord(d.Path), model.ShellWord(d.Path+".recovered"))
}
