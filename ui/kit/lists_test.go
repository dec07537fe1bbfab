package kit

import (
	"strings"
	"testing"

	"hermes-sessions/theme"
)

func TestBlankLinesOfListsAndQuotes(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"after a nested list", "- a\n  - b\n\nEnd", "• a\n  • b\n\nEnd"},
		{"after a list nested twice", "1. a\n   - b\n     - c\n\nEnd", "1. a\n  • b\n    • c\n\nEnd"},
		{"between items", "- a\n  - b\n- c\n  - d\n- e", "• a\n  • b\n• c\n  • d\n• e"},
		{"between items that begin with emphasis", "- a\n  - b\n- **c** d\n  - e\n- _f_", "• a\n  • b\n• c d\n  • e\n• f"},
		{"between tasks", "- [x] a\n  - b\n- [ ] c", "[✓] a\n  • b\n[ ] c"},
		{"paragraphs of an item", "- a\n\n  b\n\n  **c**\n- d", "• a\n\n  b\n\n  c\n• d"},
		{"paragraphs of a numbered item", "10. a\n\n    b", "10. a\n\n    b"},
		{"lines of an item", "- a\n  b\n  `c`\n- [ ] d\n  e", "• a\n  b\n  c\n[ ] d\n    e"},
		{"code in an item", "- a `b\n  c` d", "• a b c d"},
		{"a paragraph after a nested list", "- a\n  - b\n\n  c", "• a\n  • b\n\n  c"},
		{"a quote", "a\n\n> b\n>\n> c\n\nd", "a\n\n│ b\n│\n│ c\n\nd"},
		{"a list in a quote", "> - a\n>   - b\n>\n> c", "│ • a\n│   • b\n│\n│ c"},
		{"a quote that begins with a list", "a\n\n> 1. b\n\nc", "a\n\n│ 1. b\n\nc"},
		{"a quote in a quote", "> a\n> > b\n\nc", "│ a\n│\n│ │ b\n\nc"},
		{"a definition", "term\n: text\n\nEnd", "term\n→ text\n\nEnd"},
		{"code keeps its own", "```\na\n\n\nb\n```\n\n- c\n  - d\n\nEnd", "  a\n\n\n  b\n\n• c\n  • d\n\nEnd"},
		{"wrapped code keeps its own", "```\n" + strings.Repeat("wide ", 8) + "\n\n\nb\n```", "  wide wide wide wide\n  wide wide wide wide\n\n\n  b"},
	} {
		got, ok := plainProse(t, NewMarkdown(theme.Setup{}.Styles()), c.src, 24)
		if !ok || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, ok, got, c.want)
		}
	}
}

// Character references of a text stay what they are beside those that are put in.
func TestLinesOfItemsKeepReferences(t *testing.T) {
	got, ok := plainProse(t, NewMarkdown(theme.Setup{}.Styles()), "- a\n  &amp; b\n\n  __init__ *d*", 40)
	if want := "• a\n  & b\n\n  __init__ d"; !ok || got != want {
		t.Errorf("%v\n%q\nwant\n%q", ok, got, want)
	}
}
