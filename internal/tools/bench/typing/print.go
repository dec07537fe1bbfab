package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// browserDelay is how long the browser waits after a key before it cancels the
// running query (kit.Latest).
const browserDelay = 20 * time.Millisecond

// table formats the results, with the goals beside the figures that have one.
type table struct {
	strings.Builder
	results results
	name    string // of the history: S, M, L or a file

	timed, raced []result
}

// print writes the whole table. The goals that are set for a million messages are
// only given for L.
func (r results) print(w io.Writer, name string) error {
	t := &table{results: r, name: name, timed: r.of("timed"), raced: r.of("raced")}
	t.opening()
	t.queries()
	t.latency()
	t.closest()
	t.speedup()
	t.slower()
	t.cancellation()
	_, err := io.WriteString(w, t.String())
	return err
}

func (t *table) addf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

func verdict(met bool, goal string) string {
	if met {
		return "  (goal " + goal + ": met)"
	}
	return "  (goal " + goal + ": MISSED)"
}

// verdictAtL is the verdict on a goal that is set for L, "" for other histories.
func (t *table) verdictAtL(met bool, goal string) string {
	if t.name == "L" {
		return verdict(met, goal)
	}
	return ""
}

// opening prints the number of checked answers, the time until the database is
// ready, and the memory of the process.
func (t *table) opening() {
	differs, ready, after := t.results.of("differs"), t.results.of("ready"), t.results.of("after")
	t.addf("%s: %d keys typed, %d answers checked against SQL, %d differ\n", t.name, len(t.timed), len(t.results.of("checked")), len(differs))
	for _, d := range differs[:min(10, len(differs))] {
		t.addf("  differs: %q: %.200s\n", d.Text, strings.ReplaceAll(d.Note, "\n", "; "))
	}
	if len(ready) > 0 {
		p := ready[len(ready)-1]
		t.addf("opened in %.1f ms, ready after %.0f ms (CPU %.0f)%s\n", p.Open, p.Wall, p.CPU, t.verdictAtL(p.Wall <= 3000, "3 s"))
		if p.Memory > 0 {
			t.addf("memory: %.0f MB resident when ready%s, %.0f at most until then\n", p.Memory, verdict(p.Memory <= 250, "250 MB"), p.Peak)
		}
	}
	if len(after) > 0 {
		a := after[len(after)-1]
		if a.Memory > 0 {
			t.addf("        %.0f MB after all keys, %.0f at most\n", a.Memory, a.Peak)
		}
		t.addf("load of the machine: %s\n", a.Load)
	}
}

// queries prints one line for each kind and length of typed text.
func (t *table) queries() {
	t.addf("\n%-14s %5s | %7s %7s %7s %7s | %7s %7s %7s | %4s %9s %8s %7s %7s\n",
		"typed", "keys", "p50 ms", "p95", "p99", "max", "CPU p50", "p99", "max", "vs", "theirs ms", "ours ms", "median", "least")
	for n := 1; n <= 6; n++ {
		t.line(fmt.Sprintf("%d letters", n), ofKind(t.timed, "word", n), ofKind(t.raced, "word", n))
	}
	t.line("more letters", ofKind(t.timed, "word", 7, 8, 9, 10, 11, 12, 13, 14), nil)
	t.line("a question", ofKind(t.timed, "question"), ofKind(t.raced, "question"))
	t.line("a second word", ofKind(t.timed, "second"), ofKind(t.raced, "second"))
	for n := 1; n <= 4; n++ {
		t.line(fmt.Sprintf("%d of CJK", n), ofKind(t.timed, "han", n), ofKind(t.raced, "han", n))
	}
	t.line("all", t.timed, t.raced)
	t.line(common, ofKind(t.timed, "common"), ofKind(t.raced, "common"))
	t.line("recorded", t.results.of("recorded"), t.results.of("recorded"))
}

// line prints the times of some keys, and of those that were compared with upstream.
func (t *table) line(label string, timed, raced []result) {
	if len(timed) == 0 {
		return
	}
	wall, cpu, theirs, ours, ratio := figures(timed, raced)
	t.addf("%-14s %5d | %7.2f %7.2f %7.2f %7.2f | %7.2f %7.2f %7.2f |", label, len(timed),
		quantile(wall, .5), quantile(wall, .95), quantile(wall, .99), slices.Max(wall), quantile(cpu, .5), quantile(cpu, .99), slices.Max(cpu))
	if len(ratio) > 0 {
		t.addf(" %4d %9.1f %8.2f %6.1fx %6.1fx", len(ratio), quantile(theirs, .5), quantile(ours, .5), quantile(ratio, .5), slices.Min(ratio))
	}
	t.WriteByte('\n')
}

// latency prints the quantiles over all keys.
func (t *table) latency() {
	if len(t.timed) == 0 {
		return
	}
	wall, cpu, _, _, _ := figures(t.timed, nil)
	var first, firstThread []float64
	for _, r := range t.timed {
		first, firstThread = append(first, r.First), append(firstThread, r.FirstThread)
	}
	t.addf("\nfirst rows: wall p50 %.2f, p95 %.2f, max %.2f ms", quantile(first, .5), quantile(first, .95), slices.Max(first))
	if slices.Max(firstThread) > 0 {
		t.addf("; CPU of the thread p50 %.2f, p95 %.2f, max %.2f ms", quantile(firstThread, .5), quantile(firstThread, .95), slices.Max(firstThread))
	}
	t.addf("\nall of the answers, as above:\n")
	t.addf("wall p50 %.2f ms%s\n", quantile(wall, .5), t.verdictAtL(quantile(wall, .5) < 3, "< 3 ms"))
	t.addf("wall p95 %.2f ms%s\n", quantile(wall, .95), t.verdictAtL(quantile(wall, .95) < 16, "< 16 ms"))
	if slices.Max(cpu) > 0 {
		t.addf("CPU of the process p99 %.2f ms\n", quantile(cpu, .99))
	}
	if thread := threadTimes(t.timed); slices.Max(thread) > 0 {
		t.addf("CPU of the thread p50 %.2f, p95 %.2f, p99 %.2f ms%s\n", quantile(thread, .5), quantile(thread, .95), quantile(thread, .99), t.verdictAtL(quantile(thread, .99) < 10, "< 10 ms"))
	}
	t.addf("keys %d%s\n", len(t.timed), verdict(len(t.timed) >= 700, "700"))
}

// closest prints the times of the questions for the closest conversations.
func (t *table) closest() {
	var asked []result
	var wall, both, questions []float64
	for _, r := range t.timed {
		both = append(both, r.Thread+r.CloseThread)
		if r.Close == 0 {
			continue
		}
		asked, wall = append(asked, r), append(wall, r.Close)
		if r.Kind == "question" {
			questions = append(questions, r.Close)
		}
	}
	if len(asked) == 0 {
		return
	}
	t.addf("closest conversations: %d keys, wall p50 %.2f, p95 %.2f, p99 %.2f, max %.2f ms\n", len(asked), quantile(wall, .5), quantile(wall, .95), quantile(wall, .99), slices.Max(wall))
	if len(questions) > 0 {
		t.addf("  of questions of %d words: wall p95 %.2f ms%s\n", questionWords, quantile(questions, .95), t.verdictAtL(quantile(questions, .95) < 100, "< 100 ms"))
	}
	if slices.Max(both) > 0 {
		t.addf("  CPU of the thread with the first answer: p50 %.2f, p95 %.2f, p99 %.2f ms%s\n", quantile(both, .5), quantile(both, .95), quantile(both, .99), t.verdictAtL(quantile(both, .99) < 16, "< 16 ms"))
	}
}

// speedup compares the keys of each length with upstream's statements.
func (t *table) speedup() {
	for n := 1; n <= 6; n++ {
		_, _, theirs, ours, ratio := figures(nil, ofKind(t.raced, "word", n))
		if len(ratio) == 0 {
			continue
		}
		times := func(x float64, of string) string {
			return fmt.Sprintf("%.1f times %s%s", x, of, t.verdictAtL(x >= 20, "20"))
		}
		t.addf("%d letters against upstream: %s, %s", n, times(quantile(ratio, .5), "for the median key"), times(sum(theirs)/sum(ours), "for all keys together"))
		if _, _, theirs, ours, ratio = figures(nil, ofKind(t.raced, "common", n)); len(ratio) > 0 {
			t.addf(", %s", times(sum(theirs)/sum(ours), "typing "+common))
		}
		t.WriteByte('\n')
	}
	if _, _, _, _, ratio := figures(nil, ofKind(t.raced, "han", 2)); len(ratio) > 0 {
		t.addf("two of CJK: %.1f times upstream%s\n", quantile(ratio, .5), t.verdictAtL(quantile(ratio, .5) >= 100, "100"))
	}
}

// slower lists the queries that upstream answers faster.
func (t *table) slower() {
	all := slices.Concat(t.raced, t.results.of("recorded"))
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(x, y result) int { return cmp.Compare(x.Theirs/x.Wall, y.Theirs/y.Wall) })
	slower := slices.IndexFunc(all, func(x result) bool { return x.Theirs >= x.Wall })
	if slower < 0 {
		slower = len(all)
	}
	t.addf("slower than upstream: %d of %d queries%s\n", slower, len(all), verdict(slower == 0, "none"))
	for _, x := range all[:min(slower, 20)] {
		t.addf("  %.2fx: %.60q: %.2f ms, upstream's %.2f\n", x.Theirs/x.Wall, x.Text, x.Wall, x.Theirs)
	}
}

// cancellation prints how long a query still runs after it was canceled.
func (t *table) cancellation() {
	canceled := t.results.of("canceled")
	if len(canceled) == 0 {
		return
	}
	wall, _, _, _, _ := figures(canceled, nil)
	t.addf("given up: %d queries, they went on for p50 %.2f, p95 %.2f, max %.2f ms; after a key the browser waits %v before%s\n", len(canceled),
		quantile(wall, .5), quantile(wall, .95), slices.Max(wall), browserDelay, verdict(slices.Max(wall)+millis(browserDelay) <= 30, "30 ms together"))
}

func ofKind(all []result, kind string, lengths ...int) []result {
	return slices.DeleteFunc(slices.Clone(all), func(x result) bool {
		return x.Kind != kind || len(lengths) > 0 && !slices.Contains(lengths, x.Length)
	})
}

// threadTimes returns the CPU times of the thread that ran the search.
func threadTimes(of []result) (out []float64) {
	for _, r := range of {
		out = append(out, r.Thread)
	}
	return out
}

func sum(of []float64) (all float64) {
	for _, x := range of {
		all += x
	}
	return all
}

// figures returns the columns of the table: the times of timed results, and both
// times and their ratio for those that were compared with upstream.
func figures(timed, raced []result) (wall, cpu, theirs, ours, ratio []float64) {
	for _, r := range timed {
		wall, cpu = append(wall, r.Wall), append(cpu, r.CPU)
	}
	for _, r := range raced {
		theirs, ours, ratio = append(theirs, r.Theirs), append(ours, r.Wall), append(ratio, r.Theirs/r.Wall)
	}
	return wall, cpu, theirs, ours, ratio
}
