package store

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// SQLite lets any value stand in any column. These read one as what the
// column is for and never fail.

// text gives a value as text; numbers are spelled out, NULL is "".
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// number gives a value as a whole number, 0 where it is none.
func number(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		if v != v || math.Abs(v) >= 1<<63 {
			return 0
		}
		return int64(v)
	}
	f, ok := float(v)
	if !ok || math.Abs(f) >= 1<<63 {
		return 0
	}
	return int64(f)
}

// float gives a value as a finite number; ok is false where it is none.
func float(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		f = v
	case string, []byte:
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(text(v)), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// truth reads a flag.
func truth(v any) bool { return number(v) != 0 }

// moment reads seconds since the epoch; the zero time where there is none.
// Values too large for seconds are taken as milli-, micro- or nanoseconds,
// and what is beyond the year 9999 even then is no time.
func moment(v any) time.Time {
	f, ok := float(v)
	if !ok {
		return time.Time{}
	}
	for range 3 {
		if math.Abs(f) > 1e11 {
			f /= 1000
		}
	}
	if f > 253402300799 || f < -62135596800 {
		return time.Time{}
	}
	whole, part := math.Modf(f)
	return time.Unix(int64(whole), int64(part*1e9))
}
