package main

import (
	"testing"

	"hermes-sessions/ui"
)

// The key map must be sound, or the browser can not start.
func TestTheKeyMapIsSound(t *testing.T) {
	if _, err := ui.NewKeys(keymap()); err != nil {
		t.Fatal(err)
	}
}
