// Package demo is an invented history of four months with Hermes Agent, to try the
// program without a database. It is written in scripts, the .txt files in this folder,
// its times are computed so that it ends now, and its file has schema [ddl.NewestVersion].
//
// A line that begins with two colons is a directive. All other lines are the text of the
// directive before them; blank lines at either end of a text do not count.
//
//	:: TITLE            a conversation; without TITLE an untitled one. Then, a line each:
//	source: cli         where it was held (cli)
//	at: 2h ago          its last message: 20s, 5m or 2h ago, "yesterday 18:40",
//	                    "9 days ago 08:15"
//	model: NAME         what it was held with
//	cost: 0.42          dollars paid; "~0.42" estimated, "?" unknown; else estimated from the text
//	ended: REASON       why it ended, "open" if it did not; else what is usual for the source
//	user: NAME          the user's id in a messenger
//	in: FOLDER BRANCH   where it was held, and the branch of git there, if there is one
//	flag: pinned        or archived
//
//	::user              what the user said
//	::user NAME.jpg …   with pictures
//	::think [COLUMN]    the reasoning of the agent's next message, in the column
//	                    reasoning, or in content, details, codex
//	::agent             what the agent said
//	::call TOOL JSON    a tool call; text below replaces … in the JSON
//	::result            the result of the oldest call that has none yet
//	::output [CODE]     the result of a command, wrapped as the terminal tool does, with
//	                    its exit code
//	::row ROLE          a message of any other role
//	::rawcalls TEXT     tool calls of the last message, as stored in the table
//	::pause 2h          the next message comes this much later
//
//	::compressed        the segment ends here, the text opens the next one
//	::reset TITLE       the user begins a new chat where this one was
//	::branch TITLE      up to ::end, a branch
//	::delegate [TITLE]  up to ::end, the session of a subagent
//	::repeat 40         up to ::end, text repeated so often: {n} is the number of the
//	                    repetition, {pick: a | b} takes one value after the other
//	::end
//
// ⟨1B⟩ is the character with that number, ⟨xFF⟩ for that byte.
package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

//go:embed *.txt
var scripts embed.FS

// line is a line of a script with its file and number.
type line struct {
	text string
	file string
	at   int
}

// errorf makes an error that names the file and the line.
func (l line) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.file, l.at, fmt.Sprintf(format, args...))
}

// directive splits "::call terminal {…}" into "call" and "terminal {…}". The
// name of a conversation's directive is empty.
func (l line) directive() (name, rest string, ok bool) {
	text, ok := strings.CutPrefix(l.text, "::")
	if !ok {
		return "", "", false
	}
	if strings.HasPrefix(text, " ") || text == "" {
		return "", strings.TrimSpace(text), true
	}
	name, rest, _ = strings.Cut(text, " ")
	return name, strings.TrimSpace(rest), true
}

// script is the lines of all scripts that are not read yet.
type script struct {
	lines []line
}

// open returns the lines of all scripts in a folder, one after the other.
func open(folder fs.FS) (*script, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	s := &script{}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		// A checkout on Windows may end the lines its own way.
		lines := strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		for i, text := range strings.Split(lines, "\n") {
			s.lines = append(s.lines, line{text: text, file: name, at: i + 1})
		}
	}
	return s, nil
}

// text takes the lines up to the next directive.
func (s *script) text() string {
	n := slices.IndexFunc(s.lines, func(l line) bool { return strings.HasPrefix(l.text, "::") })
	if n < 0 {
		n = len(s.lines)
	}
	var b strings.Builder
	for _, l := range s.lines[:n] {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	s.lines = s.lines[n:]
	return unescape(strings.Trim(b.String(), "\n"))
}

// header takes the lines "key: value" that follow a conversation's title.
func (s *script) header() (map[string]string, error) {
	head := map[string]string{}
	for len(s.lines) > 0 {
		l := s.lines[0]
		if l.text == "" || strings.HasPrefix(l.text, "::") {
			break
		}
		key, value, ok := strings.Cut(l.text, ": ")
		if !ok || !slices.Contains([]string{"source", "at", "model", "cost", "ended", "user", "in", "flag"}, key) {
			return nil, l.errorf("not a line of a conversation's head: %q", l.text)
		}
		head[key] = value
		s.lines = s.lines[1:]
	}
	return head, nil
}

// block takes the lines up to the ::end that belongs to a directive.
func (s *script) block(opener line) ([]line, error) {
	depth := 1
	for i, l := range s.lines {
		name, _, _ := l.directive()
		switch name {
		case "branch", "delegate", "repeat":
			depth++
		case "end":
			depth--
		}
		if depth == 0 {
			inside := s.lines[:i]
			s.lines = s.lines[i+1:]
			return inside, nil
		}
	}
	return nil, opener.errorf("no ::end")
}

// picks matches a choice among values in a block that is repeated.
var picks = regexp.MustCompile(`\{pick: ([^}]*)\}`)

// repeat writes out a ::repeat in place.
func (s *script) repeat(opener line, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return opener.errorf("the number of repeats: %v", err)
	}
	inside, err := s.block(opener)
	if err != nil {
		return err
	}
	var out []line
	for i := range n {
		for _, l := range inside {
			l.text = strings.ReplaceAll(l.text, "{n}", strconv.Itoa(i+1))
			l.text = picks.ReplaceAllStringFunc(l.text, func(m string) string {
				of := strings.Split(picks.FindStringSubmatch(m)[1], "|")
				return strings.TrimSpace(of[i%len(of)])
			})
			out = append(out, l)
		}
	}
	s.lines = append(out, s.lines...)
	return nil
}

// unescape replaces ⟨1B⟩ and ⟨xFF⟩ by the character and the byte that they stand for.
func unescape(text string) string {
	if !strings.Contains(text, "⟨") {
		return text
	}
	var b []byte
	for {
		before, rest, ok := strings.Cut(text, "⟨")
		b = append(b, before...)
		if !ok {
			return string(b)
		}
		code, after, closed := strings.Cut(rest, "⟩")
		digits, isByte := strings.CutPrefix(code, "x")
		n, err := strconv.ParseUint(digits, 16, 21)
		switch {
		case !closed || err != nil:
			b, after = append(b, "⟨"...), rest
		case isByte:
			b = append(b, byte(n))
		default:
			b = utf8.AppendRune(b, rune(n))
		}
		text = after
	}
}

// lastMessageTime says when "2h ago", "yesterday 18:40" or "9 days ago 08:15" is, counted
// back from now in its time zone.
func lastMessageTime(at string, now time.Time) (time.Time, error) {
	if ago, ok := strings.CutSuffix(at, " ago"); ok {
		d, err := time.ParseDuration(ago)
		return now.Add(-d), err
	}
	day, clock, ok := strings.Cut(at, " ")
	days := 1
	if day != "yesterday" {
		var err error
		if days, err = strconv.Atoi(day); err != nil {
			return time.Time{}, err
		}
		clock, ok = strings.CutPrefix(clock, "days ago ")
	}
	t, err := time.Parse("15:04", clock)
	if !ok || err != nil {
		return time.Time{}, fmt.Errorf("unknown time: %q", at)
	}
	year, month, today := now.Date()
	return time.Date(year, month, today-days, t.Hour(), t.Minute(), 0, 0, now.Location()), nil
}
