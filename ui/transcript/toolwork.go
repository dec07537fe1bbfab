package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/ui/kit"
)

// workLine draws the line of a run of tool work: the tools, what they worked on, what
// failed, and how long it took.
func (buf *buffer) workLine(t renderItem) string {
	g := buf.styles.Glyphs
	tail := ""
	if t.key.failed > 0 {
		failed := t.key.failure
		if t.key.failed > 1 {
			failed = strconv.Itoa(t.key.failed) + " failed"
		}
		tail += buf.styles.Bad.Render("   " + g.Failed + " " + failed)
	}
	if t.key.took != "" {
		tail += buf.styles.Faint.Render("   " + t.key.took)
	}
	tail += buf.numbered()
	room := buf.width - buf.styles.Cells.StringWidth(tail)
	groups := model.GroupCalls(t.names, t.objects)
	if buf.cramped(groups, room) {
		groups = model.GroupByTool(t.names, t.objects)
	}
	line := buf.groups(buf.fold(t)+" ", groups, t.failing, t.key.orphans, room)
	return buf.styles.Cells.Truncate(line+tail, buf.width, g.Ellipsis)
}

// minObject is the least width that is more for what the calls of a tool work on.
const minObject = 10

// cramped reports whether groups of tool calls do not fit in room columns, and there would be
// so little more for what the calls work on that their number says more.
func (buf *buffer) cramped(groups []model.CallGroup, room int) bool {
	const enough = 20 // columns for an object
	names, objects := 0, 0
	for _, g := range groups {
		names += buf.styles.Cells.StringWidth(kit.CleanLine(g.Name)) + 4
		objects += buf.styles.Cells.StringWidth(kit.CleanLine(g.ObjectText()))
	}
	return names+objects > room && room-names < enough*len(groups)
}

// groups draws groups of tool calls behind a lead, and the number of results without a
// call, within room columns. What the calls work on is cut before a name is, that of the
// failing tool last, and where nothing of it fits, the last groups are only counted.
func (buf *buffer) groups(lead string, groups []model.CallGroup, failing string, orphans, room int) string {
	measure, ellipsis := buf.styles.Cells, buf.styles.Glyphs.Ellipsis
	names, objects := make([]string, len(groups)), make([]string, len(groups))
	wanted, keep := make([]int, len(groups)), -1
	for i, group := range groups {
		if group.Name == failing {
			keep = i
		}
		names[i] = kit.CleanLine(group.Name)
		if group.Count > 1 {
			names[i] += " ×" + strconv.Itoa(group.Count)
		}
		objects[i] = kit.CleanLine(group.ObjectText())
		if wanted[i] = measure.StringWidth(objects[i]); wanted[i] > 0 {
			wanted[i]++
		}
	}
	var texts, rest []string
	if orphans > 0 {
		rest = []string{model.Quantity(orphans, "result") + " without a call"}
		texts = rest
	}
	var shares []int
	more := 0 // calls of the groups that are only counted
	for n := len(groups); n > 0; n-- {
		some := slices.Clone(names[:n])
		if more > 0 {
			some = append(some, strconv.Itoa(more)+" more")
		}
		some = append(some, rest...)
		got := share(wanted[:n], keep, room-measure.StringWidth(lead+strings.Join(some, " · ")))
		named := slices.Max(got) > 0
		if named || shares == nil {
			texts, shares = some, got
		}
		if named || slices.Max(wanted) == 0 {
			break
		}
		more += groups[n-1].Count
	}
	var b strings.Builder
	for i, name := range texts {
		if i > 0 {
			b.WriteString(buf.styles.Faint.Render(" · "))
		} else {
			name = lead + name
		}
		b.WriteString(buf.styles.Tool.Render(name))
		if i < len(shares) && shares[i] > 0 {
			b.WriteString(" " + buf.styles.Argument.Render(measure.Truncate(objects[i], shares[i]-1, ellipsis)))
		}
	}
	return measure.Truncate(b.String(), max(room, 1), ellipsis)
}

// share divides room among objects. Where there is so little that they would say nothing, the
// longest ones get none, so that others are read: above all object keep, if it is not -1.
func share(wanted []int, keep, room int) []int {
	wanted = slices.Clone(wanted)
	for {
		shares := divide(wanted, room)
		longest := -1
		short := false
		for i, w := range wanted {
			if shares[i] < w && shares[i] <= minObject {
				short = short || i == keep
				if i != keep && (longest < 0 || w >= wanted[longest]) {
					longest = i
				}
			}
		}
		if short && longest < 0 {
			for i, w := range wanted {
				if i != keep && w > 0 && (longest < 0 || w >= wanted[longest]) {
					longest = i
				}
			}
			if longest < 0 {
				longest = keep
			}
		}
		if longest < 0 {
			return shares
		}
		wanted[longest] = 0
	}
}

// divide divides room among parts that want some of it: small ones get all that they
// want, the others the same.
func divide(wanted []int, room int) []int {
	got := make([]int, len(wanted))
	open := len(wanted)
	for room > 0 && open > 0 {
		each := max(room/open, 1)
		open = 0
		for i := range wanted {
			more := min(each, wanted[i]-got[i], room)
			got[i] += more
			if room -= more; got[i] < wanted[i] {
				open++
			}
		}
	}
	return got
}

// call draws a tool call: its name and how long it took, then its arguments.
func (buf *buffer) call(c model.ToolCall, took string, whole bool) {
	name := cmp.Or(c.Name, "unknown")
	name = buf.styles.Tool.Bold(true).Render(name)
	if took != "" {
		took = buf.styles.Faint.Render("  " + took)
	}
	if args, change, ok := kit.Replacement(c.Arguments); ok {
		buf.add(buf.styles.Cells.Truncate("  "+name+took, buf.width, buf.styles.Glyphs.Ellipsis))
		if args != "" {
			buf.text(args, 4, "", buf.styles.Argument, whole)
		}
		buf.diff(change, 4, "", whole)
		return
	}
	args := kit.FormatJSON(c.Arguments)
	if args != "" && !strings.Contains(args, "\n") && buf.styles.Cells.StringWidth(name)+buf.styles.Cells.StringWidth(args)+buf.styles.Cells.StringWidth(took)+4 <= buf.width {
		buf.add("  " + name + "  " + buf.styles.Argument.Render(args) + took)
		return
	}
	buf.add(buf.styles.Cells.Truncate("  "+name+took, buf.width, buf.styles.Glyphs.Ellipsis))
	if args != "" {
		buf.text(args, 4, "", buf.styles.Argument, whole)
	}
}

// result draws the result of a tool call.
func (buf *buffer) result(m *model.Message, whole bool) {
	bar := buf.styles.Glyphs.Bar + " "
	if failure := m.Failure(); failure != "" {
		buf.failures = append(buf.failures, len(buf.lines))
		buf.add("  " + buf.styles.Bad.Render(buf.styles.Cells.Truncate(buf.styles.Glyphs.Failed+" "+failure, max(1, buf.width-2), "")))
	}
	if m.DecodeError != "" {
		buf.add("  " + buf.styles.Warn.Render(buf.styles.Cells.Truncate("shown as stored: "+m.DecodeError, max(1, buf.width-2), buf.styles.Glyphs.Ellipsis)))
	}
	buf.attachments(m.Content.Media, 2)
	body, rest := kit.ToolOutput(m.Content.Text)
	body = strings.Trim(strings.TrimRight(body, "\n "), "\n")
	switch {
	case body == "" && rest == "" && len(m.Content.Media) == 0:
		buf.add(buf.styles.Faint.Render(buf.styles.Cells.Truncate("  (empty result)", buf.width, "")))
	case body == "":
	case document.IsDiff(body):
		buf.diff(document.Change{Diff: body}, 2, bar, whole)
	default:
		buf.text(body, 2, bar, buf.styles.Output, whole)
	}
	if rest != "" {
		buf.text(rest, 2, bar, buf.styles.Faint, whole)
	}
}

// diff draws a diff: removed and added lines have a color besides their sign.
func (buf *buffer) diff(change document.Change, indent int, bar string, whole bool) {
	styles := [...]lineStyle{
		document.DiffText: newLineStyle(buf.styles.Output), document.DiffFile: newLineStyle(buf.styles.Strong), document.DiffHeader: newLineStyle(buf.styles.Muted),
		document.DiffHunk: newLineStyle(buf.styles.Key), document.DiffAdded: newLineStyle(buf.styles.Added), document.DiffRemoved: newLineStyle(buf.styles.Removed),
	}
	d := document.DiffReader{Signs: change.Signs}
	buf.changes = true
	buf.styledText(change.Diff, indent, bar, whole, func(l string) lineStyle { return styles[d.Part(l)] })
	buf.changes = false
}
