package ui

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// After says what becomes of the browser when a conversation is resumed.
type After int

// What can become of it.
const (
	Leave  After = iota // Hermes takes its place
	Return              // it comes back when Hermes has ended
	Print               // it ends, and the command is printed
)

// resumption is a wish to resume.
type resumption struct {
	id    string
	tui   bool // in Hermes's other interface
	after After
}

// checked is what was found out before a conversation is resumed.
type checked struct {
	resumption
	turn     int
	standing model.Standing
	err      error
}

// returned says that Hermes has ended and the screen is ours again.
type returned struct {
	err  error
	took time.Duration
}

// atOnce is how soon a program ends that could not begin.
const atOnce = 3 * time.Second

// resumeActions are the ways to resume the conversation that id names when one
// of them is taken; why says what stands against all of them.
func (r *Root) resumeActions(why string, id func() string) []action {
	take := action{Resume, why, func() tea.Cmd { return r.choose(id()) }}
	if r.opt.Choose {
		return []action{take}
	}
	back := why
	if r.opt.Child == nil && back == "" {
		back = "there is no Hermes to come back from"
	}
	return []action{
		take,
		{ResumeTUI, why, func() tea.Cmd { return r.check(resumption{id(), true, r.opt.After}) }},
		{ResumeReturn, back, func() tea.Cmd { return r.check(resumption{id(), false, Return}) }},
	}
}

// choose is what Enter does to a conversation: it is resumed, or its id given
// to the script that waits for it.
func (r *Root) choose(id string) tea.Cmd {
	if r.opt.Choose {
		return r.hand(id)
	}
	return r.check(resumption{id, false, r.opt.After})
}

// check looks whether anything stands against resuming. The conversation may
// have grown or gone since it was drawn.
func (r *Root) check(w resumption) tea.Cmd {
	r.wishes++
	turn, ctx, lib := r.wishes, r.ctx, r.opt.Library
	return func() tea.Msg {
		st, err := lib.Standing(ctx, w.id)
		return checked{w, turn, st, err}
	}
}

// landCheck resumes, or asks first.
func (r *Root) landCheck(c checked) tea.Cmd {
	if c.turn != r.wishes {
		return nil // something else was wanted since
	}
	if c.err != nil {
		r.fail(c.err)
		return nil
	}
	c.id = c.standing.Tip.ID
	if cautions := c.standing.Cautions(r.opt.Profile, r.opt.Clock()); len(cautions) > 0 {
		return r.open(newCautionBox(r, c.resumption, c.standing, cautions))
	}
	return r.resume(c.resumption, c.standing.Tip)
}

// resume does it, whatever stands against it.
func (r *Root) resume(w resumption, tip model.Session) tea.Cmd {
	if w.after == Return && r.opt.Child != nil {
		begun := r.opt.Clock()
		return handOver(r.opt.Child(tip, w.tui), func(err error) tea.Msg {
			return returned{err, r.opt.Clock().Sub(begun)}
		})
	}
	return r.finish(Outcome{ID: tip.ID, TUI: w.tui, Print: w.after == Print})
}

// back is told that Hermes has ended: what is on the screen is read again.
func (r *Root) back(m returned) tea.Cmd {
	refresh := func() tea.Msg { return tea.ResumeMsg{} }
	switch {
	case m.err == nil:
		return tea.Batch(refresh, r.say("back from Hermes"))
	case m.took < atOnce:
		r.toast = toast{id: r.toast.id + 1, text: CleanLine("Hermes ended at once: " + m.err.Error()), bad: true}
	default:
		r.toast = toast{id: r.toast.id + 1, text: CleanLine("back from Hermes, which ended with an error: " + m.err.Error()), bad: true}
	}
	return refresh
}

// newCautionBox says what stands against resuming and offers what can be done.
// The first entry is the harmless one, for a second Enter in a hurry.
func newCautionBox(r *Root, w resumption, st model.Standing, cautions []model.Caution) *menu {
	var why []string
	for _, c := range cautions {
		why = append(why, c.Why)
	}
	name := CleanLine(st.Tip.Title)
	if name == "" {
		name = CleanLine(st.Tip.ID)
	}
	m := &menu{root: r, title: r.styles.Spell("Resume “" + name + "”?"), text: sentence(CleanLine(strings.Join(why, "; ")))}
	m.entries = append(m.entries, entry{letter: "n", label: "leave it alone", do: func() tea.Cmd { return nil }})
	if st.Delegate && st.Parent.ID != "" {
		label := "resume what it works for"
		m.entries = append(m.entries, entry{letter: "p", label: label, note: CleanLine(st.Parent.Title), do: func() tea.Cmd {
			return r.check(resumption{st.Parent.ID, w.tui, w.after})
		}})
	}
	command := r.opt.Command(st.Tip.ID)
	m.entries = append(m.entries,
		entry{letter: "y", label: "resume it all the same", do: func() tea.Cmd { return r.resume(w, st.Tip) }},
		entry{letter: "c", label: "copy the command", do: func() tea.Cmd {
			return tea.Batch(tea.SetClipboard(command), r.say("sent to the terminal's clipboard: "+command))
		}},
	)
	return m
}

// sentence begins a text with a capital and ends it with a stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
