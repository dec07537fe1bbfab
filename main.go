// hermes-sessions browses the session database of Hermes Agent, full screen.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"hermes-sessions/internal/cli"
	"hermes-sessions/internal/gc"
)

// Set by the linker: -X main.version=1.2.3 for a release, and -X
// main.clock=SECONDS for tests and pictures, which need a fixed now.
var (
	version string
	clock   string
)

func main() {
	gc.Tune()
	// Each of these signals cancels what runs, so that the screen is put back
	// and the database closed. The next one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	ctx, interrupts := interruptible(ctx)
	// A reader that goes away (list | head) is an error of that write, not the
	// death of the process with its database open. Notify, unlike Ignore, does
	// not outlive an exec.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	os.Exit(cli.Run(ctx, cli.Process{
		Name:    os.Args[0],
		Args:    os.Args[1:],
		Environ: os.Environ(),
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Now:     now(),
		Keys:    keys,
		Version: release(),

		HoldInterrupts: interrupts.hold,
	}))
}

// interrupts cancels a context on the first interrupt that nobody holds.
type interrupts struct{ held atomic.Int32 }

// interruptible gives a context that an interrupt cancels. The next one ends
// the process at once.
func interruptible(ctx context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(ctx)
	i, signals := &interrupts{}, make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for range signals {
			if i.held.Load() == 0 {
				signal.Stop(signals)
				cancel()
				return
			}
		}
	}()
	return ctx, i
}

// hold makes interrupts somebody else's until release is called: a terminal
// sends them to a child process and to us. The one that ended the child may
// come to us a moment after we have heard of its end.
func (i *interrupts) hold() (release func()) {
	i.held.Add(1)
	return func() { time.AfterFunc(250*time.Millisecond, func() { i.held.Add(-1) }) }
}

// now gives the clock of the process.
func now() func() time.Time {
	if seconds, err := strconv.ParseInt(clock, 10, 64); err == nil {
		return func() time.Time { return time.Unix(seconds, 0) }
	}
	return time.Now
}

// release names what was built: the release, else the commit.
func release() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}
