package db

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// SQLite stores any value in any column. These functions read one as what the
// column is for and never fail.

// AsText returns a value as text; numbers in decimal, NULL is "".
func AsText(v any) string {
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

// AsInt returns a value as a whole number, 0 where it is not a number.
func AsInt(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		if v != v || math.Abs(v) >= 1<<63 {
			return 0
		}
		return int64(v)
	}
	f, ok := AsFloat(v)
	if !ok || math.Abs(f) >= 1<<63 {
		return 0
	}
	return int64(f)
}

// AsFloat returns a value as a finite number; ok is false where it is not one.
func AsFloat(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		f = v
	case string, []byte:
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(AsText(v)), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// AsBool reads a flag.
func AsBool(v any) bool { return AsInt(v) != 0 }

// AsTime reads seconds since the epoch; the zero time where there is none.
// Values too large for seconds are taken as milli-, micro- or nanoseconds,
// and what is beyond the year 9999 even then is no time.
func AsTime(v any) time.Time {
	f, ok := AsFloat(v)
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
	return time.Unix(int64(whole), int64(math.Round(part*1e9)))
}

// AsBit returns 1 for true and 0 for false, as SQLite stores them.
func AsBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// EmptyAsNull stores an empty text as NULL.
func EmptyAsNull(text string) any {
	if text == "" {
		return nil
	}
	return ValidUTF8(text)
}

// ValidUTF8 makes text that SQLite and Python can read; what is not UTF-8 becomes
// U+FFFD.
func ValidUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Seconds returns a time as the database stores it. Microseconds are all that a
// float holds of today's times, and give the same float as Python's clock.
func Seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
