package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/ui"
)

// showing is what the flags of show say.
type showing struct {
	format           string
	tools, reasoning bool
	recap            bool
	message          int64 // only this one, 0 for all
}

func (a *app) showCommand() *cobra.Command {
	var o showing
	cmd := &cobra.Command{
		Use:   "show ID[#MESSAGE]",
		Short: "Print a conversation, or one message of it",
		Long: `show prints a whole conversation, over all its segments, as text or Markdown.
With --format json (or --json) it prints one session as export writes it. It takes
an id, the unique beginning of one, or an exact title.`,
		ValidArgsFunction: a.completeID,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return usage("show which session?")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			if o.recap && (a.json || o.format != "text") {
				return usage("--recap is text")
			}
			ctx := cmd.Context()
			return a.read(ctx, func(s *store.Store, _ place) error {
				id, message, err := resolve(ctx, s, strings.Join(words, " "))
				if err != nil {
					return err
				}
				o.message = message
				if a.json || o.format == "json" {
					return a.showJSON(ctx, s, id, o)
				}
				return a.show(ctx, s, id, o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.tools, "tools", false, "tool calls with their arguments and results")
	f.BoolVar(&o.reasoning, "reasoning", false, "what the agent thought")
	f.BoolVar(&o.recap, "recap", false, "only the end, shortened, as Hermes recalls it before going on")
	formats := []string{"text", "md", "json"}
	addChoice(cmd, oneOf(&o.format, formats, formats), "format", "form of the output")
	return cmd
}

// anchor is the message that may follow an id: ID#12.
var anchor = regexp.MustCompile(`^(.+)#(\d+)$`)

// resolve finds the session that the words mean, and the message if they name
// one. A title may itself end in #2, so the whole is tried first.
func resolve(ctx context.Context, s *store.Store, words string) (id string, message int64, err error) {
	id, err = s.Resolve(ctx, words)
	parts := anchor.FindStringSubmatch(words)
	if err == nil || parts == nil {
		return id, 0, err
	}
	message, perr := strconv.ParseInt(parts[2], 10, 64)
	found, ferr := s.Resolve(ctx, parts[1])
	if ferr != nil || perr != nil {
		return "", 0, err
	}
	return found, message, nil
}

// noMessage says that a conversation does not have the message asked for.
func noMessage(id string, message int64) error {
	return &fault{
		kind: "not-found", code: 1,
		message: fmt.Sprintf("session %s has no message %d", id, message),
		remedy:  "hermes-sessions show --json lists the ids of its messages",
	}
}

// showJSON prints a session as export writes it.
func (a *app) showJSON(ctx context.Context, s *store.Store, id string, o showing) error {
	session, err := s.Session(ctx, id)
	if err != nil {
		return err
	}
	messages, err := s.Messages(ctx, id)
	if err != nil {
		return err
	}
	if o.message != 0 {
		messages = slices.DeleteFunc(messages, func(m store.Record) bool { return m.Get("id") != o.message })
		if len(messages) == 0 {
			return noMessage(id, o.message)
		}
	}
	return a.printJSON(struct {
		Session  json.Marshaler `json:"session"`
		Messages []store.Record `json:"messages"`
	}{session, append([]store.Record{}, messages...)})
}

// show prints a conversation for people.
func (a *app) show(ctx context.Context, s *store.Store, id string, o showing) error {
	outline, err := s.Outline(ctx, id)
	if err != nil {
		return err
	}
	ids := outline.IDs
	if o.message != 0 {
		if !slices.Contains(ids, o.message) {
			return noMessage(id, o.message)
		}
		ids, o.tools, o.reasoning = []int64{o.message}, true, true
	}
	var w writer = plainWriter{a}
	if o.format == "md" {
		w = markdownWriter{a}
	}
	w.heading(outline.Conversation)
	if o.recap {
		messages, err := s.MessagesByID(ctx, ids)
		if err != nil {
			return err
		}
		a.recap(model.Recap(messages))
		return nil
	}
	// A page at a time: a conversation may be larger than memory should be.
	for page := range slices.Chunk(ids, 500) {
		messages, err := s.MessagesByID(ctx, page)
		if err != nil {
			return err
		}
		for _, m := range messages {
			a.message(w, m, o)
		}
		if err := a.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// writer lays a conversation out in one of the forms. Text is clean.
type writer interface {
	heading(model.Conversation)
	speaker(name string, at time.Time)
	text(string)
	aside(string)            // one line that nobody said
	block(name, body string) // a tool's call or result, or reasoning
	end()
}

// message prints a message, as far as the flags want it.
func (a *app) message(w writer, m model.Message, o showing) {
	text := strings.TrimSpace(ui.Clean(m.Content.Text))
	reasoning := ""
	if o.reasoning {
		reasoning = strings.TrimSpace(ui.Clean(m.Reasoning))
	}
	if m.Speaker() == model.Tool {
		if o.tools {
			name := clean(m.ToolName)
			if name == "" {
				name = "tool"
			}
			w.block(name+" → result", text)
			w.end()
		}
		return
	}
	if !m.Speaks() && reasoning == "" && len(m.Calls) == 0 {
		return
	}
	w.speaker(speaker(m), m.At)
	if reasoning != "" {
		w.block("reasoning", reasoning)
	}
	if text != "" {
		w.text(text)
	}
	for _, media := range m.Content.Media {
		w.aside("[" + clean(media) + "]")
	}
	if m.Broken != "" {
		w.aside("[could not be read in full: " + clean(m.Broken) + "]")
	}
	switch {
	case len(m.Calls) == 0:
	case o.tools:
		for _, c := range m.Calls {
			w.block(clean(c.Name), strings.TrimSpace(ui.Clean(c.Arguments)))
		}
	default:
		w.aside("▸ " + clean(callSummary(m.Calls)))
	}
	w.end()
}

// speaker names who said a message.
func speaker(m model.Message) string {
	switch m.Speaker() {
	case model.User:
		return "You"
	case model.Agent:
		return "Hermes"
	}
	return clean(m.Role)
}

// callSummary counts tool calls: 3 tool calls: read_file, terminal ×2.
func callSummary(calls []model.ToolCall) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return model.Summary(names, 0)
}

// recap prints what upstream shows before it goes on with a conversation
// (store-behaviour 6.3).
func (a *app) recap(entries []model.Said, earlier int) {
	if earlier > 0 {
		fmt.Fprintf(a.out, "  ... %d earlier messages ...\n\n", earlier)
	}
	for _, e := range entries {
		mark, margin := "  ◆ Hermes: ", strings.Repeat(" ", 12)
		if e.User {
			mark, margin = "  ● You: ", strings.Repeat(" ", 9)
		}
		text := indented(strings.TrimSpace(ui.Clean(e.Text)), margin)
		fmt.Fprintln(a.out, a.strong(mark)+strings.TrimPrefix(text, margin))
	}
}

// about is the line under a title.
func about(c model.Conversation) string {
	parts := []string{clean(c.ID), clean(c.Source)}
	if c.Model != "" {
		parts = append(parts, clean(c.Model))
	}
	if !c.FirstAt.IsZero() {
		parts = append(parts, c.FirstAt.Local().Format("2006-01-02 15:04"))
	}
	parts = append(parts, count(c.Messages, "message", "messages"))
	if n := len(c.Segments); n > 1 {
		parts = append(parts, count(n, "segment", "segments"))
	}
	return strings.Join(append(parts, c.Total.Cost.String()), " · ")
}

// plainWriter is for terminals and pagers.
type plainWriter struct{ a *app }

func (w plainWriter) heading(c model.Conversation) {
	fmt.Fprintf(w.a.out, "%s\n%s\n%s\n\n", w.a.strong(titleOf(c)), about(c), strings.Repeat("─", 72))
}

func (w plainWriter) speaker(name string, at time.Time) {
	line := w.a.strong(name)
	if !at.IsZero() {
		line += "  " + at.Local().Format("2006-01-02 15:04")
	}
	fmt.Fprintln(w.a.out, line)
}

func (w plainWriter) text(s string)  { fmt.Fprintln(w.a.out, indented(s, "  ")) }
func (w plainWriter) aside(s string) { fmt.Fprintln(w.a.out, "  "+s) }
func (w plainWriter) end()           { fmt.Fprintln(w.a.out) }

func (w plainWriter) block(name, body string) {
	fmt.Fprintln(w.a.out, "  ▾ "+name)
	if body != "" {
		fmt.Fprintln(w.a.out, indented(body, "    "))
	}
}

// indented puts a margin before each line that has text.
func indented(s, margin string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			lines[i] = ""
		} else {
			lines[i] = margin + l
		}
	}
	return strings.Join(lines, "\n")
}

// markdownWriter is for files and other programs.
type markdownWriter struct{ a *app }

func (w markdownWriter) heading(c model.Conversation) {
	fmt.Fprintf(w.a.out, "# %s\n\n%s\n\n", escaped(titleOf(c)), escaped(about(c)))
}

func (w markdownWriter) speaker(name string, at time.Time) {
	line := "## " + escaped(name)
	if !at.IsZero() {
		line += " · " + at.Local().Format("2006-01-02 15:04")
	}
	fmt.Fprintf(w.a.out, "%s\n\n", line)
}

func (w markdownWriter) text(s string)  { fmt.Fprintf(w.a.out, "%s\n\n", s) }
func (w markdownWriter) aside(s string) { fmt.Fprintf(w.a.out, "*%s*\n\n", escaped(s)) }
func (w markdownWriter) end()           {}

func (w markdownWriter) block(name, body string) {
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	fmt.Fprintf(w.a.out, "**%s**\n\n%s\n%s\n%s\n\n", escaped(name), fence, body, fence)
}

var escaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "#", `\#`, "[", `\[`, "<", `\<`)

// escaped keeps Markdown from reading marks into a line.
func escaped(s string) string { return escaper.Replace(s) }
