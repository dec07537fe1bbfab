package store

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/model/query"
)

// BenchmarkSymbolKeys types queries with symbols and in scripts without spaces letter by
// letter, as the browser asks: the first rows of each key, and all of the answer. It reports
// the median and the 95th percentile of both, and prints the slowest keys.
func BenchmarkSymbolKeys(b *testing.B) {
	sizes(b, func(b *testing.B, path string) {
		s, err := Open(b.Context(), path, ReadOnly())
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		if err := s.Prepare(b.Context()); err != nil {
			b.Fatal(err)
		}
		type key struct {
			text       string
			first, all time.Duration
			rowsOnly   bool
			hits       int
		}
		for b.Loop() {
			var keys []key
			for _, typed := range []string{
				".env", ".py", "C++", "docker -c++", `"a."`, `"error."`, `": null"`, "don't", "config.json", "/usr/bin", "=>", "{}", "}]", "]", `"}`,
				"#", "->", "部署", "数据库", "服务器", "デプ", "docker", "the", "main.go:", "$HOME", "--force", "a@b.c", "u6570", "§", "🚀",
			} {
				letters := []rune(typed)
				for n := range letters {
					k := key{text: string(letters[:n+1])}
					start := cpu()
					r, err := s.Search(b.Context(), query.Parse(k.text, true), query.ListOptions{Limit: 60, FirstPage: true})
					if err != nil {
						b.Fatal(err)
					}
					k.first, k.rowsOnly = cpu()-start, r.RowsOnly
					start = cpu()
					if r, err = s.Search(b.Context(), query.Parse(k.text, true), query.ListOptions{Limit: 60}); err != nil {
						b.Fatal(err)
					}
					k.all, k.hits = cpu()-start, r.Hits
					keys = append(keys, k)
				}
			}
			for name, of := range map[string]func(k key) time.Duration{"first": func(k key) time.Duration { return k.first }, "all": func(k key) time.Duration { return k.all }} {
				slices.SortFunc(keys, func(a, b key) int { return int(of(b) - of(a)) })
				at := func(q float64) float64 {
					return float64(of(keys[int(float64(len(keys)-1)*(1-q))]).Microseconds()) / 1000
				}
				b.ReportMetric(at(0.5), name+"-p50-ms")
				b.ReportMetric(at(0.95), name+"-p95-ms")
				b.ReportMetric(at(1), name+"-max-ms")
				if testing.Verbose() {
					for _, k := range keys[:12] {
						fmt.Printf("%s: %q first %v (rows only: %v), all %v, %d hits\n", name, k.text, k.first.Round(time.Millisecond/10), k.rowsOnly, k.all.Round(time.Millisecond/10), k.hits)
					}
				}
			}
		}
	})
}

// cpu returns the time that the process has used of all processors.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
