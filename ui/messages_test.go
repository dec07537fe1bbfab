package ui

import (
	"hermes-sessions/model"
	"strings"
)

func said(role, text string) model.Message {
	return model.Message{Role: role, Content: model.Content{Text: text}}
}

func calls(text string, calls ...model.ToolCall) model.Message {
	m := said("assistant", text)
	m.Calls = calls
	return m
}

func result(id, tool, text string) model.Message {
	return model.Message{Role: "tool", ToolCallID: id, ToolName: tool, Content: model.Content{Text: text}}
}

func call(id, name, args string) model.ToolCall {
	return model.ToolCall{ID: id, Name: name, Arguments: args}
}

// kinds is a conversation with every kind of message, by what it shows.
func kinds() map[string][]model.Message {
	thinking := said("assistant", "The beep is a timer that nobody clears.")
	thinking.Reasoning = "The user hears a beep.\nTwo timers could run at once.\n\nLook at the interrupt handler first."
	pictured := said("user", "This is the panel.")
	pictured.Content.Media = []string{"panel.png", "image", "manual.pdf"}
	broken := said("user", "\x00json:[{\"type\": \"te")
	broken.DecodeError = "content is not JSON"
	event := said("user", "[switched to hermes-4-405b]")
	event.DisplayKind = "model_switch"
	overheard := said("user", "anyone fancy lunch?")
	overheard.Observed = true
	return map[string][]model.Message{
		"prose": {
			said("user", "The oven beeps *twice* after the timer.\nWhy?"),
			said("assistant", "# Cause\n\nThe handler runs **twice**: once for `TIM2`, once for its shadow.\n\n"+
				"- clear the flag *before* the work\n- then arm again, or the next edge is lost while the handler is still busy with the first\n\n"+
				"```c\nvoid TIM2_IRQHandler(void) {\n\tTIM2->SR &= ~TIM_SR_UIF;\n}\n```\n\n| flag | meaning |\n|------|---------|\n| UIF  | update  |\n\nSee [the manual](https://example.com/rm) and List<Timer>."),
			said("user", "日本語でもう一度、短く。"),
			said("assistant", "ハンドラが二回呼ばれます。フラグを先に消してください。 👨‍👩‍👧"),
		},
		"tools": {
			said("user", "Look into it."),
			calls("I read the handler first.", call("1", "read_file", `{"path":"src/timer.c","limit":40}`)),
			result("1", "read_file", "void TIM2_IRQHandler(void) {\n\tbeep();\n}\n"),
			calls("", call("2", "terminal", `{"command":"make test"}`), call("3", "terminal", `{"command":"grep -rn beep src\nwc -l src/*.c","timeout":30}`)),
			result("3", "terminal", `{"output": "src/timer.c:2: beep();\n  2 src/timer.c\n", "exit_code": 0}`),
			result("2", "terminal", "Error: no rule to make target 'test'"),
			calls("", call("4", "patch", "not { JSON"), call("", "", "")),
			result("9", "web_search", "a result whose call was lost"),
			said("assistant", "Fixed."),
		},
		"progress": {
			said("user", "Download it."),
			calls("", call("1", "terminal", `{"command":"curl -O big"}`)),
			result("1", "terminal", "  1%\r 50%\r100%\ndone \x1b[31mred\x1b[0m\r\n"),
			said("assistant", "Done."),
		},
		"reasoning": {said("user", "Think."), thinking},
		"others": {
			said("system", "You are a careful baker.\nNever open the door early."),
			said("user", "Hello"),
			said("developer", "a role of its own"),
			event, overheard,
			said("assistant", "  "),
			said("user", "still there?"),
		},
		"changes": {
			said("user", "Change it."),
			calls("", call("1", "patch", `{"path":"src/timer.c","old_string":"beep();\nbeep();","new_string":"beep();"}`), call("2", "terminal", `{"command":"git diff"}`), call("3", "read_file", `{"path":"src/timer.c"}`), call("4", "http", `{"url":"https://example.com","headers":{"accept":"*/*"}}`)),
			result("1", "patch", `{"success": true, "diff": "--- a/src/timer.c\n+++ b/src/timer.c\n@@ -2,2 +2 @@\n beep();\n-beep();"}`),
			result("2", "terminal", `{"output": "diff --git a/src/timer.c b/src/timer.c\n@@ -2,2 +2 @@\n beep();\n-beep();\n+// once\n", "exit_code": 0, "error": null}`),
			result("3", "read_file", `{"content": "     1|void TIM2_IRQHandler(void) {\n     2|\tbeep();\n     3|}", "total_lines": 3}`),
			result("4", "http", `{"status": 500, "body": {"message": "down", "retry": [1, 2]}}`),
		},
		"summary": {
			said("user", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted:\n\n## Goal\nStop the *second* beep."),
			said("assistant", "[CONTEXT SUMMARY]: the flag\n--- END OF CONTEXT SUMMARY — respond below ---\nIt is cleared now."),
			said("user", "Thanks."),
		},
		"media":  {pictured, said("assistant", "A 60 cm oven.")},
		"broken": {broken, said("assistant", "I could not read that.")},
	}
}

func trimmed(screen string) string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(screen, "\r", ""), "\n "), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
