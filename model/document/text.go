package document

import "strings"

// text is the layout of the text form.
type text struct {
	*sink
	strong func(string) string
	parts  int // number of parts of the current entry that are written
}

func (t *text) begin(string) {}

func (t *text) heading(title string, facts []string, first bool) {
	if !first {
		t.put("\n")
	}
	t.put(t.strong(title), "\n", strings.Join(facts, " · "), "\n", strings.Repeat("─", 72), "\n\n")
}

func (t *text) segmentBreak(note string) {
	t.put("── ", note, " ", strings.Repeat("─", 20), "\n\n")
}

func (t *text) author(e entry) {
	t.put(t.strong(e.name))
	if e.at != "" {
		t.put("  ", e.at)
	}
	t.put("\n")
	t.parts = 0
}

// separate puts a blank line between two parts of an entry.
func (t *text) separate() {
	if t.parts++; t.parts > 1 {
		t.put("\n")
	}
}

func (t *text) prose(s string) {
	t.separate()
	t.indented(s, "  ")
}

func (t *text) plain(s string) { t.prose(s) }

func (t *text) note(s string) {
	t.separate()
	t.put("  ", s, "\n")
}

func (t *text) collapsible(name, body string) {
	t.separate()
	t.put("  ▾ ", name, "\n")
	t.indented(body, "    ")
}

func (t *text) toolRun(run toolRun, steps []step) {
	t.separate()
	t.put("  ▾ ", run.summary(), "\n")
	for _, s := range steps {
		if s.args != "" && !s.reasoning && len(s.args) <= 60 && !strings.Contains(s.args, "\n") {
			t.put("    ", s.label(), "  ", s.args, "\n")
			s.args = ""
		} else {
			t.put("    ", s.label(), "\n")
		}
		if s.args != "" {
			t.indented(s.args, "      ")
		}
		if s.change.Diff != "" {
			t.indented(s.change.Diff, "      ")
		}
		for _, n := range s.notes {
			t.put("      ", n, "\n")
		}
		for _, part := range []string{s.result, s.rest} {
			if part != "" {
				t.indented(part, "    │ ")
			}
		}
	}
}

func (t *text) endEntry() { t.put("\n") }

func (t *text) endConversation() {}

func (t *text) end() {}

// indented writes lines behind a margin, without trailing spaces on blank ones.
func (t *text) indented(s, margin string) {
	blank := strings.TrimRight(margin, " ")
	for l := range strings.SplitSeq(strings.Trim(s, "\n"), "\n") {
		if strings.TrimSpace(l) == "" {
			t.put(blank, "\n")
		} else {
			t.put(margin, l, "\n")
		}
	}
}
