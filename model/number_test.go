package model

import (
	"math"
	"testing"
)

func TestCompactNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1k", 1049: "1k", 1100: "1.1k", 9999: "9.9k", 10_000: "10k", 34_567: "34k",
		999_999: "999k", 1_000_000: "1M", 1_250_000: "1.2M", 120_000_000: "120M", 3_400_000_000: "3.4G",
		-1: "-1", -2500: "-2.5k", math.MaxInt64: "9223P",
	} {
		if got := CompactNumber(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := CompactNumber(math.MinInt64); got[0] != '-' {
		t.Error(got)
	}
}
