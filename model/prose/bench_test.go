package prose

import (
	"strings"
	"testing"
)

func BenchmarkExcerpt(b *testing.B) {
	for name, text := range map[string]string{
		"plain":    strings.Repeat("Some words of an answer that has no markup at all, in a long line.\n", 40),
		"markdown": strings.Repeat("- **Session state file** (`.git/entire/<id>.json`): checked *right* after [this](https://example.com)\n", 30),
		"json":     `{"output": "` + strings.Repeat(`a line of \"output\" of a tool\n`, 100) + `", "exit_code": 0}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Excerpt(text, len(text)/2, len(text)/2+5)
			}
		})
	}
}
