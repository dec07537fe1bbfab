package uitest

import (
	"strings"

	"hermes-sessions/model"
)

// Said is a message with a text.
func Said(role, text string) model.Message {
	return model.Message{Role: role, Content: model.Content{Text: text}}
}

// Calls is a message of the agent with tool calls.
func Calls(text string, calls ...model.ToolCall) model.Message {
	m := Said("assistant", text)
	m.Calls = calls
	return m
}

// Result is the result of the tool call with this id.
func Result(id, tool, text string) model.Message {
	return model.Message{Role: "tool", ToolCallID: id, ToolName: tool, Content: model.Content{Text: text}}
}

// Call is a tool call; args is JSON as the agent wrote it.
func Call(id, name, args string) model.ToolCall {
	return model.ToolCall{ID: id, Name: name, Arguments: args}
}

// Kinds is a conversation with every kind of message, by what it shows.
func Kinds() map[string][]model.Message {
	thinking := Said("assistant", "The beep is a timer that nobody clears.")
	thinking.Reasoning = "The user hears a beep.\nTwo timers could run at once.\n\nLook at the interrupt handler first."
	pictured := Said("user", "This is the panel.")
	pictured.Content.Media = []model.Attachment{
		{Kind: "image", Name: "panel.png", Type: "image/png", Size: 48_300},
		{Kind: "image"},
		{Kind: "file", Name: "manual.pdf", Type: "application/pdf", Size: 1_240_000},
	}
	broken := Said("user", "\x00json:[{\"type\": \"te")
	broken.DecodeError = "content is not JSON"
	event := Said("user", "[switched to hermes-4-405b]")
	event.DisplayKind = "model_switch"
	overheard := Said("user", "anyone fancy lunch?")
	overheard.Observed = true
	return map[string][]model.Message{
		"prose": {
			Said("user", "The oven beeps *twice* after the timer.\nWhy?"),
			Said("assistant", "# Cause\n\nThe handler runs **twice**: once for `TIM2`, once for its shadow.\n\n"+
				"- clear the flag *before* the work\n- then arm again, or the next edge is lost while the handler is still busy with the first\n\n"+
				"```c\nvoid TIM2_IRQHandler(void) {\n\tTIM2->SR &= ~TIM_SR_UIF;\n}\n```\n\n| flag | meaning |\n|------|---------|\n| UIF  | update  |\n\nSee [the manual](https://example.com/rm) and List<Timer>."),
			Said("user", "日本語でもう一度、短く。"),
			Said("assistant", "ハンドラが二回呼ばれます。フラグを先に消してください。 👨‍👩‍👧"),
		},
		"tools": {
			Said("user", "Look into it."),
			Calls("I read the handler first.", Call("1", "read_file", `{"path":"src/timer.c","limit":40}`)),
			Result("1", "read_file", "void TIM2_IRQHandler(void) {\n\tbeep();\n}\n"),
			Calls("", Call("2", "terminal", `{"command":"make test"}`), Call("3", "terminal", `{"command":"grep -rn beep src\nwc -l src/*.c","timeout":30}`)),
			Result("3", "terminal", `{"output": "src/timer.c:2: beep();\n  2 src/timer.c\n", "exit_code": 0}`),
			Result("2", "terminal", "Error: no rule to make target 'test'"),
			Calls("", Call("4", "patch", "not { JSON"), Call("", "", "")),
			Result("9", "web_search", "a result whose call was lost"),
			Said("assistant", "Fixed."),
		},
		"progress": {
			Said("user", "Download it."),
			Calls("", Call("1", "terminal", `{"command":"curl -O big"}`)),
			Result("1", "terminal", "  1%\r 50%\r100%\ndone \x1b[31mred\x1b[0m\r\n"),
			Said("assistant", "Done."),
		},
		"reasoning": {Said("user", "Think."), thinking},
		"others": {
			Said("system", "You are a careful baker.\nNever open the door early."),
			Said("user", "Hello"),
			Said("developer", "a role of its own"),
			event, overheard,
			Said("assistant", "  "),
			Said("user", "still there?"),
		},
		"changes": {
			Said("user", "Change it."),
			Calls("", Call("1", "patch", `{"path":"src/timer.c","old_string":"beep();\nbeep();","new_string":"beep();"}`), Call("2", "terminal", `{"command":"git diff"}`), Call("3", "read_file", `{"path":"src/timer.c"}`), Call("4", "http", `{"url":"https://example.com","headers":{"accept":"*/*"}}`)),
			Result("1", "patch", `{"success": true, "diff": "--- a/src/timer.c\n+++ b/src/timer.c\n@@ -2,2 +2 @@\n beep();\n-beep();"}`),
			Result("2", "terminal", `{"output": "diff --git a/src/timer.c b/src/timer.c\n@@ -2,2 +2 @@\n beep();\n-beep();\n+// once\n", "exit_code": 0, "error": null}`),
			Result("3", "read_file", `{"content": "     1|void TIM2_IRQHandler(void) {\n     2|\tbeep();\n     3|}", "total_lines": 3}`),
			Result("4", "http", `{"status": 500, "body": {"message": "down", "retry": [1, 2]}}`),
		},
		"summary": {
			Said("user", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted:\n\n## Goal\nStop the *second* beep."),
			Said("assistant", "[CONTEXT SUMMARY]: the flag\n--- END OF CONTEXT SUMMARY — respond below ---\nIt is cleared now."),
			Said("user", "Thanks."),
		},
		"media":  {pictured, Said("assistant", "A 60 cm oven.")},
		"broken": {broken, Said("assistant", "I could not read that.")},
	}
}

// Trimmed is a screen without the spaces at the ends of its lines and the empty
// lines below.
func Trimmed(screen string) string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(screen, "\r", ""), "\n "), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
