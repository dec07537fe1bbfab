package query

import (
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// span is the value of started: the days from one date to another.
type span struct {
	from, to     date
	open, openTo bool // without a first, without a last day
}

// parseSpan parses a date, or two with .. between them, of which one may be missing:
// 2026-05-03, 2026-05, 7d, 2026-05-04..2026-05-10, 2026-05.. .
func parseSpan(s string) (p span, ok bool) {
	first, last, two := strings.Cut(s, "..")
	if !two {
		d, ok := parseDate(s)
		return span{from: d, to: d, openTo: d.unit != "" && s != "today" && s != "yesterday"}, ok
	}
	p = span{open: first == "", openTo: last == ""}
	if !p.open {
		if p.from, ok = parseDate(first); !ok {
			return p, false
		}
	}
	if !p.openTo {
		if p.to, ok = parseDate(last); !ok {
			return p, false
		}
	}
	return p, !p.open || !p.openTo
}

// times returns the first moment of the span, and the first after it; zero for none.
func (s span) times(now time.Time) (from, to time.Time) {
	if !s.open {
		from = s.from.startTime(now)
	}
	if !s.openTo {
		to = s.to.endTime(now)
	}
	return from, to
}

// Span returns the time that a value of started: stands for: from and later, before to; zero
// for no limit. ok is false for a text that is no such value.
func Span(value string, now time.Time) (from, to time.Time, ok bool) {
	s, ok := parseSpan(value)
	if !ok {
		return from, to, false
	}
	from, to = s.times(now)
	return from, to, true
}

// SpanText returns the value of started: for the days from one midnight to another.
func SpanText(from, to time.Time) string {
	first, last := "", ""
	if !from.IsZero() {
		first = from.Format(time.DateOnly)
	}
	if !to.IsZero() {
		last = to.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if first == last {
		return first
	}
	return first + ".." + last
}

// describe returns the condition in words.
func (s span) describe(now time.Time) string {
	from, to := s.times(now)
	switch {
	case s.openTo:
		return "started since " + from.Format(time.DateOnly)
	case s.open:
		return "started before " + to.Format(time.DateOnly)
	}
	if to.Sub(from) <= time.Minute {
		return "started " + from.Format("2006-01-02 15:04")
	}
	return "started " + strings.Replace(SpanText(from, to), "..", " to ", 1)
}

// predicate returns the test whether a session of a conversation started in the span.
func (s span) predicate(now time.Time) func(*model.Conversation) bool {
	from, to := s.times(now)
	in := func(at time.Time) bool {
		return !at.IsZero() && (from.IsZero() || !at.Before(from)) && (to.IsZero() || at.Before(to))
	}
	return func(c *model.Conversation) bool {
		return slices.ContainsFunc(c.Starts, in) || len(c.Starts) == 0 && in(c.RootStartedAt)
	}
}
