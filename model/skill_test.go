package model_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
)

// What a person wrote to call a skill is recognized as the real software does, also where the
// text of the skill quotes the label, is long, or is followed by a note.
func TestSkillCallsAsInHermes(t *testing.T) {
	t.Parallel()
	var o struct {
		Items []struct {
			Name, Input, Described string
			Length                 int
			Instruction            *string
		}
	}
	if err := json.Unmarshal(fixtures.Read(t, "oracle/v26/skills.json"), &o); err != nil || len(o.Items) < 7 {
		t.Fatal(len(o.Items), err)
	}
	db, err := sql.Open("sqlite", "file:"+fixtures.Database(t, "v26.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, i := range o.Items {
		var text string
		if err := db.QueryRowContext(t.Context(), `SELECT content FROM messages WHERE session_id = ? AND role = 'user' ORDER BY id`, i.Input).Scan(&text); err != nil {
			t.Fatal(i.Name, err)
		}
		call, ok := model.SkillCall(text)
		if !ok || call != i.Described || len([]rune(text)) != i.Length {
			t.Errorf("%s: %q, want %q", i.Name, call, i.Described)
		}
		for _, shown := range []string{
			model.Opening(text), model.Opening("<memory-context>\nx\n</memory-context>\n" + text),
			model.Opening(strings.Replace(text, "loaded", strings.Repeat("x", 1<<17)+" loaded", 1)),
		} {
			if shown != i.Described {
				t.Errorf("%s begins %q", i.Name, shown)
			}
		}
		_, instruction, _ := strings.Cut(call, " — ")
		if i.Instruction == nil && instruction != "" || i.Instruction != nil && instruction != strings.Join(strings.Fields(*i.Instruction), " ") {
			t.Errorf("%s: the instruction is %q", i.Name, instruction)
		}
	}
}

// What merely looks like a call is what the person wrote.
func TestTextsThatCallNoSkill(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "hello", "see [IMPORTANT: The user has invoked the \"work\" skill.", "[IMPORTANT: The user has invoked the", "[IMPORTANT: The user has invoked the \"work",
		"[IMPORTANT: The user has invoked the \"\" skill.", "[IMPORTANT: The user has invoked the \" \n\" skill.", "[IMPORTANT: read this]",
		"The user has provided the following instruction alongside the skill invocation: x",
	} {
		if call, ok := model.SkillCall(text); ok {
			t.Errorf("%q calls %q", text, call)
		}
		if got := model.Opening(text); got != strings.TrimSpace(text) {
			t.Errorf("%q begins %q", text, got)
		}
	}
}
