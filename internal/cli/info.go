package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model"
)

func infoCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Show the version, files and terminal, for a bug report",
		Long: `info shows what a bug report needs: version and build, the settings file, the folder
of this program's own files, the database and its schema, the profiles, the program
hermes, and what the terminal can do. Nothing of it is from a conversation.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			i := a.info(cmd.Context())
			if a.json {
				return a.out.JSON(i)
			}
			return a.printInfo(i)
		},
	}
}

// info finds out what a bug report needs. What cannot be found out is a problem of the answer.
func (a *app) info(ctx context.Context) answer.Info {
	i := answer.Info{
		Build: a.build(), State: output.OrNull(a.Environ.StateFolder()), Profiles: output.List(hermes.Profiles(a.selection.Home, a.Environ)),
		Problems: []string{}, Terminal: a.terminalInfo(),
	}
	problem := func(err error) {
		if err != nil {
			i.Problems = append(i.Problems, fault.Of(err).Message)
		}
	}
	var err error
	a.settings, err = state.ReadSettings(a.configFile, a.Environ)
	if err != nil { // that file was read, and is wrong
		a.settings.File = cmp.Or(a.configFile, filepath.Join(a.Environ.ConfigFolder(), "config.toml"))
	}
	i.Settings = output.OrNull(a.settings.File)
	problem(err)
	program := a.hermesCommand(hermes.Location{}, "", resumption{}).Words()[0]
	path, err := exec.LookPath(program)
	i.Hermes = output.OrNull(path)
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		problem(err)
	}
	s, at, err := a.open(ctx)
	i.Database, i.Profile = output.OrNull(at.Label), output.OrNull(at.ProfileName())
	problem(err)
	if err != nil {
		return i
	}
	defer s.Close() //nolint:errcheck // nothing was written
	sizes, err := s.FileSizes(ctx)
	i.Schema = sizes.Schema
	i.Journal = sizes.Journal
	i.Bytes = sizes.File + sizes.Log
	problem(err)
	return i
}

// terminalInfo describes the terminal by its environment, also when the output goes elsewhere.
func (a *app) terminalInfo() answer.Terminal {
	e := a.Environ
	width, height := output.TerminalSize(a.Stdin)
	return answer.Terminal{
		Name: output.OrNull(e.Get("TERM")), Program: output.OrNull(strings.TrimSpace(e.Get("TERM_PROGRAM") + " " + e.Get("TERM_PROGRAM_VERSION"))),
		Columns: width, Lines: height, Colors: strings.ToLower(colorprofile.Env(e).String()), Unicode: e.Unicode(), Tmux: e.Get("TMUX") != "", SSH: e.Get("SSH_CONNECTION") != "",
	}
}

// printInfo prints it in lines, with ~ for the home folder: reports of problems are public, and
// should not name the user.
func (a *app) printInfo(i answer.Info) error {
	home := a.Environ.Home()
	path := func(v any) string {
		text, ok := v.(string)
		if rest, below := strings.CutPrefix(text, home); home != "" && below && (rest == "" || strings.ContainsRune(`/\`, rune(rest[0]))) {
			text = "~" + rest
		}
		if !ok {
			return "none"
		}
		return text
	}
	database := path(i.Database)
	if i.Journal != "" {
		database += fmt.Sprintf(", schema %d, %s, journal %s", i.Schema, model.ByteSize(i.Bytes), i.Journal)
	}
	settings := path(i.Settings)
	if folder := a.Environ.ConfigFolder(); i.Settings == nil && folder != "" && a.configFile == "" {
		settings = "no " + path(filepath.Join(folder, "config.toml"))
	}
	t := i.Terminal
	terminal := []string{path(t.Name)}
	if t.Program != nil {
		terminal = append(terminal, path(t.Program))
	}
	if t.Columns > 0 {
		terminal = append(terminal, fmt.Sprintf("%d × %d", t.Columns, t.Lines))
	}
	terminal = append(terminal, "colors "+t.Colors)
	for _, ability := range []struct {
		word string
		has  bool
	}{{"Unicode", t.Unicode}, {"tmux", t.Tmux}, {"SSH", t.SSH}} {
		if ability.has {
			terminal = append(terminal, ability.word)
		}
	}
	lines := [][2]string{
		{"version", strings.TrimPrefix(a.Build.String(), "hermes-sessions ")}, {"settings", settings}, {"state", path(i.State)},
		{"database", database}, {"profile", path(i.Profile)}, {"profiles", strings.Join(i.Profiles, ", ")}, {"hermes", path(i.Hermes)}, {"terminal", strings.Join(terminal, ", ")},
	}
	for _, p := range i.Problems {
		if home != "" {
			p = strings.ReplaceAll(p, home, "~")
		}
		lines = append(lines, [2]string{"problem", p})
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(a.out, "%-9s %s\n", l[0], output.Clean(l[1])); err != nil {
			return err
		}
	}
	return nil
}
