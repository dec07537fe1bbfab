package search

import (
	"os"
	"runtime/debug"
	"testing"
)

// The tests leave much garbage and hold little: a collection is worth its time only
// when there is more of it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
