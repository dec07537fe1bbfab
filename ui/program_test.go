package ui

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/uitest"
)

// programDriver runs the whole program on a fake clock, with an emulator as its
// terminal, and keeps every frame that was on it.
type programDriver struct {
	t      *testing.T
	root   *Root
	p      *tea.Program
	keys   *io.PipeWriter
	screen *vt.SafeEmulator
	done   chan error
	frames []frameAt
	bytes  atomic.Int64 // written to the terminal
}

type frameAt struct {
	at   time.Time
	text string
}

// Write draws, and keeps the frame. As its input is no terminal, the program
// counts on a line feed to return as well.
func (s *programDriver) Write(b []byte) (int, error) {
	_, err := s.screen.Write([]byte(strings.ReplaceAll(string(b), "\n", "\r\n"))) // WriteString takes no lock
	s.frames = append(s.frames, frameAt{time.Now(), s.text()})
	s.bytes.Add(int64(len(b)))
	return len(b), err
}

// written returns how many bytes the program has written.
func (s *programDriver) written() int { return int(s.bytes.Load()) }

func (s *programDriver) text() string { return ansi.Strip(s.screen.Render()) }

func startProgram(t *testing.T, lib *uitest.Fake, w, h int) *programDriver {
	t.Helper()
	return startProgramOn(t, lib, w, h, colorprofile.TrueColor, func(*Options) {})
}

// startProgramOn starts the program on a terminal of so many colors.
func startProgramOn(t *testing.T, lib *uitest.Fake, w, h int, profile colorprofile.Profile, change func(*Options)) *programDriver {
	t.Helper()
	opt := options(t, lib)
	change(&opt)
	in, keys := io.Pipe()
	s := &programDriver{t: t, keys: keys, screen: vt.NewSafeEmulator(w, h), done: make(chan error, 1)}
	go io.Copy(io.Discard, s.screen) // the terminal's answers to questions
	s.root = New(t.Context(), opt)
	s.p = tea.NewProgram(s.root, tea.WithInput(in), tea.WithOutput(s), tea.WithoutSignalHandler(),
		tea.WithWindowSize(w, h), tea.WithColorProfile(profile), tea.WithFilter(LimitMotion(uitest.Now)),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	go func() { _, err := s.p.Run(); s.done <- err }()
	s.wait(time.Second)
	return s
}

// wait lets fake time pass; a frame reaches the terminal on a ticker.
func (s *programDriver) wait(d time.Duration) string {
	time.Sleep(d)
	synctest.Wait()
	return s.text()
}

func (s *programDriver) types(text string, every time.Duration) {
	for _, r := range text {
		io.WriteString(s.keys, string(r))
		s.wait(every)
	}
}

// ended reports whether the program has left by itself.
func (s *programDriver) ended() bool {
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Fatal(err)
		}
		s.done <- nil
		return true
	default:
		return false
	}
}

func (s *programDriver) leave() {
	s.t.Helper()
	s.p.Quit()
	if err := <-s.done; err != nil {
		s.t.Fatal(err)
	}
	s.keys.Close()
	s.screen.Close()
}

// echo answers every search with three conversations that name it.
func echo(q string) model.SearchResults {
	r := model.SearchResults{Conversations: 3, Hits: 3}
	for i := range 3 {
		c := model.Conversation{Session: model.Session{ID: fmt.Sprintf("%s-%d", q, i), Title: fmt.Sprintf("answer %d to [%s]", i, q), Source: "cli"}}
		r.Matches = append(r.Matches, model.Match{Conversation: c, Best: model.Hit{Kind: model.HitTitle}, Hits: 1})
	}
	return r
}

func slowly(q string) time.Duration {
	if q == "" {
		return 0
	}
	return 300 * time.Millisecond
}

func TestTypingOverASlowStore(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{15, 80, 200, 290, 400} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer, lib.Delay = echo, slowly
			s := startProgram(t, lib, 100, 20)
			first := len(s.frames)
			s.types("gateway", every*time.Millisecond)
			last := s.wait(2 * time.Second)
			if !strings.Contains(last, "answer 0 to [gateway]") || lib.Max > 1 {
				t.Fatalf("%d ms between keys, at most %d questions at once:\n%s", every, lib.Max, last)
			}
			newest := 0
			for _, f := range s.frames[first:] {
				m := regexp.MustCompile(`answer 0 to \[(.*?)\]`).FindStringSubmatch(f.text)
				if m == nil {
					if newest > 0 || !strings.Contains(f.text, "House rules") {
						t.Fatalf("%d ms between keys: an empty flash:\n%s", every, f.text)
					}
					continue
				}
				if len(m[1]) < newest {
					t.Fatalf("%d ms between keys: an old answer after a new one:\n%s", every, f.text)
				}
				newest = len(m[1])
			}
			s.leave()
		})
	}
}

func TestOnlyALongWaitIsShown(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Answer, lib.Delay = echo, func(q string) time.Duration { return 100 * time.Millisecond }
		s := startProgram(t, lib, 100, 20)
		s.types("gate", 120*time.Millisecond)
		s.wait(time.Second)
		for _, f := range s.frames {
			if strings.Contains(f.text, "searching…") {
				t.Fatalf("a short wait is told:\n%s", f.text)
			}
		}
		lib.Set(func() { lib.Delay = slowly })
		began := time.Now()
		s.types("w", 0)
		s.wait(time.Second)
		told := time.Duration(0)
		for _, f := range s.frames {
			if told == 0 && strings.Contains(f.text, "searching…") {
				told = f.at.Sub(began)
			}
		}
		if told < kit.LateAfter || told > kit.LateAfter+50*time.Millisecond {
			t.Fatalf("a long wait is told after %v", told)
		}
		s.leave()
	})
}

// However fast Enter follows: the resumed row was on the screen, as an answer to
// the typed query.
func TestEnterNeverTakesAnUnseenRow(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer, lib.Delay = echo, slowly
			s := startProgram(t, lib, 100, 20)
			s.types("gate", time.Duration(rng.IntN(120))*time.Millisecond)
			s.wait(time.Duration(rng.IntN(700)) * time.Millisecond)
			before := s.text()
			io.WriteString(s.keys, "\r")
			after := s.wait(time.Second)
			id := s.root.Outcome().ID
			switch {
			case s.ended() && (id != "gate-0" || !strings.Contains(before, "▸   answer 0 to [gate] ")):
				t.Fatalf("resumed %q from:\n%s", id, before)
			case !s.ended() && !strings.Contains(after, "answer 0 to [gate]"):
				t.Fatalf("neither resumed nor searched:\n%s", after)
			case !s.ended():
				io.WriteString(s.keys, "\r") // and now that it is there
				if s.wait(time.Second); !s.ended() || s.root.Outcome().ID != "gate-0" {
					t.Fatalf("not resumed from:\n%s", after)
				}
			}
			s.keys.Close()
			s.screen.Close()
		})
	}
}

// Reading is harmless: requested too early, it waits for the answer to the typed
// query, and another key cancels it.
func TestOpeningWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	const right, ctrlL = "\x1b[C", "\x0c"
	for _, c := range []struct{ key, then, sees string }{
		{right, "", "this conversation has no messages"}, // the fake has the row alone
		{right, "w", "answer 0 to [gatew]"},
		{right, "\x1b", "House rules"},
		{ctrlL, "", "could not be read"}, // the fake has no tree of it
		{ctrlL, "w", "answer 0 to [gatew]"},
	} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer, lib.Delay = echo, slowly
			s := startProgram(t, lib, 100, 20)
			s.types("gate", 10*time.Millisecond)
			io.WriteString(s.keys, c.key)
			s.wait(20 * time.Millisecond)
			if c.then != "" {
				io.WriteString(s.keys, c.then)
			}
			got := s.wait(2 * time.Second)
			if !strings.Contains(got, c.sees) {
				t.Fatalf("after %q the screen is not that of %q:\n%s", c.then, c.sees, got)
			}
			s.leave()
		})
	}
}

// A row that was chosen by hand is meant, whatever is still searched for.
func TestEnterTakesTheRowThatWasPointedAt(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Answer, lib.Delay = echo, func(q string) time.Duration {
			if len(q) > 4 {
				return time.Hour
			}
			return 0
		}
		s := startProgram(t, lib, 100, 20)
		s.types("gate", time.Second)
		s.types("w", kit.LateAfter+50*time.Millisecond)
		io.WriteString(s.keys, "\x1b[B")
		s.wait(100 * time.Millisecond)
		io.WriteString(s.keys, "\r")
		if s.wait(time.Second); !s.ended() || s.root.Outcome().ID != "gate-1" {
			t.Fatalf("resumed %q from:\n%s", s.root.Outcome().ID, s.text())
		}
		s.keys.Close()
		s.screen.Close()
	})
}

// Keys that are typed ahead of the rows of a query act on no row of the query before.
func TestEnterTakesNoRowOfTheQueryBefore(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"\r", "\x04"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer, lib.Delay = echo, slowly
			s := startProgram(t, lib, 100, 20)
			s.types("gate", 10*time.Millisecond)
			io.WriteString(s.keys, "\x1b[B\x1b[B")
			s.wait(10 * time.Millisecond)
			io.WriteString(s.keys, key)
			if got := s.wait(50 * time.Millisecond); s.ended() || !strings.Contains(got, "Still searching") {
				t.Errorf("after %q: ended %v\n%s", key, s.ended(), got)
			}
			s.leave()
		})
	}
}

func TestAResizeStormEndsInTheSamePicture(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		rng := rand.New(rand.NewPCG(5, 6))
		s := startProgram(t, lib, 120, 40)
		for i := range 300 {
			w, h := 1+rng.IntN(220), 1+rng.IntN(60)
			s.screen.Resize(w, h)
			s.p.Send(tea.WindowSizeMsg{Width: w, Height: h})
			if i%7 == 0 {
				time.Sleep(3 * time.Millisecond)
			}
			if i%50 == 0 {
				io.WriteString(s.keys, "\x1b[B")
			}
		}
		for _, size := range sizes() {
			w, h := size[0], size[1]
			s.screen.Resize(w, h)
			s.p.Send(tea.WindowSizeMsg{Width: w, Height: h})
			after := s.wait(time.Second)
			if want := ansi.Strip(s.root.View().Content); uitest.Trimmed(after) != uitest.Trimmed(want) {
				t.Fatalf("%dx%d: on the screen\n%s\nwant\n%s", w, h, after, want)
			}
		}
		s.leave()
	})
}

func TestBytesOfATerminalOnlyEverType(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		s := startProgram(t, lib, 100, 20)
		all := ""
		for r := rune('!'); r < 0x7f; r++ {
			if !strings.ContainsRune("?:/", r) {
				all += string(r)
			}
		}
		all += "?:/ é日本🎌"
		s.types(all, time.Millisecond)
		s.wait(time.Second)
		if got := s.root.screens[0].(*list.Screen).Peek().Query; got != all || s.ended() {
			t.Fatalf("the query is %q, typed was %q", got, all)
		}
		s.leave()
	})
}

// Random keys on random terminals: nothing panics, and every frame stays
// within its terminal (the driver checks after each message).
func randomKeys(t *testing.T, script []byte) {
	names := []string{
		"up", "down", "pgup", "pgdown", "home", "end", "ctrl+home", "ctrl+end", "left", "right", "enter", "esc", "f1", "f3", "f5",
		"ctrl+o", "ctrl+s", "ctrl+/", "ctrl+x", "ctrl+y", "ctrl+t", "ctrl+z", "ctrl+w", "ctrl+u", "shift+up", "shift+down", "backspace", "delete",
		"a", "k", "r", "t", "?", ":", "/", "space", "\"", "日", "\u0301", "O", "n", "]",
	}
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		for len(script) >= 2 && !d.quit {
			op, arg := script[0], int(script[1])
			script = script[2:]
			switch {
			case op < 40:
				d.send(tea.WindowSizeMsg{Width: 1 + arg*3/2%250, Height: 1 + (arg*7+int(op))%70})
			case op < 50:
				d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: arg % 130, Y: arg % 40})
			case op < 60:
				d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp + tea.MouseButton(arg%2), X: arg % 130, Y: arg % 40})
			case op < 70:
				d.wait(time.Duration(arg*10) * time.Millisecond)
			case op < 75:
				lib.Set(func() { lib.Version++; lib.Convs = lib.Convs[:max(len(lib.Convs)-arg%3, 0)] })
			case op < 78:
				d.send(tea.PasteMsg{Content: string(script)})
			case op < 80:
				lib.Set(func() {
					lib.Err = nil
					if arg%2 == 0 {
						lib.Err = fmt.Errorf("broken %d", arg)
					}
				})
			default:
				d.send(keyPress(names[arg%len(names)]))
			}
		}
	})
}

func TestAStormOfKeysAndSizes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	for range campaign.Length(6, 100) {
		script := make([]byte, 300)
		for i := range script {
			script[i] = byte(rng.IntN(256))
		}
		randomKeys(t, script)
	}
}

func FuzzKeysAndSizes(f *testing.F) {
	f.Add([]byte{200, 1, 0, 5, 200, 10, 30, 200})
	f.Fuzz(func(t *testing.T, script []byte) { randomKeys(t, script[:min(len(script), 400)]) })
}

// The whole program: search, open at the hit, unfold, next hit, back.
func TestReadingJourney(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		msgs := numberedMessages(400)
		msgs[82] = uitest.Calls("", uitest.Call("1", "cat", `{"path":"x"}`))
		msgs[83] = uitest.Result("1", "cat", "output of cat")
		addConversation(lib, nil, msgs...)
		s := startProgram(t, lib, 100, 30)
		sees := func(what string, texts ...string) {
			t.Helper()
			for _, text := range texts {
				if !strings.Contains(s.text(), text) {
					t.Fatalf("%s: no %q in\n%s", what, text, s.text())
				}
			}
		}
		press := func(keys string) { io.WriteString(s.keys, keys); s.wait(time.Second) }
		s.types("walrus", 50*time.Millisecond)
		s.wait(time.Second)
		press("\x1b[C")
		sees("opening", "the first walrus", "match 1 of 3")
		press("n")
		sees("next match", "the second walrus", "match 2 of 3", "82 / 400")
		press("n")
		sees("one more", "the third walrus", "match 3 of 3", "162 / 400")
		press("g")
		sees("the beginning", "message number 1 of")
		press("/")
		press("cat")
		sees("finding", "output of cat", "match 1 of 2", "▾ cat x") // by name, and in its result
		press("\r")
		press("\r")
		sees("folding", "▸ cat x")
		press("q")
		sees("back", "▸   The oven timer", "walrus")
		s.leave()
	})
}

// Over a slow store the page that is read stays until the next is there.
func TestJumpingOverASlowStoreShowsNoEmptyPage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c := addConversation(lib, nil, numberedMessages(2000)...)
		s := startProgram(t, lib, 100, 30)
		s.p.Send(tea.WindowSizeMsg{Width: 100, Height: 30})
		s.wait(time.Second)
		s.types("third walrus", 20*time.Millisecond)
		s.wait(time.Second)
		io.WriteString(s.keys, "\x1b[C")
		s.wait(time.Second)
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 400 * time.Millisecond } })
		first := len(s.frames)
		for _, k := range []string{"G", "g", "G"} {
			io.WriteString(s.keys, k)
			s.wait(2 * time.Second)
		}
		for _, f := range s.frames[first:] {
			if strings.Count(f.text, "message number") < 5 {
				t.Fatalf("an empty page while reading:\n%s", f.text)
			}
		}
		if !strings.Contains(s.text(), fmt.Sprintf("message number %d of", c.Messages)) {
			t.Fatalf("the end is not there:\n%s", s.text())
		}
		s.leave()
	})
}
