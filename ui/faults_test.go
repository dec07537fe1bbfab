package ui

import (
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/uitest"
)

// trouble is what can come between the question and the answer, in the words of
// the store.
type trouble struct{ cause, command string }

func (t trouble) Error() string { return "state.db: " + t.cause }
func (t trouble) Advice() (string, model.Remedy) {
	return t.cause, model.AdviseToRun("", t.command)
}

// Whatever was confirmed and cannot be done: the rows are as they were, the
// marks too, and a line says why and what helps.
func TestWhatCanNotBeDoneLeavesTheRowsAndSaysWhy(t *testing.T) {
	t.Parallel()
	troubles := []trouble{
		{"the database cannot be written: permission denied", "chmod u+w state.db"},
		{"the disk is full or over its quota; nothing was changed", "df -h /home/ada"},
		{"another program keeps the database locked", "fuser -v state.db"},
		{"the database was replaced by another file after it was opened", "start again"},
		{"another program has changed these sessions", "check them"},
	}
	for what, c := range map[string]struct{ ask, confirm []string }{
		"delete":           {[]string{"down", "ctrl+d"}, []string{"y"}},
		"delete many":      {[]string{"down", "tab", "tab", "ctrl+d"}, []string{"y"}},
		"delete a segment": {[]string{"down", "ctrl+d", "s"}, []string{"y"}},
		"rename":           {[]string{"down", "f2", "x"}, []string{"enter"}},
		"pin":              {[]string{"down", "ctrl+x"}, []string{"p"}},
		"archive":          {[]string{"down", "ctrl+x"}, []string{"a"}},
		"archive many":     {[]string{"down", "tab", "tab", "ctrl+x"}, []string{"a"}},
		"undo":             {[]string{"down", "ctrl+d", "y"}, []string{"alt+z"}},
		"undo a rename":    {[]string{"down", "f2", "x", "enter"}, []string{"alt+z"}},
		"while searching":  {[]string{"k", "a", "ctrl+d"}, []string{"y"}},
		"by title":         {[]string{"ctrl+s", "ctrl+s", "down", "down", "ctrl+d"}, []string{"y"}},
		"from the reading": {[]string{"down", "right", "d"}, []string{"y"}},
		"from the tree":    {[]string{"down", "ctrl+l", "d"}, []string{"y"}},
	} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			for i, wrong := range troubles {
				if !campaign.On() && (i+len(what))%3 > 0 {
					continue // every verb meets some of them
				}
				lib.Set(func() { lib.Refuses = nil })
				d := start(t, lib, 160, 40).keys(c.ask...)
				before, marked, current := d.rowTexts(), slices.Clone(d.markedRoots()), d.current()
				kept := slices.Clone(lib.Convs)
				lib.Set(func() { lib.Refuses = wrong })
				d.keys(c.confirm...).sees(kit.Capitalize(wrong.cause), wrong.command)
				if got := d.rowTexts(); !slices.Equal(got, before) {
					t.Errorf("%s, %s: the rows are\n%q\nand were\n%q", what, wrong.cause, got, before)
				}
				if !slices.Equal(d.markedRoots(), marked) {
					t.Errorf("%s, %s: the marks are %q and were %q", what, wrong.cause, d.markedRoots(), marked)
				}
				if d.current() != current && len(marked) == 0 && what != "undo" {
					t.Errorf("%s, %s: on %q and was on %q", what, wrong.cause, d.current(), current)
				}
				if len(lib.Convs) != len(kept) {
					t.Errorf("%s, %s: something was done", what, wrong.cause)
				}
				d.wait(5 * time.Second)
				d.sees(kit.Capitalize(wrong.cause)) // until a key is pressed
				d.keys("enter").misses(kit.Capitalize(wrong.cause))
				lib.Set(func() { lib.Refuses = nil })
				for len(d.root.changes.undo.steps) > 0 { // for the next round
					d.keys("alt+z")
				}
			}
		})
	}
}
