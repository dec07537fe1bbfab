package transcript

import (
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
)

// best is how often a key is timed on a machine that others use too; the
// shortest counts.
const best = 3

// longest returns how long opening a conversation at a text takes, and keys with
// the text on the screen, in milliseconds: the longest of them.
func longest(b *testing.B, text string, keys []string) float64 {
	var took []time.Duration
	for n := range best {
		r := newReader(b, newHugeTranscript(text), 100, 45)
		timed := func(i int, do func()) {
			start := time.Now()
			do()
			_ = r.view()
			if d := time.Since(start); n == 0 {
				took = append(took, d)
			} else {
				took[i] = min(took[i], d)
			}
			r.wait()
		}
		timed(0, func() { r.open(b, 51) })
		for i, k := range keys {
			timed(i+1, func() { r.press(k) })
		}
	}
	return float64(slices.Max(took).Microseconds()) / 1000
}

// BenchmarkHugeTexts measures the longest that a key takes with a huge text on
// the screen, and how it scrolls; beside it an everyday text. No key may take
// 100 ms.
func BenchmarkHugeTexts(b *testing.B) {
	texts := hugeTexts()
	texts["everyday"] = "A few words of prose, as there are many."
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(longest(b, text, hugeKeys), "longest-ms")
			}
			r := newReader(b, newHugeTranscript(text), 100, 45)
			r.open(b, 51)
			r.wait()
			r.press("t")
			r.wait()
			var times []time.Duration
			for i := range 300 {
				start := time.Now()
				r.press([]string{"j", "space", "j", "k"}[i%4])
				_ = r.view()
				times = append(times, time.Since(start))
				r.wait()
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "scroll-p95-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkMarkdownBombs measures the longest time from a key to a drawn screen, in the
// texts for which Markdown takes minutes.
func BenchmarkMarkdownBombs(b *testing.B) {
	for b.Loop() {
		worst, of := 0.0, ""
		for name, text := range fixtures.MarkdownBombs() {
			if ms := longest(b, text, []string{"j", "space", "k", "J", "J", "O", "R", "w"}); ms > worst {
				worst, of = ms, name
			}
		}
		b.ReportMetric(worst, "longest-ms")
		b.Log(of)
	}
	b.ReportMetric(0, "ns/op")
}
