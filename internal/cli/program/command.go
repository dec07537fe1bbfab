package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Call is a command line of the user's own, with what it is about.
type Call struct {
	Line      string
	Values    map[string]string // environment variables
	Selection []string          // the arguments of the shell
	// Selected is the variable that has the selection too, and File the one with the path of
	// the file that Write makes in a folder; "" for no file.
	Selected, File string
	Write          func(ctx context.Context, folder string) (file string, err error)
	// Output takes what the command writes; it then gets no terminal, not even by name. With
	// nil it gets the browser's.
	Output io.Writer
}

// Command runs a command of the user's own.
func (r Runner) Command(ctx context.Context, c Call) tea.ExecCommand {
	run := func() error {
		if c.File == "" {
			return r.call(ctx, c, "")
		}
		return withFile(ctx, c.Write, func(file string) error { return r.call(ctx, c, file) })
	}
	if c.Output != nil {
		return child(run)
	}
	return r.holding(run)
}

// call runs a call with the file that it names.
func (r Runner) call(ctx context.Context, c Call, file string) error {
	cmd := userShell(ctx, c.Line, c.Selection)
	cmd.Env = slices.Clone(r.Environ)
	set := func(name, value string) { cmd.Env = append(cmd.Env, name+"="+Argument(value)) }
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		set(name, c.Values[name])
	}
	if file != "" {
		set(c.File, file)
	}
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, c.Selected+"="+quotedWords(c.Selection))
	} else {
		set(c.Selected, strings.Join(c.Selection, "\n"))
	}
	cmd.WaitDelay = waitDelay
	if c.Output == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Screen.In, r.Screen.Out, r.Stderr
		cmd.Cancel = func() error { return end(cmd.Process) }
	} else {
		cmd.Stdout, cmd.Stderr = c.Output, c.Output
		defer alone(cmd)()
	}
	r.Log.Info("own command")
	err := cmd.Run()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return exit
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // what it has left running keeps the output open
	}
	if err != nil {
		return fmt.Errorf("run the shell: %w", err)
	}
	return nil
}

// Argument returns a value as an environment variable can have it and as a program can be given
// it between quotes. On Windows, where each program reads its quotes itself and no rule holds for
// all, there are none in it.
func Argument(value string) string {
	value = strings.ReplaceAll(value, "\x00", "")
	if runtime.GOOS == "windows" {
		return windowsArgument(value)
	}
	return value
}

// windowsArgument is [Argument] for cmd.
func windowsArgument(value string) string {
	value = strings.Map(func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case r < ' ':
			return ' '
		}
		return r
	}, value)
	if n := len(value) - len(strings.TrimRight(value, `\`)); n > 0 {
		value += strings.Repeat(`\`, n) // or the last one would keep the quote behind it from ending
	}
	return value
}

// quotedWords writes words for cmd.
func quotedWords(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, `"`+windowsArgument(w)+`"`)
	}
	return strings.Join(all, " ")
}

// withFile makes a file in a folder that only the user may read, and removes both when use has
// ended.
func withFile(ctx context.Context, write func(context.Context, string) (string, error), use func(file string) error) (err error) {
	dir, err := os.MkdirTemp("", "hermes-sessions-")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	// A signal to this process alone leaves the program running.
	defer context.AfterFunc(ctx, func() { _ = os.RemoveAll(dir) })()
	file, err := write(ctx, dir)
	if err != nil {
		return err
	}
	return use(file)
}
