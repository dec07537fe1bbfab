//go:build !windows

package e2e

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sessions/store"
)

// ladder makes a history in which each letter more of a word finds one
// conversation less, so that the count on the screen tells which answer is
// shown, and so does the row under the cursor: rung-1 comes first where all are
// found, and the last only where it is alone.
func ladder(t *testing.T, word string) (path string) {
	t.Helper()
	var messages []string
	for i := range len(word) {
		messages = append(messages, word[:i+1]+"q")
	}
	return rungs(t, messages...)
}

// rungs makes a history of conversations of one message each, rung-1 first. It keeps a
// rollback journal, in which a writer holds readers up.
func rungs(t *testing.T, messages ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state.db")
	if _, err := store.Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for i, message := range messages {
		for _, q := range []string{
			fmt.Sprintf(`INSERT INTO sessions (id, source, title, started_at) VALUES ('rung-%d', 'cli', 'Rung number %d', %d)`, i+1, i+1, 1780000000-i),
			fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('rung-%d', 'user', '%s', %d)`, i+1, message, 1780000000-i),
		} {
			if _, err := db.ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	var mode string
	if err := db.QueryRowContext(t.Context(), `PRAGMA journal_mode = DELETE`).Scan(&mode); err != nil || mode != "delete" {
		t.Fatal(mode, err)
	}
	return path
}

// hold keeps every reader out of a database for 200 ms at a time, until the
// test ends or calls stop. In between it leaves as much: a reader looks every
// tenth of a second, and gives up after five.
func hold(t *testing.T, path string) (stop func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	end, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			if _, err := db.Exec(`BEGIN EXCLUSIVE`); err != nil {
				ended <- err
				return
			}
			<-time.After(200 * time.Millisecond)
			if _, err := db.Exec(`ROLLBACK`); err != nil {
				ended <- err
				return
			}
			select {
			case <-end:
				ended <- nil
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			close(end)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			db.Close()
		})
	}
	t.Cleanup(stop)
	return stop
}

// lock keeps every reader out of a database until it is released.
func lock(t testing.TB, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`BEGIN EXCLUSIVE`); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := db.Exec(`ROLLBACK`); err != nil {
			t.Fatal(err)
		}
	}
}

// The built program over a store that answers late: an answer is never
// followed by an older one, there is never an empty flash, and Enter takes no
// row that was not on the screen.
func TestTypingInATerminalOverASlowStore(t *testing.T) {
	t.Parallel()
	const word = "gateway"
	path := ladder(t, word)
	s := open(t, 100, 24, nil, "--db="+path)
	s.Sees(fmt.Sprintf("%d conversations", len(word)))
	found := regexp.MustCompile(`(\d+) conversations? · \d+ hits?`)
	var mu sync.Mutex
	newest, fault := len(word)+1, ""
	s.watch(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if fault != "" || !s.onScreen() {
			return
		}
		if !strings.Contains(text, "Rung number") {
			fault = "an empty flash:\n" + text
		}
		if m := found.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			if n > newest {
				fault = fmt.Sprintf("the answer with %d comes after that with %d:\n%s", n, newest, text)
			}
			newest = n
		}
	})
	stop := hold(t, filepath.Join(s.folder, filepath.Base(path)))
	for _, r := range word[:len(word)-1] {
		s.Types(string(r))
		<-time.After(70 * time.Millisecond) // as fingers type
	}
	stop()
	s.pressesEnterTooEarlyAndAgain(path, word, func() string {
		mu.Lock()
		defer mu.Unlock()
		return fault
	})
}

// pressesEnterTooEarlyAndAgain waits for the answer to all letters of a word but
// the last. It types that one while no answer can come, and Enter behind it,
// which must do nothing and say why. Then it lets the answer come and resumes
// what that has found.
func (s *browser) pressesEnterTooEarlyAndAgain(path, word string, fault func() string) {
	s.t.Helper()
	s.Sees("2 conversations · 2 matches")
	release := lock(s.t, filepath.Join(s.folder, filepath.Base(path)))
	s.Types(word[len(word)-1:] + "\r")
	s.Sees("till searching")
	release()
	s.Sees("1 conversation · 1 match")
	if f := fault(); f != "" {
		s.t.Fatal(f)
	}
	s.watch(nil)
	s.Press("Enter")
	if got := strings.Join(s.resumed().Args, " "); !strings.Contains(got, fmt.Sprintf("rung-%d", len(word))) {
		s.t.Fatalf("resumed %q", got)
	}
}

// The closest conversations come later than those with all words of the query: the row
// under the cursor stays where it is, the list is never empty, and where they are all
// that there is, Enter takes none of the rows before them.
func TestTheClosestComeLateInATerminalOverASlowStore(t *testing.T) {
	t.Parallel()
	path := rungs(t, "harbor lighthouse", "harbor pier", "harbor crane", "lighthouse keeper")
	s := open(t, 100, 24, nil, "--db="+path)
	s.Sees("4 conversations")
	var mu sync.Mutex
	found, fault := false, ""
	s.watch(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if fault != "" || !s.onScreen() {
			return
		}
		if !strings.Contains(text, "Rung number") || strings.Contains(text, "No matches") {
			fault = "an empty flash:\n" + text
		}
		found = found || strings.Contains(text, "1 conversation · 1 match")
		if lines := strings.Split(text, "\n"); found && !strings.Contains(lines[2], "▸   Rung number 1") {
			fault = "the row under the cursor has moved:\n" + text
		}
	})
	stop := hold(t, filepath.Join(s.folder, filepath.Base(path)))
	for _, r := range "harbor lighthouse" {
		s.Types(string(r))
		<-time.After(70 * time.Millisecond) // as fingers type
	}
	s.Sees("1 conversation · 1 match")
	s.Sees("1 conversation · 1 match · 3 close")
	stop()
	s.watch(nil)
	release := lock(t, filepath.Join(s.folder, filepath.Base(path)))
	s.Types(" crane\r")
	s.Sees("till searching")
	release()
	s.Sees("0 conversations · ")
	mu.Lock()
	defer mu.Unlock()
	if fault != "" {
		t.Fatal(fault)
	}
	screen := s.text()
	row, _, _ := strings.Cut(screen[strings.LastIndex(screen, "▸"):], "\n") // the first is that of the query
	want := "rung-" + regexp.MustCompile(`Rung number (\d)`).FindStringSubmatch(row)[1]
	s.Press("Enter")
	if got := strings.Join(s.resumed().Args, " "); !strings.Contains(got, want) {
		t.Fatalf("resumed %q instead of %s", got, want)
	}
}

// While the query is edited all the time, answers appear in the order of the
// queries, there is always one on the screen, and only a row on the screen is
// resumed.
func TestChangingTheQueryInATerminalOverASlowStore(t *testing.T) {
	t.Parallel()
	const word = "gateway"
	path := ladder(t, word)
	s := open(t, 100, 24, nil, "--db="+path)
	s.Sees(fmt.Sprintf("%d conversations", len(word)))
	rng := rand.New(rand.NewPCG(41, 2))
	var mu sync.Mutex
	typed, newest, fault := []int{0}, 0, "" // letters, after each key; the answer on the screen is to this one or a later
	found := regexp.MustCompile(`(\d+) conversations? · (\d+ hits?)?`)
	s.watch(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if fault != "" || !s.onScreen() {
			return
		}
		if !strings.Contains(text, "Rung number") {
			fault = "an empty flash:\n" + text
		}
		m := found.FindStringSubmatch(text)
		if m == nil || m[2] == "" {
			return
		}
		n, _ := strconv.Atoi(m[1])
		for i := newest; i < len(typed); i++ {
			if typed[i] > 0 && len(word)-typed[i]+1 == n {
				newest = i
				return
			}
		}
		fault = fmt.Sprintf("%d conversations are shown after the answer to %d letters, of %v:\n%s", n, typed[newest], typed, text)
	})
	stop := hold(t, filepath.Join(s.folder, filepath.Base(path)))
	letters := 0
	for range 40 {
		key := "\x7f"
		if letters == 0 || letters < len(word) && rng.IntN(3) > 0 {
			key = word[letters : letters+1]
			letters++
		} else {
			letters--
		}
		mu.Lock()
		typed = append(typed, letters)
		mu.Unlock()
		s.Types(key)
		<-time.After(time.Duration(20+rng.IntN(120)) * time.Millisecond)
	}
	for ; letters == len(word); letters-- {
		mu.Lock()
		typed = append(typed, letters-1)
		mu.Unlock()
		s.Types("\x7f")
	}
	for letters++; letters <= len(word); letters++ {
		mu.Lock()
		typed = append(typed, letters)
		mu.Unlock()
		if letters < len(word) {
			s.Types(word[letters-1 : letters])
		}
	}
	stop()
	s.pressesEnterTooEarlyAndAgain(path, word, func() string {
		mu.Lock()
		defer mu.Unlock()
		return fault
	})
}
