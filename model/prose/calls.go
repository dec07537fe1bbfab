package prose

import (
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// Calls is the tool calls of a message as one text: the names of the tools, and the names
// and values of the arguments, without JSON's punctuation.
type Calls struct {
	Text  string
	parts []callPart // the strings of a call before all of its arguments
	names []callPart // of arguments
}

// callPart is a string among the arguments of a call, or all of these.
type callPart struct {
	from, to int // in the text
	tool     string
	all      bool // it is all arguments
}

// CallsOf returns the tool calls of a message, and the name of its own tool before them.
func CallsOf(m *model.Message) Calls {
	var c callWriter
	c.text.WriteString(m.ToolName)
	for _, call := range m.Calls {
		c.tool = call.Name
		c.text.WriteString(" " + call.Name + " ")
		from := c.text.Len()
		if v, err := pyjson.Parse(call.Arguments); err == nil {
			c.value(v)
		} else {
			c.text.WriteString(pyjson.Unescape(call.Arguments)) // not JSON: as stored
		}
		c.parts = append(c.parts, callPart{from, c.text.Len(), c.tool, true})
	}
	text := c.text.String()
	lead := len(text) - len(strings.TrimLeft(text, " \n\t\r"))
	for i := range c.parts {
		c.parts[i].from -= lead
		c.parts[i].to -= lead
	}
	for i := range c.names {
		c.names[i].from -= lead
		c.names[i].to -= lead
	}
	return Calls{strings.TrimSpace(text), c.parts, c.names}
}

// Values returns the text with spaces in place of the names of arguments, which are the same in
// all calls of a tool and say nothing of the conversation.
func (c Calls) Values() string {
	text := []byte(c.Text)
	for _, n := range c.names {
		for i := n.from; i < min(n.to, len(text)); i++ {
			text[i] = ' '
		}
	}
	return string(text)
}

// Excerpt returns the surroundings of the bytes from to to: as [Lines] does of the argument
// that has all of them, else as [Excerpt] does of the arguments of the call. tool is the tool that is called
// there, "" where the place is in more than one call or in the name of a tool.
func (c Calls) Excerpt(from, to int) (text, tool string) {
	i := slices.IndexFunc(c.parts, func(p callPart) bool { return p.from <= from && to <= p.to })
	if i < 0 {
		return Excerpt(c.Text, from, to), ""
	}
	p := c.parts[i]
	text = c.Text[max(p.from, 0):min(p.to, len(c.Text))]
	from -= p.from
	to -= p.from
	if p.all {
		return Excerpt(text, from, to), p.tool
	}
	return Lines(text, from, to), p.tool
}

// callWriter writes the text of tool calls.
type callWriter struct {
	text  strings.Builder
	tool  string
	parts []callPart
	names []callPart
}

// value writes the names and values of a JSON value.
func (w *callWriter) value(v any) {
	switch v := v.(type) {
	case pyjson.Object:
		for _, f := range v {
			from := w.text.Len()
			w.text.WriteString(f.Name + ": ")
			w.names = append(w.names, callPart{from: from, to: w.text.Len()})
			w.value(f.Value)
			w.text.WriteByte(' ')
		}
	case []any:
		for _, e := range v {
			w.value(e)
			w.text.WriteByte(' ')
		}
	case string:
		from := w.text.Len()
		w.text.WriteString(v)
		w.parts = append(w.parts, callPart{from, w.text.Len(), w.tool, false})
	default:
		w.text.Write(pyjson.Append(nil, v))
	}
}
