package lineage

import (
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// detail is a named fact about a session.
type detail struct{ name, text string }

// details lists what is known of a session, the most important first.
func (s *Screen) details(n *model.Node) []detail {
	now := s.env.Clock()
	details := []detail{{"", s.relation(n)}}
	add := func(name, text string) {
		if text != "" {
			details = append(details, detail{name, text})
		}
	}
	in := " in, "
	if s.layout.w >= 80 {
		in = " tokens in, "
	}
	sums := func(session model.Totals) string {
		parts := []string{kit.Plural(session.Messages, "message", "messages")}
		if session.ToolCalls > 0 {
			parts = append(parts, kit.Plural(session.ToolCalls, "tool call", "tool calls"))
		}
		parts = append(parts, model.CompactNumber(session.Usage.Input)+in+model.CompactNumber(session.Usage.Output)+" out")
		if !session.Usage.Cost.Known {
			return strings.Join(append(parts, "cost ?"), " · ")
		}
		return strings.Join(append(parts, session.Usage.Cost.String()), " · ")
	}
	add("own", sums(n.OwnTotals()))
	if len(n.Children) > 0 {
		add("all", kit.Plural(n.Total.Sessions, "session", "sessions")+" · "+sums(n.Total))
	}
	state := []string{kit.StateText(n.State, n.EndReason)}
	if n.Archived {
		state = append(state, "archived")
	}
	if n.Pinned {
		state = append(state, "pinned")
	}
	add("state", strings.Join(state, " · "))
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.In(now.Location()).Format("2 Jan 2006 15:04")
	}
	when := day(n.StartedAt)
	if end := day(n.EndedAt); end != "" {
		when += " to " + strings.TrimPrefix(end, n.StartedAt.In(now.Location()).Format("2 Jan 2006 "))
	}
	add("time", when)
	add("model", kit.CleanLine(n.Model))
	add("source", kit.CleanLine(n.Source))
	add("folder", kit.CleanLine(n.CWD))
	add("branch", kit.CleanLine(n.GitBranch))
	add("ID", kit.CleanLine(n.ID))
	return details
}

// relation describes how a session is related to its parent.
func (s *Screen) relation(n *model.Node) string {
	above := ""
	if i, ok := s.fullIndex[n.ParentID]; ok && n.ParentID != n.ID {
		above = "“" + nodeTitle(s.full[i].Node) + "”"
	}
	f, known := s.forks[n.ID]
	at := ""
	switch {
	case !known || f.Parent == "":
	case f.Position > 0:
		at = " at message " + kit.Count(f.Position) + " of " + kit.Count(f.ParentMessages)
	case f.LastShared == 0:
		at = " before its first message"
	default:
		at = " at a message that no longer exists"
	}
	switch {
	case n == s.tree && n.ParentID != "" && above != "":
		return "parents form a loop, cut above this session"
	case n == s.tree && n.ParentID != "":
		return kindName(n) + ", parent missing: " + kit.CleanLine(n.ParentID)
	case n.Link == model.LinkBranch:
		text := "branch of " + above
		if at != "" {
			text += ", forked" + at
		}
		if f.CopiedMessages > 0 {
			text += ", " + kit.Count(f.CopiedMessages) + " copied"
		}
		return text
	case n.Link == model.LinkDelegate && above != "":
		text := "subagent of " + above
		if at != "" {
			text += ", started" + at
		}
		return text
	case n.SegmentCount > 1:
		text := "segment " + kit.Count(n.Segment) + " of " + kit.Count(n.SegmentCount)
		if n.Segment == n.SegmentCount {
			text += ", the tip"
		}
		return text
	}
	if s.layout.tree.alone && n.ParentID == "" {
		return kindName(n) + " without branches, subagents or other segments"
	}
	return kindName(n)
}

// wrapFacts wraps facts with middle dots between them, and inside a fact only where it is
// wider than a line.
func wrapFacts(measure cells.Method, text string, width int) (lines []string) {
	const dot = " · "
	for _, fact := range strings.Split(text, dot) {
		if n := len(lines) - 1; n >= 0 && measure.StringWidth(lines[n]+dot+fact) <= width {
			lines[n] += dot + fact
			continue
		}
		lines = append(lines, measure.Wrap(fact, width)...)
	}
	return lines
}

// detailLines draws the details of the current session: beside the tree one to a
// line, as of a session that is alone; else below it joined, under a rule where there is room.
func (s *Screen) detailLines(w, h int) []string {
	n := s.Current()
	if n == nil || h <= 0 {
		return nil
	}
	st := s.sh.Styles()
	details := s.details(n)
	var out []string
	rule := st.Border.Render(strings.Repeat(st.Glyphs.Rule, w))
	if s.layout.details.X > 0 || s.layout.tree.alone {
		if s.layout.details.X > 0 {
			for _, line := range st.Cells.Wrap(nodeTitle(n), w-2) {
				out = append(out, " "+st.Strong.Render(line))
			}
			out = append(out[:min(len(out), 3)], "")
		} else {
			out = append(out, rule)
		}
		for _, f := range details {
			wide := 8
			if f.name == "" {
				wide = 0
			}
			for i, line := range wrapFacts(st.Cells, f.text, max(w-2-wide, 1)) {
				name := ""
				if i == 0 {
					name = f.name
				}
				out = append(out, " "+st.Faint.Render(st.Cells.Pad(name, wide, ""))+st.Muted.Render(line))
			}
			if h >= 12 && (f.name == "" || f.name == "all") {
				out = append(out, "")
			}
		}
		return out[:min(len(out), h)]
	}
	if h > 2 {
		out = append(out, rule)
	}
	line, wide := "", 0
	for _, f := range details {
		text := f.text
		if f.name != "" {
			text = f.name + " " + text
		}
		if k := st.Cells.StringWidth(text); wide > 0 && wide+3+k > w-2 {
			if len(out)+1 >= h {
				break // there is no room for the whole of it
			}
			out = append(out, line)
			line = ""
			wide = 0
		}
		if wide > 0 {
			line, wide = line+st.Faint.Render(" · "), wide+3
		}
		parts := wrapFacts(st.Cells, text, max(w-2, 1)) // of a long one the next follows on its last line
		for _, part := range parts[:len(parts)-1] {
			out, line = append(out, line+st.Muted.Render(part)), ""
		}
		text = parts[len(parts)-1]
		line += st.Muted.Render(text)
		wide += st.Cells.StringWidth(text)
	}
	out = append(out, line)
	if len(out) > h {
		out = out[:h]
		cut := st.Cells.Truncate(out[h-1], max(w-4, 0), "")
		if cut != out[h-1] { // between words: half a number is another
			cut = cut[:max(strings.LastIndexByte(cut, ' '), 0)]
		}
		out[h-1] = cut + st.Faint.Render(" "+st.Glyphs.Ellipsis)
	}
	for i := range out {
		if h <= 2 || i > 0 {
			out[i] = " " + out[i]
		}
	}
	return out
}
