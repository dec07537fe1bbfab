package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"hermes-sessions/ui/shell"
)

func readAt(at int) shell.LastRead {
	return shell.LastRead{At: time.Unix(int64(at), 0), Until: time.Unix(int64(at-1), 0), Message: int64(at)}
}

// Several programs write at once: none loses what another has written, and of one
// conversation the furthest is kept.
func TestProgramsAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "read.json")
	var all sync.WaitGroup
	for p := range 6 {
		all.Go(func() {
			m, err := openReadMemory(file)
			if err != nil {
				t.Error(err)
			}
			m.Put("db", strconv.Itoa(p), readAt(100+p))
			m.Put("db", "shared", readAt(200+p))
			if err := m.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m, err := openReadMemory(file)
	if err != nil {
		t.Fatal(err)
	}
	for p := range 6 {
		if r, ok := m.Get("db", strconv.Itoa(p)); !ok || r.Message != int64(100+p) {
			t.Errorf("of program %d: %+v %t", p, r, ok)
		}
	}
	if r, _ := m.Get("db", "shared"); r.Message != 205 {
		t.Errorf("the furthest is not kept: %+v", r)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
	m.Forget("db", "shared")
	m.Forget("db", "never")
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	m, _ = openReadMemory(file)
	if _, ok := m.Get("db", "shared"); ok || len(m.Until("db")) != 6 {
		t.Errorf("not forgotten: %v", m.Until("db"))
	}
}

// The save at the end of a run waits for one that has begun.
func TestSaveWaitsForAnother(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "read.json")
	m, err := openReadMemory(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		m.Put("db", strconv.Itoa(i), readAt(i))
		begun, ended := make(chan bool), make(chan error)
		go func() {
			close(begun)
			ended <- m.Save()
		}()
		<-begun
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
		saved, err := openReadMemory(file)
		if _, ok := saved.Get("db", strconv.Itoa(i)); !ok || err != nil {
			t.Fatalf("conversation %d is not in the file: %v", i, err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheNewestAreKept(t *testing.T) {
	t.Parallel()
	d := readDocument{}
	for i := range 30 {
		d.put(strconv.Itoa(i%3), strconv.Itoa(i), &readEntry{Read: time.Unix(int64(i), 0)})
	}
	if d.limit(4); len(d["0"])+len(d["1"])+len(d["2"]) != 4 || d["2"]["29"] == nil || d["2"]["26"] == nil {
		t.Errorf("%v", d)
	}
}

// A file that cannot be read, which may be of a newer version, is kept under another name.
func TestADamagedFileIsReplaced(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "[1]", `{"db": {"a": 3}}`, "\x00\xff"} {
		file := filepath.Join(t.TempDir(), "read.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := openReadMemory(file)
		if (err == nil) != (text == "") || len(m.Until("db")) != 0 {
			t.Errorf("%q: %v", text, err)
		}
		m.Put("db", "a", readAt(1))
		if err := m.Save(); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(file); err != nil || !json.Valid(got) {
			t.Errorf("%q: %s %v", text, got, err)
		}
		if kept, err := os.ReadFile(file + ".unread"); string(kept) != text || (err == nil) != (text != "") {
			t.Errorf("%q is kept as %q: %v", text, kept, err)
		}
	}
}
