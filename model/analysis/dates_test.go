package analysis

import (
	"strings"
	"testing"
	"time"
)

func TestSpans(t *testing.T) {
	now := time.Date(2026, 11, 18, 15, 4, 5, 0, time.FixedZone("", 2*3600)) // a Wednesday
	for query, want := range map[string]string{
		"delayed flight september":       "september: 2026-09",
		"flight in december":             "december: 2025-12",
		"november":                       "november: 2026-11",
		"last november":                  "november: 2025-11",
		"september 2025":                 "september 2025: 2025-09",
		"2025 september":                 "2025 september: 2025-09",
		"september of 2025":              "september of 2025: 2025-09",
		"17 april in 2025":               "17 april in 2025: 2025-04-17",
		"september last year":            "september last year: 2025-09",
		"flight 3 may this year":         "3 may this year: 2026-05-03",
		"december this year":             "this year: 2026",
		"17 april":                       "17 april: 2026-04-17",
		"the 17th of april 2024 invoice": "17th of april 2024: 2024-04-17",
		"april 17 invoice":               "april 17: 2026-04-17",
		"since october":                  "october: 2026-10-01..2026-11-18",
		"sept 3":                         "sept 3: 2026-09-03",
		"29 february":                    "29 february: 2024-02-29",

		"git hooks 2025-10-31":   "2025-10-31: 2025-10-31",
		"2026-09 delayed flight": "2026-09: 2026-09",

		// may and march at the end, behind certain words, beside a number
		"the parser may fail":  "",
		"march the ants":       "",
		"invoice march":        "march: 2026-03",
		"invoices of may":      "may: 2026-05",
		"may 2025 invoices":    "may 2025: 2025-05",
		"3 march invoices":     "3 march: 2026-03-03",
		"may 404 be returned":  "",
		"oct dec hex":          "",
		"flight before august": "",

		"yesterday":           "yesterday: 2026-11-17",
		"what was it today":   "today: 2026-11-18",
		"this week":           "this week: 2026-11-16..2026-11-22",
		"last week":           "last week: 2026-11-09..2026-11-15",
		"this month":          "this month: 2026-11",
		"last month":          "last month: 2026-10",
		"last year":           "last year: 2025",
		"last night":          "last night: 2026-11-17",
		"two weeks ago":       "two weeks ago: 2026-11-01..2026-11-07",
		"3 days ago":          "3 days ago: 2026-11-15",
		"a month ago":         "a month ago: 2026-10",
		"in 2025":             "2025: 2025",
		"port 2025":           "",
		"on monday":           "monday: 2026-11-16",
		"on wednesday":        "wednesday: 2026-11-11",
		"monday":              "",
		"september yesterday": "september: 2026-09 yesterday: 2026-11-17",

		"昨天 部署":     "昨天: 2026-11-17",
		"上周的部署问题":   "上周: 2026-11-09..2026-11-15",
		"11月 部署":    "11月: 2026-11",
		"十一月的部署":    "十一月: 2026-11",
		"2025年3月5日": "2025年3月5日: 2025-03-05",
		"2025年":     "2025年: 2025",
		"3个月":       "",
		"13月":       "",
		"2027年3月":   "",
		"昨日のテスト":    "昨日: 2026-11-17",
		"先週 テスト":    "先週: 2026-11-09..2026-11-15",
		"어제 배포":     "어제: 2026-11-17",
		"지난주에 배포":   "지난주: 2026-11-09..2026-11-15",
		"지난 주 배포":   "지난 주: 2026-11-09..2026-11-15",
		"去年 部署":     "去年: 2025",
		"去年9月部署":    "去年9月: 2025-09",
		"去年的9月":     "去年的9月: 2025-09",
		"昨年のテスト":    "昨年: 2025",
		"昨年の9月":     "昨年の9月: 2025-09",
		"작년 9월 3일":  "작년 9월 3일: 2025-09-03",
		"今年12月":     "",
		"올해 배포":     "올해: 2026",
		"2025년 11월": "2025년 11월: 2025-11",

		// between a year and its month
		"2025年の9月":            "2025年の9月: 2025-09",
		"2025年 の9月":           "2025年 の9月: 2025-09",
		"2025년의 9월":           "2025년의 9월: 2025-09",
		"2025年的9月3日":          "2025年的9月3日: 2025-09-03",
		"작년의 9월":              "작년의 9월: 2025-09",
		"去年的 9月":              "去年的 9月: 2025-09",
		"去年 の 9月":             "去年 の 9月: 2025-09",
		"2025年の部署 작년의 배포":     "2025年: 2025 작년: 2025",
		"去年5日":                "去年: 2025", // a day of no month
		"2027年の3月":            "",
		"令和7年の5月 民國114年 的 3月": "",

		// no dates
		"31 february":              "31 february: 2026-02", // the month: there is no such day
		"32 april":                 "april: 2026-04",
		"may.go":                   "",
		"2025.04":                  "",
		"in 2099":                  "",
		"in 2027 2027年":            "",
		"september 2035":           "",
		"2027 september":           "",
		"3 may of 2027":            "",
		"september next year":      "",
		"error 2048 september":     "september: 2026-09", // a number
		"port 2049 may 3":          "may 3: 2026-05-03",
		"99999999999 days ago":     "",
		"900 years ago":            "",
		"ago":                      "",
		"weeks ago":                "",
		"muharram 1447":            "",
		"2026-02-31 2026-13":       "",
		"令和7年5月 民國114年 3月":         "",
		"2027-01-01 0047-01-02":    "",
		"2026-09-14T10:00":         "",
		"log-2026-09-14.txt":       "",
		"2026-9-1 2026/09/14":      "",
		"":                         "",
		strings.Repeat("may ", 30): "",
	} {
		var got []string
		for _, s := range Spans(strings.Fields(query), now) {
			got = append(got, s.Words+": "+s.String())
			if !s.From.Before(s.To) || s.From.After(now) {
				t.Errorf("%q: from %v to %v", query, s.From, s.To)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// The last day of a month is not the month before the one before.
func TestLastMonthAtTheEndOfOne(t *testing.T) {
	now := time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC)
	if s := Spans([]string{"last", "month"}, now); len(s) != 1 || s[0].String() != "2026-02" {
		t.Error(s)
	}
}

func FuzzSpans(f *testing.F) {
	for _, text := range []string{"31 february 2024", "since march", "two weeks ago", "上周一 11月31日", "2025年 11월 3일", "may may may", "in 0000", "the 0th of may"} {
		f.Add(text, int64(1_790_000_000))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		now := time.Unix(seconds%(1<<36), 0).UTC()
		words := strings.Fields(strings.ToLower(text))
		for _, s := range Spans(words, now) {
			if !s.From.Before(s.To) || s.From.After(now) || s.First < 0 || s.Last >= len(words) || s.Words == "" || !strings.Contains(strings.Join(words, " "), s.Words) {
				t.Errorf("%q at %v: %+v", text, now, s)
			}
		}
	})
}
