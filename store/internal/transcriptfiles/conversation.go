package transcriptfiles

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// firstID is the number of the first message of a file. No database gives such numbers, so
// that a number alone tells a message of a file from one of the database, and a screen that
// was opened before an import never shows another message under it.
const firstID = 1 << 40

// IsMessage reports whether a number is that of a message in a file.
func IsMessage(id int64) bool { return id >= firstID && id < firstID+math.MaxInt32 }

// headMessages is how many messages are decoded for the list: the first of a person is among
// them.
const headMessages = 32

// Conversation is a session in its files. It does not change once it is open.
type Conversation struct {
	ID     string
	files  []file
	opened string   // stamp of the files when they were read
	places []place  // of the messages
	broken []Broken // files without messages

	model, platform, prompt, preview string
	started, updated                 time.Time
	count                            int
}

// place is where a message is.
type place struct {
	at         int64
	size, line int32
	file       int8
	hidden     bool  // it is about the session
	broken     error // what stands there is no message
}

// stamp changes with the files.
func (c *Conversation) stamp() string {
	var b strings.Builder
	for _, f := range c.files {
		if info, err := os.Lstat(f.path); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", f.name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// names returns the names of the files.
func (c *Conversation) names() (names []string) {
	for _, f := range c.files {
		names = append(names, f.name)
	}
	return names
}

// open reads where the messages are. Of several files the later ones give only what those
// before do not have.
func (c *Conversation) open(ctx context.Context) error {
	c.opened = c.stamp()
	return c.scan(ctx, true)
}

// head returns the conversation for the list. It stops where it knows enough of a file. What
// is wrong with a file is no error.
func (c *Conversation) head(ctx context.Context) (model.Conversation, error) {
	err := c.scan(ctx, len(c.files) > 1)
	return c.Conversation(), cmp.Or(ctx.Err(), err)
}

// scan reads the files.
func (c *Conversation) scan(ctx context.Context, whole bool) error {
	c.places = nil
	c.broken = nil
	c.count = 0
	earlier := stock{}
	for n, f := range c.files {
		var own []fact
		var ended time.Time
		last := place{file: int8(n)}
		i, stated := 0, 0
		err := f.walk(ctx, func(name string, value []byte) {
			v, err := pyjson.Parse(string(value))
			switch {
			case err != nil: // a checkup names it
			case name == "message_count":
				stated = int(db.AsInt(jsonText(v)))
			case name == "last_updated":
				ended = timeOf(v)
			default:
				c.take(name, v)
			}
		}, func(e entry) error {
			i++
			p := place{at: e.at, size: int32(min(e.size, math.MaxInt32)), line: int32(min(e.line, math.MaxInt32)), file: int8(n), broken: e.err}
			last = p
			if i <= headMessages && (c.preview == "" || c.started.IsZero()) || len(c.files) > 1 {
				m, err := e.parse()
				if err == nil {
					d := decode(m)
					p.hidden = d.Role == "session_meta"
					c.takeMessage(d, m)
					of := factOf(d)
					if own = append(own, of); earlier.take(of) {
						return nil
					}
				}
			} else if !whole && stated > 0 {
				return errStop
			}
			if c.count++; whole {
				c.places = append(c.places, p)
			}
			return nil
		})
		if !whole && stated > 0 && err == nil && i > headMessages {
			c.count, last = stated, place{file: int8(n)} // it was not read to its end
		}
		for _, of := range own {
			earlier.add(of)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoTranscript):
		case err != nil:
			c.broken = append(c.broken, Broken{File: f.name, Line: 1, Err: err})
		}
		if ended.IsZero() {
			ended = c.endOf(last)
		}
		if ended.After(c.updated) {
			c.updated = ended
		}
	}
	if c.started.IsZero() && len(c.ID) >= 15 {
		c.started, _ = time.ParseInLocation("20060102_150405", c.ID[:15], time.Local) // or it is no such id
	}
	if c.started.IsZero() || c.started.After(c.updated) {
		c.started = c.updated
	}
	return nil
}

// endOf returns the time of the last message of a file, or that of the file.
func (c *Conversation) endOf(last place) time.Time {
	r := reader{c: c}
	defer r.close()
	if text, err := r.text(last); err == nil {
		e := entry{text: text, err: last.broken}
		if m, err := e.parse(); err == nil {
			if at := timeOf(m.Get("timestamp")); !at.IsZero() {
				return at
			}
		}
	}
	if info, err := os.Lstat(c.files[last.file].path); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// take reads a field of a session.
func (c *Conversation) take(name string, v any) {
	text, _ := v.(string)
	switch name {
	case "model":
		c.model = text
	case "platform":
		c.platform = text
	case "system_prompt":
		c.prompt = text
	case "session_start":
		c.started = timeOf(v)
	}
}

// takeMessage reads what a message says about the session.
func (c *Conversation) takeMessage(m model.Message, stored pyjson.Object) {
	if c.started.IsZero() && !m.At.IsZero() {
		c.started = m.At
	}
	if m.Role == "session_meta" {
		c.model = cmp.Or(c.model, db.AsText(stored.Get("model")))
		c.platform = cmp.Or(c.platform, db.AsText(stored.Get("platform")))
	}
	if c.preview == "" && m.Role == "user" {
		c.preview = model.Preview(m.Content.Text)
	}
}

// Conversation returns what a list shows.
func (c *Conversation) Conversation() model.Conversation {
	s := model.Session{
		ID: c.ID, Source: model.SourceFile, Model: c.model, StartedAt: c.started, EndedAt: c.updated, MessageCount: c.count,
		VisibleMessages: c.count, LastMessageAt: c.updated,
	}
	m := model.Conversation{
		Session: s, RootID: c.ID, Segments: []string{c.ID}, Starts: []time.Time{c.started}, Messages: c.count,
		RootStartedAt: c.started, LastActive: c.updated, Preview: c.preview, Scope: model.ScopeAll,
	}
	m.State = model.StateOf(&m, "", m.LastActive)
	return m
}

// Outline returns the numbers of its messages.
func (c *Conversation) Outline() model.Outline {
	o := model.Outline{Conversation: c.Conversation(), SegmentStarts: []int{0}, SegmentModels: []string{c.model}, ReplayCounts: []int{0}}
	for i, p := range c.places {
		if !p.hidden {
			o.MessageIDs = append(o.MessageIDs, firstID+int64(i))
		}
	}
	return o
}

// Messages reads messages in the order of their numbers. A line that is no message has its
// text, and why it is none; what can no longer be read is left out.
func (c *Conversation) Messages(ids []int64) []model.Message {
	if c == nil {
		return nil
	}
	r := reader{c: c}
	defer r.close()
	out := make([]model.Message, 0, len(ids))
	for _, id := range ids {
		if id < firstID || id >= firstID+int64(len(c.places)) {
			continue
		}
		p := c.places[id-firstID]
		text, err := r.text(p)
		if err != nil {
			continue
		}
		e := entry{text: text, err: p.broken}
		var m model.Message
		if o, err := e.parse(); err == nil {
			m = decode(o)
		} else {
			m = model.Message{Role: "unreadable", Content: model.Content{Text: string(text)}, DecodeError: r.broken(p, err).Error()}
		}
		m.ID, m.SessionID = id, c.ID
		out = append(out, m)
	}
	return out
}

// Tail reads the last n messages.
func (c *Conversation) Tail(n int) []model.Message {
	ids := c.Outline().MessageIDs
	return c.Messages(ids[max(0, len(ids)-n):])
}

// Near reads up to n messages around one, or the last n where at is 0.
func (c *Conversation) Near(at int64, n int) []model.Message {
	if at == 0 {
		return c.Tail(n)
	}
	ids := c.Outline().MessageIDs
	place, ok := slices.BinarySearch(ids, at)
	if !ok {
		return nil
	}
	return c.Messages(ids[max(0, place-n/2):min(place+n/2, len(ids))])
}

// HitIDs returns the numbers of the messages that match a query.
func (c *Conversation) HitIDs(ctx context.Context, q query.Query) (ids []int64, err error) {
	matcher := match.NewMatcher(q.Groups)
	for page := range slices.Chunk(c.Outline().MessageIDs, checkEvery) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, m := range c.Messages(page) {
			texts, tools := []string{m.Content.Text}, []string{m.ToolName}
			for _, call := range m.Calls {
				texts, tools = append(texts, call.Arguments), append(tools, call.Name)
			}
			if matcher.Match(texts...) && query.MessagePasses(q.Filters, m.Role, tools) {
				ids = append(ids, m.ID)
			}
		}
	}
	return ids, nil
}

// row returns the session as a row of the database.
func (c *Conversation) row(messages int) pyjson.Object {
	row := pyjson.Object{
		{Name: "id", Value: c.ID}, {Name: "source", Value: cmp.Or(c.platform, "unknown")},
		{Name: "started_at", Value: db.Seconds(c.started)}, {Name: "ended_at", Value: db.Seconds(c.updated)},
		{Name: "message_count", Value: int64(messages)},
	}
	for _, f := range []pyjson.Field{{Name: "model", Value: c.model}, {Name: "system_prompt", Value: c.prompt}} {
		if f.Value != "" {
			row = append(row, f)
		}
	}
	return row
}

// each calls f with each message as a row of the database: with a role and a time. A message
// without a time of its own has that of the one before it, the first that of the session's
// start and the last that of its end. What is broken is left out and returned.
func (c *Conversation) each(ctx context.Context, f func(row pyjson.Object, own time.Time) error) (broken []Broken, err error) {
	r := reader{c: c}
	defer r.close()
	at := c.started
	for i, p := range c.places {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return broken, ctx.Err()
		}
		text, err := r.text(p)
		if err != nil {
			return broken, err
		}
		e := entry{text: text, err: p.broken}
		m, err := e.parse()
		if err != nil {
			broken = append(broken, r.broken(p, err))
			continue
		}
		own := timeOf(m.Get("timestamp"))
		if !own.IsZero() {
			at = own
		} else if i == len(c.places)-1 {
			at = c.updated
		}
		role := roleOf(m)
		m = slices.DeleteFunc(m, func(f pyjson.Field) bool {
			return slices.Contains([]string{"id", "session_id", "role", "timestamp"}, f.Name)
		})
		for i := range m {
			if m[i].Name == "name" && role == "tool" && m.Get("tool_name") == nil {
				m[i].Name = "tool_name"
			}
		}
		m = append(pyjson.Object{{Name: "role", Value: role}, {Name: "timestamp", Value: db.Seconds(at)}}, m...)
		if err := f(m, own); err != nil {
			return broken, err
		}
	}
	return broken, nil
}

// write writes the session with its messages as one line of an export. of gives the row that
// is written for one that was read; nil writes it as it is.
func (c *Conversation) write(ctx context.Context, w io.Writer, of func(pyjson.Object) pyjson.Object) (messages int, broken []Broken, err error) {
	if of == nil {
		of = func(o pyjson.Object) pyjson.Object { return o }
	}
	// The row comes first, and says how many messages can be read.
	if broken, err = c.each(ctx, func(pyjson.Object, time.Time) error { messages++; return nil }); err != nil {
		return 0, broken, err
	}
	if messages == 0 {
		return 0, broken, nil
	}
	out := bufio.NewWriterSize(w, 64<<10)
	head := pyjson.Append(nil, of(c.row(messages)))
	_, _ = out.Write(append(head[:len(head)-1], `, "messages": [`...)) // Flush reports it
	separator := ""
	_, err = c.each(ctx, func(m pyjson.Object, _ time.Time) error {
		_, _ = out.WriteString(separator)
		separator = ", "
		return pyjson.Write(out, of(m))
	})
	if err != nil {
		return 0, broken, err
	}
	_, _ = out.WriteString("]}\n")
	return messages, broken, out.Flush()
}

// bytes returns the size of the files.
func (c *Conversation) bytes() (n int64) {
	for _, f := range c.files {
		if info, err := os.Lstat(f.path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// reader reads messages of the files, which it keeps open.
type reader struct {
	c    *Conversation
	open [3]*os.File
}

// text returns what stands at a place, nothing where the file is shorter now.
func (r *reader) text(p place) ([]byte, error) {
	if int(p.size) > maxMessage {
		return nil, nil
	}
	in := r.open[p.file]
	if in == nil {
		var err error
		if in, err = os.Open(r.c.files[p.file].path); err != nil {
			return nil, err
		}
		r.open[p.file] = in
	}
	text := make([]byte, p.size)
	n, err := in.ReadAt(text, p.at)
	if err != nil && err != io.EOF { //nolint:errorlint // ReadAt returns it bare
		return nil, err
	}
	return bytes.TrimSpace(bytes.TrimPrefix(text[:n], byteOrderMark)), nil
}

func (r *reader) broken(p place, err error) Broken {
	return Broken{File: r.c.files[p.file].name, Line: int(p.line), Err: err}
}

func (r *reader) close() {
	for _, f := range r.open {
		if f != nil {
			_ = f.Close() // it was only read
		}
	}
}

// roleOf returns the role of a message. A text alone is what a person said.
func roleOf(m pyjson.Object) string { return cmp.Or(db.AsText(m.Get("role")), "user") }

// decode makes a message of an object.
func decode(o pyjson.Object) model.Message {
	m := model.Message{
		Role: roleOf(o), ToolCallID: db.AsText(o.Get("tool_call_id")), ToolName: cmp.Or(db.AsText(o.Get("tool_name")), db.AsText(o.Get("name"))),
		At: timeOf(o.Get("timestamp")), FinishReason: db.AsText(o.Get("finish_reason")), DisplayKind: db.AsText(o.Get("display_kind")),
	}
	var broken [3]string
	switch content := o.Get("content").(type) {
	case nil:
	case string:
		m.Content, broken[0] = model.DecodeContent(content)
	default:
		m.Content, broken[0] = model.DecodeContent(model.EncodeContent(content))
	}
	m.Calls, broken[1] = model.DecodeCalls(jsonText(o.Get("tool_calls")))
	m.Reasoning, broken[2] = model.DecodeReasoning(jsonText(o.Get("reasoning")), jsonText(o.Get("reasoning_content")), jsonText(o.Get("reasoning_details")), jsonText(o.Get("codex_reasoning_items")))
	m.DecodeError = strings.Join(slices.DeleteFunc(broken[:], func(s string) bool { return s == "" }), "; ")
	return m
}

// jsonText returns a value as a column has it: text as it is, anything else as JSON.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return string(pyjson.Append(nil, v))
}
