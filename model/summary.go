package model

import "strings"

// summaryPrefixes are how the summaries of context compression begin. The last one
// is that of other programs.
var summaryPrefixes = [...]string{
	"[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT",
	"This session is being continued from a previous conversation that ran out of context.",
}

// SummaryPrefixes returns how the summaries of context compression begin.
func SummaryPrefixes() []string { return summaryPrefixes[:] }

const summaryEndLine = "--- END OF CONTEXT SUMMARY"

// SplitSummary splits a message that begins with the summary of a compressed
// context into the summary and the text after it. ok is false for any other
// message; rest is then the whole text.
func SplitSummary(text string) (summary, rest string, ok bool) {
	t := strings.TrimLeft(text, " \t\n")
	for _, mark := range summaryPrefixes {
		if !strings.HasPrefix(t, mark) {
			continue
		}
		end := strings.LastIndex(t, "\n"+summaryEndLine)
		if end < 0 {
			return t, "", true
		}
		line := strings.IndexByte(t[end+1:], '\n')
		if line < 0 {
			return t, "", true
		}
		return t[:end+1+line], strings.TrimLeft(t[end+1+line:], "\n"), true
	}
	return "", text, false
}
