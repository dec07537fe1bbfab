package print

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// sample is a table with a column of every kind.
func sample() *table {
	t := newTable(
		column{Mark: true},
		column{Head: "Title", Min: 12},
		column{Head: "Source", Drop: 2},
		column{Head: "Empty"},
		column{Head: "Messages", Right: true, Drop: 3},
		column{Head: "ID"},
	)
	t.Row("●", "A title that is rather long", "cli", "", "8", "20260301_12")
	t.Line("    below")
	t.Row("", "日本語のセッション", "telegram", "", "1,204", "20260301_13")
	return t
}

func TestColumnsFitTheWidth(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, `
  Title                        Source    Messages  ID
● A title that is rather long  cli              8  20260301_12
    below
  日本語のセッション           telegram     1,204  20260301_13
`},
		{50, `
  Title            Source    Messages  ID
● A title that i…  cli              8  20260301_12
    below
  日本語のセッシ…  telegram     1,204  20260301_13
`},
		{40, `
  Title            Source    ID
● A title that i…  cli       20260301_12
    below
  日本語のセッシ…  telegram  20260301_13
`},
		{30, `
  Title            ID
● A title that i…  20260301_12
    below
  日本語のセッシ…  20260301_13
`},
		{16, `
  Title   ID
● A tit…  20260…
    below
  日本…   20260…
`},
	} {
		var out strings.Builder
		if err := sample().Print(&out, c.width); err != nil {
			t.Fatal(err)
		}
		if got := "\n" + out.String(); got != c.want {
			t.Errorf("%d columns:%s\nwant%s", c.width, got, c.want)
		}
	}
}

// No line is wider than the terminal, however narrow.
func TestNoLineIsTooWide(t *testing.T) {
	for width := 1; width < 80; width++ {
		var out strings.Builder
		if err := sample().Print(&out, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if got := ansi.StringWidth(strings.TrimRight(line, "\n")); got > width && !strings.Contains(line, "below") {
				t.Errorf("%d columns: %q has %d", width, line, got)
			}
		}
	}
}

// An optional column is there only where the others have the room that they want.
func TestOptionalColumnsGoBeforeTheOthersSuffer(t *testing.T) {
	for width, want := range map[int]string{
		40: "Title                 Model  ID\nA title that is rath  gpt-4  20260301_12\n",
		38: "Title               Model  ID\nA title that is ra  gpt-4  20260301_12\n",
		37: "Title                     ID\nA title that is rather l  20260301_12\n",
	} {
		table := newTable(column{Head: "Title", Min: 5, Want: 18}, column{Head: "Model", Drop: optional}, column{Head: "ID"})
		table.Ellipsis = ""
		table.Row("A title that is rather long", "gpt-4", "20260301_12")
		var out strings.Builder
		if err := table.Print(&out, width); err != nil || out.String() != want {
			t.Errorf("%d columns:\n%swant\n%s%v", width, out.String(), want, err)
		}
	}
}

func TestStylesColorCellsAndNotTheirSpace(t *testing.T) {
	braced := func(parts ...string) string { return "<" + strings.Join(parts, "") + ">" }
	table := newTable(column{Head: "A", Style: braced}, column{Head: "Number", Right: true, Style: braced}, column{Head: "C"})
	table.Heading = braced
	table.Row("one", "1", "x")
	table.DrawnRow(func(line string) string { return "[" + line + "]" }, "three", "3", "y")
	var out strings.Builder
	if err := table.Print(&out, 0); err != nil {
		t.Fatal(err)
	}
	if want := "<A      Number  C>\n<one>         <1>  x\n[three       3  y]\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
