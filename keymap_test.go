package main

import "testing"

// Every preset must be sound, or the browser can not start.
func TestTheKeyMapIsSound(t *testing.T) {
	for _, preset := range []string{"", "default", "vim", "upstream"} {
		if _, err := keys(preset, nil); err != nil {
			t.Errorf("%s: %v", preset, err)
		}
	}
}
