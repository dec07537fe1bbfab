package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/listing"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/terminal"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// plain is the browser without a screen: a numbered list, and on a terminal a
// prompt for a number or another query. It returns the chosen ids.
func (a *app) plain(ctx context.Context, s *store.Store, b browsing) ([]string, error) {
	if !terminal.Is(a.Stdin) || !a.out.ToTerminal() {
		if b.pick.any() {
			return nil, &fault.Fault{
				Kind: "no-terminal", Code: 1,
				Message: "no terminal to choose on",
				Remedy:  "scripts use list --json or search --json",
				Command: "hermes-sessions list --json",
			}
		}
		_, err := a.printNumbered(ctx, s, b)
		return nil, err
	}
	nextLine := inputLines(ctx, a.Stdin)
	for {
		rows, err := a.printNumbered(ctx, s, b)
		if err != nil {
			return nil, err
		}
		verb := "resume"
		if b.pick.any() {
			verb = "print its id"
		}
		if b.pick.multi {
			verb = "print its id (or several)"
		}
		fmt.Fprintf(a.out, "Number to %s, words to search, Enter to leave: ", verb)
		if err := a.out.Flush(); err != nil {
			return nil, err
		}
		answer, err := nextLine()
		if err != nil {
			return nil, err
		}
		numbers, ok := parseNumbers(answer)
		switch outside := slices.IndexFunc(numbers, func(n int) bool { return n < 1 || n > len(rows) }); {
		case answer == "":
			return nil, nil
		case !ok || len(numbers) > 1 && !b.pick.multi:
			b.query = answer
		case outside >= 0:
			fmt.Fprintf(a.out, "There is no number %d. To search for it: \"%[1]d\"\n", numbers[outside])
		default:
			var ids []string
			for _, n := range numbers {
				ids = append(ids, rows[n-1].ID)
			}
			return ids, nil
		}
	}
}

// parseNumbers reads numbers with spaces or commas between them; ok is false where
// the text has anything else.
func parseNumbers(text string) (all []int, ok bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

// printNumbered prints the conversations that match, with numbers from 1.
func (a *app) printNumbered(ctx context.Context, s *store.Store, b browsing) ([]model.Conversation, error) {
	q := b.list
	q.Limit, q.Closest = b.limit, true
	parsed := query.Parse(b.query, false)
	found, err := s.Search(ctx, parsed, q)
	if err != nil {
		return nil, err
	}
	a.hints(found.Hints, parsed.Hints())
	total, hidden := found.Conversations+found.Close, max(found.HiddenHits, found.HiddenConversations)
	rows := make([]model.Conversation, len(found.Matches))
	for i, m := range found.Matches {
		rows[i] = m.Conversation
	}
	listing.Numbered(a.out, a.Now(), found)
	switch {
	case len(rows) == 0 && hidden > 0:
		a.say("No matches here; %s hidden by scope (--scope all).", output.Count(hidden, "match is", "matches are"))
	case len(rows) == 0:
		a.say("No sessions found.")
		if near := help.Mistyped(Commands(), b.query); near != "" { //nolint:contextcheck // only names are asked for
			a.printNote(fault.Fault{Kind: "command", Message: fmt.Sprintf("%q was searched for", b.query), Remedy: "did you mean the command " + near + "?", Command: "hermes-sessions " + near})
		}
	case len(rows) < total:
		fmt.Fprintf(a.out, "%d of %s (--limit)\n", len(rows), output.Count(total, "conversation", "conversations"))
	}
	return rows, nil
}

// inputLines returns a function that reads the next line of standard input,
// trimmed. The end of the input reads as an empty line; canceling ctx ends the
// wait.
func inputLines(ctx context.Context, stdin io.Reader) func() (string, error) {
	type read struct {
		text string
		err  error
	}
	in := bufio.NewScanner(stdin)
	return func() (string, error) {
		answer := make(chan read, 1)
		go func() {
			in.Scan()
			answer <- read{strings.TrimSpace(in.Text()), in.Err()}
		}()
		select {
		case r := <-answer:
			return r.text, r.err
		case <-ctx.Done():
			return "", fault.ErrCanceled
		}
	}
}

// browseJSON prints the list that the browser would start with, for a script.
func (a *app) browseJSON(ctx context.Context, s *store.Store, b browsing) error {
	b.list.Limit, b.list.Closest = b.limit, true
	if strings.TrimSpace(b.query) == "" {
		return a.list(ctx, s, "", b.list, false)
	}
	return a.search(ctx, s, b.query, b.list, searchOutput{})
}
