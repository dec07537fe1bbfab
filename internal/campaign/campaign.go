// Package campaign is the switch between the quick form of a long test and its
// full length. By itself go test runs the quick forms; with
// HERMES_SESSIONS_CAMPAIGN=1 it runs the long ones: storms, kills, fuzzing, all
// recorded files, millions of rows.
package campaign

import (
	"os"
	"testing"
)

// On reports whether tests run at full length.
func On() bool {
	on := os.Getenv("HERMES_SESSIONS_CAMPAIGN")
	return on != "" && on != "0"
}

// Length returns the quick length of a test, or in a campaign the full one.
func Length(quick, full int) int {
	if On() {
		return full
	}
	return quick
}

// Only skips a test that has no quick form, outside campaigns.
func Only(t testing.TB) {
	t.Helper()
	if !On() {
		t.Skip("only with HERMES_SESSIONS_CAMPAIGN=1")
	}
}
