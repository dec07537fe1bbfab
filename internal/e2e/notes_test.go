//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the user notes on a conversation and its messages is shown, found, listed, and there
// when the conversation is gone; another computer takes it over.
func TestNotes(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	folder := t.TempDir()
	file := filepath.Join(folder, "hermes-sessions", "notes.jsonl")
	own := []string{"XDG_STATE_HOME=" + folder, ownSettings(t, "ascii = true\nremember = false\n")}
	s := open(t, 100, 30, own, "--db", db) // the database that is deleted from
	s.Sees("Quarry survey")
	s.Types("Quarry survey")
	s.Sees(" 1 conversation")
	s.Press("Ctrl+X")
	s.Sees("N  note")
	s.Types("N")
	s.Sees("Note on")
	s.Types("ask the miners\r")
	s.Sees("= ask the miners")
	s.Press("Ctrl+X")
	s.Sees("T  tags")
	s.Types("T")
	s.Sees("Tags on")
	s.Types("later stone\r")
	s.Sees("= #later #stone ask the miners")
	s.Press("Right")
	s.Sees("1 / 1") // it has been read
	s.Types("m")
	s.Sees("B bookmark")
	s.Press("Esc")
	s.Sees(" 1 conversation")
	s.Press("Ctrl+C")
	s.exits(130)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}

	environ := environment(t, own...)
	at := func(args ...string) result { return runIn(t, environ, append([]string{"--db", db}, args...)...) }
	if r := at("list", "tag:stone"); r.code != 0 || !strings.Contains(r.stdout, "Quarry survey") || strings.Contains(r.stdout, "Turbine") {
		t.Errorf("list tag:stone: %+v", r)
	}
	for _, filter := range []string{"has:note", "has:bookmark"} {
		if r := at("list", filter); r.code != 0 || !strings.Contains(r.stdout, "Quarry survey") || strings.Contains(r.stdout, "Turbine") {
			t.Errorf("list %s: %+v", filter, r)
		}
		if r := at("list", "--", "-"+filter); r.code != 0 || strings.Contains(r.stdout, "Quarry survey") || !strings.Contains(r.stdout, "Turbine") {
			t.Errorf("list -%s: %+v", filter, r)
		}
	}
	for query, want := range map[string]bool{"quarry tag:stone": true, "quarry has:note": true, "quarry -tag:stone": false} {
		if r := at("search", "--group", "message", query); (r.code == 0) != want || strings.Contains(r.stdout, "quiet-one") != want {
			t.Errorf("search of messages, %s: %+v", query, r)
		}
	}
	if r := at("list", "tag:sto"); r.code != 1 {
		t.Errorf("a part of a tag: %+v", r)
	}
	if r := at("delete", "quiet-one", "--yes"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := at("list", "tag:stone"); r.code != 1 || !strings.Contains(r.stderr, "1 noted conversation no longer exists; the command notes lists it") {
		t.Errorf("list tag:stone of a conversation that is gone: %+v", r)
	}
	r := at("notes")
	for _, want := range []string{"#later #stone ask the miners", "bookmark", "the conversation no longer exists"} {
		if r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("notes: no %q in %+v", want, r)
		}
	}
	second := runningSessions(t, "")
	if r := runIn(t, environ, "notes", "--db", db, "--db", second); r.code != 0 || !strings.Contains(r.stdout, "quiet-one") || !strings.Contains(r.stdout, "the conversation no longer exists") {
		t.Errorf("notes of two databases: %+v", r)
	}
	if r := runIn(t, environ, "notes", "--db", second, "--json"); r.code != 1 {
		t.Errorf("notes of a database without notes: %+v", r)
	}
	exported := filepath.Join(t.TempDir(), "notes.jsonl")
	if r := at("notes", "export", exported); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := at("notes", "export", exported); r.code != 1 {
		t.Errorf("a file was replaced: %+v", r)
	}
	other := environment(t, "XDG_STATE_HOME="+t.TempDir())
	if r := runIn(t, other, "notes", "import", exported); r.code != 0 || !strings.Contains(r.stdout, "Imported 2 notes.") {
		t.Errorf("%+v", r)
	}
	if r := runIn(t, other, "notes", "import", exported); r.code != 0 || r.stdout != "No new notes.\n" {
		t.Errorf("the same notes once more: %+v", r)
	}
	if r := runIn(t, other, "notes", "export"); r.stdout != contents(t, exported) || r.stdout != contents(t, file) {
		t.Errorf("%+v", r)
	}
}

// The demo keeps notes until the browser ends, and nowhere else.
func TestNotesOnTheDemo(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	own := []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state")}
	s := open(t, 100, 30, own, "--demo")
	s.Sees("120 conversations")
	s.Press("Ctrl+X")
	s.Sees("T  tags")
	s.Types("T")
	s.Sees("Tags on")
	s.Types("later\r")
	s.Sees("#later")
	s.Types("tag:later")
	s.Sees(" 1 conversation")
	s.Press("Ctrl+C")
	s.exits(130)
	if _, err := os.Stat(filepath.Join(home, "state", "hermes-sessions", "notes.jsonl")); !os.IsNotExist(err) {
		t.Errorf("notes on the demo are in a file: %v", err)
	}
	if r := runIn(t, environment(t, own...), "--demo", "list", "tag:later"); r.code != 1 {
		t.Errorf("a later run knows them: %+v", r)
	}
}
