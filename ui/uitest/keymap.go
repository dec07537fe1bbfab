package uitest

import (
	"testing"

	"hermes-sessions/ui/keymap"
	"hermes-sessions/ui/shell"
)

// Keys gives the key map of the program, so that tests press the keys that users press.
func Keys(t testing.TB) shell.Keys {
	t.Helper()
	keys, err := keymap.Keys("", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
