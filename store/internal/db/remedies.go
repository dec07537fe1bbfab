package db

import (
	"fmt"
	"path/filepath"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
)

// askHermes is the remedy where only the Hermes that wrote the file can do it.
var askHermes = model.Advise("make this change with the Hermes that wrote the file")

// openAnother advises to open another database file.
func openAnother(text string) model.Remedy {
	return model.Remedy{Kind: model.RemedyOpen, Text: text}
}

// AdviseStatement advises to run a statement on the file with SQLite's shell.
func (d *DB) AdviseStatement(text, statement string) model.Remedy {
	return model.AdviseToRun(text, "sqlite3 "+model.ShellWord(d.Path)+" "+model.ShellWord(statement))
}

// AdviseMigrate advises to repair a file of version 1 to 11.
func (d *DB) AdviseMigrate(text string) model.Remedy {
	return model.Remedy{Kind: model.RemedyMigrate, Text: text, Object: d.Path}
}

// AdviseReindex advises to rebuild the full-text index, by the version of the schema.
func (d *DB) AdviseReindex() model.Remedy {
	if d.Schema.Version <= ddl.Version {
		return d.AdviseMigrate("rebuild the index")
	}
	return model.AdviseToRun("let Hermes rebuild the index", "hermes sessions optimize-storage")
}

// AdviseIndexes advises to make the indexes anew from their tables. That does not help where IDs
// are stored as numbers.
func (d *DB) AdviseIndexes() model.Remedy {
	if len(d.Schema.NumericIDs) > 0 {
		return d.AdviseRecovery()
	}
	return d.AdviseStatement("rebuild the indexes", `REINDEX`)
}

// AdviseRecovery advises how to save what a damaged file still holds. The .recover
// command of SQLite's shell is no advice: many builds of the shell lack it, and others
// give an empty file where the list of tables is damaged.
func (d *DB) AdviseRecovery() model.Remedy {
	return model.Remedy{
		Kind: model.RemedySalvage, Object: d.Path,
		Text: "copy all readable rows to a new file, and list the lost ones",
	}
}

// AdviseSpace advises to free space on the disk of a path.
func AdviseSpace(text, path string) model.Remedy {
	return model.AdviseToRun(text, "df -h "+model.ShellWord(filepath.Dir(path)))
}

// adviseReadable advises to look at the permissions of a file and to allow reading it.
func adviseReadable(path string) model.Remedy {
	return model.AdviseToRun("check the permissions of the file, and give yourself permission to read it", fmt.Sprintf("ls -l %s; chmod u+rw %[1]s", model.ShellWord(path)))
}
