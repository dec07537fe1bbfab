package transcript

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
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
	s := f.t
	if f.end == s.rows.Selected+1 {
		f.end = 0
		return f.from(0, "no failed tool calls")
	}
	from := s.rows.Selected/2 + 1
	if last := f.last - 1; last >= 0 && last < len(s.pages.skeletons) && s.shownUnder(last) == s.rows.Selected/2 {
		from = last + 1
	}
	if i := s.rows.Selected / 2; f.last == 0 && s.pages.skeletons[i].Failure != "" && s.shownUnder(i) == i {
		from = i
	}
	if f.last > 0 {
		return f.from(from, "no more failed tool calls below; "+f.again())
	}
	return f.from(from, "")
}

// from goes to the first failure from message i on, or says that there is none; with "" it
// says whether there is one above.
func (f *failures) from(i int, none string) tea.Cmd {
	s := f.t
	for ; i < len(s.pages.skeletons); i++ {
		g := &s.pages.skeletons[i]
		if g.Author == model.NoAuthor {
			return s.need(positions{i, min(i+4*window, len(s.pages.skeletons))}, func() tea.Cmd { return f.from(i, none) })
		} else if g.Failure != "" {
			return s.jump(i, func() { f.show(i) })
		}
	}
	f.end = s.rows.Selected + 1
	if none == "" {
		return f.above(0)
	}
	return s.sh.Refuse(none)
}

// above says that there is no failure below the current message, and whether there is one
// from message i on above it.
func (f *failures) above(i int) tea.Cmd {
	s := f.t
	for ; i < len(s.pages.skeletons); i++ {
		g := &s.pages.skeletons[i]
		if g.Author == model.NoAuthor {
			return s.need(positions{i, min(i+4*window, len(s.pages.skeletons))}, func() tea.Cmd { return f.above(i) })
		} else if g.Failure != "" {
			return s.sh.Refuse("no failed tool calls below; " + f.again())
		}
	}
	f.end = 0
	return s.sh.Refuse("no failed tool calls")
}

// again says which key starts at the top.
func (f *failures) again() string {
	return f.t.env.Keys.Find(shell.InTranscript, shell.NextFailure).KeyText() + " starts at the top"
}

// show unfolds the tool call whose result is message i, and shows the line of its
// error.
func (f *failures) show(i int) {
	s := f.t
	f.last = i + 1
	caller := s.shownUnder(i)
	if run := s.pages.pairing.RunStart[caller]; run >= 0 {
		s.folds[int(2*run+1)] = true
	}
	nth := 0
	for j := caller; j < i; j++ {
		if s.shownUnder(j) == caller && s.pages.skeletons[j].Failure != "" {
			nth++
		}
	}
	item, line := 2*caller+1, 0
	if r := s.render(item); nth < len(r.failures) {
		line = r.failures[nth]
	}
	s.show(item, line, s.rows.Height/3)
}
