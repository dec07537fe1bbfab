package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Writer writes documents. Text must come harmless, without terminal sequences;
// whatever it holds, it can not break out of its place in HTML and Markdown.
// The first error of the underlying writer stays and ends all writing.
type Writer struct {
	o       Options
	out     *sink
	layout  layout
	begun   bool
	n       int // conversations begun
	conv    model.Conversation
	segment int             // that the last message was of, from 0
	last    model.Author    // of the last entry; what the agent does in answer stays under one name
	entry   bool            // an entry is open
	at      time.Time       // of the last message
	run     []model.Message // tool work that is held back
	held    int             // bytes of it
}

// New makes a writer. End must be called at last.
func New(w io.Writer, o Options) *Writer {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	d := &Writer{o: o, out: &sink{w: w}}
	switch o.Form {
	case Markdown:
		d.layout = &markdown{d.out}
	case HTML:
		d.o.Tools, d.o.Reasoning = true, true
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
	title := titleOf(c)
	if !d.begun {
		name := d.o.Title
		if name == "" {
			name = title
		}
		d.layout.begin(line(name))
	}
	d.endConversation()
	d.begun, d.n, d.conv = true, d.n+1, c
	d.segment, d.last, d.at = 0, model.NoAuthor, time.Time{}
	d.layout.heading(title, d.facts(c), d.n == 1)
	return d.out.err
}

// Message adds the next message of the conversation, in reading order.
func (d *Writer) Message(m model.Message) error {
	d.cross(m)
	speaker := m.Author()
	works := speaker == model.AuthorTool || speaker == model.AuthorAgent && len(m.Calls) > 0
	switch {
	case works && (speaker == model.AuthorTool || !m.HasContent() && m.DisplayKind == ""):
		if speaker == model.AuthorAgent && (len(d.run) >= mostHeld || d.held > mostHeldBytes) || d.held > 4*mostHeldBytes {
			d.flush()
		}
	default:
		d.flush()
		d.say(m)
	}
	if works {
		d.run = append(d.run, m)
		d.held += size(m)
	}
	if !m.At.IsZero() {
		d.at = m.At
	}
	return d.out.err
}

// Note adds a line that nobody said.
func (d *Writer) Note(text string) error {
	d.flush()
	d.layout.aside(line(text))
	return d.out.err
}

// End finishes the document. A document without a conversation is empty.
func (d *Writer) End() error {
	if d.begun {
		d.endConversation()
		d.layout.end()
	}
	return d.out.err
}

func (d *Writer) endConversation() {
	d.flush()
	d.endEntry()
	if d.n > 0 {
		d.layout.endConversation()
	}
}

func (d *Writer) endEntry() {
	if d.entry {
		d.layout.endEntry()
	}
	d.entry = false
}

// cross writes the seam where a message is of another segment than the last.
func (d *Writer) cross(m model.Message) {
	for k := d.segment + 1; k < len(d.conv.Segments); k++ {
		if d.conv.Segments[k] != m.SessionID {
			continue
		}
		d.flush()
		d.endEntry()
		note := fmt.Sprintf("compressed · segment %d of %d", k+1, len(d.conv.Segments))
		if gap := m.At.Sub(d.at); !m.At.IsZero() && !d.at.IsZero() && gap >= time.Hour {
			note += " · " + model.Age(m.At, d.at) + " later"
		}
		d.layout.seam(note)
		d.segment, d.last = k, model.NoAuthor
		return
	}
}

// say writes a message that says something.
func (d *Writer) say(m model.Message) {
	who := m.Author()
	summary, body, summed := model.SplitSummary(m.Content.Text)
	body = strings.Trim(body, "\n")
	blank := strings.TrimSpace(body) == ""
	if summed && blank && len(m.Calls) == 0 && who != model.AuthorTool {
		m.Role = "system" // nobody said it
	}
	reasoning := ""
	if d.o.Reasoning {
		reasoning = strings.Trim(m.Reasoning, "\n")
	}
	if blank && reasoning == "" && m.DisplayKind == "" && !m.HasContent() && len(m.Calls) == 0 {
		return
	}
	d.speaker(m)
	if m.DisplayKind != "" {
		d.layout.aside(model.EventName(line(m.DisplayKind)))
	}
	if reasoning != "" {
		d.layout.fold("reasoning", reasoning)
	}
	for _, media := range m.Content.Media {
		d.layout.aside(model.MediaLabel(line(media)))
	}
	if m.DecodeError != "" {
		d.layout.aside("shown as stored: " + line(m.DecodeError))
	}
	if summed {
		d.hidden("summary of what was compressed", strings.Trim(summary, "\n"))
	}
	switch {
	case blank:
	case who == model.AuthorUser || who == model.AuthorAgent:
		d.layout.prose(body)
	case who == model.AuthorSystem:
		d.hidden("system prompt", body)
	default:
		d.layout.plain(body)
	}
}

// hidden writes what is not a part of the talk: as long as it is, or how long
// it is.
func (d *Writer) hidden(name, body string) {
	if d.o.Tools {
		d.layout.fold(name, body)
	} else {
		d.layout.aside("▸ " + name + ", " + counted(strings.Count(body, "\n")+1, "line"))
	}
}

// speaker begins an entry, unless the agent goes on.
func (d *Writer) speaker(m model.Message) {
	who := m.Author()
	if who == model.AuthorTool {
		who = model.AuthorAgent // its work is told under its name
	}
	if who == model.AuthorAgent && d.last == model.AuthorAgent && d.entry {
		return
	}
	d.endEntry()
	d.last, d.entry = who, true
	e := entry{who: who, id: m.ID, name: line(m.Role)}
	switch {
	case who == model.AuthorUser && m.Observed:
		e.name = "Overheard"
	case who == model.AuthorUser:
		e.name = "You"
	case who == model.AuthorAgent:
		e.name = "Hermes"
	case e.name == "":
		e.name = "no role"
	}
	if !m.At.IsZero() {
		e.at = d.time(m.At)
	}
	d.layout.speaker(e)
}

// flush writes the tool work that was held back.
func (d *Writer) flush() {
	if len(d.run) == 0 {
		return
	}
	run := d.run
	d.run, d.held = nil, 0
	d.speaker(run[0])
	gists := make([]model.Skeleton, len(run))
	var names []string
	failed := 0
	for i, m := range run {
		gists[i] = m.Skeleton()
		for _, c := range m.Calls {
			names = append(names, line(c.Name))
		}
		if gists[i].Failed {
			failed++
		}
	}
	weave := model.PairTools(gists, nil, false)
	orphans := 0
	var steps []step
	for i, m := range run {
		// The first message of a run has said its reasoning if it spoke.
		if d.o.Reasoning && strings.TrimSpace(m.Reasoning) != "" && m.Author() == model.AuthorAgent && !(i == 0 && m.HasContent()) {
			steps = append(steps, step{name: "reasoning", args: strings.Trim(m.Reasoning, "\n"), reasoning: true})
		}
		if m.Author() == model.AuthorTool {
			if weave.Caller[i] >= 0 {
				continue // told under its call
			}
			orphans++
			s := step{name: line(m.ToolName), orphan: true}
			s.take(m, d.pretty(m.Content.Text))
			steps = append(steps, s)
			continue
		}
		for k, c := range m.Calls {
			s := step{name: line(c.Name), args: strings.Trim(d.pretty(c.Arguments), "\n")}
			for j := i + 1; j < len(run); j++ {
				if int(weave.Caller[j]) == i && int(weave.CallIndex[j]) == k {
					s.take(run[j], d.pretty(run[j].Content.Text))
					break
				}
			}
			steps = append(steps, s)
		}
		if m.DecodeError != "" && !m.HasContent() {
			steps[len(steps)-1].notes = append(steps[len(steps)-1].notes, "shown as stored: "+line(m.DecodeError))
		}
	}
	summary := model.SummarizeRun(names, orphans)
	if d.o.Tools {
		d.layout.work(summary, failed, steps)
		return
	}
	for _, s := range steps {
		if s.reasoning {
			d.layout.fold(s.name, s.args)
		}
	}
	if failed > 0 {
		summary += fmt.Sprintf(" · %d failed", failed)
	}
	d.layout.aside("▸ " + summary)
}

// facts is what is known of a conversation, for the line under its title.
func (d *Writer) facts(c model.Conversation) []string {
	facts := []string{line(c.ID), line(c.Source), line(c.Model)}
	if !c.RootStartedAt.IsZero() {
		facts = append(facts, d.time(c.RootStartedAt))
	}
	facts = append(facts, counted(c.Messages, "message"))
	if n := len(c.Segments); n > 1 {
		facts = append(facts, counted(n, "segment"))
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

func (d *Writer) time(at time.Time) string { return at.In(d.o.Zone).Format("2006-01-02 15:04") }

func titleOf(c model.Conversation) string {
	for _, s := range []string{c.Title, c.Preview, c.ID} {
		if s = line(s); s != "" {
			return s
		}
	}
	return "untitled"
}

// pretty writes what tools are given and answer for people.
func (d *Writer) pretty(s string) string {
	if d.o.Readable != nil {
		return d.o.Readable(s)
	}
	var b bytes.Buffer
	if t := strings.TrimSpace(s); t == "" || t[0] != '{' && t[0] != '[' || json.Indent(&b, []byte(t), "", "  ") != nil {
		return s
	}
	return b.String()
}

// Most that is held back until a run of tool work ends, so that its fold can
// say what is in it. A longer run is written as several.
const (
	mostHeld      = 400     // messages
	mostHeldBytes = 4 << 20 // of their text
)

// size is about how many bytes a message takes.
func size(m model.Message) int {
	n := len(m.Content.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += len(c.Arguments)
	}
	return n
}

// sink keeps the first error.
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

// line makes a text one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
