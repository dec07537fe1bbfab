//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tmux is a terminal other than the emulator of console, as a second opinion.
type tmux struct {
	t      *testing.T
	socket string
}

// openTmux runs a shell command in a private tmux server.
func openTmux(t *testing.T, w, h int, command string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "tmux-*") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	x := &tmux{t, filepath.Join(dir, "s")}
	x.run("new-session", "-d", "-s", "t", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), command)
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", x.socket, "kill-server").Run()
		os.RemoveAll(dir)
	})
	return x
}

func (x *tmux) run(args ...string) string {
	x.t.Helper()
	out, err := exec.CommandContext(x.t.Context(), "tmux", append([]string{"-S", x.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (x *tmux) until(what string, ok func(screen string) bool) {
	x.t.Helper()
	late, stop := deadline(x.t)
	defer stop()
	for {
		// Each look starts a process, which is pause enough.
		screen := x.run("capture-pane", "-p", "-t", "t")
		if ok(screen) {
			return
		}
		select {
		case <-late:
			x.t.Fatalf("waited in vain until %s\n%s", what, screen)
		default:
		}
	}
}

// Sees implements user.
func (x *tmux) Sees(text string) {
	x.t.Helper()
	x.until("it shows "+text, func(s string) bool { return strings.Contains(s, text) })
}

// Loses implements user.
func (x *tmux) Loses(text string) {
	x.t.Helper()
	x.until("it hides "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// Types implements user.
func (x *tmux) Types(text string) {
	x.t.Helper()
	x.run("send-keys", "-t", "t", "-l", text)
}

// Pastes implements user.
func (x *tmux) Pastes(text string) {
	x.t.Helper()
	x.run("set-buffer", text)
	x.run("paste-buffer", "-p", "-t", "t")
}

// Press implements user.
func (x *tmux) Press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		if k == "Esc" {
			k = "Escape"
		}
		if k == "Enter" { // nothing here presses it again
			<-time.After(4 * reactionTime)
		}
		x.run("send-keys", "-t", "t", strings.Replace(k, "Ctrl+", "C-", 1))
	}
}
