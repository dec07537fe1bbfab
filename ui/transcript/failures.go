package transcript

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// failures goes from one failed tool call to the next.
type failures struct {
	t    *Screen
	last int // one more than the position of the result that was shown last, 0 for none
	end  int // one more than the row at which it was said that there are no more, 0 for none
}

// next goes to the next result of a tool that reports an error, reading more
// messages to find it. Where it has said that there is none below, it begins at the top.
func (f *failures) next() tea.Cmd {
	t := f.t
	if f.end == t.Rows.Selected+1 {
		f.end = 0
		return f.from(0, "no failed tool calls")
	}
	from := t.Rows.Selected/2 + 1
	if last := f.last - 1; last >= 0 && last < len(t.Pages.Skeletons) && t.shownUnder(last) == t.Rows.Selected/2 {
		from = last + 1
	}
	if i := t.Rows.Selected / 2; f.last == 0 && t.Pages.Skeletons[i].Failure != "" && t.shownUnder(i) == i {
		from = i
	}
	none := "no failed tool calls below"
	if f.last > 0 {
		none = "no more failed tool calls below"
	}
	if from > 1 {
		none += "; ! starts at the top"
	}
	return f.from(from, none)
}

// from goes to the first failure from message i on, or says that there is none.
func (f *failures) from(i int, none string) tea.Cmd {
	t := f.t
	for ; i < len(t.Pages.Skeletons); i++ {
		switch g := &t.Pages.Skeletons[i]; {
		case g.Author == model.NoAuthor:
			return t.need(positions{i, min(i+4*window, len(t.Pages.Skeletons))}, func() tea.Cmd { return f.from(i, none) })
		case g.Failure != "":
			return t.jump(i, func() { f.show(i) })
		}
	}
	f.end = t.Rows.Selected + 1
	return t.sh.Refuse(none)
}

// show unfolds the tool call whose result is message i, and shows the line of its
// error.
func (f *failures) show(i int) {
	t := f.t
	f.last = i + 1
	caller := t.shownUnder(i)
	if run := t.Pages.pairing.RunStart[caller]; run >= 0 {
		t.folds[int(2*run+1)] = true
	}
	nth := 0
	for j := caller; j < i; j++ {
		if t.shownUnder(j) == caller && t.Pages.Skeletons[j].Failure != "" {
			nth++
		}
	}
	item, line := 2*caller+1, 0
	if d := t.Render(item); nth < len(d.failures) {
		line = d.failures[nth]
	}
	t.show(item, line, t.Rows.Height/3)
}
