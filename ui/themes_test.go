package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/theme"
	"hermes-sessions/ui/uitest"
)

// Transcripts and dialogs at four sizes, and in color at one of them. A theme changes no
// character.
func TestThemesOnScreens(t *testing.T) {
	t.Parallel()
	reads := func(kind string, keys ...string) func(*driver) *driver {
		return func(d *driver) *driver {
			d.reads(addConversation(d.lib, nil, uitest.Kinds()[kind]...), "", 0)
			return d.keys(keys...)
		}
	}
	presses := func(keys ...string) func(*driver) *driver {
		return func(d *driver) *driver { return d.keys(keys...) }
	}
	for name, path := range map[string]func(*driver) *driver{
		"transcript-prose":   reads("prose", "g"),
		"transcript-changes": reads("changes", "t", "g"),
		"transcript-media":   reads("media", "g"),
		"transcript-find":    reads("tools", "t", "/", "b", "e", "e", "p", "enter"),
		"delete":             presses("down", "ctrl+d"),
		"delete-many":        presses("alt+a", "ctrl+d"),
		"rename":             presses("down", "ctrl+r"),
		"export":             presses("down", "ctrl+x", "e"),
		"copy":               presses("down", "ctrl+y"),
		"help":               presses("?"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, size := range [][2]int{{30, 8}, {60, 20}, {100, 30}, {200, 50}} {
				text := ""
				for _, of := range []string{"dark", "light", "ansi16", "mono"} {
					if size[0] > 60 && of != "dark" { // takes a second
						continue
					}
					at(t, func(t *testing.T, lib *uitest.Fake) {
						d := path(start(t, lib, size[0], size[1], func(o *Options) {
							o.Theme = theme.Setup{Theme: of, PlainCode: true, Light: of == "light"}
							(&disk{}).plug(o)
						}))
						if text == "" {
							text = d.screen()
							fmt.Fprintf(&b, "── %dx%d\n%s", size[0], size[1], text)
						}
						if other := d.screen(); other != text {
							t.Errorf("%s at %v:\n%s\nin dark\n%s", of, size, other, text)
						}
						if size[0] == 60 {
							fmt.Fprintf(&b, "── %s\n%s\n", of, strings.ReplaceAll(d.root.View().Content, "\x1b", "␛"))
						}
					})
				}
			}
			golden.RequireEqual(t, b.String())
		})
	}
}
