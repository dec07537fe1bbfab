package kit

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
)

// Remedy is what helps against a problem, as screens show it.
type Remedy struct {
	Text    string // what to do, in words
	Command string // the line to type for it, "" for none
}

// NewRemedy returns a remedy of the library in words that are safe to draw.
func NewRemedy(r model.Remedy) Remedy {
	return Remedy{Text: CleanLine(r.Text), Command: CleanLine(RemedyCommand(r))}
}

// After adds the words of the remedy to the cause of a problem.
func (r Remedy) After(cause string) string {
	if r.Text == "" {
		return cause
	}
	return cause + " (" + r.Text + ")"
}

// CommandLines returns the command in lines of at most w columns: one line if at all
// possible, else lines that end in a backslash, which a shell joins again.
func (r Remedy) CommandLines(measure cells.Method, w int) []string {
	if r.Command == "" {
		return nil
	}
	if measure.StringWidth(r.Command) <= w || w < 8 {
		return []string{r.Command}
	}
	if strings.ContainsAny(r.Command, `'"`) { // a backslash in quotes is one
		return measure.Wrap(r.Command, w)
	}
	var lines []string
	line := ""
	for word := range strings.SplitSeq(r.Command, " ") {
		switch {
		case line == "":
			line = word
		case measure.StringWidth(line+" "+word)+2 <= w:
			line += " " + word
		default:
			lines, line = append(lines, line+" \\"), word
		}
		for measure.StringWidth(line) > w-2 {
			part := measure.Truncate(line, w-2, "")
			lines, line = append(lines, part+"\\"), line[len(part):]
		}
	}
	return append(lines, line)
}

// program is how this program is called.
const program = "hermes-sessions"

// RemedyCommand returns the command of this program that carries out a remedy of the library, ""
// where its words are all there is. It is the one place that knows these commands: command line and
// screens both ask it.
func RemedyCommand(r model.Remedy) string {
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
