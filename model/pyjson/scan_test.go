package pyjson

import (
	"slices"
	"testing"
)

func TestFieldsScansObjects(t *testing.T) {
	for object, want := range map[string][]string{
		`{"a": 1, "b":"x\"y" ,"c":{"d":[1,"}"]},"e":[ ]}`: {"a=1", `b="x\"y"`, `c={"d":[1,"}"]}`, "e=[ ]"},
		`{}`:                    nil,
		`{"a":null}`:            {"a=null"},
		`{"\u0061":true`:        {"a=true"},
		`{"a": "cut off, \`:     {`a="cut off, \`},
		`{"a": {"b": "cut `:     {`a={"b": "cut `},
		`{"a" 1}`:               nil,
		`["a"]`:                 nil,
		``:                      nil,
		`{"a": , "b": 1}`:       nil,
		"{\n  \"a\" : 1.5e3\n}": {"a=1.5e3"},
	} {
		var got []string
		for name, value := range Fields(object) {
			got = append(got, name+"="+value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", object, got, want)
		}
	}
}

func TestElementsScansArrays(t *testing.T) {
	for array, want := range map[string][]string{
		`["a", {"b": 1},[2, 3],4]`: {`"a"`, `{"b": 1}`, `[2, 3]`, "4"},
		`[]`:                       nil,
		`["cut`:                    {`"cut`},
		`{}`:                       nil,
	} {
		if got := slices.Collect(Elements(array)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", array, got, want)
		}
	}
}

func TestStringDecodesTheBeginning(t *testing.T) {
	for _, c := range []struct {
		value string
		most  int
		want  string
	}{
		{`"a\nb\u00e9\"c"`, 99, "a\nbé\"c"},
		{`"abcdef"`, 3, "abc"},
		{`"ab\ncd"`, 3, "ab"},
		{`"日本"`, 4, "日"},
		{`"ab\u00e9"`, 5, "ab"},
		{`"no end`, 99, "no end"},
		{`"`, 99, ""},
		{`12`, 99, ""},
		{``, 99, ""},
	} {
		if got := String(c.value, c.most); got != c.want {
			t.Errorf("String(%s, %d) = %q, want %q", c.value, c.most, got, c.want)
		}
	}
}

func FuzzFieldsEnds(f *testing.F) {
	for _, s := range []string{`{"a": 1}`, `{"a": "`, `{"a":[}`, `{"a":]`, `{"\`} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		for _, value := range Fields(s) {
			String(value, 10)
			for e := range Elements(value) {
				String(e, 10)
			}
		}
	})
}
