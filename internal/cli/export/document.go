// Package export writes conversations for reading: as text, Markdown and HTML, page by
// page, and into a file that is there either as a whole or not at all.
package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/model/query"
	"hermes-sessions/model/redact"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
)

// Page is how many messages are read at a time, since a long conversation
// does not belong in memory as a whole.
const Page = 100

// NewDocument returns a writer of text, Markdown or HTML, with texts cleaned for it.
func NewDocument(w io.Writer, o document.Options) *document.Writer {
	o.Clean = kit.CleanLine
	o.Arguments = func(s string) (args string, change document.Change) {
		s = kit.Clean(s)
		if args, change, ok := kit.Replacement(s); ok {
			return args, change
		}
		return kit.FormatJSON(s), change
	}
	o.Result = func(s string) (body, rest string) { return kit.ToolOutput(kit.Clean(s)) }
	if o.Form == document.HTML {
		o.Prose = NewHTMLRenderer()
	}
	return document.New(w, o)
}

// Conversation writes the whole conversation that a session belongs to,
// over all its segments. wrote is called after each page with the number of
// messages in it; it may be nil.
func Conversation(ctx context.Context, s *store.Store, w *document.Writer, id string, wrote func(n int)) error {
	outline, err := s.Outline(ctx, id)
	if err != nil {
		return err
	}
	if err := w.Begin(CleanConversation(outline.Conversation)); err != nil {
		return err
	}
	if n := outline.Rewound; n > 0 {
		if err := w.Note(output.Count(n, "rewound message is", "rewound messages are") + " omitted"); err != nil {
			return err
		}
	}
	return Messages(ctx, s, w, id, outline.MessageIDs, wrote)
}

// Messages writes messages of the conversation of a session in the order of ids. For those
// that were deleted after the ids were read it writes a note.
func Messages(ctx context.Context, s *store.Store, w *document.Writer, id string, ids []int64, wrote func(n int)) error {
	for page := range slices.Chunk(ids, Page) {
		messages, err := s.MessagesOf(ctx, id, page)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := w.Message(kit.CleanMessage(m)); err != nil {
				return err
			}
		}
		if gone := len(page) - len(messages); gone > 0 {
			if err := w.Note(output.Count(gone, "message has", "messages have") + " since been deleted"); err != nil {
				return err
			}
		}
		if wrote != nil {
			wrote(len(page))
		}
	}
	return nil
}

// CleanConversation cleans the texts of a conversation that a heading shows. The
// ids of its segments stay raw: messages are assigned to segments by them.
func CleanConversation(c model.Conversation) model.Conversation {
	for _, s := range []*string{&c.ID, &c.Title, &c.Preview, &c.Source, &c.Model, &c.CWD, &c.GitBranch} {
		*s = output.Clean(*s)
	}
	return c
}

// Part is what an export has of one database.
type Part struct {
	Store *store.Store
	IDs   []string // of sessions, nil for all
}

// Conversations writes conversations one after another into one document, tool calls and
// reasoning too, and returns how many it wrote. Each id may be that of any session of its
// conversation. Where one of several databases fails, a note in the document says so, the
// others are written, and the error is of [model.KindIncomplete] or [Failures].
func Conversations(ctx context.Context, w io.Writer, o document.Options, parts []Part, wrote func(n int)) (done int, err error) {
	o.Tools, o.Reasoning = true, true
	total := 0
	for _, p := range parts {
		total += len(p.IDs)
	}
	if total > 1 {
		o.Title = output.Count(total, "conversation", "conversations") + " with Hermes"
	}
	out := bufio.NewWriterSize(w, 1<<16)
	d := NewDocument(out, o)
	var failed Failures
	for _, p := range parts {
		n, err := conversationsOf(ctx, p, d, wrote)
		done += n
		before := len(failed)
		if err := failed.add(err, parts); err != nil {
			return done, err
		}
		if len(failed) > before {
			if err := d.Note("this database cannot be read further"); err != nil {
				return done, err
			}
		}
	}
	return done, cmp.Or(d.End(), out.Flush(), failed.err())
}

// conversationsOf writes the conversations of one database.
func conversationsOf(ctx context.Context, p Part, w *document.Writer, wrote func(n int)) (done int, err error) {
	for _, id := range p.IDs {
		if err := Conversation(ctx, p.Store, w, id, wrote); err != nil {
			return done, fmt.Errorf("export %s: %w", id, err)
		}
		done++
	}
	return done, nil
}

// tips returns the tips of the conversations that are exported of a database, each once:
// those of its sessions, or where it names none, of all conversations of a source, "" for
// any. messages is how many these have.
func tips(ctx context.Context, p Part, source string) (out []string, messages int, err error) {
	if p.IDs == nil {
		if err := p.Store.CompareIndexes(ctx); err != nil {
			return nil, 0, err
		}
		q := query.ListOptions{Scope: model.ScopeAll}
		if source != "" {
			q.Sources = []string{source}
		}
		page, err := p.Store.Conversations(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, c := range page.Conversations {
			out = append(out, c.ID)
			messages += c.Messages
		}
		return out, messages, nil
	}
	for _, id := range p.IDs {
		c, err := p.Store.Conversation(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		if !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
			messages += c.Messages
		}
	}
	return out, messages, nil
}

// FileName returns a name for the file of a conversation, without extension: the
// day of its start, and the words of its title without characters that a shell or
// a file system treats specially, up to about 60 bytes.
func FileName(c model.Conversation) string {
	title := strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`/\:*?"<>|'`+"`$&;!#%{}()[]~^=+,.", r) {
			return ' '
		}
		return r
	}, output.Clean(redact.Rules{}.Text(c.Title, redact.Counts{}))) // names are seen where contents are not
	words := strings.Fields(strings.ToLower(title))
	name := ""
	for _, w := range words {
		if len(name)+len(w) > 60 {
			break
		}
		name += "-" + w
	}
	name = cmp.Or(name, "-conversation")
	if !c.RootStartedAt.IsZero() {
		return c.RootStartedAt.Local().Format("2006-01-02") + name
	}
	return strings.TrimPrefix(name, "-")
}
