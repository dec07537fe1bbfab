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
	FromUser bool   // by the user, else by the agent or an event
	IsEvent  bool   // an event ([EventName]), by neither
	Text     string // may have several lines
	Newest   bool   // the newest message of the agent, in full
}

// Recap shortens the end of a conversation to its last twenty entries, each cut to a
// few lines; the newest message of the agent is given in full
// (store/README.md#recap). earlier is the number of entries that are left out.
func Recap(messages []Message) (entries []RecapEntry, earlier int) {
	newest, full := -1, ""
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
			text := strings.TrimSpace(stripReasoning(StripMemory(m.Content.Text)))
			short := text
			if lines := strings.Split(short, "\n"); len(lines) > maxRecapLines {
				short = strings.Join(lines[:maxRecapLines], "\n") + " ..."
			}
			short = truncate(short, recapAgentRunes, "...")
			calls := recapCalls(m.Calls)
			entry := strings.TrimSpace(short + " " + calls)
			if entry == "" {
				continue
			}
			entries = append(entries, RecapEntry{Text: entry})
			newest, full = len(entries)-1, strings.TrimSpace(text+" "+calls)
		}
	}
	if newest >= 0 {
		entries[newest] = RecapEntry{Text: full, Newest: true}
	}
	earlier = max(0, len(entries)-maxRecapEntries)
	return entries[earlier:], earlier
}

// userText is the text of a user's message without the memory that Hermes inserted,
// followed by the names of the attachments.
func userText(c Content) string {
	parts := []string{}
	text := StripMemory(c.Text)
	if call, ok := SkillCall(text); ok {
		text = call
	}
	if text != "" {
		parts = append(parts, text)
	}
	for _, m := range c.Media {
		parts = append(parts, "["+m.ShortName()+"]")
	}
	return strings.Join(parts, " ")
}

// recapCalls describes tool calls: [3 tool calls: terminal, web_search].
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

// truncate cuts a text after n characters and appends tail if anything is cut.
func truncate(s string, n int, tail string) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + tail
}

// reasoningTags has expressions per tag, because Go's regular expressions have no
// back-references.
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

// stripReasoning removes reasoning and leaked tool markup from an agent's text:
// closed blocks, everything after an open tag, and stray closing tags
// (store/README.md#recap).
func stripReasoning(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	for _, re := range reasoningTags() {
		s = re.ReplaceAllString(s, "")
	}
	return s
}
