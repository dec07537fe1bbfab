package kit_test

import (
	"testing"

	"hermes-sessions/ui/kit"
)

// The column of models has what tells them apart, without vendors and dates.
func TestModelName(t *testing.T) {
	for name, want := range map[string]string{
		"nousresearch/hermes-4-405b": "hermes-4-405b",
		"claude-opus-4-5-20251101":   "claude-opus-4-5",
		"vendor/model-20260131":      "model",
		"gpt-4-1106-preview":         "gpt-4-1106-preview",
		"-20251101":                  "-20251101",
		"":                           "",
	} {
		if got := kit.ModelName(name); got != want {
			t.Errorf("ModelName(%q) is %q, want %q", name, got, want)
		}
	}
}
