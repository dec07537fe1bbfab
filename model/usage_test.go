package model

import (
	"math"
	"testing"
)

func TestCostsAreShort(t *testing.T) {
	for c, want := range map[Cost]string{
		{}:                                "?",
		{Known: true}:                     "$0.00",
		{Known: true, USD: 1.841}:         "$1.84",
		{Known: true, USD: 0.002}:         "<$0.01",
		{Known: true, USD: 999_999_999.4}: "$999999999.40",
		{Known: true, USD: 1e9}:           "$1.0e+09",
		{Known: true, USD: 1.7e308, Estimated: true}:          "~$1.7e+308",
		{Known: true, USD: math.MaxFloat64, Partial: true}:    "≥$1.8e+308",
		{Known: true, USD: -1.7e308}:                          "$-1.7e+308",
		{Known: true, USD: 2, Partial: true, Estimated: true}: "≥$2.00",
	} {
		if got := c.String(); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}
