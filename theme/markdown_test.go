package theme

import (
	"reflect"
	"strings"
	"testing"
)

// A color or a margin of the document would make Glamour style every cell of
// padding by itself.
func TestMarkdownLeavesTheDocumentPlain(t *testing.T) {
	for name, p := range map[string]Palette{"dark": Dark, "light": Light, "ansi": ANSI, "mono": Mono} {
		d := New(p, false).Markdown(true).Document
		if !reflect.ValueOf(d).IsZero() {
			t.Errorf("%s: the document has a style: %+v", name, d)
		}
	}
}

// colors collects the colors of a value, however deep.
func colors(v reflect.Value, out *[]string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if f := v.Field(i); (name == "Color" || name == "BackgroundColor") && !f.IsNil() {
				*out = append(*out, f.Elem().String())
			}
			colors(v.Field(i), out)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			colors(v.Elem(), out)
		}
	}
}

func TestMarkdownTakesItsColorsFromThePalette(t *testing.T) {
	for name, p := range map[string]Palette{"dark": Dark, "light": Light, "ansi": ANSI, "mono": Mono} {
		known := map[string]bool{}
		for i, v := 0, reflect.ValueOf(p); i < v.NumField(); i++ {
			if v.Field(i).Kind() == reflect.String {
				known[v.Field(i).String()] = true
			}
		}
		for _, highlight := range []bool{true, false} {
			c := New(p, false).Markdown(highlight)
			var found []string
			colors(reflect.ValueOf(c), &found)
			for _, f := range found {
				if !known[f] {
					t.Errorf("%s: %q is not of the palette", name, f)
				}
			}
			if name == "mono" && len(found) > 0 {
				t.Errorf("mono has colors: %q", found)
			}
			if want := p.CodeTheme; c.CodeBlock.Theme != want && highlight || c.CodeBlock.Theme != "" && !highlight {
				t.Errorf("%s: the code theme is %q", name, c.CodeBlock.Theme)
			}
		}
	}
}

func TestMarkdownInASCII(t *testing.T) {
	c := New(Mono, true).Markdown(false)
	for _, s := range []string{c.Item.BlockPrefix, *c.BlockQuote.IndentToken, c.Task.Ticked, c.DefinitionDescription.BlockPrefix, *c.Table.ColumnSeparator, *c.Table.RowSeparator} {
		if strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e }) {
			t.Errorf("%q is not ASCII", s)
		}
	}
}
