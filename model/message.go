package model

import (
	"strings"
	"time"
)

// Message is one row of the messages table, decoded.
type Message struct {
	ID           int64
	SessionID    string
	Role         string // user, assistant, tool, system, or any other stored value
	Content      Content
	Calls        []ToolCall // of an assistant message
	ToolCallID   string     // of a tool result
	ToolName     string
	At           time.Time
	FinishReason string
	Reasoning    string // see [DecodeReasoning]
	DisplayKind  string // display_kind: the kind of an event, see [EventName]
	Observed     bool   // a message of a group chat that was not addressed to the agent
	Rewound      bool   // removed by the user with a rewind; hidden
	Compacted    bool   // archived by in-place compaction; searchable, not in the transcript
	DecodeError  string // what could not be decoded, else ""
}

// Content is the text and the attachments of a message.
type Content struct {
	Text  string // all text parts, joined by blank lines
	Media []Attachment
}

// ToolCall is one entry of an assistant message's tool_calls.
type ToolCall struct {
	ID        string
	Name      string // "unknown" where the row has none
	Arguments string // as stored, usually JSON
}

// Author is the author of a message.
type Author uint8

// The authors. AuthorOther is a role that Hermes is not known to use; such a
// message is shown under the name of its role.
const (
	NoAuthor Author = iota
	AuthorUser
	AuthorAgent
	AuthorTool
	AuthorSystem
	AuthorOther
)

// Author returns the author by the role.
func (m Message) Author() Author {
	switch m.Role {
	case "user":
		return AuthorUser
	case "assistant":
		return AuthorAgent
	case "tool":
		return AuthorTool
	case "system":
		return AuthorSystem
	}
	return AuthorOther
}

// HasContent reports whether a message has text, attachments or a decode error to
// show, besides tool calls and reasoning.
func (m Message) HasContent() bool {
	return strings.TrimSpace(m.Content.Text) != "" || len(m.Content.Media) > 0 || m.DecodeError != ""
}

// Failed reports whether a tool result looks like an error.
func (m Message) Failed() bool { return m.Failure() != "" }

// Failure says how a tool result reports an error: "exit 1" by the exit code of a program,
// else "failed". It is "" for a result that reports none and for any other message. Tools
// have no common format for errors, so this is a guess from the first [MaxFailure] bytes and,
// since Hermes writes the exit code of a command behind its output, the last [MaxExit].
func (m Message) Failure() string {
	if m.Role != "tool" {
		return ""
	}
	return FailureOf(m.Content.Text)
}

// MaxFailure and MaxExit are how many bytes [FailureOf] reads of the beginning and of the end
// of a result.
const (
	MaxFailure = 400
	MaxExit    = 200
)

// FailureOf says how a tool's result reports an error, by its text, or by its beginning and its
// end joined. The answers are those of [Message.Failure].
func FailureOf(text string) string {
	l := strings.TrimSpace(text[:min(len(text), MaxFailure)])
	if strings.HasPrefix(l, "{") && !hasMarks(l) {
		return exitAtEnd(text)
	}
	l = strings.ToLower(l)
	within := strings.Contains(l, "ed with ") // one search instead of two for nearly all results
	for _, mark := range []string{"exit code ", "exit code: ", "process exited with code ", "executed with exit code "} {
		code, ok := strings.CutPrefix(l, mark)
		if !ok && within && strings.Contains(mark, "ed with ") {
			_, code, ok = strings.Cut(l, mark)
		}
		if !ok {
			continue
		}
		if code = exitCode(code); code != "" {
			return "exit " + code
		}
		return ""
	}
	for _, p := range []string{"error", "traceback (most recent", "exception", "fatal:", "[error", "tool error", "failed", "<tool_use_error>"} {
		if strings.HasPrefix(l, p) {
			return "failed"
		}
	}
	if !strings.HasPrefix(l, "{") {
		return ""
	}
	if failure := exitOf(l); failure != "" {
		return failure
	}
	if failure := exitAtEnd(text); failure != "" {
		return failure
	}
	if v, _, ok := jsonValue(l, "error"); ok && !strings.HasPrefix(v, `null`) && !strings.HasPrefix(v, `""`) && !strings.HasPrefix(v, `false`) {
		return "failed"
	}
	for v, rest, ok := jsonValue(l, "success"); ok; v, rest, ok = jsonValue(rest, "success") {
		if strings.HasPrefix(v, "false") {
			return "failed"
		}
	}
	return ""
}

// exitAtEnd says which exit code of an error JSON has at its end.
func exitAtEnd(json string) string {
	end := json[max(0, len(json)-MaxExit):]
	return exitOf(end[max(0, strings.LastIndex(end, `"exit_code"`)):])
}

// exitOf says which exit code of an error JSON has.
func exitOf(json string) string {
	if code, _, ok := jsonValue(json, "exit_code"); ok {
		if code = exitCode(code); code != "" {
			return "exit " + code
		}
	}
	return ""
}

// marking has the bytes at which [hasMarks] looks closer.
var marking = [256]bool{'"': true, 'w': true, 'W': true}

// hasMarks reports whether JSON may say what [FailureOf] looks for. Most results do not, and
// need not be written in small letters to be searched.
func hasMarks(json string) bool {
	for i := 1; i < len(json); i++ { // behind its brace
		if !marking[json[i]] {
			continue
		}
		if json[i] != '"' {
			if json[i-1] == ' ' && json[i-2]|0x20 == 'd' { // of "exited with code"
				return true
			}
			continue
		}
		rest := json[i+1:]
		if rest == "" || rest[0]|0x20 != 'e' && rest[0]|0x20 != 's' {
			continue
		}
		for _, key := range []string{`exit_code"`, `error"`, `success"`} {
			if len(rest) >= len(key) && strings.EqualFold(rest[:len(key)], key) {
				return true
			}
		}
	}
	return false
}

// jsonValue returns the text from the first value of a key on, and the text behind its colon.
func jsonValue(text, key string) (value, rest string, ok bool) {
	for rest = text; ; {
		if _, rest, ok = strings.Cut(rest, `"`+key+`"`); !ok {
			return "", "", false
		}
		if value, ok = strings.CutPrefix(strings.TrimLeft(rest, jsonSpace), ":"); ok {
			return strings.TrimLeft(value, jsonSpace), rest, true
		}
	}
}

const jsonSpace = " \t\r\n"

// StoredFailure says how a tool's result reports an error, by its content as stored. The
// answers are those of [Message.Failure]. The first [MaxFailure] and the last [MaxExit] bytes of
// a text are enough; content with media must be complete.
func StoredFailure(stored string) string {
	if strings.HasPrefix(stored, jsonPrefix) {
		c, _ := DecodeContent(stored) // what cannot be decoded is given as it is stored
		return FailureOf(c.Text)
	}
	return FailureOf(stored)
}

// exitCode returns the number that a text begins with, "" for zero and for no number.
func exitCode(text string) string {
	n := 0
	for n < len(text) && n < 5 && (text[n] >= '0' && text[n] <= '9' || n == 0 && text[n] == '-') {
		n++
	}
	if code := text[:n]; strings.Trim(code, "-0") != "" {
		return code
	}
	return ""
}
