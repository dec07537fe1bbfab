package main

import (
	"os"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
)

func TestMain(m *testing.M) {
	if !playRole() {
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
	for _, w := range r.wrong() {
		t.Error(w)
	}
}
