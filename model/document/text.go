package document

import "strings"

// text is for terminals and pagers.
type text struct {
	*sink
	strong func(string) string
	parts  int // of the entry that are written
}

func (t *text) begin(string) {}

func (t *text) heading(title string, facts []string, first bool) {
	if !first {
		t.put("\n")
	}
	t.put(t.strong(title), "\n", strings.Join(facts, " · "), "\n", strings.Repeat("─", 72), "\n\n")
}

func (t *text) seam(note string) { t.put("── ", note, " ", strings.Repeat("─", 20), "\n\n") }

func (t *text) speaker(e entry) {
	t.put(t.strong(e.name))
	if e.at != "" {
		t.put("  ", e.at)
	}
	t.put("\n")
	t.parts = 0
}

// apart keeps the parts of an entry apart by blank lines.
func (t *text) apart() {
	if t.parts++; t.parts > 1 {
		t.put("\n")
	}
}

func (t *text) prose(s string) {
	t.apart()
	t.put(indented(s, "  "), "\n")
}

func (t *text) plain(s string) { t.prose(s) }

func (t *text) aside(s string) {
	t.apart()
	t.put("  ", s, "\n")
}

func (t *text) fold(name, body string) {
	t.apart()
	t.put("  ▾ ", name, "\n", indented(body, "    "), "\n")
}

func (t *text) work(summary string, failed int, steps []step) {
	t.apart()
	t.put("  ▾ ", summary, failures(failed), "\n")
	for _, s := range steps {
		if s.args != "" && !s.reasoning && len(s.args) <= 60 && !strings.Contains(s.args, "\n") {
			t.put("    ", s.label(), "  ", s.args, "\n")
			s.args = ""
		} else {
			t.put("    ", s.label(), "\n")
		}
		if s.args != "" {
			t.put(indented(s.args, "      "), "\n")
		}
		for _, n := range s.notes {
			t.put("      ", n, "\n")
		}
		if s.result != "" {
			t.put(indented(s.result, "    │ "), "\n")
		}
	}
}

func (t *text) endEntry() { t.put("\n") }

func (t *text) endConversation() {}

func (t *text) end() {}

// indented puts a margin before each line that has text.
func indented(s, margin string) string {
	blank := strings.TrimRight(margin, " ")
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			lines[i] = blank
		} else {
			lines[i] = margin + l
		}
	}
	return strings.Join(lines, "\n")
}
