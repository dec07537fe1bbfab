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
		d.layout = &markdown{d.out, o.Pictures}
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
func (w *Writer) Begin(c model.Conversation) error {
	if r := w.options.Redact; r != nil {
		c = r.Conversation(c)
	}
	title := titleOf(c)
	if !w.started {
		name := cmp.Or(w.options.Title, title)
		w.layout.begin(line(name))
	}
	w.endConversation()
	w.started = true
	w.conversations++
	w.conv = c
	w.segment = 0
	w.lastAuthor = model.NoAuthor
	w.lastTime = time.Time{}
	w.layout.heading(title, w.facts(c), w.conversations == 1)
	return w.out.err
}

// Message adds the next message of the conversation, in reading order.
func (w *Writer) Message(m model.Message) error {
	if w.options.Prompts && (m.Author() != model.AuthorUser || m.DisplayKind != "") {
		return w.out.err
	}
	if r := w.options.Redact; r != nil {
		m = r.Message(m)
	}
	w.crossSegment(m)
	author := m.Author()
	works := author == model.AuthorTool || author == model.AuthorAgent && len(m.Calls) > 0
	switch {
	case works && (author == model.AuthorTool || !m.HasContent() && m.DisplayKind == ""):
		if author == model.AuthorAgent && (len(w.run) >= maxBufferedMessages || w.runBytes > maxBufferedBytes) || w.runBytes > 4*maxBufferedBytes {
			w.flush()
		}
	default:
		w.flush()
		w.writeMessage(m)
	}
	if works {
		w.run = append(w.run, m)
		w.runBytes += messageSize(m)
	}
	if !m.At.IsZero() {
		w.lastTime = m.At
	}
	return w.out.err
}

// Note adds a line of the exporting program, such as a warning.
func (w *Writer) Note(text string) error {
	w.flush()
	w.layout.note(line(text))
	return w.out.err
}

// End completes the document. A document without a conversation is empty.
func (w *Writer) End() error {
	if w.started {
		w.endConversation()
		w.layout.end()
	}
	return w.out.err
}

func (w *Writer) endConversation() {
	w.flush()
	w.endEntry()
	if w.conversations > 0 {
		w.layout.endConversation()
	}
}

func (w *Writer) endEntry() {
	if w.inEntry {
		w.layout.endEntry()
	}
	w.inEntry = false
}

// crossSegment writes a break if a message belongs to a later segment than the last
// one.
func (w *Writer) crossSegment(m model.Message) {
	for k := w.segment + 1; k < len(w.conv.Segments); k++ {
		if w.conv.Segments[k] != m.SessionID {
			continue
		}
		w.flush()
		w.endEntry()
		note := fmt.Sprintf("compressed · segment %d of %d", k+1, len(w.conv.Segments))
		if gap := m.At.Sub(w.lastTime); !m.At.IsZero() && !w.lastTime.IsZero() && gap >= time.Hour {
			note += " · " + model.Age(m.At, w.lastTime) + " later"
		}
		w.layout.segmentBreak(note)
		w.segment, w.lastAuthor = k, model.NoAuthor
		return
	}
}

// writeMessage writes the text, reasoning, attachments and notes of a message, but
// not its tool calls.
func (w *Writer) writeMessage(m model.Message) {
	who := m.Author()
	summary, body, hasSummary := model.SplitSummary(m.Content.Text)
	skill := ""
	if call, ok := model.SkillCall(body); ok && who == model.AuthorUser {
		skill, body = body, call
	}
	body = strings.Trim(body, "\n")
	blank := strings.TrimSpace(body) == ""
	if hasSummary && blank && len(m.Calls) == 0 && who != model.AuthorTool {
		m.Role = "summary" // Hermes inserted it
	}
	reasoning := ""
	if w.options.Reasoning {
		reasoning = strings.Trim(m.Reasoning, "\n")
	}
	if blank && reasoning == "" && m.DisplayKind == "" && !m.HasContent() && len(m.Calls) == 0 {
		return
	}
	w.beginEntry(m)
	if m.DisplayKind != "" {
		w.layout.note(model.EventName(line(m.DisplayKind)))
	}
	if reasoning != "" {
		w.layout.collapsible("reasoning", reasoning)
	}
	for _, media := range m.Content.Media {
		w.layout.note(line(media.Placeholder()))
	}
	if m.DecodeError != "" {
		w.layout.note("shown as stored: " + line(m.DecodeError))
	}
	if hasSummary {
		w.writeHidden("summary", strings.Trim(summary, "\n"))
	}
	if skill != "" {
		w.writeHidden("skill", strings.Trim(skill, "\n"))
	}
	switch {
	case blank:
	case who == model.AuthorUser || who == model.AuthorAgent:
		w.layout.prose(body)
	case who == model.AuthorSystem:
		w.writeHidden("system prompt", body)
	default:
		w.layout.plain(body)
	}
}

// writeHidden writes a summary or a system prompt: collapsed with Options.Tools,
// else only its number of lines.
func (w *Writer) writeHidden(name, body string) {
	if w.options.Tools {
		w.layout.collapsible(name, body)
	} else {
		w.layout.note("▸ " + name + ", " + model.Quantity(strings.Count(body, "\n")+1, "line"))
	}
}

// beginEntry opens an entry under the name of the message's author, unless the open
// entry is the agent's and the message is too. Tool results count as the agent's.
func (w *Writer) beginEntry(m model.Message) {
	who := m.Author()
	if who == model.AuthorTool {
		who = model.AuthorAgent
	}
	if who == model.AuthorAgent && w.lastAuthor == model.AuthorAgent && w.inEntry {
		return
	}
	w.endEntry()
	w.lastAuthor, w.inEntry = who, true
	e := entry{who: who, event: m.DisplayKind != "", id: m.ID, name: line(m.Role)}
	switch {
	case who == model.AuthorUser && m.Observed:
		e.name = "overheard"
	case who == model.AuthorUser:
		e.name, _ = w.conv.Speakers()
	case who == model.AuthorAgent:
		_, e.name = w.conv.Speakers()
	case e.name == "":
		e.name = "no role"
	}
	if !m.At.IsZero() {
		e.at = w.time(m.At)
	}
	w.layout.author(e)
}

// flush writes the buffered tool run.
func (w *Writer) flush() {
	if len(w.run) == 0 {
		return
	}
	run := w.run
	w.run, w.runBytes = nil, 0
	w.beginEntry(run[0])
	skeletons := make([]model.Skeleton, len(run))
	var names, objects []string
	failed := 0
	for i, m := range run {
		skeletons[i] = m.Skeleton()
		for _, c := range m.Calls {
			names, objects = append(names, line(c.Name)), append(objects, line(w.clean(c.Object())))
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
		if w.options.Reasoning && strings.TrimSpace(m.Reasoning) != "" && m.Author() == model.AuthorAgent && !(i == 0 && m.HasContent()) {
			steps = append(steps, step{name: "reasoning", args: strings.Trim(m.Reasoning, "\n"), reasoning: true})
		}
		if m.Author() == model.AuthorTool {
			if pairing.Caller[i] >= 0 {
				continue // written with its call
			}
			orphans++
			s := step{name: line(m.ToolName), orphan: true}
			body, rest := w.result(m.Content.Text)
			s.setResult(m, body, rest)
			steps = append(steps, s)
			continue
		}
		for k, c := range m.Calls {
			s := step{name: line(c.Name)}
			s.args, s.change = w.arguments(c.Arguments)
			for j := i + 1; j < len(run); j++ {
				if int(pairing.Caller[j]) == i && int(pairing.CallIndex[j]) == k {
					body, rest := w.result(run[j].Content.Text)
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
	groups := model.GroupCalls(names, objects)
	if w.options.Tools {
		w.layout.toolRun(toolRun{groups, orphans, failed}, steps)
		return
	}
	for _, s := range steps {
		if s.reasoning {
			w.layout.collapsible(s.name, s.args)
		}
	}
	w.layout.note("▸ " + toolRun{groups, orphans, failed}.summary())
}

// facts are the parts of the line under the title of a conversation.
func (w *Writer) facts(c model.Conversation) []string {
	facts := []string{line(c.ID), line(c.Source), line(c.Model)}
	if !c.RootStartedAt.IsZero() {
		facts = append(facts, w.time(c.RootStartedAt))
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

func (w *Writer) time(at time.Time) string { return at.In(w.options.Zone).Format("2006-01-02 15:04") }

func titleOf(c model.Conversation) string {
	for _, s := range []string{c.Title, c.Preview, c.ID} {
		if s = line(s); s != "" {
			return s
		}
	}
	return "untitled"
}

// arguments formats the arguments of a tool call.
func (w *Writer) arguments(s string) (args string, change Change) {
	if w.options.Arguments == nil {
		return strings.Trim(pretty(s), "\n"), change
	}
	args, change = w.options.Arguments(s)
	return strings.Trim(args, "\n"), change
}

// clean cleans text that was decoded from JSON.
func (w *Writer) clean(s string) string {
	if w.options.Clean == nil {
		return s
	}
	return w.options.Clean(s)
}

// result formats the result of a tool call.
func (w *Writer) result(s string) (body, rest string) {
	if w.options.Result == nil {
		return pretty(s), ""
	}
	return w.options.Result(s)
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
