package plain

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// program runs a command of the program on the database, with the ids of the chosen
// conversations behind its flags.
func (p *Prompt) program(ctx context.Context, command string, of []model.Conversation, flags string) error {
	words := append(append([]string{command}, strings.Fields(flags)...), "--")
	return p.inPages(func() error {
		err := p.Do.Run(ctx, append(words, idsOf(of)...))
		if errors.Is(err, fault.ErrNothing) {
			return nil // which the output says
		}
		return err
	})
}

// details prints everything that the inspector of the browser shows.
func (p *Prompt) details(ctx context.Context, of []model.Conversation, _ string) error {
	facts, err := p.Store.Details(ctx, of[0].ID)
	if err != nil {
		return err
	}
	work, err := p.Store.Files(ctx, of[0].ID)
	if err != nil {
		return err
	}
	text := dialog.DetailsText(facts, work, p.Store.Notes(), p.Now())
	return p.inPages(func() error { return p.say("%s", strings.TrimSuffix(text, "\n")) })
}

// lastMessages is among how many messages an answer is looked for.
const lastMessages = 100

// copy puts the id of a conversation or something else of it into the clipboard.
func (p *Prompt) copy(ctx context.Context, of []model.Conversation, what string) error {
	c := of[0]
	var text string
	n, err := strconv.ParseInt(what, 10, 64)
	switch {
	case what == "" || what == "id":
		what, text = "the ID", c.ID
	case what == "title":
		what, text = "the title", c.Title
	case what == "folder":
		what, text = "the folder", c.CWD
	case what == "command":
		what, text = "the resume command", p.Do.Resuming(c.ID)
	case what == "answer":
		last, err := p.Store.Tail(ctx, c.ID, lastMessages)
		if err != nil {
			return err
		}
		what = "the last answer"
		for i := len(last) - 1; i >= 0 && text == ""; i-- {
			if last[i].Author() == model.AuthorAgent {
				text = strings.TrimSpace(last[i].Content.Text)
			}
		}
	case err == nil:
		found, err := p.Store.MessagesOf(ctx, c.ID, []int64{n})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.Usage("there is no message %d; :matches lists messages", n)
		}
		what, text = "message "+what, found[0].Content.Text
	default:
		return fault.Usage(":copy takes id, title, command, folder, answer or the number of a message, not %q", what)
	}
	if strings.TrimSpace(text) == "" {
		return p.say("There is no text to copy.")
	}
	if len(text) > kit.MaxCopied {
		return p.say("%s is too large to copy: %s, and terminals accept %s. :export writes it to a file.", kit.Capitalize(what), kit.Size(len(text)), kit.Size(kit.MaxCopied))
	}
	if err := p.Do.Copy(ctx, text); err != nil {
		return err
	}
	return p.say("Copied %s of '%s'.", what, print.Title(c))
}

// annotate prints the note or the tags of a conversation, and replaces them first if a text
// is given; "" in quotes removes them.
func annotate(what string) runner {
	return func(p *Prompt, _ context.Context, of []model.Conversation, text string) error {
		c, book := of[0], p.Do.Annotations
		if book == nil {
			return errors.New("notes are not kept here")
		}
		on := book.On(c.RootID, 0)
		on.Root, on.Title = c.RootID, print.Title(c)
		if before := on; text != "" {
			if text == `""` {
				text = ""
			}
			if what == "note" {
				on.Note = text
			} else {
				on.Tags = shell.ParseTags(text)
			}
			if err := book.Put(on); err != nil {
				return err
			}
			p.undo = append(p.undo, change{what: "Restored the " + what, do: func(context.Context) error { return book.Put(before) }})
		}
		text = on.Note
		if what != "note" {
			text = strings.Join(on.Tags, " ")
		}
		if text == "" {
			return p.say("No %s.", what)
		}
		return p.say("%s: %s", kit.Capitalize(what), output.Clean(text))
	}
}
