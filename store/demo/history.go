package demo

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// Session is a row of the sessions table. Times are seconds since the epoch;
// pointers are nil where the table holds NULL.
type Session struct {
	ID, Source, Model, Prompt      string
	Title, User, EndReason, Parent *string
	Folder, Branch                 *string // git's branch
	Chat                           *string // the key of the chat in a messenger
	Config                         string  // JSON; says of which kind a child is
	Pinned, Archived               bool
	Working                        bool    // the agent takes its turn
	Started, SaidAt                float64 // SaidAt is the time of the last message
	Ended                          *float64
	Messages, Calls, APICalls      int
	Input, Output, Cached, Thought int // tokens
	Estimated, Actual              *float64
	CostStatus                     string

	parent *Session
	mark   string // the key in Config that names the parent, "" for none
	name   string // what the id is made from, beside the time
	cost   string
	size   int // tokens in the context
}

// Message is a row of the messages table.
type Message struct {
	Session                            *Session
	Role                               string
	Content, CallID, Calls, Tool       *string
	At                                 float64
	Tokens                             int
	Finish, Reasoning                  *string
	ReasoningContent, ReasoningDetails *string
	CodexReasoning                     *string

	calls []model.ToolCall
}

// History returns the rows of the whole history, each table in the order of
// time, so that it ends at now. The same now gives the same rows.
func History(now time.Time) ([]*Session, []*Message, error) {
	return history(scripts, now)
}

func history(folder fs.FS, now time.Time) ([]*Session, []*Message, error) {
	s, err := open(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("read the demo: %w", err)
	}
	var sessions []*Session
	var messages []*Message
	for len(s.lines) > 0 {
		t := &teller{script: s}
		if err := t.conversation(now); err != nil {
			return nil, nil, fmt.Errorf("read the demo: %w", err)
		}
		sessions = append(sessions, t.sessions...)
		messages = append(messages, t.messages...)
	}
	sort.SliceStable(sessions, func(i, j int) bool { return sessions[i].Started < sessions[j].Started })
	sort.SliceStable(messages, func(i, j int) bool { return messages[i].At < messages[j].At })
	return sessions, messages, nil
}

// teller makes the rows of one conversation, with its branches and subagents. Its clock
// starts at 0; when the end is known, place adds what the times lack.
type teller struct {
	*script
	clock    float64
	sessions []*Session
	messages []*Message
	now      *Session         // to which the next message goes
	message  *Message         // the last message
	thought  Message          // waits for what the agent says next
	open     []model.ToolCall // wait for their results
}

// conversation makes the rows of the next conversation of the script.
func (t *teller) conversation(now time.Time) error {
	opener := t.lines[0]
	name, title, ok := opener.directive()
	if !ok || name != "" {
		return opener.errorf("a conversation begins with \":: TITLE\", not with %q", opener.text)
	}
	t.lines = t.lines[1:]
	head, err := t.header()
	if err != nil {
		return err
	}
	end, err := lastMessageTime(head["at"], now)
	if err != nil {
		return opener.errorf("at: %v", err)
	}
	root := &Session{Source: "cli", Model: "nousresearch/hermes-4-405b", name: title + "\n" + head["at"]}
	for key, field := range map[string]*string{"source": &root.Source, "model": &root.Model, "cost": &root.cost} {
		if v, ok := head[key]; ok {
			*field = v
		}
	}
	if v, ok := head["user"]; ok {
		root.User = &v
		root.Chat = new("agent:main:" + root.Source + ":dm:" + v)
	}
	if v, ok := head["in"]; ok {
		folder, branch, ofGit := strings.Cut(v, " ")
		if root.Folder = &folder; ofGit {
			root.Branch = &branch
		}
	}
	t.begin(root, unescape(title))
	if err := t.talk(true); err != nil {
		return opener.errorf("in this conversation: %v", err)
	}
	reason, ok := head["ended"]
	if !ok {
		reason = usualEnd(root.Source)
	}
	for _, s := range t.sessions {
		if s.Ended == nil && reason != "open" {
			s.end(reason, s.SaidAt+3)
		}
	}
	if n := len(t.messages); n > 0 && reason == "open" {
		last := t.messages[n-1]
		root.Working = last.Role != "assistant" || last.Calls != nil
	}
	for _, s := range t.sessions {
		s.Pinned, s.Archived = head["flag"] == "pinned", head["flag"] == "archived"
	}
	// At another time of the same day, the ids are the same: they are those of noon.
	year, month, day := now.Date()
	named, err := lastMessageTime(head["at"], time.Date(year, month, day, 12, 0, 0, 0, now.Location()))
	if err != nil {
		return opener.errorf("at: %v", err)
	}
	t.place(float64(end.UnixMilli())/1000-t.clock, float64(named.UnixMilli()-end.UnixMilli())/1000, now.Location())
	return nil
}

// usualEnd returns the reason for which sessions of a source usually end.
func usualEnd(source string) string {
	switch source {
	case "cli":
		return "user_exit"
	case "tui":
		return "tui_shutdown"
	case "cron":
		return "cron_complete"
	}
	return "session_reset"
}

// begin starts a session, to which later messages go. title is "" for none.
func (t *teller) begin(s *Session, title string) {
	s.Started = t.clock
	s.Prompt = systemPrompt
	if title != "" {
		s.Title = &title
	}
	t.sessions = append(t.sessions, s)
	t.now = s
	t.message = nil
	t.open = nil
	t.thought = Message{}
	t.clock += 0.4
	s.SaidAt = s.Started
}

func (s *Session) end(reason string, at float64) { s.EndReason, s.Ended = &reason, &at }

// child starts a session under another one. mark says in its Config of which kind it is.
func (t *teller) child(of *Session, mark, title string) {
	s := &Session{
		Source: of.Source, Model: of.Model, User: of.User, Folder: of.Folder, Branch: of.Branch, Chat: of.Chat, cost: of.cost,
		parent: of, mark: mark, name: of.name + "/" + strconv.Itoa(len(t.sessions)),
	}
	t.begin(s, title)
}

// talk carries out the directives up to the next conversation, or, inside a block, all.
func (t *teller) talk(outermost bool) error {
	for {
		if lost := t.text(); lost != "" {
			return fmt.Errorf("text without a speaker: %q", lost)
		}
		if len(t.lines) == 0 {
			return nil
		}
		l := t.lines[0]
		name, rest, _ := l.directive()
		if name == "" {
			if outermost {
				return nil
			}
			return l.errorf("a conversation begins inside another")
		}
		t.lines = t.lines[1:]
		if err := t.direct(l, name, rest); err != nil {
			return err
		}
	}
}

// direct carries out one directive.
func (t *teller) direct(l line, name, rest string) error {
	switch name {
	case "repeat":
		return t.repeat(l, rest)
	case "branch", "delegate":
		return t.aside(l, name, unescape(rest))
	case "reset":
		before := t.now
		before.end("session_reset", t.clock+1)
		t.clock += 40
		t.child(before, "_reset_from", unescape(rest))
		return nil
	}
	text := t.text()
	if text != "" && (name == "pause" || name == "rawcalls") {
		return l.errorf("text without a speaker: %q", text)
	}
	switch name {
	case "user":
		t.say("user", &text, 6+float64(len(text))/15)
		if pictures := strings.Fields(rest); len(pictures) > 0 {
			t.message.Content = multimodal(text, pictures)
		}
	case "agent":
		t.speak(&text)
	case "think":
		return t.think(l, rest, text)
	case "call":
		return t.call(l, unescape(rest), text)
	case "result":
		return t.result(l, text)
	case "output":
		return t.result(l, terminal(text, rest))
	case "row":
		t.say(rest, &text, 1)
	case "rawcalls":
		if t.message == nil {
			return l.errorf("nothing was said yet")
		}
		raw := unescape(rest)
		t.message.Calls = &raw
	case "pause":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return l.errorf("%v", err)
		}
		t.clock += d.Seconds()
	case "compressed":
		before := t.now
		t.clock += 5
		before.end("compression", t.clock)
		title := ""
		if before.Title != nil {
			title = nextTitle(*before.Title)
		}
		t.clock += 0.2
		t.child(before, "", title)
		t.say("user", &text, 0.1)
	default:
		return l.errorf("no such directive: %q", l.text)
	}
	return nil
}

// aside makes the rows of a branch, which begins with what its parent said, or a
// subagent's work, after which its parent goes on.
func (t *teller) aside(l line, kind, title string) error {
	inside, err := t.block(l)
	if err != nil {
		return err
	}
	parent := t.now
	message := t.message
	open := t.open
	if kind == "branch" {
		if parent.Ended == nil {
			parent.end("branched", t.clock+1)
		}
		t.clock += 1.2
		t.child(parent, "_branched_from", title)
		for _, m := range slices.Clone(t.messages) {
			if m.Session == parent {
				again := *m
				again.Session, again.At = t.now, t.clock
				t.clock += 0.000_001
				t.add(&again)
			}
		}
	} else {
		t.clock += 0.5
		t.child(parent, "_delegate_from", title)
	}
	outer := t.script
	t.script = &script{lines: inside}
	err = t.talk(false)
	t.script = outer
	if err != nil {
		return err
	}
	if kind == "delegate" {
		t.now.end("agent_close", t.clock+0.2)
	}
	t.clock += 0.5
	t.now = parent
	t.message = message
	t.open = open
	return nil
}

// add puts a message at the end of its session, and counts it there.
func (t *teller) add(m *Message) {
	t.messages = append(t.messages, m)
	t.message = m
	s := m.Session
	s.Messages++
	s.Calls += len(m.calls)
	s.SaidAt = m.At
	s.size += m.Tokens
	if m.Role == "assistant" {
		s.APICalls++
		s.Input += 2_400 + s.size/4
		s.Cached += 14_000 + s.size*3/4
		s.Output += m.Tokens
	}
}

// say adds a message that took so many seconds.
func (t *teller) say(role string, text *string, seconds float64) {
	t.clock += float64(int(seconds*1000)) / 1000
	m := &Message{Session: t.now, Role: role, Content: text, At: t.clock}
	if text != nil {
		m.Tokens = 3 + len(*text)/4
	}
	t.add(m)
}

// speak adds a message of the agent with what it thought.
func (t *teller) speak(text *string) {
	long := 1.5
	if text != nil {
		long += float64(len(*text)) / 90
	}
	t.say("assistant", text, long)
	m, th := t.message, t.thought
	m.Reasoning = th.Reasoning
	m.ReasoningContent = th.ReasoningContent
	m.ReasoningDetails = th.ReasoningDetails
	m.CodexReasoning = th.CodexReasoning
	t.now.Thought += th.Tokens
	t.thought = Message{}
	m.Finish = new("stop")
}

// think adds reasoning to what the agent says next.
func (t *teller) think(l line, column, text string) error {
	switch column {
	case "":
		t.thought.Reasoning = &text
	case "content":
		t.thought.ReasoningContent = &text
	case "details":
		t.thought.ReasoningDetails = stored([]any{object("type", "reasoning.text", "text", text)})
	case "codex":
		t.thought.CodexReasoning = stored([]any{object("type", "reasoning", "summary", []any{object("type", "summary_text", "text", text)})})
	default:
		return l.errorf("no column for reasoning: %q", column)
	}
	t.thought.Tokens += len(text) / 4
	t.clock += float64(len(text)) / 200
	return nil
}

// call adds a tool call to what the agent is saying.
func (t *teller) call(l line, rest, text string) error {
	name, arguments, _ := strings.Cut(rest, " ")
	if text != "" {
		arguments = strings.Replace(arguments, `"…"`, string(pyjson.Append(nil, text)), 1)
	}
	if !json.Valid([]byte(arguments)) {
		return l.errorf("the arguments are not JSON: %s", arguments)
	}
	if m := t.message; m == nil || m.Role != "assistant" || t.thought.Tokens > 0 {
		t.speak(nil)
	}
	m := t.message
	id := hexHash(fmt.Sprint(t.now.name, t.now.Calls))
	c := model.ToolCall{ID: "call_" + id[:12], Name: name, Arguments: arguments}
	m.calls = append(m.calls, c)
	t.open = append(t.open, c)
	t.now.Calls++
	m.Finish = new("tool_calls")
	var all []any
	for _, c := range m.calls {
		all = append(all, object("id", c.ID, "type", "function", "function", object("name", c.Name, "arguments", c.Arguments)))
	}
	m.Calls = stored(all)
	return nil
}

// result adds the result of the oldest open call.
func (t *teller) result(l line, text string) error {
	if len(t.open) == 0 {
		return l.errorf("a result without a call")
	}
	c := t.open[0]
	t.open = t.open[1:]
	t.say("tool", &text, 0.8+float64(len(text))/1500)
	t.message.CallID, t.message.Tool = &c.ID, &c.Name
	return nil
}

// place moves all times by so many seconds and fills in what depends on them or on the
// whole session: ids, which are of so many seconds later, parents and costs.
func (t *teller) place(by, later float64, zone *time.Location) {
	for _, m := range t.messages {
		m.At += by
	}
	for _, s := range t.sessions {
		s.Started += by
		s.SaidAt += by
		if s.Ended != nil {
			*s.Ended += by
		}
		s.ID = s.id(s.Started+later, zone)
		s.setCost()
	}
	for _, s := range t.sessions {
		s.Config = `{"max_iterations": 90}`
		if s.parent != nil {
			s.Parent = &s.parent.ID
		}
		if s.mark != "" {
			s.Config = fmt.Sprintf(`{"max_iterations": 90, %q: %q}`, s.mark, s.parent.ID)
		}
	}
}

// id makes the id of a session that started at a time, as Hermes does for its source.
func (s *Session) id(started float64, zone *time.Location) string {
	h := hexHash(s.name)
	at := time.UnixMilli(int64(math.Round(started * 1000))).In(zone).Format("20060102_150405")
	switch s.Source {
	case "cli", "tui", "batch", "tool", "web":
		return at + "_" + h[:6]
	case "cron":
		return "cron_" + h[:4] + "_" + at
	}
	return at + "_" + h[:8]
}

// hexHash returns the SHA-256 of a text as hexadecimal digits, from which ids are made.
func hexHash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func (s *Session) setCost() {
	switch {
	case s.Messages == 0 || s.cost == "?":
		s.CostStatus = "unknown"
		return
	case strings.HasPrefix(s.cost, "~") || s.cost == "":
		s.CostStatus = "estimated"
	default:
		s.CostStatus = "actual"
	}
	usd, err := strconv.ParseFloat(strings.TrimPrefix(s.cost, "~"), 64)
	if err != nil || s.parent != nil {
		// Dollars per million tokens: 3 for input, 0.3 for cached input, 15 for output.
		usd = (float64(s.Input)*3 + float64(s.Cached)*0.3 + float64(s.Output+s.Thought)*15) / 1e6
	}
	if s.CostStatus == "actual" {
		s.Actual = &usd
	} else {
		s.Estimated = &usd
	}
}

// nextTitle is what Hermes calls the segment after title.
func nextTitle(title string) string {
	if base, number, ok := strings.Cut(title, " #"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			return fmt.Sprintf("%s #%d", base, n+1)
		}
	}
	return title + " #2"
}

// terminal is a command's output as the terminal tool gives it.
func terminal(output, code string) string {
	code = cmp.Or(code, "0")
	return string(pyjson.Append(nil, object("output", output, "exit_code", pyjson.Int(code), "error", nil)))
}

// multimodal is text with pictures as Hermes stores a list of parts.
func multimodal(text string, pictures []string) *string {
	parts := []any{object("type", "text", "text", text)}
	for _, name := range pictures {
		parts = append(parts, object("type", "image_url", "image_url", object("url", "file:///home/sam/.hermes/images/"+name)))
	}
	return new("\x00json:" + *stored(parts))
}

// object makes a JSON object of names and values in turn.
func object(pairs ...any) (o pyjson.Object) {
	for i := 0; i < len(pairs); i += 2 {
		o = append(o, pyjson.Field{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return o
}

// stored is a value as a JSON column stores it.
func stored(v any) *string { return new(string(pyjson.AppendASCII(nil, v))) }

const systemPrompt = `You are Hermes, a personal agent. You help with code, servers, the household and everything in between.

You have tools: terminal, read_file, write_file, patch, search_files, web_search, web_extract, browser, memory, cronjob, delegate_task, vision, text_to_speech. Use them rather than guess, and say what you did.

The person you work with is a software developer who cooks, cycles and travels with a family of four. Keep answers short, give the reason before the remedy, and ask when a thing cannot be undone.`
