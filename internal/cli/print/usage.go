package print

import (
	"fmt"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/ui/kit"
)

// Usage prints what sessions have consumed, in groups, with a total. Cache reads, estimated
// costs and sessions of unknown cost have columns of their own.
func Usage(out *output.Writer, o Options, by UsageTable) error {
	s := out.Styles()
	number := func(head string, drop int) column {
		return column{Head: head, Right: true, Drop: drop, Style: s.Muted.Render}
	}
	var columns []column
	for i, d := range by.By {
		c := column{Head: kit.Capitalize(d.String()), Min: 10}
		if i > 0 {
			c.Style = s.Muted.Render
		}
		columns = append(columns, c)
	}
	columns = append(columns, number("Sessions", 3))
	if by.Tools {
		columns = append(columns, number("Calls", 0), number("Failed", 1))
	} else {
		columns = append(columns, number("Messages", 7), number("Tool calls", 8), number("Tokens in", 2), number("Tokens out", 1),
			number("Cache reads", 4), number("Cache writes", 9), number("Cost", 0), number("Estimated", 5), number("Unknown", 6))
	}
	t := newTable(columns...)
	row := func(draw func(string) string, keys []string, n usage.Sum) {
		cells := append(keys, output.Grouped(n.Sessions))
		if by.Tools {
			cells = append(cells, output.Grouped(n.Calls), output.Grouped(n.Failed))
		} else {
			cells = append(cells, output.Grouped(n.Messages), output.Grouped(n.Calls), output.Grouped(int(n.Usage.Input)), output.Grouped(int(n.Usage.Output)),
				output.Grouped(int(n.Usage.CacheRead)), output.Grouped(int(n.Usage.CacheWrite)), o.Cost(n.Usage.Cost), estimated(n), unknown(n))
		}
		t.DrawnRow(draw, cells...)
	}
	for _, r := range by.Rows {
		keys := make([]string, len(r.Keys))
		for i, key := range r.Keys {
			if keys[i] = output.Clean(key); keys[i] == "" {
				keys[i] = unknownKey(by.By[i])
			}
		}
		row(func(line string) string { return line }, keys, r.Sum)
	}
	if len(by.Rows) > 1 {
		keys := make([]string, len(by.By))
		keys[0] = "Total"
		row(func(line string) string { return s.Strong.Render(line) }, keys, by.Total)
	}
	return o.Print(out, t)
}

// estimated writes the part of a cost that is an estimate, "" for none.
func estimated(n usage.Sum) string {
	if n.Estimated == 0 {
		return ""
	}
	return model.Cost{USD: n.Estimated, Known: true, Estimated: true}.String()
}

// unknown writes how many sessions have no price, "" for none.
func unknown(n usage.Sum) string {
	if n.Unpriced == 0 {
		return ""
	}
	return fmt.Sprintf("%s ?", output.Grouped(n.Unpriced))
}

// unknownKey stands for a value that sessions do not have.
func unknownKey(by usage.Dimension) string {
	if by <= usage.ByHour {
		return "(undated)"
	}
	return "(none)"
}
