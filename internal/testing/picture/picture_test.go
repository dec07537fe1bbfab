package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"hermes-sessions/internal/sourcetree"
)

// piece is a text element of a picture.
type piece struct {
	Class  string `xml:"class,attr"`
	X      string `xml:"x,attr"`
	Y      int    `xml:"y,attr"`
	Length int    `xml:"textLength,attr"`
	Text   string `xml:",chardata"`
}

// lines puts the text of a picture back into the cells that it is pinned to.
func lines(t *testing.T, svg []byte, w, h int) []string {
	t.Helper()
	grid := make([][]string, h)
	for y := range grid {
		grid[y] = make([]string, w)
	}
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "text" {
			continue
		}
		var p piece
		if err := dec.DecodeElement(&p, &start); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(p.Class, "W") {
			continue
		}
		row := grid[(p.Y-baseline)/cellHeight]
		if !strings.HasSuffix(p.Class, " M") {
			x, err := strconv.Atoi(p.X)
			if err != nil || x%cellWidth != 0 {
				t.Fatalf("%+v does not begin at a column", p)
			}
			if n := utf8.RuneCountInString(p.Text); n > 1 && n*cellWidth != p.Length {
				t.Errorf("%+v is not as long as its columns", p)
			}
			for i, r := range []rune(p.Text) {
				row[x/cellWidth+i] = string(r)
			}
			continue
		}
		middle, err := strconv.ParseFloat(p.X, 64)
		if err != nil {
			t.Fatalf("%+v has not one place: viewers disagree about several", p)
		}
		width := ansi.StringWidthWc(p.Text)
		row[int(middle-float64(width*cellWidth)/2)/cellWidth] = p.Text
		if width == 2 {
			row[int(middle)/cellWidth] = "\x00"
		}
	}
	all := make([]string, h)
	for y, row := range grid {
		for _, c := range row {
			switch c {
			case "":
				all[y] += " "
			case "\x00":
			default:
				all[y] += c
			}
		}
		all[y] = strings.TrimRight(all[y], " ")
	}
	return all
}

// shapeless is the text of an emulator's row without what is drawn as shapes.
func shapeless(e *vt.Emulator, y int) string {
	var row strings.Builder
	for x := range e.Width() {
		c := e.CellAt(x, y)
		switch {
		case c.Width == 0:
		case shapes[c.Content] != nil:
			row.WriteString(" ")
		default:
			row.WriteString(blank(c.Content))
		}
	}
	return strings.TrimRight(row.String(), " ")
}

// The text of a picture stands in the cells of the terminal.
func TestTextKeepsItsColumns(t *testing.T) {
	const w, h = 40, 8
	e := vt.NewEmulator(w, h)
	_, _ = e.WriteString(strings.Join([]string{
		"\x1b[1mbold\x1b[m and  two   spaces, a & b < c > \"d\"",
		"\x1b[7m▸ ✓ Rewrite\x1b[m │ 38 │ $0.21",
		"京都で雨の日に half 部署失败：x",
		"e\u0301 née Straße “quoted” – it’s…",
		"╭──\x1b[31m title \x1b[0m──╮▁▂█▌░▒▓",
		"\x1b[4munder line\x1b[m \x1b[9mgone\x1b[m \x1b[2mfaint\x1b[m \x1b[3mit\x1b[m",
		"🛒 cart 👍 ok ● ◆ →→ §3 ↳4",
		"\x1b[38;5;208m\x1b[48;2;1;2;3m deep \x1b[m",
	}, "\r\n"))
	s := Of(e)
	svg := Draw(s, Dark, "a <test>")
	for y, got := range lines(t, svg, w, h) {
		if want := shapeless(e, y); got != want {
			t.Errorf("line %d is %q, want %q", y, got, want)
		}
	}
	if again := Draw(s, Dark, "a <test>"); !bytes.Equal(again, svg) {
		t.Error("the same screen gives other bytes")
	}
	for _, want := range []string{"font-weight:700", "font-style:italic", "fill:#ff8700", "fill:#010203", "fill-opacity:.25", tango[1], "a &lt;test&gt;"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the picture lacks %s", want)
		}
	}
}

// A film has each line once for as long as it stays, and its last frame stands where
// nothing moves.
func TestFilmShowsEachFrame(t *testing.T) {
	const w, h = 20, 3
	e := vt.NewEmulator(w, h)
	var frames []Frame
	for _, typed := range []string{"same\r\n", "two", "\x1b[2K\rthree"} {
		_, _ = e.WriteString(typed)
		frames = append(frames, Frame{Of(e), "", 500 * time.Millisecond})
	}
	film := string(Film(frames, Dark, "film"))
	for text, want := range map[string]int{">same<": 1, ">two<": 1, ">three<": 1, "1500ms step-end infinite": 1, "prefers-reduced-motion": 1, ` L">`: 1} {
		if got := strings.Count(film, text); got != want {
			t.Errorf("the film has %s %d times, want %d\n%s", text, got, want, film)
		}
	}
	if !strings.Contains(film, "0%{visibility:hidden}33.333%{visibility:visible}66.667%{visibility:hidden}") {
		t.Errorf("the second frame has another time\n%s", film)
	}
}

// The pictures of the README are small, well-formed, and need nothing beside them.
func TestPicturesStandAlone(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sourcetree.Root(t), "screenshots", "*"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := regexp.MustCompile(`(?i)<script|<image|href|url\(|@import|@font-face|javascript:|\son[a-z]+=`)
	pictures := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, limit := filepath.Base(file), 150_000
		switch filepath.Ext(name) {
		case ".svg":
			pictures++
		case ".md":
			continue
		default:
			t.Errorf("screenshots has %s", name)
			continue
		}
		if name == "film.svg" {
			limit = 2_000_000
		}
		if len(text) > limit {
			t.Errorf("%s has %d bytes, more than %d", name, len(text), limit)
		}
		if found := foreign.Find(text); found != nil {
			t.Errorf("%s has %s", name, found)
		}
		for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if pictures == 0 {
		t.Error("there are no pictures")
	}
}
