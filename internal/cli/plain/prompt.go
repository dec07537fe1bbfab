// Package plain is the browser in lines, for screen readers and for terminals without a
// screen: nothing moves the cursor, there are no colors, and states are words.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Prompt is the browser without a screen: a numbered list and a prompt for a number, a
// command or another query. The numbers of a list hold until the next one is printed.
type Prompt struct {
	Out    *output.Writer
	Store  *store.Store
	Now    func() time.Time
	Stdin  io.Reader
	Stdout io.Writer // below Out
	Query  string
	Named  []query.Named // that @name in a query stands for
	List   query.ListOptions
	Limit  int    // rows at a time
	Verb   string // what a number does: "resume"
	Multi  bool   // several numbers may be chosen
	Do     Actions

	nextLine func() (string, error) // nil without a terminal
	limit    int                    // rows of the list
	rows     []model.Conversation
	total    int             // conversations that match
	gone     map[string]bool // ids of rows that were deleted
	undo     []change
}

// Actions are what the commands of the program do for the prompt.
type Actions struct {
	// Show prints a conversation.
	Show func(ctx context.Context, id string, r Reading) error
	// ResumeCommand prints the command that resumes a conversation.
	ResumeCommand func(ctx context.Context, id string) error
	// Resume resumes a conversation. The error is [fault.ErrCanceled] where the user decides
	// against it. It is nil where the ids are printed.
	Resume func(ctx context.Context, id string) error
	// Export writes conversations to a new file, in the format of its extension.
	Export func(ctx context.Context, file string, of []model.Conversation) error
	// Consequences says what a delete would do, and asks for it.
	Consequences func(ctx context.Context, ids []string, p model.Deletion) (lines []string, question string, err error)
	// Run runs a command of the program on this database.
	Run func(ctx context.Context, words []string) error
	// Copy puts a text into the clipboard.
	Copy        func(ctx context.Context, text string) error
	Resuming    func(id string) string // the command that resumes a conversation
	Annotations shell.Annotations      // nil if there are none
	Memory      shell.Memory           // nil to remember nothing
	// Resolve returns the filters with what is remembered beside the database.
	Resolve func([]query.Filter) ([]query.Filter, error)
	// Hints prints on standard error which filters the database cannot answer, and which
	// parts of the query are read as text.
	Hints    func(unanswered, misread []string)
	Note     func(text string)  // prints a line on standard error
	Nothing  func(query string) // says on standard error that nothing was found
	Language string             // help on the query language
}

// Reading says how a conversation is printed.
type Reading struct {
	Tools, Recap bool
	Message      int64 // to begin at, 0 for the first
}

// Print prints the list. The error is [fault.ErrNothing] where it is empty.
func (p *Prompt) Print(ctx context.Context) error {
	p.limit, p.gone = p.Limit, map[string]bool{}
	p.Out.Unstyle()
	if err := p.list(ctx, 0); err != nil || len(p.rows) > 0 {
		return err
	}
	return fault.ErrNothing
}

// Run prints the list and asks for lines until one chooses conversations, whose ids it
// returns, or leaves.
func (p *Prompt) Run(ctx context.Context) ([]string, error) {
	defer p.forgetUndo()
	p.nextLine = inputLines(ctx, p.Stdin)
	if err := p.Print(ctx); err != nil && !errors.Is(err, fault.ErrNothing) {
		return nil, err
	}
	return p.run(ctx)
}

// run asks for lines until one chooses conversations or leaves.
func (p *Prompt) run(ctx context.Context) ([]string, error) {
	for {
		answer, err := p.ask(fmt.Sprintf("Number to %s, words to search, :help for commands, enter to leave: ", p.Verb))
		if err != nil {
			return nil, err
		}
		numbers, ok := parseNumbers(answer)
		switch {
		case answer == "":
			return nil, nil
		case strings.HasPrefix(answer, ":"):
			ids, err := p.command(ctx, answer[1:])
			if ctx.Err() != nil {
				return nil, fault.ErrCanceled
			}
			if errors.Is(err, errLeave) {
				if ids, stay, err := p.chosen(ctx, ids); !stay {
					return ids, err
				}
				continue
			}
			if err != nil {
				if err := p.explain(err); err != nil {
					return nil, err
				}
			}
		case !ok || len(numbers) > 1 && !p.Multi:
			p.Query, p.limit = answer, p.Limit
			if err := p.list(ctx, 0); err != nil {
				return nil, err
			}
		default:
			of, err := p.numbered(numbers)
			if err != nil {
				if err := errors.Join(p.explain(err), p.say("To search for it: \"%s\"", answer)); err != nil {
					return nil, err
				}
				continue
			}
			if ids, stay, err := p.chosen(ctx, idsOf(of)); !stay {
				return ids, err
			}
		}
	}
}

// chosen resumes the first of ids, or gives them back where they are to be printed. The
// prompt stays if the user decides against it.
func (p *Prompt) chosen(ctx context.Context, ids []string) (left []string, stay bool, err error) {
	if len(ids) == 0 || p.Do.Resume == nil {
		return ids, false, nil
	}
	err = p.Do.Resume(ctx, ids[0])
	return nil, errors.Is(err, fault.ErrCanceled) && ctx.Err() == nil, err
}

// explain says why a command could not be done, and what helps.
func (p *Prompt) explain(err error) error {
	f := fault.Of(err)
	text := kit.Capitalize(output.Clean(strings.TrimSuffix(strings.TrimPrefix(f.Message, "usage: "), "."))) + "."
	if f.Remedy != "" {
		text += " (" + output.Clean(f.Remedy) + ")"
	}
	if f.Command != "" {
		text += "\n" + output.Clean(f.Command)
	}
	return p.say("%s", text)
}

// errLeave ends the prompt with a choice.
var errLeave = errors.New("left")

// ask prints a question and returns the answer.
func (p *Prompt) ask(question string) (string, error) {
	fmt.Fprint(p.Out, question)
	if err := p.Out.Flush(); err != nil {
		return "", err
	}
	return p.nextLine()
}

// answerNext takes a line that was already typed as the answer to the next question.
func (p *Prompt) answerNext(line string) {
	read := p.nextLine
	p.nextLine = func() (string, error) {
		p.nextLine = read
		return line, nil
	}
}

func (p *Prompt) numbered(numbers []int) (of []model.Conversation, err error) {
	for _, n := range numbers {
		if n < 1 || n > len(p.rows) {
			return nil, fault.Usage("there is no number %d in the list", n)
		}
		c := p.rows[n-1]
		if p.gone[c.ID] {
			return nil, fault.Usage("number %d is deleted", n)
		}
		if !slices.ContainsFunc(of, func(had model.Conversation) bool { return had.ID == c.ID }) {
			of = append(of, c)
		}
	}
	return of, nil
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

// list prints the conversations that match, with numbers from 1, without the first
// skip of them.
func (p *Prompt) list(ctx context.Context, skip int) error {
	q := p.List
	q.Limit = p.limit
	q.Closest = true
	q.PinnedFirst = true
	parsed := query.ParseNamed(p.Query, false, p.Named)
	if n := parsed.Named; n != nil {
		q.Scope = n.Scope
		if n.Order != nil {
			q.Order = *n.Order
		}
	}
	filters, err := p.Do.Resolve(parsed.Filters)
	if err != nil {
		return err
	}
	parsed.Filters = filters
	found, err := p.Store.Search(ctx, parsed, q)
	if err != nil {
		return err
	}
	p.Do.Hints(found.Hints, parsed.Hints())
	p.total = found.Conversations + found.Close
	p.rows = make([]model.Conversation, len(found.Matches))
	for i, m := range found.Matches {
		p.rows[i] = m.Conversation
	}
	clear(p.gone)
	print.NumberedMatches(p.Out, p.Now(), found, skip, (&shell.Env{Memory: p.Do.Memory}).Unread)
	hidden := found.HiddenConversations
	switch {
	case len(p.rows) == 0 && hidden > 0:
		scope := "--scope all"
		if p.nextLine != nil {
			scope = ":scope all"
		}
		p.Do.Note(fmt.Sprintf("No matches here; %s hidden (%s).", output.Grouped(hidden), scope))
	case len(p.rows) == 0:
		p.Do.Nothing(p.Query)
	case len(p.rows) < p.total:
		more := "--limit"
		if p.nextLine != nil {
			more = ":more"
		}
		fmt.Fprintf(p.Out, "%d of %s (%s)\n", len(p.rows), output.Count(p.total, "conversation", "conversations"), more)
	}
	return nil
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
