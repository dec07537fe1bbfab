package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// driver runs the root model without a terminal, on the fake clock of a synctest
// bubble: messages go in, commands run, the screen is read.
type driver struct {
	t               *testing.T
	lib             *uitest.Fake
	root            *Root
	msgs            chan tea.Msg
	quit            bool
	sent            []string // what went to the terminal beside the screen
	raw             []string // and what went there as it is
	backgroundAsked int      // how often it was asked for its background
	w, h            int
	disk            *disk // what it exports to, in some tests

	measured map[string]int // columns of the lines of the last screen
}

// at runs a test in a bubble, at a quarter past noon.
func at(t *testing.T, f func(t *testing.T, lib *uitest.Fake)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12*time.Hour + 15*time.Minute)
		defer time.Sleep(time.Hour) // lets unused timers expire
		f(t, uitest.History(uitest.Now()))
	})
}

func options(t testing.TB, lib shell.Library) Options {
	changes, _ := lib.(shell.Changes)
	return Options{
		Env: shell.Env{
			Library: lib, Changes: changes, Keys: uitest.Keys(t), Clock: uitest.Now, Where: "~/.hermes/state.db",
			Command: func(id string) string { return "hermes --resume " + id },
		},
		Mouse: true,
		Child: func(model.Session, bool) tea.ExecCommand { return nil },
		// Code has no colors here: the highlighter keeps a clock for the whole
		// process, which cannot run on the fake one of a bubble.
		Theme: theme.Setup{Theme: "auto", PlainCode: true},
	}
}

// start opens the browser and waits until it has settled.
func start(t *testing.T, lib *uitest.Fake, w, h int, change ...func(*Options)) *driver {
	t.Helper()
	opt := options(t, lib)
	for _, c := range change {
		c(&opt)
	}
	d := &driver{t: t, lib: lib, root: New(t.Context(), opt), msgs: make(chan tea.Msg, 4096), w: w, h: h}
	d.run(d.root.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.settle()
	return d
}

func (d *driver) run(c tea.Cmd) {
	if c == nil {
		return
	}
	go func() {
		switch m := c().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range m {
				d.run(c)
			}
		default:
			d.msgs <- m
		}
	}()
}

// handle gives one message to the model and looks at the screen after it.
func (d *driver) handle(m tea.Msg) {
	d.t.Helper()
	if d.update(m) {
		d.fits()
	}
}

// update gives one message to the model, and reports whether the screen may be another
// after it.
func (d *driver) update(m tea.Msg) (changed bool) {
	switch m.(type) {
	case tea.QuitMsg:
		d.quit = true
		return false
	}
	if strings.HasPrefix(fmt.Sprintf("%T", m), "tea.setClipboard") {
		d.sent = append(d.sent, fmt.Sprint(m))
		return false
	}
	if fmt.Sprintf("%T", m) == fmt.Sprintf("%T", tea.RequestBackgroundColor()) {
		d.backgroundAsked++
	}
	if raw, ok := m.(tea.RawMsg); ok {
		d.raw = append(d.raw, fmt.Sprint(raw.Msg))
	}
	if s, ok := m.(tea.WindowSizeMsg); ok {
		d.w, d.h = s.Width, s.Height
	}
	_, c := d.root.Update(m)
	d.run(c)
	return true
}

// fits holds the one promise of every screen: it stays within the terminal, so that the
// renderer clips nothing.
func (d *driver) fits() {
	d.t.Helper()
	content := d.root.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) > d.h {
		d.t.Fatalf("%d lines on a screen of %d:\n%s", len(lines), d.h, ansi.Strip(content))
	}
	measured := make(map[string]int, len(lines))
	for _, l := range lines {
		w, known := d.measured[l]
		if !known {
			w = d.root.styles.Cells.StringWidth(l)
		}
		measured[l] = w
		if w > d.w {
			d.t.Fatalf("a line of %d columns on a screen of %d: %q\n%s", w, d.w, ansi.Strip(l), ansi.Strip(content))
		}
		if known || w == len(l) {
			continue
		}
		if text := strings.TrimRight(ansi.Strip(l), " "); drawn(l, d.w, d.root.styles.Cells) != text {
			d.t.Fatalf("the renderer leaves %q of %q", drawn(l, d.w, d.root.styles.Cells), text)
		}
	}
	d.measured = measured
}

// wait lets time pass while answers are handled. Of the answers of one moment, which a
// terminal shows as one frame, a campaign looks at the screen after each.
func (d *driver) wait(dur time.Duration) {
	d.t.Helper()
	end := time.After(dur)
	changed := false
	for {
		synctest.Wait()
		select {
		case m := <-d.msgs:
			if changed = d.update(m) || changed; changed && campaign.On() {
				d.fits()
			}
			continue
		default:
		}
		if changed {
			d.fits()
			changed = false
		}
		select {
		case m := <-d.msgs:
			changed = d.update(m)
		case <-end:
			return
		}
	}
}

// settle waits until nothing more is to come but the next look for changes.
func (d *driver) settle() { d.t.Helper(); d.wait(500 * time.Millisecond) }

func (d *driver) send(msgs ...tea.Msg) {
	d.t.Helper()
	for _, m := range msgs {
		d.handle(m)
	}
}

// keys presses keys by their names in the key map, unhurried.
func (d *driver) keys(names ...string) *driver {
	d.t.Helper()
	for _, n := range names {
		d.send(keyPress(n))
		d.settle()
	}
	return d
}

// types writes a text, unhurried.
func (d *driver) types(s string) *driver {
	d.t.Helper()
	for _, r := range s {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		d.wait(150 * time.Millisecond)
	}
	d.settle()
	return d
}

// screen is the text on the screen.
func (d *driver) screen() string {
	lines := strings.Split(ansi.Strip(d.root.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

func (d *driver) sees(texts ...string) *driver {
	d.t.Helper()
	for _, s := range texts {
		if !strings.Contains(d.screen(), s) {
			d.t.Fatalf("no %q in:\n%s", s, d.screen())
		}
	}
	return d
}

func (d *driver) misses(texts ...string) *driver {
	d.t.Helper()
	for _, s := range texts {
		if strings.Contains(d.screen(), s) {
			d.t.Fatalf("%q in:\n%s", s, d.screen())
		}
	}
	return d
}

// current is the title of the current row.
func (d *driver) current() string {
	if it := d.list().Current(); it != nil {
		return kit.SpanText(it.TitleSpans)
	}
	return ""
}

// scrolled counts the lines of the list above the window.
func (d *driver) scrolled() int { return d.list().PeekAbove() }

func (d *driver) list() *list.Screen { return d.root.screens[0].(*list.Screen) }

// keyPress makes the message of a key from its name in the key map.
func keyPress(name string) tea.KeyPressMsg { return uitest.KeyPress(name) }
