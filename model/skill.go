package model

import "strings"

// The markup of a message that begins with a skill, as Hermes writes it: the text of the
// skill, and somewhere in it what the person wrote.
const (
	skillOpening      = `[IMPORTANT: The user has invoked the "`
	skillInstruction  = "The user has provided the following instruction alongside the skill invocation:"
	skillNote         = "[Runtime note:"
	bundleInstruction = "User instruction:"
	bundleBlock       = "[Loaded as part of the "
)

// SkillCall returns what a person wrote to begin a message with a skill, as one line:
// "/name — instruction", or the name alone. ok is false for any other message.
func SkillCall(text string) (call string, ok bool) {
	if text, ok = strings.CutPrefix(strings.TrimLeft(text, " \t\n"), skillOpening); !ok {
		return "", false
	}
	name, text, quoted := strings.Cut(text, `"`)
	name = strings.Join(strings.Fields(name), " ")
	if !quoted || name == "" {
		return "", false
	}
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	instruction := ""
	if strings.HasPrefix(text, " skill bundle") {
		head, _, _ := strings.Cut(text, bundleBlock) // a loaded text may quote the label
		_, instruction, _ = strings.Cut(head, bundleInstruction)
	} else if at := strings.LastIndex(text, skillInstruction); at >= 0 { // so may a skill, before it
		instruction, _, _ = strings.Cut(text[at+len(skillInstruction):], skillNote)
	}
	if instruction = strings.Join(strings.Fields(instruction), " "); instruction == "" {
		return name, true
	}
	return name + " — " + instruction, true
}
