package document

import (
	"reflect"
	"strings"
	"testing"
)

func TestBlocksSplitAtFences(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []FenceBlock
	}{
		{"no code", "just words", []FenceBlock{{Text: "just words"}}},
		{"between words", "a\n```go\nx := 1\n\ny\n```\nb", []FenceBlock{{Text: "a\n"}, {Code: true, Lang: "go", Text: "x := 1\n\ny"}, {Text: "b"}}},
		{"never closed", "a\n~~~\nrest\nof it", []FenceBlock{{Text: "a\n"}, {Code: true, Text: "rest\nof it"}}},
		{"a shorter fence inside", "````md\n```\nx\n```\n````", []FenceBlock{{Code: true, Lang: "md", Text: "```\nx\n```"}}},
		{"another fence inside", "~~~\n```\nx\n~~~", []FenceBlock{{Code: true, Text: "```\nx"}}},
		{"an opening fence does not close", "```\n```go\nx\n```", []FenceBlock{{Code: true, Text: "```go\nx"}}},
		{"in a list", "1. do\n   ```sh\n   ls\n     -l\n   ```\n2. go", []FenceBlock{{Text: "1. do\n"}, {Code: true, Lang: "sh", Text: "ls\n  -l"}, {Text: "2. go"}}},
		{"code inside a line", "```not``` a fence", []FenceBlock{{Text: "```not``` a fence"}}},
		{"empty code", "```\n```", []FenceBlock{{Code: true}}},
		{"carriage returns", "```sh\r\nls\r\n```\r\n", []FenceBlock{{Code: true, Lang: "sh", Text: "ls\r"}}},
	} {
		if got := Blocks(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestAFenceIsLongerThanAnyInside(t *testing.T) {
	for code, want := range map[string]string{"": "```", "a `b` c": "```", "```\nx\n```": "````", "``````": "```````"} {
		if got := fenceFor(code); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

func TestOpenFence(t *testing.T) {
	for text, want := range map[string]string{
		"no code": "", "```\nx\n```": "", "a\n```go\nx": "```", "- b\n  ~~~~\n  ```": "  ~~~~", "````\n```": "````",
	} {
		if got := openFence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLinksOfASentence(t *testing.T) {
	text := "See https://a.example/x_(y), [this](https://b.example/q?a=1&b=2), <http://c.example>, `https://d.example/`; " +
		"again https://a.example/x_(y). Not javascript:alert(1) or https:// or shttp://x"
	want := "https://a.example/x_(y) https://b.example/q?a=1&b=2 http://c.example https://d.example/"
	if got := strings.Join(Links(text), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Code survives the fence that is made for it, and text is unchanged.
func FuzzBlocks(f *testing.F) {
	f.Add("a\n```go\nx\n```\nb")
	f.Add("~~~\n```")
	f.Fuzz(func(t *testing.T, s string) {
		for _, b := range Blocks(s) {
			if !b.Code {
				if !strings.Contains(s, b.Text) {
					t.Fatalf("%q is not in %q", b.Text, s)
				}
				continue
			}
			fence := fenceFor(b.Text)
			again := Blocks(fence + "\n" + b.Text + "\n" + fence)
			if len(again) != 1 || again[0].Text != b.Text {
				t.Fatalf("%q does not survive its fence: %+v", b.Text, again)
			}
		}
	})
}
