package main

import (
	"os"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
)

func TestMain(m *testing.M) {
	if !runRole() {
		os.Exit(m.Run())
	}
}

// Beside us nothing goes wrong and nothing waits long, for half a minute.
func TestSoak(t *testing.T) {
	campaign.Only(t)
	r, err := soak(t.Context(), t.TempDir(), 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	// On a busy machine the writer also waits for a processor, with us or without.
	for _, w := range r.wrong(3 * r.WriterAlone) {
		t.Error(w)
	}
}
