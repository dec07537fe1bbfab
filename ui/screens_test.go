package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"

	"github.com/charmbracelet/x/exp/golden"
)

// Sizes of the terminal, one for each layout, from the widest layout to the smallest.
func sizes() [][2]int {
	return [][2]int{{200, 50}, {120, 40}, {100, 30}, {80, 24}, {70, 20}, {60, 20}, {50, 15}, {38, 9}, {30, 8}, {18, 3}}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range sizes() {
		w, h := size[0], size[1]
		t.Run(fmt.Sprintf("list-%dx%d", w, h), func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				golden.RequireEqual(t, start(t, lib, w, h).screen())
			})
		})
		t.Run(fmt.Sprintf("search-%dx%d", w, h), func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				golden.RequireEqual(t, start(t, lib, w, h).types("kafka").keys("down").screen())
			})
		})
	}
	for name, f := range map[string]func(t *testing.T, lib *uitest.Fake) *driver{
		"help":      func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).keys("?") },
		"menu":      func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).keys("ctrl+x") },
		"copy":      func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).keys("ctrl+y") },
		"by-title":  func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).keys("ctrl+s", "ctrl+s") },
		"scope":     func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).keys("ctrl+o") },
		"below":     func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).keys("f3") },
		"elsewhere": func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).types("zebra") },
		"nothing":   func(t *testing.T, lib *uitest.Fake) *driver { return start(t, lib, 80, 24).types("xylophone") },
		"empty": func(t *testing.T, lib *uitest.Fake) *driver {
			return start(t, &uitest.Fake{}, 80, 24)
		},
		"failed": func(t *testing.T, lib *uitest.Fake) *driver {
			lib.Err = fmt.Errorf("read sessions of state.db: database disk image is malformed")
			return start(t, lib, 80, 24)
		},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) { golden.RequireEqual(t, f(t, lib).screen()) })
		})
	}
}

// What a list says beside its rows, at the sizes of three layouts: when rows expire, how many
// tool calls failed, tabs of named queries, what is new since it was read, the profile of each
// row, and the user's tags, notes and bookmarks.
func TestListsWithMarks(t *testing.T) {
	t.Parallel()
	queries := withQueries(query.Named{Name: "work", Text: "kafka"}, query.Named{Name: "bots", Scope: model.ScopeAutomation}, query.Named{Name: "failed", Text: "has:failed"})
	for name, open := range map[string]func(t *testing.T, lib *uitest.Fake, w, h int) *driver{
		"failed": func(t *testing.T, lib *uitest.Fake, w, h int) *driver {
			for i := range lib.Convs {
				lib.Convs[i].Failed = i % 4
			}
			return start(t, lib, w, h).types("has:failed").keys("down")
		},
		"tabs": func(t *testing.T, lib *uitest.Fake, w, h int) *driver {
			return start(t, lib, w, h, queries).keys("alt+1", "down")
		},
		"new": func(t *testing.T, lib *uitest.Fake, w, h int) *driver {
			read := memory{}
			for i := range 2 {
				c := lib.Convs[i]
				ids, err := lib.Outline(t.Context(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				read[c.RootID] = shell.LastRead{At: uitest.Now().Add(-time.Hour), Until: c.LastActive.Add(-time.Minute), Message: ids.MessageIDs[0]}
			}
			return start(t, lib, w, h, func(o *Options) { o.Memory = read }).keys("down")
		},
		"profiles": func(t *testing.T, lib *uitest.Fake, w, h int) *driver {
			for i := range lib.Convs {
				lib.Convs[i].Profile = []string{"default", "work", "laboratory"}[i%3]
			}
			return start(t, lib, w, h, func(o *Options) { o.Several = true }).keys("down")
		},
		"notes": func(t *testing.T, lib *uitest.Fake, w, h int) *driver {
			book := &notebook{all: map[string]map[int64]shell.Annotation{
				lib.Convs[0].RootID: {0: {Tags: []string{"later", "db"}, Note: "Ask Ada whether the retry topic may be compacted at all"}},
				lib.Convs[2].RootID: {0: {Note: "done"}},
			}}
			return start(t, lib, w, h, func(o *Options) { o.Annotations = book }).keys("down")
		},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) { golden.RequireEqual(t, open(t, lib, size[0], size[1]).screen()) })
			})
		}
	}
}

func TestScreenInColor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 12).types("kafka")
		golden.RequireEqual(t, strings.ReplaceAll(d.root.View().Content, "\x1b", "␛"))
	})
}

// The boxes in which something is changed, from wide to small.
func TestBoxes(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(*driver) *driver{
		"delete": func(d *driver) *driver { return d.keys("down", "ctrl+d") },
		"rename": func(d *driver) *driver { return d.keys("down", "ctrl+r") },
		"title-in-use": func(d *driver) *driver {
			return d.keys("down", "ctrl+r", "ctrl+u").types("First steps")
		},
		"delete-many": func(d *driver) *driver { return d.keys("alt+a", "ctrl+d") },
	} {
		for _, size := range [][2]int{{120, 40}, {80, 24}, {30, 8}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					golden.RequireEqual(t, path(start(t, lib, size[0], size[1])).screen())
				})
			})
		}
	}
}
