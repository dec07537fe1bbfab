package document

import (
	"strings"
	"unicode"
)

// markdown is the layout of the Markdown form. The text of messages is Markdown
// already and is copied; an open code fence is closed, so that the next heading is
// not part of the code.
type markdown struct {
	*sink
	pictures bool // see [Options]
}

func (m *markdown) begin(string) {}

func (m *markdown) heading(title string, facts []string, first bool) {
	if !first {
		m.put("---\n\n")
	}
	m.put("# ", escaped(title), "\n\n")
	for i, f := range facts {
		if i > 0 {
			m.put(" · ")
		}
		m.put(escaped(f))
	}
	m.put("\n\n")
}

func (m *markdown) segmentBreak(note string) { m.put("---\n\n*", escaped(note), "*\n\n") }

func (m *markdown) author(e entry) {
	m.put("## ", escaped(e.name))
	if e.at != "" {
		m.put(" · ", e.at)
	}
	m.put("\n\n")
}

func (m *markdown) prose(s string) {
	m.disarm(s)
	m.put("\n")
	if f := openFence(s); f != "" {
		m.put(f, "\n")
	}
	m.put("\n")
}

func (m *markdown) plain(s string) { m.code("", s) }
func (m *markdown) note(s string)  { m.put("*", escaped(s), "*\n\n") }

func (m *markdown) collapsible(name, body string) {
	m.put("**", escaped(name), "**\n\n")
	m.code("", body)
}

func (m *markdown) toolRun(run toolRun, steps []step) {
	m.put("*", escaped("▾ "+run.summary()), "*\n\n")
	for _, s := range steps {
		m.put("**", escaped(s.label()), "**\n\n")
		if s.args != "" {
			m.code(jsonOr(s.args), s.args)
		}
		if s.change.Diff != "" {
			m.code("diff", s.change.Diff)
		}
		for _, n := range s.notes {
			m.note(n)
		}
		if (s.args != "" || s.change.Diff != "") && (s.result != "" || s.rest != "") {
			m.put("result:\n\n")
		}
		if IsDiff(s.result) {
			m.code("diff", s.result)
		} else if s.result != "" {
			m.code(jsonOr(s.result), s.result)
		}
		if s.rest != "" {
			m.code("", s.rest)
		}
	}
}

func (m *markdown) code(lang, s string) {
	fence := fenceFor(s)
	m.put(fence, lang, "\n", s, "\n", fence, "\n\n")
}

func (m *markdown) endEntry()        {}
func (m *markdown) endConversation() {}
func (m *markdown) end()             {}

// jsonOr returns the language of a code block: json if the text is indented
// JSON, else none.
func jsonOr(s string) string {
	if strings.HasPrefix(s, "{\n") || strings.HasPrefix(s, "[\n") {
		return "json"
	}
	return ""
}

// escaped escapes the characters that are markup in a line of Markdown. An underscore
// inside a word is not one (https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis).
func escaped(s string) string {
	var b strings.Builder
	runes := []rune(s)
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		if strings.ContainsRune("\\*_`#[]<&|~", r) && (r != '_' || !inWord(i-1) || !inWord(i+1)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
