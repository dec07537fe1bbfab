//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// A resume that is decided against leaves the prompt where it was, and commands on the demo
// see the demo that is listed, pinned conversations first.
func TestThePlainPromptStays(t *testing.T) {
	t.Parallel()
	c := openConsole(t, 160, 200, environment(t), program, "--demo", "--plain", "--limit", "3")
	asks := func(line, sees string) {
		t.Helper()
		c.Types(line)
		c.Press("Enter")
		c.Sees(sees)
	}
	c.Sees("  1  Two weeks by train to the sea · pinned")
	asks(":compare 1 2", "They differ from the first message.")
	asks(":scope archived", "my project #3")
	asks(":resume 1", "Resume it anyway? [y/N]")
	asks("n", "Cancelled.")
	asks(":hits 1", "No message in it matches the search.")
	asks(":quit", ":quit")
	c.exits(0)
}

// Users of a screen reader need to ask for the prompt only once, in their settings. A pipe to a
// script and --plain=false are as without.
func TestThePlainPromptBySetting(t *testing.T) {
	t.Parallel()
	environ := environment(t, ownSettings(t, "plain = true\nall-profiles = true\n"))
	c := openConsole(t, 100, 60, environ, program, "--demo", "--limit", "3")
	c.Sees("Number to resume")
	c.Press("Enter")
	c.exits(0)
	if strings.Contains(c.bytes(), "\x1b") {
		t.Errorf("escape sequences: %q", c.bytes())
	}
	for _, flag := range []string{"--plain=false", "--print-id"} {
		c := openConsole(t, 100, 30, environ, program, "--demo", flag)
		c.until("the full screen", func(string) bool { return c.onScreen() })
		c.Press("Ctrl+C")
		c.exits(130)
	}
}

// isLine reports whether a screen reader says "box drawings" or "block" for a character.
func isLine(r rune) bool { return r >= '\u2500' && r < '\u25a0' }

// What a screen says by a color, a mark or its place is said in words: what runs, is pinned,
// archived, branched or expiring, which level a session has, and which side differs.
func TestThePlainPromptSaysStatesInWords(t *testing.T) {
	t.Parallel()
	c := openConsole(t, 200, 400, environment(t), program, "--demo", "--plain", "--limit", "12")
	c.Sees(" · pinned · ")
	c.Sees(" · running · ")
	for _, l := range [][2]string{
		{"Garden irrigation", " · 5 segments · "},
		{":lineage 1", "Level 2 · segment 5 of 5"},
		{":lineage 1", "this is the one you chose"},
		{"Name for the bakery", "2 branches"},
		{":recap 1", "you: "},
		{":tools 1", "## hermes"},
		{":running", "working"},
		{":running", "waiting"},
		{"is:expiring", " · expires "},
		{":compare 1 2", "B after that"},
		{":stats --by month", "Unknown"},
		{":scope archived", " · archived · "},
		{":storage --limit 3", "free pages"},
		{":inactive 60", "my project"},
		{":clutter", "ghost"},
	} {
		c.Types(l[0])
		c.Press("Enter")
		c.Sees(l[1])
	}
	c.Types(":quit")
	c.Press("Enter")
	c.exits(0)
	if raw := c.bytes(); strings.Contains(raw, "\x1b") || strings.ContainsFunc(raw, isLine) {
		t.Errorf("escape sequences or lines: %q", raw)
	}
}

// A conversation is read a screen at a time, and what is typed between two screens is the
// next question's answer.
func TestTheNextLineIsTypedWhileReading(t *testing.T) {
	t.Parallel()
	c := openConsole(t, 100, 16, environment(t), program, "--demo", "--plain", "--limit", "3")
	c.Sees(":help for commands")
	c.Types(":read 1")
	c.Press("Enter")
	c.Sees("Enter for more, q to stop:")
	c.Types(":scope")
	c.Press("Enter")
	c.Sees("The scope is conversations")
	c.Types(":quit")
	c.Press("Enter")
	c.exits(0)
}

// Everything that the screen offers can be done at the prompt of --plain, in lines alone:
// no cursor moves, no colors, and what a mark says elsewhere is a word.
func TestEverythingAtThePlainPrompt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "state.db")
	fixtures.Unpack(t, "v25.db", db)
	file := filepath.Join(dir, "talk.md")
	c := openConsole(t, 160, 400, environment(t), program, "--db", db, "--plain", "--limit", "4")
	asks := func(line, sees string) {
		t.Helper()
		c.Types(line)
		c.Press("Enter")
		c.Sees(sees)
	}
	c.Sees(":help for commands")
	c.Sees("(:more)")
	asks(":help", ":delete NUMBER…: delete with all segments")
	asks(":more", "  5  ")
	asks(":scope", "The scope is conversations; others are")
	asks(":scope nowhere", "The scope must be one of ")
	asks(":sort title", "  1  ")
	asks(":filters", "source:")
	asks("docker networkings", "Closest.")
	asks("title:oauth token", "OAuth token refresh · 1 match")
	asks(":matches 1", "message ")
	asks(":lineage 1", "In total: ")
	asks(":rename 1 Renewing tokens", "Renamed to Renewing tokens. :undo")
	asks(":undo", "Restored the title.")
	asks(":pin 1", "Pinned ")
	asks(":list", " · pinned · ")
	asks(":archive 1", "Archived ")
	asks(":undo", "Unarchived ")
	asks(":command 1", " --resume ")
	asks(":export 1 "+file, "Exported 1 conversation to ")
	asks(":export 1 "+file, "already exists. (choose another name)")
	asks(":details 1", "Stored columns")
	asks(":stats --by source", "cli")
	asks(":running", "No open sessions.")
	asks(":storage --limit 1", "free pages")
	asks(":compare 1 1", "has no parent to compare it with.")
	asks(":files 1", "Removed  Message")
	asks(":note 1 ask about the scope", "Note: ask about the scope")
	asks(":tag 1 auth later", "Tags: auth later")
	asks(":undo", "Restored the tags.")
	asks(":tag 1", "No tags.")
	asks(":notes", "ask about the scope")
	asks(":copy 1 price", "not \"price\"")
	asks(":copy 1 99999999", "There is no message 99999999; :matches lists messages")
	asks(":delete 1", "? [y/N]")
	asks("n", "Nothing was deleted.")
	asks(":delete 1", "[y/N]")
	asks("y", ":undo restores it.")
	asks(":read 1", "Number 1 is deleted.")
	asks(":undo", "Restored 'OAuth token refresh")
	asks(":recap 1", "you")
	asks(":read 1", "# ")
	asks(":reed 1", "(did you mean :read?)")
	asks(":rename 1", "Which title?")
	asks(":clutter", "lutter")
	asks(":inactive x", "a number of days")
	asks(":inactive 1", ":list returns to the list.")
	asks(":read 1", "# ")
	asks(":list", "  1  ")
	asks("99", "There is no number 99 in the list.")
	asks(":quit", ":quit")
	c.exits(0)
	if raw := c.bytes(); strings.Contains(raw, "\x1b") || strings.ContainsFunc(raw, isLine) {
		t.Errorf("escape sequences or lines: %q", raw)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "OAuth token refresh") {
		t.Errorf("%v %q", err, text)
	}
}

// What :copy copies goes to the clipboard of the terminal, which takes it as an escape
// sequence: the only one that --plain writes. :doctor is the command.
func TestCopyAndDoctorAtThePlainPrompt(t *testing.T) {
	t.Parallel()
	c := openConsole(t, 100, 40, environment(t), program, "--demo", "--plain", "--limit", "4")
	c.Sees(":help for commands")
	for line, sees := range map[string]string{":copy 1": "Copied the ID of '", ":copy 1 title": "Copied the title of '", ":doctor": "No problems found."} {
		c.Types(line)
		c.Press("Enter")
		c.Sees(sees)
	}
	c.Types(":quit")
	c.Press("Enter")
	c.exits(0)
	sequence := regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]*)(?:\a|\x1b\\\\)")
	raw := c.bytes()
	if n := len(sequence.FindAllString(raw, -1)); n != 2 || strings.Contains(sequence.ReplaceAllString(raw, ""), "\x1b") {
		t.Errorf("%d texts for the clipboard in %q", n, raw)
	}
}
