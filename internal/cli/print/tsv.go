package print

import (
	"io"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// fields writes texts with tabs between them, whole. A backslash, and what would end a field or a
// line, is escaped as \\, \t, \n and \r.
func fields(out io.Writer, texts ...string) error {
	for i, t := range texts {
		texts[i] = output.Clean(escaped.Replace(t))
	}
	_, err := io.WriteString(out, strings.Join(texts, "\t")+"\n")
	return err
}

var escaped = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// conversationFields are the first fields of a conversation: more may follow, none changes its place.
func conversationFields(o Options, c model.Conversation) []string {
	title, cost := c.Title, ""
	if title == "" {
		title = c.Preview
	}
	if c.Total.Cost.Known {
		cost = strconv.FormatFloat(c.Total.Cost.USD, 'f', -1, 64)
	}
	return []string{c.ID, title, instant(o, c.LastActive), c.Source, c.Model, strconv.Itoa(c.Messages), cost, c.CWD}
}

// instant is a time with its zone, "" for none.
func instant(o Options, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(o.Now.Location()).Format(time.RFC3339)
}

// ConversationFields prints conversations with tabs between their fields.
func ConversationFields(out *output.Writer, o Options, rows []model.Conversation) error {
	for _, c := range rows {
		if err := fields(out, conversationFields(o, c)...); err != nil {
			return err
		}
	}
	return nil
}

// MatchFields prints what a search has found with tabs between its fields: those of the conversation,
// the number of hits, and who wrote the best of them, and what.
func MatchFields(out *output.Writer, o Options, found []model.Match) error {
	for _, m := range found {
		if err := fields(out, append(conversationFields(o, m.Conversation), strconv.Itoa(m.Hits), m.Best.Speaker(), plainText(m.Best.Snippet))...); err != nil {
			return err
		}
	}
	return nil
}

// HitFields prints a message that a search has found with tabs between its fields.
func HitFields(out *output.Writer, o Options, place, speaker, source string, at time.Time, snippet match.Snippet) error {
	return fields(out, place, speaker, instant(o, at), source, plainText(snippet))
}

// plainText is the text of a snippet.
func plainText(spans match.Snippet) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}
