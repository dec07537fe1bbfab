package main

import "testing"

// Every preset must be sound, or the browser can not start.
func TestTheKeyMapIsSound(t *testing.T) {
	for _, preset := range []string{"", "default", "vim", "upstream"} {
		for _, feeds := range []bool{false, true} {
			if _, err := keys(preset, feeds, nil); err != nil {
				t.Errorf("%s: %v", preset, err)
			}
		}
	}
}
