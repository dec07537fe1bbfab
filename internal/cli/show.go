package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/store"
)

// showOptions holds the flags of show and the message that it was asked for.
type showOptions struct {
	format           string
	tools, reasoning bool
	recap, only      bool // --recap, --only prompts
	redact           redacting
	message          int64 // its id, 0 for the whole conversation
}

func showCommand(a *app) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show ID[#MESSAGE]",
		Short: "Print a conversation, or one message of it",
		Long: `show prints a whole conversation, all its segments, as text or Markdown.
With --format json (or --json) it prints one session as export writes it.

` + namesHelp,
		Args: sessionArgs("show"),
		RunE: func(cmd *cobra.Command, words []string) error {
			if o.recap && (a.json || o.format != "text") {
				return fault.Usage("--recap is text")
			}
			if o.only && (o.recap || a.json || o.format == "json") {
				return fault.Usage("--only prompts needs --format text or md, without --recap")
			}
			if err := o.redact.begin(a, cmd); err != nil {
				return err
			}
			names, err := a.withinDatabase(strings.Join(words, " "))
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return a.read(ctx, func(s *store.Store) error {
				id, message, err := findMessage(names[0], func(name string) (string, error) {
					return findSession(ctx, s, name)
				})
				if err != nil {
					return err
				}
				o.message = message
				defer o.redact.report(a)
				if a.json || o.format == "json" {
					return a.showJSON(ctx, s, id, o)
				}
				return a.show(ctx, s, id, o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.tools, "tools", false, "print tool calls with arguments and results")
	f.BoolVar(&o.reasoning, "reasoning", false, "print reasoning")
	f.BoolVar(&o.recap, "recap", false, "print only a short recap of the end, as Hermes shows on resume")
	formats := []string{"text", "md", "json"}
	chooseFlag(cmd, oneOf(&o.format, "FORMAT", formats, formats), "format", "output format")
	o.redact.flag(cmd)
	onlyFlag(cmd, &o.only)
	return a.paged(cmd)
}

// noMessage is the error for a message that is not in its conversation.
func noMessage(id string, message int64) error {
	return &fault.Fault{
		Kind: "not-found", Code: 1,
		Message: fmt.Sprintf("session %s has no message %d", id, message),
		Remedy:  "list the IDs of its messages",
		Command: "hermes-sessions show --json " + model.ShellWord(id),
	}
}

// showJSON prints a session as export writes it. Where a message is asked for, it
// prints the session that holds the message.
func (a *app) showJSON(ctx context.Context, s *store.Store, id string, o showOptions) error {
	if o.message != 0 {
		found, err := s.MessagesOf(ctx, id, []int64{o.message})
		if err != nil {
			return err
		}
		c, err := s.Conversation(ctx, id)
		if err != nil {
			return err
		}
		if len(found) == 0 || !slices.Contains(c.Segments, found[0].SessionID) {
			return noMessage(id, o.message)
		}
		id = found[0].SessionID
	}
	what := model.ExportOptions{IDs: []string{id}, NullNonFinite: true}
	if o.redact.masker != nil {
		what.Redact = o.redact.masker.Record
	}
	_, err := s.Export(ctx, output.Escaping(a.out), what)
	return err
}

// contextMessages is how many messages are printed before the one asked for.
const contextMessages = 3

// show prints a conversation as text or Markdown: the whole, from a message on, or
// its recap.
func (a *app) show(ctx context.Context, s *store.Store, id string, o showOptions) error {
	outline, err := s.Outline(ctx, id)
	if err != nil {
		return err
	}
	opt := document.Options{Zone: a.Now().Location(), Tools: o.tools, Reasoning: o.reasoning, Strong: a.out.Bold, Redact: o.redact.masker, Prompts: o.only}
	if o.format == "md" {
		opt.Form = document.Markdown
	}
	ids, at := outline.MessageIDs, 0
	if o.message != 0 {
		if original, copied := outline.Replays[o.message]; copied {
			o.message = original
		}
		if at = slices.Index(ids, o.message); at < 0 {
			return noMessage(id, o.message)
		}
		opt.Tools, opt.Reasoning = true, true // the message may be a tool result or reasoning
	}
	w := export.NewDocument(a.out, opt)
	if err := w.Begin(export.CleanConversation(outline.Conversation)); err != nil {
		return err
	}
	if o.recap {
		return cmp.Or(print.Recap(ctx, a.out, s, id, ids, o.redact.masker), w.End())
	}
	if o.message != 0 {
		from := max(0, at-contextMessages)
		if from > 0 {
			err = w.Note("… " + output.Count(from, "earlier message", "earlier messages"))
		}
		err = cmp.Or(err, export.Messages(ctx, s, w, id, ids[from:at], nil), w.Note("▶ message "+strconv.FormatInt(o.message, 10)))
		ids = ids[at:]
	}
	return cmp.Or(err, export.Messages(ctx, s, w, id, ids, nil), w.End())
}
