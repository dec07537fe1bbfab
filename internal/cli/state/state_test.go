package state

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestTheStateIsWrittenWholeAndForTheUserAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "folder", "state.json")
	want := State{Queries: []string{"a \"b\"", "ü"}}
	for range 2 {
		if err := want.Write(file); err != nil {
			t.Fatal(err)
		}
		got, err := ReadState(file)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v %v", got, err)
		}
		want.Queries = want.Queries[1:]
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("beside it: %v %v", left, err)
	}
}

func TestDamagedStateIsEmpty(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "cut": `{"scope": "arch`, "other": `[1, 2]`, "type": `{"queries": "one"}`, "long": strings.Repeat(" ", 1<<20+1), "binary": "\x00\xff",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := ReadState(file); err == nil || !reflect.DeepEqual(s, State{}) {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
	if s, err := ReadState(filepath.Join(dir, "none")); err != nil || !reflect.DeepEqual(s, State{}) {
		t.Errorf("a missing file: %+v %v", s, err)
	}
	if _, err := ReadState(dir); err == nil {
		t.Error("a folder is taken for the file")
	}
}

// What a newer version has written stays; what an earlier one remembered goes.
func TestTheStateKeepsWhatItDoesNotKnow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(file, []byte(`{"layout": {"wide": true}, "sort": "cost", "folder": "/x", "zoom": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (State{Queries: []string{"a"}}).Write(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if got := strings.Join(strings.Fields(string(text)), ""); err != nil || got != `{"layout":{"wide":true},"queries":["a"],"zoom":2}` {
		t.Errorf("%s %v", text, err)
	}
}
