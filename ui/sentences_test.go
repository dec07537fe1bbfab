package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// cutWord is a word of which the end is missing; what begins with the ellipsis is cut out of
// a longer text.
var cutWord = regexp.MustCompile(`[\pL\pN.,;:]+(?:…|~($|[ │╮]))`)

// brief makes everything in a history that the program shows as it is stored so short that
// it is cut nowhere: what is cut then is a sentence of the program.
func brief(f *uitest.Fake) {
	f.Set(func() {
		for i := range f.Convs {
			c := &f.Convs[i]
			if c.Title != "" {
				c.Title = fmt.Sprint("t", i)
			}
			c.Preview, c.Model, c.CWD = "kafka", "m", "/p"
			for k := range f.Messages[c.ID] {
				f.Messages[c.ID][k].Content.Text = "kafka"
			}
		}
		f.Version++
	})
}

// No sentence of the program is cut in a window of the usual width or of 60 columns. Only
// what is stored may be: titles, paths, snippets.
func TestNoSentenceIsCut(t *testing.T) {
	t.Parallel()
	presses := func(keys ...string) func(*driver) *driver {
		return func(d *driver) *driver { return d.keys(keys...) }
	}
	types := func(text string) func(*driver) *driver {
		return func(d *driver) *driver { return d.types(text) }
	}
	screens := map[string]func(*driver) *driver{
		"palette": presses(":"), "export": presses("ctrl+x", "e"), "rename": presses("ctrl+r"),
		"note": presses("ctrl+x", "N"), "tags": presses("ctrl+x", "T"), "query": func(d *driver) *driver { return d.types("kafka").keys("ctrl+x", "Q") },
		"delete many": presses("alt+a", "ctrl+d"), "earlier": presses("ctrl+x", "h"), "scope": presses("ctrl+o"), "elsewhere": types("zebra"),
		"a filter word": types("fail"), "values": types("is:"), "no value": types("is:foo "), "no day": types("started:foo "), "an option": types("ls -l"),
		"read": presses("right"), "read menu": presses("right", "ctrl+x"), "details": presses("right", "i"), "lineage menu": presses("ctrl+l", "ctrl+x"),
		"usage tools": presses("ctrl+x", "U", "tab", "tab", "tab", "tab", "tab"), "clutter": presses("ctrl+x", "S", "right"), "inactive": presses("ctrl+x", "S", "right", "right"),
	}
	if campaign.On() {
		for name, path := range painted() {
			if name != "transcript" && name != "comparison" { // they show what was said
				screens[name] = path
			}
		}
		for i, note := range []string{
			"an index of the database disagrees with its table: sessions and messages are read without it, more slowly, and nothing can be changed",
			"written by a newer Hermes (schema 99, known up to 31); unknown parts are left alone",
			"the database has a write-ahead log, which needs shared memory that its file system does not provide: nothing can be changed, and later changes are not shown",
		} {
			screens[fmt.Sprint("note ", i)] = func(d *driver) *driver {
				d.lib.Set(func() {
					d.lib.HealthNotes = []model.HealthNote{{Message: note, Remedy: model.Advise("rebuild the indexes")}}
				})
				return d.keys("f5")
			}
		}
	}
	whole := []string{"Search…", "reading…", "searching…", "measuring…", "cron…", "0…"} // not cut
	stored := []string{"top…"}                                                          // of an argument
	for name, path := range screens {
		t.Run(name, func(t *testing.T) {
			for _, size := range [][2]int{{60, 20}, {80, 24}} {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					brief(lib)
					d := path(start(t, lib, size[0], size[1]))
					for _, l := range strings.Split(d.screen(), "\n") {
						for _, word := range cutWord.FindAllString(l, -1) {
							if !slices.Contains(whole, word) && !slices.Contains(stored, word) {
								t.Errorf("%dx%d: %q is cut in %q", size[0], size[1], word, l)
							}
						}
					}
				})
			}
		})
	}
}
