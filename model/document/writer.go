package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Writer writes documents. The caller removes terminal sequences from all text; text
// of any content is escaped for HTML and Markdown. A Writer may be used by one goroutine
// at a time. After the first error of the
// underlying writer, every method does nothing and returns that error.
type Writer struct {
	options       Options
	out           *sink
	layout        layout
	started       bool
	conversations int // started so far
	conv          model.Conversation
	segment       int             // index of the segment of the last message
	lastAuthor    model.Author    // of the last entry; consecutive messages of the agent are one entry
	inEntry       bool            // an entry is open
	lastTime      time.Time       // of the last message
	run           []model.Message // buffered tool run
	runBytes      int             // size of its text
}

// New makes a writer. The caller must call End after the last conversation.
func New(w io.Writer, o Options) *Writer {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	d := &Writer{options: o, out: &sink{w: w}}
	switch o.Form {
	case Markdown:
		d.layout = &markdown{d.out}
	case HTML:
		d.options.Tools, d.options.Reasoning = true, true
		d.layout = &page{sink: d.out, render: o.Prose}
	default:
		if o.Strong == nil {
			o.Strong = func(s string) string { return s }
		}
		d.layout = &text{sink: d.out, strong: o.Strong}
	}
	return d
}

// Begin starts a conversation and writes its heading.
func (d *Writer) Begin(c model.Conversation) error {
	if r := d.options.Redact; r != nil {
		c = r.Conversation(c)
	}
	title := titleOf(c)
	if !d.started {
		name := cmp.Or(d.options.Title, title)
		d.layout.begin(line(name))
	}
	d.endConversation()
	d.started, d.conversations, d.conv = true, d.conversations+1, c
	d.segment, d.lastAuthor, d.lastTime = 0, model.NoAuthor, time.Time{}
	d.layout.heading(title, d.facts(c), d.conversations == 1)
	return d.out.err
}

// Message adds the next message of the conversation, in reading order.
func (d *Writer) Message(m model.Message) error {
	if r := d.options.Redact; r != nil {
		m = r.Message(m)
	}
	d.crossSegment(m)
	author := m.Author()
	works := author == model.AuthorTool || author == model.AuthorAgent && len(m.Calls) > 0
	switch {
	case works && (author == model.AuthorTool || !m.HasContent() && m.DisplayKind == ""):
		if author == model.AuthorAgent && (len(d.run) >= maxBufferedMessages || d.runBytes > maxBufferedBytes) || d.runBytes > 4*maxBufferedBytes {
			d.flush()
		}
	default:
		d.flush()
		d.writeMessage(m)
	}
	if works {
		d.run = append(d.run, m)
		d.runBytes += messageSize(m)
	}
	if !m.At.IsZero() {
		d.lastTime = m.At
	}
	return d.out.err
}

// Note adds a line of the exporting program, such as a warning.
func (d *Writer) Note(text string) error {
	d.flush()
	d.layout.note(line(text))
	return d.out.err
}

// End completes the document. A document without a conversation is empty.
func (d *Writer) End() error {
	if d.started {
		d.endConversation()
		d.layout.end()
	}
	return d.out.err
}

func (d *Writer) endConversation() {
	d.flush()
	d.endEntry()
	if d.conversations > 0 {
		d.layout.endConversation()
	}
}

func (d *Writer) endEntry() {
	if d.inEntry {
		d.layout.endEntry()
	}
	d.inEntry = false
}

// crossSegment writes a break if a message belongs to a later segment than the last
// one.
func (d *Writer) crossSegment(m model.Message) {
	for k := d.segment + 1; k < len(d.conv.Segments); k++ {
		if d.conv.Segments[k] != m.SessionID {
			continue
		}
		d.flush()
		d.endEntry()
		note := fmt.Sprintf("compressed · segment %d of %d", k+1, len(d.conv.Segments))
		if gap := m.At.Sub(d.lastTime); !m.At.IsZero() && !d.lastTime.IsZero() && gap >= time.Hour {
			note += " · " + model.Age(m.At, d.lastTime) + " later"
		}
		d.layout.segmentBreak(note)
		d.segment, d.lastAuthor = k, model.NoAuthor
		return
	}
}

// writeMessage writes the text, reasoning, attachments and notes of a message, but
// not its tool calls.
func (d *Writer) writeMessage(m model.Message) {
	who := m.Author()
	summary, body, hasSummary := model.SplitSummary(m.Content.Text)
	body = strings.Trim(body, "\n")
	blank := strings.TrimSpace(body) == ""
	if hasSummary && blank && len(m.Calls) == 0 && who != model.AuthorTool {
		m.Role = "summary" // Hermes inserted it
	}
	reasoning := ""
	if d.options.Reasoning {
		reasoning = strings.Trim(m.Reasoning, "\n")
	}
	if blank && reasoning == "" && m.DisplayKind == "" && !m.HasContent() && len(m.Calls) == 0 {
		return
	}
	d.beginEntry(m)
	if m.DisplayKind != "" {
		d.layout.note(model.EventName(line(m.DisplayKind)))
	}
	if reasoning != "" {
		d.layout.collapsible("reasoning", reasoning)
	}
	for _, media := range m.Content.Media {
		d.layout.note(line(media.Placeholder()))
	}
	if m.DecodeError != "" {
		d.layout.note("shown as stored: " + line(m.DecodeError))
	}
	if hasSummary {
		d.writeHidden("summary", strings.Trim(summary, "\n"))
	}
	switch {
	case blank:
	case who == model.AuthorUser || who == model.AuthorAgent:
		d.layout.prose(body)
	case who == model.AuthorSystem:
		d.writeHidden("system prompt", body)
	default:
		d.layout.plain(body)
	}
}

// writeHidden writes a summary or a system prompt: collapsed with Options.Tools,
// else only its number of lines.
func (d *Writer) writeHidden(name, body string) {
	if d.options.Tools {
		d.layout.collapsible(name, body)
	} else {
		d.layout.note("▸ " + name + ", " + model.Quantity(strings.Count(body, "\n")+1, "line"))
	}
}

// beginEntry opens an entry under the name of the message's author, unless the open
// entry is the agent's and the message is too. Tool results count as the agent's.
func (d *Writer) beginEntry(m model.Message) {
	who := m.Author()
	if who == model.AuthorTool {
		who = model.AuthorAgent
	}
	if who == model.AuthorAgent && d.lastAuthor == model.AuthorAgent && d.inEntry {
		return
	}
	d.endEntry()
	d.lastAuthor, d.inEntry = who, true
	e := entry{who: who, event: m.DisplayKind != "", id: m.ID, name: line(m.Role)}
	switch {
	case who == model.AuthorUser && m.Observed:
		e.name = "overheard"
	case who == model.AuthorUser:
		e.name = "you"
	case who == model.AuthorAgent:
		e.name = "hermes"
	case e.name == "":
		e.name = "no role"
	}
	if !m.At.IsZero() {
		e.at = d.time(m.At)
	}
	d.layout.author(e)
}

// flush writes the buffered tool run.
func (d *Writer) flush() {
	if len(d.run) == 0 {
		return
	}
	run := d.run
	d.run, d.runBytes = nil, 0
	d.beginEntry(run[0])
	skeletons := make([]model.Skeleton, len(run))
	var names, objects []string
	failed := 0
	for i, m := range run {
		skeletons[i] = m.Skeleton()
		for _, c := range m.Calls {
			names, objects = append(names, line(c.Name)), append(objects, line(d.clean(c.Object())))
		}
		if skeletons[i].Failure != "" {
			failed++
		}
	}
	pairing := model.PairTools(skeletons, nil, false)
	orphans := 0
	var steps []step
	for i, m := range run {
		// If the first message has text, writeMessage has written its reasoning.
		if d.options.Reasoning && strings.TrimSpace(m.Reasoning) != "" && m.Author() == model.AuthorAgent && !(i == 0 && m.HasContent()) {
			steps = append(steps, step{name: "reasoning", args: strings.Trim(m.Reasoning, "\n"), reasoning: true})
		}
		if m.Author() == model.AuthorTool {
			if pairing.Caller[i] >= 0 {
				continue // written with its call
			}
			orphans++
			s := step{name: line(m.ToolName), orphan: true}
			body, rest := d.result(m.Content.Text)
			s.setResult(m, body, rest)
			steps = append(steps, s)
			continue
		}
		for k, c := range m.Calls {
			s := step{name: line(c.Name)}
			s.args, s.change = d.arguments(c.Arguments)
			for j := i + 1; j < len(run); j++ {
				if int(pairing.Caller[j]) == i && int(pairing.CallIndex[j]) == k {
					body, rest := d.result(run[j].Content.Text)
					s.setResult(run[j], body, rest)
					break
				}
			}
			steps = append(steps, s)
		}
		if m.DecodeError != "" && !m.HasContent() {
			steps[len(steps)-1].notes = append(steps[len(steps)-1].notes, "shown as stored: "+line(m.DecodeError))
		}
	}
	summary := model.SummarizeRun(model.GroupCalls(names, objects), orphans)
	if d.options.Tools {
		d.layout.toolRun(summary, failed, steps)
		return
	}
	for _, s := range steps {
		if s.reasoning {
			d.layout.collapsible(s.name, s.args)
		}
	}
	if failed > 0 {
		summary += fmt.Sprintf(" · %d failed", failed)
	}
	d.layout.note("▸ " + summary)
}

// facts are the parts of the line under the title of a conversation.
func (d *Writer) facts(c model.Conversation) []string {
	facts := []string{line(c.ID), line(c.Source), line(c.Model)}
	if !c.RootStartedAt.IsZero() {
		facts = append(facts, d.time(c.RootStartedAt))
	}
	facts = append(facts, model.Quantity(c.Messages, "message"))
	if n := len(c.Segments); n > 1 {
		facts = append(facts, model.Quantity(n, "segment"))
	}
	cost := c.Total.Cost.String()
	if !c.Total.Cost.Known {
		cost = "cost " + cost
	}
	facts = append(facts, cost, line(c.CWD), line(c.GitBranch))
	some := facts[:0]
	for _, f := range facts {
		if f != "" {
			some = append(some, f)
		}
	}
	return some
}

func (d *Writer) time(at time.Time) string { return at.In(d.options.Zone).Format("2006-01-02 15:04") }

func titleOf(c model.Conversation) string {
	for _, s := range []string{c.Title, c.Preview, c.ID} {
		if s = line(s); s != "" {
			return s
		}
	}
	return "untitled"
}

// arguments formats the arguments of a tool call.
func (d *Writer) arguments(s string) (args, change string) {
	if d.options.Arguments == nil {
		return strings.Trim(pretty(s), "\n"), ""
	}
	args, change = d.options.Arguments(s)
	return strings.Trim(args, "\n"), change
}

// clean cleans text that was decoded from JSON.
func (d *Writer) clean(s string) string {
	if d.options.Clean == nil {
		return s
	}
	return d.options.Clean(s)
}

// result formats the result of a tool call.
func (d *Writer) result(s string) (body, rest string) {
	if d.options.Result == nil {
		return pretty(s), ""
	}
	return d.options.Result(s)
}

// pretty indents JSON and leaves other text as it is.
func pretty(s string) string {
	var b bytes.Buffer
	if t := strings.TrimSpace(s); t == "" || t[0] != '{' && t[0] != '[' || json.Indent(&b, []byte(t), "", "  ") != nil {
		return s
	}
	return b.String()
}

// Limits of a buffered tool run. A run is buffered until it ends, because its
// summary comes first. A longer run is written as several.
const (
	maxBufferedMessages = 400     // messages
	maxBufferedBytes    = 4 << 20 // of their text
)

// messageSize is about how many bytes a message takes.
func messageSize(m model.Message) int {
	n := len(m.Content.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += len(c.Arguments)
	}
	return n
}

// sink writes strings and keeps the first error.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) put(parts ...string) {
	for _, p := range parts {
		if s.err == nil && p != "" {
			_, s.err = io.WriteString(s.w, p)
		}
	}
}

// line joins the lines of a text, with runs of white space replaced by one space.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }
