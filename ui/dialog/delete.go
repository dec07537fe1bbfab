package dialog

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// typedFrom is the number of conversations from which the user has to type it to confirm.
const typedFrom = 10

// deleteBox is the question before a deletion.
type deleteBox struct {
	sh      shell.Shell
	env     *shell.Env
	of      shell.Subjects
	read    *kit.Latest[shell.DeleteQuestion, model.Deletion]
	plan    model.Deletion
	planned bool
	err     error
	segment segment
	yes     bool // what Enter does
	number  kit.Prompt
	wrong   bool      // the number that was typed last was wrong
	typedAt time.Time // when the last letter of a word was typed, see inText
	drawn   struct {
		answers []string // as last drawn
		y       int      // of the first of them
	}
}

// OpenDelete opens the question whether to delete conversations.
func OpenDelete(sh shell.Shell, of shell.Subjects) tea.Cmd {
	env := sh.Env()
	d := &deleteBox{sh: sh, env: env, of: of, number: kit.NewPrompt(""), segment: newSegment(of)}
	changes := env.Changes
	d.read = kit.NewLatest(env.Context, func(ctx context.Context, w shell.DeleteQuestion) (model.Deletion, error) {
		return changes.PlanDelete(ctx, w.IDs, w.Options)
	})
	return tea.Batch(sh.Open(d), d.count())
}

func (d *deleteBox) count() tea.Cmd {
	d.planned = false
	d.err = nil
	d.yes = false
	return d.read.Ask(d.of.Deletable(d.segment.only()))
}

// typed reports whether the number has to be typed.
func (d *deleteBox) typed() bool { return len(d.of.IDs) >= typedFrom && (!d.planned || d.going() > 0) }

// going is the number of conversations that go, by the plan.
func (d *deleteBox) going() int { return len(d.of.IDs) - len(d.plan.Skipped) - len(d.plan.NotFound) }

// Update handles the answer to the question and the count of what it deletes.
func (d *deleteBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case kit.Answer[shell.DeleteQuestion, model.Deletion]:
		if msg.From != d.read {
			return false, nil
		}
		ok, next := d.read.Take(msg)
		if ok && d.read.Settled() { // else it is about another choice
			d.plan = msg.Value
			d.planned = true
			d.err = msg.Err
		}
		return false, next
	case tea.PasteMsg:
		d.number.Update(msg)
	case tea.KeyPressMsg:
		if d.inText(msg) {
			if msg.Text == "y" {
				return false, d.sh.Refuse("y came with other letters; press it again to delete")
			}
			return false, nil
		}
		return d.press(msg)
	}
	return false, nil
}

// inText reports whether a letter is part of a word: it comes without a pause after a letter
// that is not an answer. A user who takes the transcript for a search field and types
// "deploy" opens this question with the d, and the y must not answer it.
func (d *deleteBox) inText(msg tea.KeyPressMsg) bool {
	if msg.Text == "" || d.typed() || d.err != nil {
		return false
	}
	now := d.env.Clock()
	in := now.Sub(d.typedAt) < shell.TypedWithin
	if _, known := d.env.Keys.Match(shell.InDialog, msg); in || !known && !strings.Contains("yns[]", msg.Text) {
		d.typedAt = now
	}
	return in
}

func (d *deleteBox) press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	ready := d.planned && d.err == nil
	id, _ := d.env.Keys.Match(shell.InDialog, msg)
	key := msg.String()
	switch {
	case id == shell.Close, key == "n" && !d.typed(), key == "n" && d.number.Empty():
		return true, nil
	case d.err != nil:
		return id == shell.ChooseEntry, nil
	case d.typed():
		if id != shell.ChooseEntry {
			d.wrong = false
			d.number.Update(msg)
			return false, nil
		}
		if d.number.Empty() {
			return true, nil
		}
		if n, err := strconv.Atoi(strings.TrimSpace(d.number.Text())); !ready {
			return false, nil
		} else if err != nil || n != d.going() {
			d.wrong = true
			d.number.Clear()
			return false, nil
		}
		return true, d.sh.Do(shell.DeleteConversations{Of: d.of, Plan: d.plan})
	case key == "s" && d.segment.offered():
		d.segment.turn()
		return false, d.count()
	case key == "[" && d.segment.move(-1), key == "]" && d.segment.move(1):
		return false, d.count()
	case key == "y" && ready, id == shell.ChooseEntry && d.yes && ready:
		return true, d.sh.Do(shell.DeleteConversations{Of: d.of, Plan: d.plan, Segment: d.segment.only()})
	case id == shell.ChooseEntry && !d.yes:
		return true, nil
	case id == shell.Up, id == shell.Down, key == "left", key == "right", key == "tab":
		d.yes = ready && !d.yes
	}
	return false, nil
}

// Box draws the box for a window of w by h.
func (d *deleteBox) Box(w, h int) string {
	s := d.sh.Styles()
	inner, tall := inside(w, h)
	title := "Delete " + d.of.Title() + "?"
	if n := len(d.of.IDs); n > 1 && d.planned && d.going() < n {
		title = "Delete " + kit.Count(d.going()) + " of " + d.of.Title() + "?"
	}
	if d.segment.alone() {
		title = "Delete " + d.segment.name() + " of " + d.of.Title() + "?"
	}
	var text []string
	para := func(render func(...string) string, words string) {
		for _, l := range s.Cells.Wrap(words, inner) {
			text = append(text, render(l))
		}
	}
	switch {
	case d.err != nil:
		for _, l := range shell.Explain(s.Cells, d.err, inner) {
			text = append(text, s.Bad.Render(l))
		}
	case !d.planned && d.read.Late:
		text = append(text, kit.Waiting(s, inner, "counting", d.read.Moves))
	case !d.planned:
		para(s.Faint.Render, "")
	default:
		words := d.consequences()
		para(s.Text.Render, words[0])
		if d.env.Several {
			para(s.Text.Render, d.profiles())
		}
		if n := len(d.plan.Running); n > 0 {
			others := ""
			if n > 1 {
				others = " and " + kit.Plural(n-1, "other session", "other sessions")
			}
			para(s.Warn.Render, d.running(d.plan.Running[0], others))
		}
		for _, w := range words[1:] {
			para(s.Muted.Render, w)
		}
		if slices.ContainsFunc(d.of.Roots, d.sh.Env().Annotated) {
			para(s.Muted.Render, "Your notes, tags and bookmarks stay; hermes-sessions notes lists them.")
		}
	}
	below := d.answers(inner)
	var edge []string
	if d.typed() && d.err == nil { // the other answers name their keys
		edge = hints(d.env.Keys, "delete", "cancel")[1:]
	}
	if room := tall - len(below) - 1; len(text) > room {
		room = max(room+1, 0) // rather the answers and the first words than a gap
		text = text[:min(len(text), room)]
	} else {
		text = append(text, "")
	}
	d.drawn.answers, d.drawn.y = below, len(text)
	return dangerFrame(s, w, h, s.Cells.Truncate(title, inner, s.Glyphs.Ellipsis), append(text, below...), edge...)
}

// running says that a session, and others, may still be running: by the title of its
// conversation, or by its id where it is none of theirs.
func (d *deleteBox) running(id, others string) string {
	for _, c := range d.of.Conversations {
		switch {
		case c.ID != id && !slices.Contains(c.Segments, id):
		case len(d.of.Roots) == 1:
			return "This conversation" + others + " may still be running."
		default:
			return "“" + shell.ConversationName(c) + "”" + others + " may still be running."
		}
	}
	return "Session " + kit.CleanLine(id) + others + " may still be running."
}

// profiles names those of the conversations: two may have one of the same title.
func (d *deleteBox) profiles() string {
	var names []string
	for _, c := range d.of.Conversations {
		if name := kit.CleanLine(c.Profile); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "Profile: " + strings.Join(names, ", ")
}

// Click takes the answer at a place of the box.
func (d *deleteBox) Click(x, y int) (bool, tea.Cmd) {
	i := y - d.drawn.y
	if i < 0 || i >= len(d.drawn.answers) || d.typed() || d.err != nil {
		return false, nil
	}
	line, measure := ansi.Strip(d.drawn.answers[i]), d.sh.Styles().Cells
	for _, a := range []struct {
		label string
		key   rune
	}{{"Delete", 'y'}, {"Cancel", 'n'}, {"Whole conversation", 's'}, {"Only " + d.segment.name(), 's'}, {"Other segment", ']'}} {
		before, _, found := strings.Cut(line, a.label)
		end := measure.StringWidth(before + a.label)
		if found && x >= measure.StringWidth(before)-2 && x < end { // its key stands before it
			return d.press(tea.KeyPressMsg{Code: a.key, Text: string(a.key)})
		}
	}
	return false, nil
}

// answers draws the possible answers, or the field for the number.
func (d *deleteBox) answers(w int) []string {
	s := d.sh.Styles()
	if d.err != nil {
		return []string{s.Key.Render("n") + s.Text.Render(" close")}
	}
	if d.typed() {
		if !d.planned {
			return []string{""} // how many go is not known yet
		}
		ask := "Type " + kit.Count(d.going()) + " to delete: "
		if w < 30 {
			ask = "Type " + kit.Count(d.going()) + ": "
		}
		if d.wrong {
			ask = "The number does not match. " + ask
		}
		lines := s.Cells.Wrap(ask, w)
		last := len(lines) - 1
		for i := range lines[:last] {
			lines[i] = s.Text.Render(lines[i])
		}
		lines[last] = s.Text.Render(strings.TrimRight(lines[last], " ")+" ") + d.number.DrawField(s, 8)
		return lines
	}
	choice := func(selected bool, letter, label string) string {
		mark := kit.RowMark(s, selected)
		if selected && letter == "y" {
			return s.Danger.Render(mark + " " + letter + " " + label + " ")
		}
		return s.On(selected, s.Accent).Render(mark+" ") + s.On(selected, s.Key).Render(letter) + s.On(selected, s.Text).Render(" "+label+" ")
	}
	all := []string{choice(d.yes, "y", "Delete"), choice(!d.yes, "n", "Cancel")}
	switch {
	case d.segment.alone():
		all = append(all, choice(false, "s", "Whole conversation"), choice(false, "[ ]", "Other segment"))
	case d.segment.offered():
		all = append(all, choice(false, "s", "Only "+d.segment.name()))
	}
	return kit.Flow(s.Cells, all, w)
}

// consequences says what is deleted and what stays.
func (d *deleteBox) consequences() []string {
	p := d.plan
	out := []string{d.deleted() + d.kept()}
	if d.segment.alone() {
		out = append(out, d.segment.becomes(p.Orphaned)...)
	}
	if n := len(p.Skipped); n > 0 {
		line := kit.Plural(n, "conversation cannot be deleted", "conversations cannot be deleted") + ": " + d.of.NameOf(p.Skipped[0].ID) + " " + kit.CleanLine(p.Skipped[0].Reason)
		if n > 1 {
			line += ", and " + kit.Count(n-1) + " more"
		}
		out = append(out, line)
	}
	if n := len(p.NotFound); n > 0 {
		out = append(out, kit.Plural(n, "conversation no longer exists", "conversations no longer exist")+".")
	}
	if len(d.of.Titles) > 1 {
		const most = 4
		names := d.of.Titles[:min(len(d.of.Titles), most)]
		line := strings.Join(names, " · ")
		if more := len(d.of.Titles) - len(names); more > 0 {
			line += " · and " + kit.Count(more) + " more"
		}
		out = append(out, line)
	}
	if undo := d.env.Keys.Find(shell.InList, shell.Undo); undo.Help != "" {
		until := " until you quit."
		if d.env.UndoKept != "" {
			until = " for " + d.env.UndoKept + "."
		}
		out = append(out, "Undo with "+undo.KeyText()+until)
	}
	return out
}

// deleted says what the deletion removes.
func (d *deleteBox) deleted() string {
	p := d.plan
	own, several := "Deletes ", ""
	n := d.going()
	if len(d.of.IDs) > 1 {
		several = kit.Plural(n, "conversation", "conversations")
	}
	counted := func(sessions string, messages int) string {
		if messages == 0 {
			return sessions
		}
		return sessions + " (" + kit.Plural(messages, "message", "messages") + ")"
	}
	sessions := kit.Plural(p.Requested, "session", "sessions")
	if p.Requested > 1 || d.segment.alone() {
		sessions = kit.Plural(p.Requested, "segment", "segments")
	}
	switch {
	case several != "" && p.Requested == n: // of one segment each
		sessions = several
	case several != "":
		sessions = several + " with " + sessions
	}
	own += counted(sessions, p.Messages-p.DelegateMessages)
	parts := []string{own}
	if p.Delegates > 0 {
		parts = append(parts, counted(kit.Plural(p.Delegates, "subagent session", "subagent sessions"), p.DelegateMessages))
	}
	if p.Files > 0 {
		parts = append(parts, kit.Plural(p.Files, "transcript file", "transcript files"))
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last] + "."
	}
	return own + "."
}

// kept says which branches stay, "" if there are none.
func (d *deleteBox) kept() string {
	n := len(d.plan.Orphaned)
	switch {
	case n == 0 || d.segment.alone():
		return ""
	case n == 1:
		return " 1 branch stays."
	default:
		return " " + kit.Count(n) + " branches stay."
	}
}
