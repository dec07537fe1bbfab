//go:build !windows

package e2e

import (
	"fmt"
	"testing"
)

// Every preset must be sound, or the browser can not start.
func TestTheKeyMapIsSound(t *testing.T) {
	for _, preset := range []string{"", "default", "vim", "upstream"} {
		for _, feeds := range []bool{false, true} {
			t.Run(fmt.Sprintf("%q %v", preset, feeds), func(t *testing.T) {
				t.Parallel()
				own := ownSettings(t, fmt.Sprintf("preset = %q\nenter-lf = %v\n", preset, feeds))
				c := openConsole(t, 100, 30, environment(t, own), program, "--demo")
				c.Sees("conversations")
				c.Press("Ctrl+C")
				c.exits(130)
			})
		}
	}
}
