// hermes-sessions browses the session database of Hermes Agent, full screen.
package main

import (
	"context"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"hermes-sessions/internal/buildinfo"
	"hermes-sessions/internal/cli"
)

// Set by the linker: -X main.clock=SECONDS for tests and pictures, which need a
// fixed now.
var clock string

func main() {
	// Each of these signals cancels the run, which then restores the screen and
	// closes the database. A second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	ctx, interrupts := interruptible(ctx)
	// When the reader of standard output ends (list | head), the write fails and
	// the process goes on to close its database. Notify, unlike Ignore, is reset
	// when the process becomes another program.
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
		Build:   buildinfo.Read(),

		HoldInterrupts: interrupts.hold,
	}))
}

// interrupts cancels a context on the first interrupt that arrives while none
// are held.
type interrupts struct{ holds atomic.Int32 }

// interruptible returns a context that an interrupt cancels. A second interrupt
// ends the process at once.
func interruptible(ctx context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(ctx)
	i, signals := &interrupts{}, make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for range signals {
			if i.holds.Load() == 0 {
				signal.Stop(signals)
				cancel()
				return
			}
		}
	}()
	return ctx, i
}

// hold ignores interrupts until release is called, while a child process has the
// terminal: the terminal sends an interrupt to both processes. The one that ended
// the child may arrive here shortly after the child's exit, so release takes
// effect after a delay.
func (i *interrupts) hold() (release func()) {
	i.holds.Add(1)
	return func() { time.AfterFunc(250*time.Millisecond, func() { i.holds.Add(-1) }) }
}

// now returns the clock of the process.
func now() func() time.Time {
	if seconds, err := strconv.ParseInt(clock, 10, 64); err == nil {
		return func() time.Time { return time.Unix(seconds, 0) }
	}
	return time.Now
}
