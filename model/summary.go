package model

import "strings"

// summaryPrefixes begin the messages in which Hermes hands a summary of what it
// has compressed to itself; the last is how other programs begin theirs.
var summaryPrefixes = [...]string{
	"[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT",
	"This session is being continued from a previous conversation that ran out of context.",
}

const summaryEndLine = "--- END OF CONTEXT SUMMARY"

// SplitSummary takes apart a message that begins with the summary of what was
// compressed: the summary as it stands, and what was said after it in the same
// message. ok is false for any other text.
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
