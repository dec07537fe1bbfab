package analysis

import "testing"

func TestIsEnglish(t *testing.T) {
	for _, word := range []string{"nobel", "noble", "swore", "store", "absent", "rewritten", "colour", "color", "zone", "abandon", "retries"} {
		if !IsEnglish(word) {
			t.Errorf("%s is no word", word)
		}
	}
	for _, word := range []string{"", "a", "revrse", "dokcer", "biuld", "zzzz", "dockerfile", "Ж", "absen", "storee"} {
		if IsEnglish(word) {
			t.Errorf("%s is a word", word)
		}
	}
}

func BenchmarkIsEnglish(b *testing.B) {
	for b.Loop() {
		IsEnglish("zones")
	}
}
