package hermes

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
)

// Options says how the user wants Hermes to be called.
type Options struct {
	Program   string   // --hermes, "" for HERMES_BIN, else Preferred, else hermes
	Preferred string   // the program that the settings name
	Args      []string // to go before all others
	Folder    string   // --in: the folder to run it in, "" for that of the conversation
	TUI       bool     // Hermes's terminal interface
}

// Command is a call of Hermes that resumes a session.
type Command struct {
	program string
	args    []string
	profile string // "" to leave it to Hermes
	home    string // HERMES_HOME, "" to leave it as it is
	folder  string // --in, "" to leave it to the conversation
	hasIn   bool   // this Hermes has the flag --in
	tui     bool
	session string
}

// NewCommand returns the call that resumes a session of the database at a
// location.
func NewCommand(at Location, session string, o Options, environ env.Vars) Command {
	return Command{
		program: cmp.Or(o.Program, environ.Get("HERMES_BIN"), o.Preferred, "hermes"),
		args:    o.Args, profile: at.Profile, home: at.Home, folder: o.Folder, tui: o.TUI, session: session,
	}
}

// Home returns the value of HERMES_HOME that the call needs, "" for none.
func (c Command) Home() string { return c.home }

// Words returns the program and its arguments.
func (c Command) Words() []string {
	out := []string{c.program}
	if c.profile != "" {
		out = append(out, "-p", c.profile)
	}
	out = append(out, c.args...)
	if c.tui && !slices.Contains(c.args, "--tui") {
		out = append(out, "--tui")
	}
	if c.folder != "" && c.hasIn {
		out = append(out, "--in", c.folder)
	}
	if strings.HasPrefix(c.session, "-") { // it would be read as a flag
		return append(out, "--resume="+c.session)
	}
	return append(out, "--resume", c.session)
}

// String returns the command as the user can copy it into a shell. Control
// characters are left out: a terminal would act on them.
func (c Command) String() string {
	words := c.Words()
	for i, w := range words {
		words[i] = model.ShellWord(output.Clean(w))
	}
	if c.home != "" && runtime.GOOS != "windows" {
		words = append([]string{"HERMES_HOME=" + model.ShellWord(output.Clean(c.home))}, words...)
	}
	return strings.Join(words, " ")
}
