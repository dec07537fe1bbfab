package model

import "regexp"

// The markup around the memories that Hermes inserts into messages, as Hermes itself
// recognizes it (store/README.md#memory-blocks).
var (
	memoryBlock = regexp.MustCompile(`(?is)<\s*memory-context\s*>.*?</\s*memory-context\s*>`)
	memoryNote  = regexp.MustCompile(`(?i)\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*` +
		`Treat as (?:informational background data|authoritative reference data[^\]]*)\.\]\s*`)
	memoryTag = regexp.MustCompile(`(?i)</?\s*memory-context\s*>`)
)

// maxOpening is the length in bytes of the part of a text that Opening looks at. A prompt
// may be megabytes long, and memories are not.
const maxOpening = 1 << 16

// Opening returns what a person wrote at the beginning of a message: without the memories or
// the summary that Hermes may have put before it, and for a skill its call ([SkillCall]).
func Opening(text string) string {
	said := StripMemory(text[:min(len(text), maxOpening)])
	if _, ok := SkillCall(said); ok {
		call, _ := SkillCall(StripMemory(text)) // the instruction may be behind a long skill
		return call
	}
	_, rest, _ := SplitSummary(said)
	return rest
}

// UnmarkMemory removes only the markup around inserted memories from a message's text.
func UnmarkMemory(text string) string {
	return memoryTag.ReplaceAllString(memoryNote.ReplaceAllString(text, ""), "")
}

// StripMemory removes inserted memories from a message's text and trims it.
func StripMemory(text string) string {
	text = memoryBlock.ReplaceAllString(text, "")
	text = memoryNote.ReplaceAllString(text, "")
	text = memoryTag.ReplaceAllString(text, "")
	return trimPythonSpace(text)
}
