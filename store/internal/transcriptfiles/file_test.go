package transcriptfiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walked is what a walk found in a file: the messages, and the lines of what is none.
type walked struct {
	fields, texts []string
	broken        []int
}

func walk(t testing.TB, name, text string) (w walked, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	err = file{name: name, path: path}.walk(t.Context(), func(field string, _ []byte) { w.fields = append(w.fields, field) }, func(e entry) error {
		if _, err := e.parse(); err != nil {
			w.broken = append(w.broken, e.line)
			return nil
		}
		w.texts = append(w.texts, string(e.text))
		if got := text[e.at:]; !strings.HasPrefix(strings.TrimLeft(got, "\ufeff \t\r\n"), string(e.text)) {
			t.Errorf("%q is not at %d", e.text, e.at)
		}
		return nil
	})
	return w, err
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		texts      []string
		broken     []int
		err        string
	}{
		{"a.jsonl", "", nil, nil, ""},
		{"a.jsonl", "\n \r\n", nil, nil, ""},
		{"a.jsonl", "\ufeff{\"role\": \"user\"}\n\n[1]\n3", []string{`{"role": "user"}`, "[1]", "3"}, nil, ""},
		{"a.jsonl", "{}\n{\"a\": \n{}\n\x00\xff\n{\"b\"", []string{"{}", "{}"}, []int{2, 4, 5}, ""},
		{"a.json", "", nil, nil, "no messages"},
		{"a.json", "[]", nil, nil, "no messages"},
		{"a.json", `{"a": 1}`, nil, nil, "no messages"},
		{"a.json", `{"messages": 1, "b": "]}"}`, nil, nil, "no messages"},
		{"a.json", `{"a": [1, "}"], "b": {"messages": []}`, nil, nil, "cut off"},
		{"a.json", `{"a": "x`, nil, nil, "cut off"},
		{"a.json", `{"a": 1, "messages": [], "b": 2}`, nil, nil, ""},
		{"a.json", "{\"messages\": [\n{\"role\": \"a \\\" ] } b\"},\n{},\n \"x\" ]}", []string{`{"role": "a \" ] } b"}`, "{}", `"x"`}, nil, ""},
		{"a.json", "{\"messages\": [{},\n{\"role\": \"a", []string{"{}"}, []int{2}, ""},
		{"a.json", "{\"messages\": [{},\n", []string{"{}"}, []int{2}, ""},
		{"a.json", "{\"messages\": [{}\n{}]}", []string{"{}"}, []int{2}, ""},
	} {
		w, err := walk(t, c.name, c.text)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v", c.text, err)
		}
		if !slices.Equal(w.texts, c.texts) || !slices.Equal(w.broken, c.broken) {
			t.Errorf("%q: %q, broken %v", c.text, w.texts, w.broken)
		}
	}
}

// Of a file that is cut anywhere, every message before the cut is read, and the cut is named.
func TestACutFileGivesWhatIsLeft(t *testing.T) {
	t.Parallel()
	whole := `{"session_id": "a", "messages": [{"role": "user", "content": "{\"é]"}, {"role": "tool", "content": [1, {"b": "\\"}]}], "x": 1}`
	all, err := walk(t, "a.json", whole)
	if err != nil || len(all.texts) != 2 {
		t.Fatal(all, err)
	}
	for cut := range len(whole) {
		w, err := walk(t, "a.json", whole[:cut])
		read := 0
		for _, text := range all.texts {
			if cut >= strings.Index(whole, text)+len(text) {
				read++
			}
		}
		if len(w.texts) != read || !slices.Equal(w.texts, all.texts[:read]) {
			t.Errorf("cut at %d: %q", cut, w.texts)
		}
		if closed := strings.Index(whole, `], "x"`) + 1; err == nil && cut < closed && len(w.broken) != 1 {
			t.Errorf("cut at %d: nothing is said", cut)
		}
	}
	lines := strings.Repeat(`{"role": "user", "content": "x"}`+"\n", 3)
	for cut := range len(lines) {
		w, err := walk(t, "a.jsonl", lines[:cut])
		if want := (cut + 1) / (len(lines) / 3); err != nil || len(w.texts) != want {
			t.Errorf("cut at %d: %q %v", cut, w.texts, err)
		}
	}
}

// A message that is too long is named, and what follows is read.
func TestALongMessageIsNamed(t *testing.T) {
	was := maxMessage
	maxMessage = 1000
	defer func() { maxMessage = was }()
	long := `{"content": "` + strings.Repeat("x", 2000) + `"}`
	w, err := walk(t, "a.jsonl", "{}\n"+long+"\n[2]\n")
	if err != nil || !slices.Equal(w.texts, []string{"{}", "[2]"}) || !slices.Equal(w.broken, []int{2}) {
		t.Errorf("%+v %v", w, err)
	}
	w, err = walk(t, "a.json", `{"tools": `+long+`, "messages": [{}, `+long+", [2]]}")
	if err != nil || !slices.Equal(w.texts, []string{"{}", "[2]"}) || !slices.Equal(w.broken, []int{1}) {
		t.Errorf("%+v %v", w, err)
	}
}

func FuzzWalk(f *testing.F) {
	f.Add("{\"role\": \"user\"}\n[1]\n{", true)
	f.Add(`{"a": 1, "messages": [{"role": "user"}, 2`, false)
	f.Fuzz(func(t *testing.T, text string, lines bool) {
		name := "a.json"
		if lines {
			name = "a.jsonl"
		}
		walk(t, name, text) //nolint:errcheck // any file may be broken
	})
}
