package model

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// Limits of the recap, in characters, lines and entries (store/README.md#recap).
const (
	recapUserRunes  = 300
	recapAgentRunes = 200
	maxRecapLines   = 3
	maxRecapEntries = 20
	maxRecapTools   = 4
)

// RecapEntry is one entry of a recap.
type RecapEntry struct {
	FromUser bool   // the user's words, else the agent's
	IsEvent  bool   // what happened, in a few words: nobody said it
	Text     string // may be of several lines
	Newest   bool   // the newest words of the agent, whole
}

// Recap condenses the end of a conversation to what was said: the last twenty
// entries, shortened, the agent's newest one whole (store/README.md#recap).
// earlier is how many entries of messages are left out.
func Recap(messages []Message) (entries []RecapEntry, earlier int) {
	newest, whole := -1, ""
	for _, m := range messages {
		if m.DisplayKind == "hidden" || m.Rewound {
			continue
		}
		if m.DisplayKind != "" && (m.Role == "user" || m.Role == "assistant") {
			entries = append(entries, RecapEntry{IsEvent: true, Text: EventName(m.DisplayKind)})
			continue
		}
		switch m.Role {
		case "user":
			entries = append(entries, RecapEntry{FromUser: true, Text: truncate(userText(m.Content), recapUserRunes, "...")})
		case "assistant":
			text := strings.TrimSpace(StripReasoning(StripMemory(m.Content.Text)))
			short := text
			if lines := strings.Split(short, "\n"); len(lines) > maxRecapLines {
				short = strings.Join(lines[:maxRecapLines], "\n") + " ..."
			}
			short = truncate(short, recapAgentRunes, "...")
			calls := recapCalls(m.Calls)
			said := strings.TrimSpace(short + " " + calls)
			if said == "" {
				continue
			}
			entries = append(entries, RecapEntry{Text: said})
			newest, whole = len(entries)-1, strings.TrimSpace(text+" "+calls)
		}
	}
	if newest >= 0 {
		entries[newest] = RecapEntry{Text: whole, Newest: true}
	}
	earlier = max(0, len(entries)-maxRecapEntries)
	return entries[earlier:], earlier
}

// userText is what a user wrote, without the memory that Hermes put before it,
// with its attachments named.
func userText(c Content) string {
	parts := []string{}
	if said := StripMemory(c.Text); said != "" {
		parts = append(parts, said)
	}
	for _, m := range c.Media {
		parts = append(parts, "["+m+"]")
	}
	return strings.Join(parts, " ")
}

// recapCalls sums up tool calls: [3 tool calls: terminal, web_search].
func recapCalls(calls []ToolCall) string {
	if len(calls) == 0 {
		return ""
	}
	var names []string
	seen := map[string]bool{}
	for _, c := range calls {
		if !seen[c.Name] {
			seen[c.Name] = true
			names = append(names, c.Name)
		}
	}
	more := ""
	if len(names) > maxRecapTools {
		names, more = names[:maxRecapTools], ", ..."
	}
	noun := "calls"
	if len(calls) == 1 {
		noun = "call"
	}
	return fmt.Sprintf("[%d tool %s: %s%s]", len(calls), noun, strings.Join(names, ", "), more)
}

// truncate keeps the first n characters and marks what is missing.
func truncate(s string, n int, tail string) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + tail
}

// Go's regular expressions have no back-references, so each tag has its own.
var reasoningTags = sync.OnceValue(func() (out []*regexp.Regexp) {
	for _, tag := range []string{
		"think", "thinking", "reasoning", "thought", "REASONING_SCRATCHPAD",
		"tool_call", "tool_calls", "tool_result", "function_call", "function_calls",
	} {
		out = append(out,
			regexp.MustCompile(`(?is)<`+tag+`>.*?</`+tag+`>\s*`),
			regexp.MustCompile(`(?is)<`+tag+`>.*$`),
			regexp.MustCompile(`(?i)</`+tag+`>\s*`))
	}
	return append(out,
		regexp.MustCompile(`(?is)<function name=[^>]*>.*?</function>\s*`),
		regexp.MustCompile(`(?is)<function name=[^>]*>.*$`))
})

// StripReasoning takes reasoning and leaked tool markup out of an agent's
// words: closed blocks, an open tag to the end, and closing tags that stand
// alone (store/README.md#recap).
func StripReasoning(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	for _, re := range reasoningTags() {
		s = re.ReplaceAllString(s, "")
	}
	return s
}
