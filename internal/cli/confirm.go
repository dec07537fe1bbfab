package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
)

// confirm asks a yes-or-no question on the terminal, and returns nil for a yes.
// Any other answer is a no, which cancels the run. Without a terminal to ask on,
// --yes has to be on the command line.
func (a *app) confirm(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	if !a.canAsk() {
		f := fault.Usage("cannot ask for confirmation without a terminal: %s", strings.TrimSuffix(question, " [y/N] "))
		f.Remedy = "use --yes"
		return f
	}
	answer, err := a.ask(ctx, question)
	if err != nil {
		return err
	} else if answer == "y" || answer == "yes" {
		return nil
	}
	return canceled(a.Stderr)
}

// canAsk reports whether there is a user to ask.
func (a *app) canAsk() bool { return !a.json && output.IsTerminal(a.Stdin) }

// canceled says that the user has answered no, and returns the error that ends
// the run.
func canceled(stderr io.Writer) error {
	fmt.Fprintln(stderr, "Cancelled.")
	return fault.ErrCanceled
}

// ask prints a question on standard error and returns the answer, trimmed and in
// lower case. Canceling ctx ends the wait for it.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, question)
	answer := make(chan string, 1)
	go func() {
		// A line that ends in an error, such as the end of the input, still counts.
		line, _ := bufio.NewReader(a.Stdin).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		return strings.ToLower(strings.TrimSpace(line)), nil
	case <-ctx.Done():
		fmt.Fprintln(a.Stderr) // ends the line of the question
		return "", canceled(a.Stderr)
	}
}
