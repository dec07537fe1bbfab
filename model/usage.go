package model

import (
	"fmt"
	"math"
)

// Usage is what a session has consumed.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64 // tokens
	APICalls                                        int64
	Cost                                            Cost
}

// Tokens is the sum of input and output tokens.
func (u Usage) Tokens() int64 { return u.Input + u.Output }

// Add sums two usages. A running sum starts with its first usage (see [Cost.Add]).
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning: u.Reasoning + v.Reasoning, APICalls: u.APICalls + v.APICalls,
		Cost: u.Cost.Add(v.Cost),
	}
}

// Cost is an amount in US dollars, with how reliable it is. The zero value is an
// unknown cost: a session without a price is not free.
type Cost struct {
	USD       float64
	Known     bool // some amount is known
	Estimated bool // part of it is an estimate
	Partial   bool // part of it is unknown, so USD is a lower bound
}

// Add sums two costs. The sum is estimated or partial if either is, and partial if
// only one is known. A running sum must therefore start with its first cost and
// not with the zero value, which is unknown.
func (c Cost) Add(d Cost) Cost {
	return Cost{
		USD:       AddUSD(c.USD, d.USD),
		Known:     c.Known || d.Known,
		Estimated: c.Estimated || d.Estimated,
		Partial:   c.Partial || d.Partial || c.Known != d.Known,
	}
}

// AddUSD sums two costs in dollars. The sum is finite, as JSON's numbers are, however absurd
// the costs are that a file has.
func AddUSD(a, b float64) float64 { return min(max(a+b, -math.MaxFloat64), math.MaxFloat64) }

// String returns "$1.84", "~$1.84" when estimated, "≥$1.84" when part of it is
// unknown and "?" when nothing is known. Below a cent it is "<$0.01", estimated or not,
// and from a billion on, where only a wrong number is, "$1.7e+308".
func (c Cost) String() string {
	if !c.Known {
		return "?"
	}
	form := "$%.2f"
	if math.Abs(c.USD) >= 1e9 {
		form = "$%.1e"
	}
	switch {
	case c.Partial:
		form = "≥" + form
	case c.USD > 0 && c.USD < 0.01:
		return "<$0.01"
	case c.Estimated:
		form = "~" + form
	}
	return fmt.Sprintf(form, c.USD)
}
