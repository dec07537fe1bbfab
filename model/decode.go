package model

import (
	"strings"

	"hermes-sessions/model/pyjson"
)

// jsonPrefix marks content that is JSON instead of text
// (store/README.md#message-content).
const jsonPrefix = "\x00json:"

// ParseContent returns stored content as Hermes reads it: text as a string, and JSON
// after the prefix as a value of [pyjson.Parse]. If content has the prefix but is
// not JSON, ok is false and the value is the stored string.
func ParseContent(stored string) (v any, ok bool) {
	rest, marked := strings.CutPrefix(stored, jsonPrefix)
	if !marked {
		return stored, true
	}
	v, err := pyjson.Parse(rest)
	if err != nil {
		return stored, false
	}
	return v, true
}

// EncodeContent returns the stored form of content that is not text: the JSON prefix
// and the value (see [pyjson.AppendASCII]).
func EncodeContent(v any) string { return string(pyjson.AppendASCII([]byte(jsonPrefix), v)) }

// DecodeContent decodes stored content for display. broken says what could not be
// decoded, else it is ""; such a part is given as stored.
func DecodeContent(stored string) (c Content, broken string) {
	v, ok := ParseContent(stored)
	if !ok {
		return Content{Text: strings.TrimPrefix(stored, jsonPrefix)}, "content is not JSON"
	}
	if text, ok := v.(string); ok {
		return Content{Text: text}, ""
	}
	var texts []string
	c.Media, texts, broken = collectParts(v, nil, nil)
	c.Text = strings.Join(texts, "\n\n")
	return c, broken
}

// collectParts appends the attachments and texts of multimodal content.
func collectParts(v any, media []Attachment, texts []string) (_ []Attachment, _ []string, broken string) {
	switch v := v.(type) {
	case nil:
	case string:
		texts = append(texts, v)
	case []any:
		for _, p := range v {
			var b string
			if media, texts, b = collectParts(p, media, texts); b != "" {
				broken = b
			}
		}
	case pyjson.Object:
		kind, _ := v.Get("type").(string)
		if text, ok := v.Get("text").(string); ok {
			return media, append(texts, text), ""
		}
		if inner := v.Get("content"); inner != nil {
			return collectParts(inner, media, texts)
		}
		if kind == "" {
			return media, append(texts, string(pyjson.Append(nil, v))), "content has a part without a type"
		}
		media = append(media, attachmentOf(kind, v))
	default:
		return media, append(texts, string(pyjson.Append(nil, v))), "content has a part that is neither text nor an object"
	}
	return media, texts, broken
}

// DecodeCalls decodes the column tool_calls: a list of calls, a single call, or a
// JSON string with either of them. broken says what could not be decoded, else it
// is "".
func DecodeCalls(stored string) (calls []ToolCall, broken string) {
	if stored == "" {
		return nil, ""
	}
	v, err := pyjson.Parse(stored)
	if err != nil {
		return nil, "tool calls are not JSON"
	}
	if inner, ok := v.(string); ok {
		if v, err = pyjson.Parse(inner); err != nil {
			return nil, "tool calls are plain text"
		}
	}
	switch v := v.(type) {
	case nil:
		return nil, ""
	case pyjson.Object:
		if len(v) == 0 {
			return nil, ""
		}
		c, ok := decodeCall(v)
		if !ok {
			broken = "a tool call without a name"
		}
		return []ToolCall{c}, broken
	case []any:
		for _, e := range v {
			o, isObject := e.(pyjson.Object)
			c, ok := decodeCall(o)
			if !isObject {
				c.Arguments = string(pyjson.Append(nil, e))
			}
			if !ok {
				broken = "a tool call without a name"
			}
			calls = append(calls, c)
		}
		return calls, broken
	}
	return nil, "tool calls are neither a list nor an object"
}

// CallHeads returns the calls of [DecodeCalls], possibly without their arguments: where the
// text is as Hermes writes it, they are not decoded.
func CallHeads(stored string) (calls []ToolCall) {
	rest, ok := strings.CutPrefix(stored, "[")
	for ok {
		var c ToolCall
		if c.ID, rest, ok = pyjson.CutString(strings.CutPrefix(rest, `{"id": `)); !ok {
			break
		}
		if _, after, also := pyjson.CutString(strings.CutPrefix(rest, `, "call_id": `)); also {
			rest = after
		}
		if c.Name, rest, ok = pyjson.CutString(strings.CutPrefix(rest, `, "type": "function", "function": {"name": `)); !ok {
			break
		}
		if rest, ok = pyjson.SkipString(strings.CutPrefix(rest, `, "arguments": `)); !ok || c.ID == "" || c.Name == "" {
			break
		}
		calls = append(calls, c)
		if rest == "}}]" {
			return calls
		}
		rest, ok = strings.CutPrefix(rest, "}}, ")
	}
	calls, _ = DecodeCalls(stored)
	return calls
}

// decodeCall decodes one call, with its fields in "function" as in OpenAI's API or
// at the top level. ok is false if it has no name.
func decodeCall(o pyjson.Object) (c ToolCall, ok bool) {
	c.Name = "unknown"
	for _, name := range []string{"id", "call_id"} {
		if c.ID, _ = o.Get(name).(string); c.ID != "" {
			break
		}
	}
	f, nested := o.Get("function").(pyjson.Object)
	if !nested {
		f = o
	}
	if name, _ := f.Get("name").(string); name != "" {
		c.Name, ok = name, true
	}
	args := f.Get("arguments")
	if args == nil {
		args = f.Get("input")
	}
	switch args := args.(type) {
	case nil:
	case string:
		c.Arguments = args
	default:
		c.Arguments = string(pyjson.Append(nil, args))
	}
	return c, ok
}

// DecodeReasoning returns the reasoning from the first column that has any: reasoning,
// reasoning_content, reasoning_details, codex_reasoning_items. The last two hold
// JSON; broken says if it is invalid, else it is "".
func DecodeReasoning(reasoning, content, details, codex string) (text, broken string) {
	for _, s := range []string{reasoning, content} {
		if strings.TrimSpace(s) != "" {
			return s, ""
		}
	}
	for _, s := range []string{details, codex} {
		if s == "" {
			continue
		}
		v, err := pyjson.Parse(s)
		if err != nil {
			broken = "reasoning is not JSON"
			continue
		}
		if texts := reasoningTexts(v, nil, 0); len(texts) > 0 {
			return strings.Join(texts, "\n\n"), ""
		}
	}
	return "", broken
}

// reasoningTexts appends the readable texts of a JSON value. Encrypted reasoning has
// none.
func reasoningTexts(v any, out []string, depth int) []string {
	if depth > 4 {
		return out
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = reasoningTexts(e, out, depth+1)
		}
	case pyjson.Object:
		for _, name := range []string{"text", "summary", "content"} {
			switch x := v.Get(name).(type) {
			case string:
				if strings.TrimSpace(x) != "" {
					return append(out, x)
				}
			case []any:
				if more := reasoningTexts(x, nil, depth+1); len(more) > 0 {
					return append(out, more...)
				}
			}
		}
	}
	return out
}
