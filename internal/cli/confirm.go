package cli

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"hermes-sessions/store"
)

// confirm asks a person on the terminal. Without one the answer has to be on
// the command line; anything but a yes is a no.
func (a *app) confirm(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	if a.json || !isTerminal(a.Stdin) {
		f := usage("there is nobody to ask: %s", strings.TrimSuffix(question, " [y/N] "))
		f.remedy = "give --yes"
		return f
	}
	switch answer, err := a.answer(ctx, question); {
	case err != nil:
		return err
	case answer == "y" || answer == "yes":
		return nil
	}
	fmt.Fprintln(a.Stderr, "Cancelled.")
	return errCancelled
}

// answer asks a person on the terminal and gives what was typed, trimmed and in
// small letters.
func (a *app) answer(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, question)
	answer := make(chan string, 1)
	go func() {
		// What comes before an error counts as far as it goes.
		line, _ := bufio.NewReader(a.Stdin).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		return strings.ToLower(strings.TrimSpace(line)), nil
	case <-ctx.Done():
		fmt.Fprintln(a.Stderr, "\nCancelled.")
		return "", errCancelled
	}
}

// change opens the database for a command that changes it: with the folder of
// transcript files beside it.
func (a *app) change(ctx context.Context) (*store.Store, error) {
	s, _, err := a.open(ctx, a.transcripts()...)
	return s, err
}

// transcripts tells the store of the folder of transcript files.
func (a *app) transcripts() []store.Option {
	at, err := a.place()
	if err != nil || a.demo {
		return nil
	}
	return []store.Option{store.WithTranscripts(filepath.Join(filepath.Dir(at.db), "sessions"))}
}

// partly says what a change that was stopped has done. The run itself may end
// without a word, as every cancelled one does.
func (a *app) partly(err error) error {
	if err == nil {
		return nil
	}
	if f := explain(err); f.kind == store.KindIncompleteWrite {
		fmt.Fprintln(a.Stderr, "hermes-sessions: "+clean(f.message))
	}
	return err
}
