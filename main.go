// Command hermes-sessions browses the session database of Hermes Agent.
package main

import (
	"fmt"
	"os"

	"hermes-sessions/ui"
)

func main() {
	if _, err := ui.NewKeys(keymap()); err != nil {
		fmt.Fprintln(os.Stderr, "hermes-sessions:", err)
		os.Exit(1)
	}
}
