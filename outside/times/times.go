// Package times reads times as loggers, tracers and providers write them.
package times

import (
	"strconv"
	"strings"
	"time"
)

// layouts of times that loggers write, beside RFC 3339. One without a zone is
// taken as UTC.
var layouts = [...]string{
	"2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999", "2006/01/02 15:04:05.999999999", "02/Jan/2006:15:04:05 -0700", time.RFC1123Z, time.RFC1123,
}

// Parse reads a time as a logger writes it: text, or a number since 1970 in
// seconds, milliseconds, microseconds or nanoseconds, told apart by its size.
func Parse(s string) (time.Time, bool) {
	if s == "" || len(s) > 64 {
		return time.Time{}, false
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.UTC(), true
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n > 0 {
		return epoch(s, n)
	}
	s = strings.Replace(s, ",", ".", 1) // Python's and Java's milliseconds
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func epoch(s string, n float64) (time.Time, bool) {
	whole, err := strconv.ParseInt(s, 10, 64)
	exact := err == nil
	switch {
	case n < 1e8 || n >= 4e18:
		return time.Time{}, false // a count, not a time
	case n < 1e11:
		sec := int64(n)
		return time.Unix(sec, int64((n-float64(sec))*1e9)).UTC(), true
	case n < 1e14 && exact:
		return time.UnixMilli(whole).UTC(), true
	case n < 1e14:
		return time.UnixMicro(int64(n * 1000)).UTC(), true
	case n < 1e17:
		return time.UnixMicro(int64(n)).UTC(), true
	case exact:
		return time.Unix(0, whole).UTC(), true
	}
	return time.Time{}, false
}

// Leading reads a time at the start of a text line, of one or two words.
func Leading(line string) (time.Time, bool) {
	line = strings.TrimLeft(line, "[(")
	first, rest, _ := strings.Cut(line, " ")
	if len(first) < 8 {
		return time.Time{}, false
	}
	if t, ok := Parse(strings.TrimRight(first, "])")); ok {
		return t, true
	}
	second, _, _ := strings.Cut(rest, " ")
	if strings.Count(first, "-") != 2 && strings.Count(first, "/") != 2 || second == "" {
		return time.Time{}, false
	}
	return Parse(first + " " + strings.TrimRight(second, "])"))
}
