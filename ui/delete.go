package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
)

// typedFrom is from how many conversations on the number has to be typed.
const typedFrom = 10

// deletion is the box that asks before anything is deleted.
type deletion struct {
	sh      Shell
	env     *Env
	of      Subjects
	read    *flight[deletable, model.Deletion]
	plan    model.Deletion
	planned bool
	err     error
	segment segment
	yes     bool // what Enter does
	number  prompt
	wrong   bool // the number was
}

// askDelete asks whether these are to go.
func askDelete(sh Shell, of Subjects) tea.Cmd {
	env := sh.Env()
	d := &deletion{sh: sh, env: env, of: of, number: newPrompt(""), segment: newSegment(of)}
	changes := env.Changes
	d.read = newFlight(env.Context, func(ctx context.Context, w deletable) (model.Deletion, error) {
		return changes.PlanDelete(ctx, w.ids, w.options)
	})
	return tea.Batch(sh.Open(d), d.count())
}

func (d *deletion) count() tea.Cmd {
	d.planned, d.err, d.yes = false, nil, false
	return d.read.ask(d.of.deletable(d.segment.only()))
}

// typed reports whether the number has to be typed.
func (d *deletion) typed() bool { return len(d.of.IDs) >= typedFrom }

func (d *deletion) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case landed[deletable, model.Deletion]:
		if msg.flight != d.read {
			return false, nil
		}
		ok, next := d.read.land(msg)
		if ok && d.read.settled() { // else it is about another choice
			d.plan, d.planned, d.err = msg.answer, true, msg.err
		}
		return false, next
	case tea.PasteMsg:
		d.number.update(msg)
	case tea.KeyPressMsg:
		return d.press(msg)
	}
	return false, nil
}

func (d *deletion) press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	ready := d.planned && d.err == nil
	id, _ := d.env.Keys.match(InDialog, msg)
	switch key := msg.String(); {
	case id == Back, key == "n" && !d.typed(), key == "n" && d.number.empty():
		return true, nil
	case d.err != nil:
		return id == Accept, nil
	case d.typed():
		if id != Accept {
			d.wrong = false
			d.number.update(msg)
			return false, nil
		}
		if d.number.empty() {
			return true, nil
		}
		if n, err := strconv.Atoi(strings.TrimSpace(d.number.text())); err != nil || n != len(d.of.IDs) {
			d.wrong = true
			d.number.clear()
			return false, nil
		}
		if !ready {
			return false, nil
		}
		return true, d.sh.Do(DeleteConversations{Of: d.of, Agreed: d.plan})
	case key == "s" && d.segment.offered():
		d.segment.turn()
		return false, d.count()
	case key == "[" && d.segment.move(-1), key == "]" && d.segment.move(1):
		return false, d.count()
	case key == "y" && ready, id == Accept && d.yes && ready:
		return true, d.sh.Do(DeleteConversations{Of: d.of, Agreed: d.plan, Segment: d.segment.only()})
	case id == Accept && !d.yes:
		return true, nil
	case id == Up, id == Down, key == "left", key == "right", key == "tab":
		d.yes = ready && !d.yes
	}
	return false, nil
}

func (d *deletion) Box(w, h int) string {
	s := d.sh.Styles()
	inner, tall := inside(w, h)
	title := "Delete " + d.of.title() + "?"
	if d.segment.alone() {
		title = "Delete " + d.segment.name() + " of " + d.of.title() + "?"
	}
	var text []string
	para := func(render func(...string) string, words string) {
		for _, l := range wrap(words, inner) {
			text = append(text, render(l))
		}
	}
	switch {
	case d.err != nil:
		para(s.Bad.Render, CleanLine(because(d.err)))
	case !d.planned && d.read.late:
		para(s.Faint.Render, "counting"+s.Glyphs.Ellipsis)
	case !d.planned:
		para(s.Faint.Render, "")
	default:
		words := d.consequences()
		para(s.Text.Render, words[0])
		if n := len(d.plan.Running); n > 0 {
			line := "Somebody seems to be at work in " + CleanLine(d.plan.Running[0])
			if n > 1 {
				line += " and " + some(n-1, "other session", "other sessions")
			}
			para(s.Warn.Render, line+".")
		}
		for _, w := range words[1:] {
			para(s.Muted.Render, w)
		}
	}
	below := d.answers(inner)
	if room := tall - len(below) - 1; len(text) > room {
		room = max(room+1, 0) // rather the answers and the first words than a gap
		text = text[:min(len(text), room)]
	} else {
		text = append(text, "")
	}
	return frame(s, w, h, ansi.Truncate(title, inner, s.Glyphs.Ellipsis), append(text, below...))
}

// answers draws what can be said to it.
func (d *deletion) answers(w int) []string {
	s := d.sh.Styles()
	if d.err != nil {
		return []string{s.Key.Render("n") + s.Text.Render(" close")}
	}
	if d.typed() {
		ask := "Type " + count(len(d.of.IDs)) + " to delete: "
		if w < 30 {
			ask = "Type " + count(len(d.of.IDs)) + ": "
		}
		if d.wrong {
			ask = "That is not the number. " + ask
		}
		text, _ := d.number.draw(8)
		lines := wrap(ask, w)
		last := len(lines) - 1
		for i := range lines[:last] {
			lines[i] = s.Text.Render(lines[i])
		}
		lines[last] = s.Text.Render(strings.TrimRight(lines[last], " ")+" ") + s.Accent.Render(text+"_")
		return append(lines, s.Muted.Render(ansi.Truncate("Esc keeps them", w, s.Glyphs.Ellipsis)))
	}
	choice := func(selected bool, letter, label string) string {
		mark := " "
		if selected {
			mark = s.Glyphs.Cursor
		}
		return s.On(selected, s.Accent).Render(mark+" ") + s.On(selected, s.Key).Render(letter) + s.On(selected, s.Text).Render(" "+label+" ")
	}
	all := []string{choice(d.yes, "y", "delete"), choice(!d.yes, "n", "keep")}
	switch {
	case d.segment.alone():
		all = append(all, choice(false, "s", "all of it"), choice(false, "[ ]", "another segment"))
	case d.segment.offered():
		all = append(all, choice(false, "s", "only "+d.segment.name()))
	}
	return flow(all, w)
}

// consequences says what goes and what stays.
func (d *deletion) consequences() []string {
	p := d.plan
	parts := []string{some(p.Requested, "session", "sessions")}
	if n := len(d.of.IDs) - len(p.Skipped) - len(p.NotFound); len(d.of.IDs) > 1 {
		parts = []string{some(n, "conversation", "conversations") + ": " + some(p.Requested, "segment", "segments")}
	} else if p.Requested > 1 {
		parts[0] = some(p.Requested, "segment", "segments")
	}
	parts = append(parts, some(p.Messages, "message", "messages"))
	if p.Delegates > 0 {
		parts = append(parts, some(p.Delegates, "subagent session", "subagent sessions"))
	}
	if p.Files > 0 {
		parts = append(parts, some(p.Files, "transcript file", "transcript files"))
	}
	first := strings.Join(parts, ", ") + " will go"
	switch n := len(p.Orphaned); {
	case n == 0 || d.segment.alone():
		first += "."
	case n == 1:
		first += "; what branched off stays: 1 session."
	default:
		first += "; what branched off stays: " + count(n) + " sessions."
	}
	out := []string{first}
	if d.segment.alone() {
		out = append(out, d.segment.becomes(p.Orphaned)...)
	}
	if n := len(p.Skipped); n > 0 {
		line := some(n, "conversation stays", "conversations stay") + ": " + d.of.called(p.Skipped[0].ID) + " " + CleanLine(p.Skipped[0].Reason)
		if n > 1 {
			line += ", and " + count(n-1) + " more"
		}
		out = append(out, line)
	}
	if n := len(p.NotFound); n > 0 {
		out = append(out, some(n, "conversation is", "conversations are")+" not there any more.")
	}
	if len(d.of.Titles) > 1 {
		const most = 4
		names := d.of.Titles[:min(len(d.of.Titles), most)]
		line := strings.Join(names, " · ")
		if more := len(d.of.Titles) - len(names); more > 0 {
			line += " · and " + count(more) + " more"
		}
		out = append(out, line)
	}
	if undo := d.env.Keys.find(InList, Undo); undo.Help != "" {
		out = append(out, undo.label()+" brings it back, as long as this program runs.")
	}
	return out
}
