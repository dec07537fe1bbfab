package search

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
)

// MessageHit is a message that matches, as the documented call gives it
// (store/README.md#search).
type MessageHit struct {
	ID             int64
	SessionID      string
	Role           string
	Snippet        string  // about 40 words, what matched between >>> and <<<
	Timestamp      float64 // seconds since the epoch
	ToolName       string  // "" for none
	Source         string
	Model          string       // "" for none
	SessionStarted float64      // seconds since the epoch
	Context        []HitContext // the message before, the hit, the message after
}

// HitContext is a hit, or the message before or after it in its session.
type HitContext struct {
	Role    string
	Content string // its first 200 characters
}

// MarshalJSON returns the documented keys in their order.
func (h MessageHit) MarshalJSON() ([]byte, error) {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	around := []any{}
	for _, c := range h.Context {
		around = append(around, pyjson.Object{{Name: "role", Value: c.Role}, {Name: "content", Value: c.Content}})
	}
	return pyjson.Object{
		{Name: "id", Value: h.ID},
		{Name: "session_id", Value: h.SessionID},
		{Name: "role", Value: h.Role},
		{Name: "snippet", Value: h.Snippet},
		{Name: "timestamp", Value: h.Timestamp},
		{Name: "tool_name", Value: orNull(h.ToolName)},
		{Name: "source", Value: h.Source},
		{Name: "model", Value: orNull(h.Model)},
		{Name: "session_started", Value: h.SessionStarted},
		{Name: "context", Value: around},
	}.MarshalJSON()
}

// markHits writes a snippet as the documented call does: hits between >>> and <<<,
// ... for the ellipsis.
func markHits(s match.Snippet) string {
	var b strings.Builder
	for i, p := range s {
		t := p.Text
		if !p.Hit && i == 0 && strings.HasPrefix(t, "…") {
			t = "..." + strings.TrimPrefix(t, "…")
		}
		if !p.Hit && i == len(s)-1 && strings.HasSuffix(t, "…") {
			t = strings.TrimSuffix(t, "…") + "..."
		}
		if p.Hit {
			t = ">>>" + t + "<<<"
		}
		b.WriteString(t)
	}
	return b.String()
}

// contextText returns the first 200 characters of the text of a message
// (store/README.md#search-context).
func contextText(content any) string {
	stored, ok := content.(string)
	if !ok {
		return ""
	}
	v, _ := model.ParseContent(stored) // what is not JSON is shown as stored
	text, ok := v.(string)
	if parts, isList := v.([]any); isList {
		var texts []string
		for _, p := range parts {
			o, _ := p.(pyjson.Object)
			if t, _ := o.Get("text").(string); t != "" {
				texts = append(texts, t)
			}
		}
		if text, ok = strings.TrimSpace(strings.Join(texts, " ")), true; text == "" {
			text = "[multimodal content]"
		}
	}
	if !ok {
		return ""
	}
	n := 0
	for i := range text {
		if n == 200 {
			return text[:i]
		}
		n++
	}
	return text
}
