package redact

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// Rules say what is masked in addition to secrets.
type Rules struct {
	Emails bool      // e-mail addresses
	Paths  bool      // the home folder in paths
	Own    []Pattern // of the user
}

// Pattern is a pattern of the user; what it matches is masked under its name.
type Pattern struct {
	Name string
	Expr *regexp.Regexp
}

// Counts says how many of each kind were masked.
type Counts map[string]int

// String lists the kinds, most frequent first: "GitHub token: 2, password: 1". It is
// "nothing" if there are none.
func (c Counts) String() string {
	var list []string
	for _, kind := range slices.SortedFunc(maps.Keys(c), func(a, b string) int { return cmp.Or(c[b]-c[a], cmp.Compare(a, b)) }) {
		list = append(list, kind+": "+strconv.Itoa(c[kind]))
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// maskStart begins every mask.
const maskStart = "[redacted: "

// mask is what replaces a secret of a kind.
func mask(kind string) string { return maskStart + kind + "]" }

// Text returns a text with everything masked, and adds the masks to counts, which must not be
// nil. A text that is valid JSON remains valid JSON.
func (r Rules) Text(s string, counts Counts) string {
	masks := Counts{} // of this text
	out := r.mask(s, masks)
	if len(masks) == 0 {
		return s
	}
	if head, body := jsonIn(s); body != "" && json.Valid([]byte(body)) {
		if _, masked := jsonIn(out); !json.Valid([]byte(masked)) {
			clear(masks)
			out = head + r.maskStrings(body, masks)
		}
	}
	for k, n := range masks {
		counts[k] += n
	}
	return out
}

// jsonIn splits a text into what Hermes writes before JSON in a text column, and an object
// or a list, "" for any other text.
func jsonIn(s string) (head, body string) {
	const prefix = "\x00json:" // store/README.md#message-content
	body = strings.TrimPrefix(s, prefix)
	head = s[:len(s)-len(body)]
	if t := strings.TrimLeft(body, " \t\r\n"); t == "" || t[0] != '{' && t[0] != '[' {
		return head, ""
	}
	return head, body
}

// literal is a string of JSON.
var literal = compiled(`"(?:[^"\\]|\\.)*"`)

// maskStrings masks each string of a JSON text by itself. It is for patterns of the user that
// match beyond the end of a string, which would leave no JSON.
func (r Rules) maskStrings(s string, counts Counts) string {
	return literal().ReplaceAllStringFunc(s, func(quoted string) string {
		var text string
		if json.Unmarshal([]byte(quoted), &text) != nil {
			return quoted
		}
		masked := r.mask(text, counts)
		if masked == text {
			return quoted
		}
		out, _ := json.Marshal(masked) // a string can always be encoded
		return string(out)
	})
}

// Masker applies rules to all texts of an export, and counts the masks. It may be used by one
// goroutine at a time.
type Masker struct {
	Rules
	Counts Counts
}

// Masker makes one that has masked nothing yet.
func (r Rules) Masker() *Masker { return &Masker{Rules: r, Counts: Counts{}} }

// Text masks a text.
func (m *Masker) Text(s string) string { return m.Rules.Text(s, m.Counts) }

// Message masks the texts of a message.
func (m *Masker) Message(message model.Message) model.Message {
	for _, s := range []*string{&message.Content.Text, &message.Reasoning, &message.ToolName} {
		*s = m.Text(*s)
	}
	message.Content.Media, message.Calls = slices.Clone(message.Content.Media), slices.Clone(message.Calls)
	for i, a := range message.Content.Media {
		message.Content.Media[i].Name = m.Text(a.Name)
	}
	for i, c := range message.Calls {
		message.Calls[i].Name, message.Calls[i].Arguments = m.Text(c.Name), m.Text(c.Arguments)
	}
	return message
}

// Conversation masks the texts in the heading of a conversation.
func (m *Masker) Conversation(c model.Conversation) model.Conversation {
	for _, s := range []*string{&c.Title, &c.CWD, &c.GitBranch} {
		*s = m.Text(*s)
	}
	c.Preview = m.preview(c.Preview)
	return c
}

// preview masks the preview of a message, and counts nothing: the message itself is counted.
// No rule knows a secret by its beginning, so the word that a preview is cut in goes; the user's own
// rules may be about several words, so for them all of it goes. The words behind the cut can be what marks
// a word before them as a secret, as in "use … as the password" and "echo … | sudo -S".
func (m *Masker) preview(s string) string {
	if text, cut := strings.CutSuffix(s, "..."); cut {
		text = strings.TrimRightFunc(text, func(r rune) bool { return r > ' ' && r < 0x7f })
		if strings.TrimSpace(text) == "" || len(m.Own) > 0 {
			return ""
		}
		for _, rest := range []string{"password", "sudo -S"} {
			if masked, ok := strings.CutSuffix(m.Rules.Text(text+rest, Counts{}), rest); ok {
				text = masked
			}
		}
		s = text + "..."
	}
	return m.Rules.Text(s, Counts{})
}

// Record masks the values of a row that is exported, except those that other rows or
// Hermes refer to.
func (m *Masker) Record(r pyjson.Object) pyjson.Object {
	out := make(pyjson.Object, len(r))
	for i, f := range r {
		if !refers(f.Name) {
			f.Value = m.value(f)
		}
		out[i] = f
	}
	return out
}

// refers reports whether the values of a column are ids or have a fixed set, by which Hermes
// and other rows refer to them.
func refers(column string) bool {
	return column == "id" || column == "role" || column == "source" || column == "type" ||
		strings.HasSuffix(column, "_id") || strings.HasSuffix(column, "_hash") || strings.HasSuffix(column, "_kind")
}

// value masks a value of a row, at any depth. The value of a telling name is masked as if
// both stood in a text.
func (m *Masker) value(f pyjson.Field) any {
	switch v := f.Value.(type) {
	case string:
		if masked := m.Text(v); masked != v {
			return masked
		}
		return m.named(f.Name, v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = m.value(pyjson.Field{Name: f.Name, Value: e})
		}
		return out
	case pyjson.Object:
		return m.Record(v)
	}
	return f.Value
}

// named masks a value that only its name tells to be a secret.
func (m *Masker) named(column, v string) string {
	before := `"` + column + `": "`
	if masked, ok := strings.CutPrefix(Rules{}.mask(before+v+`"`, m.Counts), before); ok {
		return strings.TrimSuffix(masked, `"`)
	}
	return v
}
