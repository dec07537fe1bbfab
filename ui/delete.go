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

// subjects are the conversations that an action is about. They are fixed when
// its box opens: whatever the list does behind it, nothing else is touched.
type subjects struct {
	roots  []string
	ids    []string // of the tips
	titles []string
	convs  []model.Conversation // as last seen, safe to draw
	marked bool                 // they were picked one by one

	segment string // the one at hand, of a single conversation; "" for its newest
}

func only(c model.Conversation) subjects {
	return subjects{roots: []string{c.RootID}, ids: []string{c.ID}, titles: []string{named(c)}, convs: []model.Conversation{c}}
}

// named is what a conversation is called, safe to draw.
func named(c model.Conversation) string { return spanText(newItem(&c).title) }

// title names one, or counts several.
func (s subjects) title() string {
	if len(s.ids) == 1 {
		return "“" + s.titles[0] + "”"
	}
	return some(len(s.ids), "conversation", "conversations")
}

// deletion is the box that asks before anything is deleted.
type deletion struct {
	root    *Root
	of      subjects
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
func (r *Root) askDelete(of subjects) tea.Cmd {
	d := &deletion{root: r, of: of, number: newPrompt(""), segment: newSegment(of)}
	changes := r.opt.Changes
	d.read = newFlight(r.ctx, func(ctx context.Context, w deletable) (model.Deletion, error) {
		return changes.PlanDelete(ctx, w.ids, w.options)
	})
	return tea.Batch(r.open(d), d.count())
}

func (d *deletion) count() tea.Cmd {
	d.planned, d.err, d.yes = false, nil, false
	return d.read.ask(d.of.deletable(d.segment.only()))
}

// deletable is what a question about a deletion is about.
type deletable struct {
	ids     []string
	options model.DeleteOptions
}

// deletable is the whole of it, or one segment alone.
func (s subjects) deletable(segment string) deletable {
	if segment != "" {
		return deletable{[]string{segment}, model.DeleteOptions{Segment: true}}
	}
	return deletable{s.ids, model.DeleteOptions{Skip: len(s.ids) > 1}}
}

// typed reports whether the number has to be typed.
func (d *deletion) typed() bool { return len(d.of.ids) >= typedFrom }

func (d *deletion) update(msg tea.Msg) (bool, tea.Cmd) {
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
	id, _ := d.root.opt.Keys.match(InDialog, msg)
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
		if n, err := strconv.Atoi(strings.TrimSpace(d.number.text())); err != nil || n != len(d.of.ids) {
			d.wrong = true
			d.number.clear()
			return false, nil
		}
		if !ready {
			return false, nil
		}
		return true, d.root.delete(d.of, d.plan, "")
	case key == "s" && d.segment.offered():
		d.segment.turn()
		return false, d.count()
	case key == "[" && d.segment.move(-1), key == "]" && d.segment.move(1):
		return false, d.count()
	case key == "y" && ready, id == Accept && d.yes && ready:
		return true, d.root.delete(d.of, d.plan, d.segment.only())
	case id == Accept && !d.yes:
		return true, nil
	case id == Up, id == Down, key == "left", key == "right", key == "tab":
		d.yes = ready && !d.yes
	}
	return false, nil
}

func (d *deletion) box(w, h int) string {
	s := d.root.styles
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
	s := d.root.styles
	if d.err != nil {
		return []string{s.Key.Render("n") + s.Text.Render(" close")}
	}
	if d.typed() {
		ask := "Type " + count(len(d.of.ids)) + " to delete: "
		if w < 30 {
			ask = "Type " + count(len(d.of.ids)) + ": "
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

// flow puts drawn pieces beside each other, on as many lines as it takes.
func flow(pieces []string, w int) (lines []string) {
	line := ""
	for _, p := range pieces {
		if line != "" && ansi.StringWidth(line)+2+ansi.StringWidth(p) > w {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "  "
		}
		line += p
	}
	return append(lines, line)
}

// consequences says what goes and what stays.
func (d *deletion) consequences() []string {
	p := d.plan
	parts := []string{some(p.Asked, "session", "sessions")}
	if n := len(d.of.ids) - len(p.Refused) - len(p.Missing); len(d.of.ids) > 1 {
		parts = []string{some(n, "conversation", "conversations") + ": " + some(p.Asked, "segment", "segments")}
	} else if p.Asked > 1 {
		parts[0] = some(p.Asked, "segment", "segments")
	}
	parts = append(parts, some(p.Messages, "message", "messages"))
	if p.Delegates > 0 {
		parts = append(parts, some(p.Delegates, "subagent session", "subagent sessions"))
	}
	if p.Files > 0 {
		parts = append(parts, some(p.Files, "transcript file", "transcript files"))
	}
	first := strings.Join(parts, ", ") + " will go"
	switch n := len(p.Stay); {
	case n == 0 || d.segment.alone():
		first += "."
	case n == 1:
		first += "; what branched off stays: 1 session."
	default:
		first += "; what branched off stays: " + count(n) + " sessions."
	}
	out := []string{first}
	if d.segment.alone() {
		out = append(out, d.segment.becomes(p.Stay)...)
	}
	if n := len(p.Refused); n > 0 {
		line := some(n, "conversation stays", "conversations stay") + ": " + d.of.called(p.Refused[0].ID) + " " + CleanLine(p.Refused[0].Why)
		if n > 1 {
			line += ", and " + count(n-1) + " more"
		}
		out = append(out, line)
	}
	if n := len(p.Missing); n > 0 {
		out = append(out, some(n, "conversation is", "conversations are")+" not there any more.")
	}
	if len(d.of.titles) > 1 {
		const most = 4
		names := d.of.titles[:min(len(d.of.titles), most)]
		line := strings.Join(names, " · ")
		if more := len(d.of.titles) - len(names); more > 0 {
			line += " · and " + count(more) + " more"
		}
		out = append(out, line)
	}
	if undo := d.root.opt.Keys.find(InList, Undo); undo.Help != "" {
		out = append(out, undo.label()+" brings it back, as long as this program runs.")
	}
	return out
}

// delete removes what was agreed to, of one conversation a segment alone if that
// is named. The rows leave at once, the work is done behind them; what could not
// go comes back.
func (r *Root) delete(of subjects, agreed model.Deletion, segment string) tea.Cmd {
	if _, reading := r.top().(*transcript); reading && (segment == "" || segment == of.ids[0]) {
		r.pop()
	}
	name := of.title()
	var rows []departed
	if segment == "" {
		rows = r.vanish(of.roots)
	} else {
		name = "a segment of " + name
	}
	what := of.deletable(segment)
	changes := r.opt.Changes
	next := r.list().more()
	return tea.Batch(next, r.work.add(&job{doing: "deleting " + name, do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		what.options.Expect, what.options.Progress = &agreed, tell
		u, err := changes.Delete(ctx, what.ids, what.options)
		return func() tea.Cmd {
			left := map[string]bool{}
			for _, id := range of.ids {
				left[id] = segment == ""
			}
			var gone model.Deletion
			if u != nil {
				gone = u.Gone()
			}
			for _, ids := range [][]string{gone.Sessions, gone.Missing} {
				for _, id := range ids {
					delete(left, id)
				}
			}
			r.vanished(of, left)
			if u == nil {
				return nil
			}
			if len(gone.Sessions) == 0 && gone.Messages == 0 {
				_ = u.Close() // nothing is kept in it
				return r.stayed(of, gone.Refused)
			}
			r.undo.push(&step{
				what: "the deletion of " + name, roots: of.roots, rows: rows,
				back: func(ctx context.Context, tell func(done, total int)) error {
					return changes.Restore(ctx, u, model.RestoreOptions{Progress: tell})
				},
				yield: func(ctx context.Context, tell func(done, total int)) error {
					return changes.Restore(ctx, u, model.RestoreOptions{Progress: tell, DropTitles: true})
				},
				drop: func() { _ = u.Close() }, // a temporary file that stays behind is nobody's loss
				done: "brought back " + name + ": " + some(gone.Messages, "message", "messages"),
			})
			if err != nil {
				return nil
			}
			text := "deleted " + name
			if n := len(gone.FilesLeft); n > 0 {
				text += " (" + some(n, "file", "files") + " left: " + gone.FilesLeft[0] + ")"
			}
			if len(gone.Refused) > 0 {
				return r.stayed(of, gone.Refused)
			}
			return r.did(text)
		}, err
	}}))
}

// called names the conversation with this root.
func (s subjects) called(root string) string {
	for i := range s.roots {
		if s.roots[i] == root {
			return "“" + s.titles[i] + "”"
		}
	}
	return CleanLine(root)
}

// stayed says which conversations could not go, and why. They keep their
// marks.
func (r *Root) stayed(of subjects, refused []model.Refusal) tea.Cmd {
	title := some(len(of.ids)-len(refused), "conversation is", "conversations are") + " gone, " + "1 stays and keeps its mark"
	if len(refused) != 1 {
		title = some(len(of.ids)-len(refused), "conversation is", "conversations are") + " gone, " + count(len(refused)) + " stay and keep their marks"
	}
	return r.open(&notice{root: r, title: title, text: func(w int) (lines []string) {
		for _, f := range refused {
			for _, l := range wrap(of.called(f.ID)+": "+CleanLine(f.Why), w) {
				lines = append(lines, r.styles.Text.Render(l))
			}
		}
		return append(lines, "", r.styles.Muted.Render(ansi.Truncate(r.undoKey()+" brings back what is gone.", w, "")))
	}})
}
