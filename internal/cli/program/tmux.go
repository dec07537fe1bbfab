package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
)

// Tmux is the tmux that this process runs in.
//
// A pane in which Hermes was started has the option @hermes-session: the key of its
// conversation and the process. Both must be right for the pane to be taken as the one where
// the conversation runs: options stay when a process ends, or another is started in the pane.
type Tmux struct{ Environ env.Vars }

const paneOption = "@hermes-session"

// Inside reports whether this process runs in tmux.
func (t Tmux) Inside() bool { return t.Environ.Get("TMUX") != "" }

// NotInside is the error for what needs tmux.
func NotInside() error {
	return &fault.Fault{
		Kind: "no-tmux", Code: 1, Message: "resume --in-tmux needs tmux, and this terminal is not in it",
		Remedy: "start tmux first, or resume without --in-tmux",
	}
}

// Key names a conversation for tmux, by its database and the id of its root. It is a hash,
// because tmux gives back only what the locale of its client can show.
func Key(database, root string) string {
	sum := sha256.Sum256([]byte(database + "\x00" + root))
	return hex.EncodeToString(sum[:12])
}

// Jump goes to the pane where a conversation runs. It reports false where there is none.
func (t Tmux) Jump(ctx context.Context, key string) (bool, error) {
	out, err := t.run(ctx, "list-panes", "-a", "-F", "#{pane_id} #{session_id} #{pane_dead} #{"+paneOption+"}")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 5 || fields[2] != "0" || fields[3] != key || !alive(fields[4]) {
			continue
		}
		pane, session := fields[0], fields[1]
		if _, err := t.run(ctx, "select-window", "-t", pane); err != nil {
			return false, err
		}
		if _, err := t.run(ctx, "select-pane", "-t", pane); err != nil {
			return false, err
		}
		here, err := t.run(ctx, "display-message", "-p", "#{session_id}")
		if err == nil && strings.TrimSpace(here) != session {
			_, err = t.run(ctx, "switch-client", "-t", pane)
		}
		return err == nil, err
	}
	return false, nil
}

// alive reports whether a process runs.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 {
		return false
	}
	p, err := os.FindProcess(n)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

// Open runs a program in a new window, and marks its pane as that of a conversation. folder
// is where it starts, "" for the folder of this process.
func (t Tmux) Open(ctx context.Context, key, name, folder string, words []string) error {
	args := []string{"new-window", "-P", "-F", "#{pane_id} #{pane_pid}", "-n", windowName(name)}
	if folder != "" {
		args = append(args, "-c", strings.ReplaceAll(folder, "#", "##")) // tmux expands formats in it
	}
	out, err := t.run(ctx, append(append(args, "--"), words...)...)
	if err != nil {
		return err
	}
	pane, pid, ok := strings.Cut(strings.TrimSpace(out), " ")
	if !ok {
		return fmt.Errorf("tmux opened a window but printed %q", out)
	}
	return t.mark(ctx, key, pane, pid)
}

// Mark marks the pane of this process, which is about to become Hermes.
func (t Tmux) Mark(ctx context.Context, key string) error {
	return t.mark(ctx, key, t.Environ.Get("TMUX_PANE"), strconv.Itoa(os.Getpid()))
}

func (t Tmux) mark(ctx context.Context, key, pane, pid string) error {
	_, err := t.run(ctx, "set-option", "-p", "-t", pane, paneOption, key+" "+pid)
	return err
}

func (t Tmux) run(ctx context.Context, args ...string) (string, error) {
	for i, a := range args {
		if text, ok := strings.CutSuffix(a, ";"); ok { // which would begin another command
			args[i] = text + `\;`
		}
	}
	cmd := exec.CommandContext(ctx, "tmux", args...)
	cmd.Env = t.Environ
	out, err := cmd.Output()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return "", &fault.Fault{Kind: "tmux", Code: 1, Err: err, Message: "tmux " + args[0] + ": " + strings.TrimSpace(string(exit.Stderr))}
	}
	if err != nil {
		return "", &fault.Fault{Kind: "tmux", Code: 1, Err: err, Message: "tmux could not be started: " + err.Error(), Remedy: "resume without --in-tmux"}
	}
	return string(out), nil
}

// windowName is a title as the name of a window: tmux gives other characters than letters
// and digits a meaning in its status line.
func windowName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return ' '
	}, title)
	if name = strings.Join(strings.Fields(name), " "); name == "" {
		return "hermes"
	}
	return ansi.Truncate(name, 24, "…")
}
