//go:build !windows

package e2e

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// counting is a user whose keys are counted: each character that is typed, and each key.
type counting struct {
	*browser
	keys int
}

func (c *counting) Types(text string) {
	c.keys += utf8.RuneCountInString(text)
	c.browser.Types(text)
}

func (c *counting) Press(keys ...string) {
	c.keys += len(keys)
	c.browser.Press(keys...)
}

// What a person does with the browser takes no more keys than these, from its first screen to
// what is wanted.
func TestTasksTakeFewKeys(t *testing.T) {
	t.Parallel()
	for name, task := range map[string]struct {
		most int
		do   func(u *counting)
	}{
		"resume one of which a word is known": {6, func(u *counting) {
			u.Types("lisbo")
			u.Sees("1 conversation ·")
			u.Press("Enter")
			u.resumed()
		}},
		"open at the words": {7, func(u *counting) {
			u.Types("flight")
			u.Sees("3 matches")
			u.Press("Right")
			u.Sees("match 2 of 2") // the best
		}},
		"the next match, on into the next conversation": {9, func(u *counting) {
			u.Types("flight")
			u.Sees("3 matches")
			u.Press("Right")
			u.Sees("match 2 of 2") // the best
			u.Types("N")
			u.Sees("match 1 of 2")
			u.Types("nn")
			u.keys-- // the way back
			u.Sees("match 1 of 1")
		}},
		"find with a typing error": {7, func(u *counting) {
			u.Types("lsibon ")
			u.Sees("Four days in Lisbon")
		}},
		"find as a question": {34, func(u *counting) {
			u.Types("which flight did we take to lisbon")
			u.Sees("Four days in Lisbon")
		}},
		"what the subagent did": {9, func(u *counting) {
			u.Types("pantry")
			u.Sees("Rewrite the pantry app in Go")
			u.Press("Ctrl+L")
			u.Sees("Lineage")
			u.Press("Down", "Right")
			u.Sees("back")
		}},
		"which cost most": {4, func(u *counting) {
			u.Press("Ctrl+S", "Ctrl+S", "Ctrl+S", "Ctrl+S")
			u.Sees("by cost")
		}},
		"where it failed": {9, func(u *counting) {
			u.Types("is:failed")
			u.Sees("failed")
		}},
		"rename": {6, func(u *counting) {
			u.Press("Ctrl+R")
			u.Sees("esc cancel")
			u.Types(" now")
			u.Press("Enter")
			u.Sees("Postgres now")
		}},
		"delete and undo": {3, func(u *counting) {
			u.Press("Down", "Down", "Down")
			u.keys -= 3
			u.Press("Ctrl+D")
			u.Sees("Deletes ")
			u.Types("y")
			u.Sees("Deleted “")
			u.Press("Alt+Z")
			u.Sees("Restored “")
		}},
		"what is running": {0, func(u *counting) { u.Sees("\n Running") }},
		"what Hermes will delete": {2, func(u *counting) {
			u.Press("Ctrl+X")
			u.Sees("expiring")
			u.Types("X")
			u.Sees("Expiring")
		}},
		"free disk space": {2, func(u *counting) {
			u.Press("Ctrl+X")
			u.Sees("storage")
			u.Types("S")
			u.Sees("free pages")
		}},
		"export redacted": {4, func(u *counting) {
			u.Press("Ctrl+X")
			u.Sees("export")
			u.Types("e")
			u.Sees("Redact secrets  off")
			u.Press("Ctrl+R")
			u.Sees("Redact secrets  on")
			u.Press("Enter")
			u.Loses("Redact secrets")
		}},
		"tag and find again": {10, func(u *counting) {
			u.Press("Ctrl+X")
			u.Sees("tags")
			u.Types("T")
			u.Sees("esc cancel")
			u.Types("q")
			u.Press("Enter")
			u.Loses("esc cancel")
			u.Types("tag:q ")
			u.Sees("tagged q")
		}},
		"save as a tab": {12, func(u *counting) {
			u.Types("flight")
			u.Sees("3 matches")
			u.Press("Ctrl+X")
			u.Sees("Actions")
			u.Types("Q")
			u.Sees("type a name to save it as")
			u.Types("fly")
			u.Press("Enter")
			u.Sees("@fly")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &counting{browser: open(t, 120, 40, nil, "--demo")}
			u.until("the list is there", func(text string) bool {
				return u.onScreen() && strings.Contains(text, "conversations ·")
			})
			if task.do(u); u.keys > task.most {
				t.Errorf("%d keys, more than %d", u.keys, task.most)
			}
			t.Logf("%d keys", u.keys)
		})
	}
}
