package dialog

import (
	"fmt"
	"io"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// mostOutput bounds the output of a command that is kept and shown.
const mostOutput = 128_000

// Output is a box that shows the output of a command when it has ended. Closing it before stops
// the command.
type Output struct {
	notice
	stop  func()
	out   firstBytes
	ended bool
	said  string // what went wrong, or what is left out
	text  string // safe to draw
	lines []string
	wide  int // of lines
}

// NewOutput makes the box of a command; stop stops it.
func NewOutput(sh shell.Shell, name string, stop func()) *Output {
	o := &Output{stop: stop}
	o.notice = notice{sh: sh, env: sh.Env(), title: kit.Capitalize(name), text: o.page}
	o.hints = []string{sh.Env().Keys.Find(shell.InDialog, shell.Close).KeyText() + " stop"}
	return o
}

// Writer takes the output of the command.
func (o *Output) Writer() io.Writer { return &o.out }

// outputEnded says that the command of a box has ended.
type outputEnded struct {
	of  *Output
	err error
}

// Ended returns the message that shows the output. err is why the command failed.
func (o *Output) Ended(err error) tea.Msg { return outputEnded{o, err} }

// Update takes the end of the command; closing the box stops it.
func (o *Output) Update(msg tea.Msg) (bool, tea.Cmd) {
	if end, ok := msg.(outputEnded); ok {
		if end.of == o {
			o.take(end.err)
		}
		return false, nil
	}
	done, then := o.notice.Update(msg)
	if done {
		o.stop()
	}
	return done, then
}

// take takes the output.
func (o *Output) take(err error) {
	text, all := o.out.read()
	o.ended = true
	o.hints = nil
	o.text = strings.TrimRight(kit.CleanOutput(text), " \t\n")
	if all > int64(len(text)) {
		o.said = fmt.Sprintf("the first %s of %s", model.ByteSize(int64(len(text))), model.ByteSize(all))
	}
	if err != nil {
		o.said = strings.TrimPrefix(o.said+" · "+kit.CleanLine(err.Error()), " · ")
	}
}

// page lays the output out. It is long, and stays.
func (o *Output) page(w int) []string {
	s := o.sh.Styles()
	if !o.ended {
		return []string{s.Muted.Render(s.Spell("Running…"))}
	}
	if o.wide == w {
		return o.lines
	}
	o.wide, o.lines = w, nil
	if o.said != "" {
		for _, l := range s.Cells.Wrap(o.said, w) {
			o.lines = append(o.lines, s.Warn.Render(l))
		}
	}
	if o.text == "" {
		o.lines = append(o.lines, s.Muted.Render("No output"))
		return o.lines
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(o.text, "\t", "    "), "\n") {
		for _, l := range s.Cells.Wrap(line, w) {
			o.lines = append(o.lines, s.Text.Render(l))
		}
	}
	return o.lines
}

// firstBytes keeps the beginning of what is written, and counts the rest.
type firstBytes struct {
	mu   sync.Mutex
	text []byte
	all  int64
}

func (f *firstBytes) Write(text []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all += int64(len(text))
	f.text = append(f.text, text[:min(len(text), mostOutput-len(f.text))]...)
	return len(text), nil
}

func (f *firstBytes) read() (text string, all int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.text), f.all
}
