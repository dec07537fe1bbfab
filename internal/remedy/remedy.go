// Package remedy turns a remedy of the library into the command of this program that
// carries it out. It is the one place that knows these commands: command line and screen
// both ask it.
package remedy

import "hermes-sessions/model"

// program is how this program is called.
const program = "hermes-sessions"

// Command returns the line to type for a remedy, "" where its words are all there is.
func Command(r model.Remedy) string {
	on := ""
	if r.Object != "" {
		on = " --db " + model.ShellWord(r.Object)
	}
	switch r.Kind {
	case model.RemedyRun:
		return r.Command
	case model.RemedyOpen:
		if r.Object == "" {
			return program + " --db FILE"
		}
		return program + on
	case model.RemedyList:
		return program + " list --all"
	case model.RemedyShow:
		return program + " show " + model.ShellWord(r.Object)
	case model.RemedyRename:
		return program + " rename ID TITLE"
	case model.RemedyMigrate:
		return program + " doctor --migrate" + on
	case model.RemedySalvage:
		return program + " doctor --salvage saved.db" + on
	case model.RemedyCheck:
		return program + " doctor" + on
	case model.RemedyCompare:
		return program + " doctor --full" + on
	case model.RemedyImport:
		return program + " import " + model.ShellWord(r.Object)
	}
	return ""
}
