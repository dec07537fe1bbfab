//go:build !windows

package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manyColors matches a sequence that sets a color beyond the sixteen of the terminal.
var manyColors = regexp.MustCompile(`\x1b\[(?:[0-9;:]*[;:])?[34]8[;:][0-9;:]*m`)

// control matches an escape sequence: its prefix, parameters, intermediates and final byte
// where it is a control sequence.
var control = regexp.MustCompile(`\x1b(?:\[([<-?]?)([0-9;:]*)([ -/]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)`)

// consoleColor matches what the console of Linux knows of colors and weights, as
// console_codes(4) lists them: eight colors, the bright forms of those of text, and no other.
var consoleColor = regexp.MustCompile(`^(?:[01247]|2[2457]|[34][0-79]|9[0-7])?$`)

// notOfTheConsole returns a sequence that the console of Linux would not obey: the screen
// would be another than the program believes. What has a prefix or an intermediate, and
// titles, it passes over.
func notOfTheConsole(raw string) string {
	for _, m := range control.FindAllStringSubmatch(raw, -1) {
		prefix, params, intermediate, final := m[1], m[2], m[3], m[4]
		switch {
		case strings.HasPrefix(m[0], "\x1b]") && !strings.HasPrefix(m[0], "\x1b]P") && !strings.HasPrefix(m[0], "\x1b]R"):
		case final == "":
			return m[0]
		case prefix != "" || intermediate != "":
		case !strings.Contains("@ABCDEFGHJKLMPX`adefghlmnrsu", final):
			return m[0]
		case final == "m":
			for n := range strings.SplitSeq(params, ";") {
				if !consoleColor.MatchString(n) {
					return m[0]
				}
			}
		}
	}
	return ""
}

// isDrawn reports whether the program draws a character beyond ASCII itself, as a line or a
// mark. Texts of the demo hold others, as a curly apostrophe.
func isDrawn(r rune) bool {
	return r >= '\u2500' && r < '\u2600' || r >= '\u2800' && r < '\u2900' || strings.ContainsRune("✓§★✎⚑⇉↳↵Σ·×≥…→←↑↓•–‹›", r)
}

// A user searches, reads and resumes on terminals that can show little: what they cannot
// show is not written to them.
func TestTerminalsThatShowLittle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		environ []string
		ascii   bool // lines and marks are ASCII; the characters of a text stay
		sixteen bool // no color beyond the sixteen
	}{
		{"the console of Linux", []string{"TERM=linux", "COLORTERM="}, true, true},
		{"no UTF-8 locale", []string{"LANG=C", "LC_ALL=C"}, true, false},
		{"screen, which makes the best of 256 colors", []string{"TERM=screen", "COLORTERM="}, false, false},
		{"eight colors", []string{"TERM=xterm-color", "COLORTERM="}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			to := lookFor(t, "--demo")
			s := open(t, 80, 24, test.environ, "--demo")
			s.Sees(to.other)
			odd := ""
			s.watch(func(text string) {
				if strings.ContainsFunc(text, isDrawn) {
					odd = text
				}
			})
			searchReadResume(s, to)
			if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", to.id}) {
				t.Errorf("Hermes was called with %q, want the session %s", c.Args, to.id)
			}
			s.watch(nil)
			if test.ascii && odd != "" {
				t.Errorf("not all lines and marks are ASCII:\n%s", odd)
			}
			if seq := manyColors.FindString(s.bytes()); test.sixteen && seq != "" {
				t.Errorf("%q sets a color that the terminal lacks", seq)
			}
			if !color.MatchString(s.bytes()) {
				t.Error("there are no colors")
			}
			if seq := notOfTheConsole(s.bytes()); strings.HasPrefix(test.name, "the console") && seq != "" {
				t.Errorf("%q is nothing that the console knows", seq)
			}
		})
	}
}

// What a command draws on a terminal without UTF-8 is ASCII. In a pipe it is what it is
// elsewhere, and so is JSON: only text is drawn.
func TestCommandsDrawASCIIWithoutUTF8(t *testing.T) {
	t.Parallel()
	environ := environment(t, "PAGER=", "LC_ALL=C")
	for _, c := range []string{
		"list --limit 5", "search docker", "show --tools the_pantry", "show --recap the_pantry", "lineage the_pantry",
		"running", "stats", "storage", "compare Name_for_the_bakery_app:_silly", "doctor", "prune --older-than 60 --dry-run", "lineage --help",
	} {
		args := strings.Fields(c)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		s := openConsole(t, 120, 50, environ, program, append([]string{"--demo"}, args...)...)
		s.exits(0)
		for line := range strings.Lines(s.bytes()) {
			if strings.ContainsFunc(line, isDrawn) {
				t.Errorf("%s draws %q", c, line)
			}
		}
	}
	if r := run(t, "--demo", "show", "the pantry"); !strings.Contains(r.stdout, " · ") {
		t.Errorf("in a pipe: %s", r.stdout)
	}
	s := openConsole(t, 120, 50, environ, program, "--demo", "search", "docker", "--json")
	if s.exits(0); !strings.Contains(s.bytes(), "…") {
		t.Error("the text in JSON is changed")
	}
}
