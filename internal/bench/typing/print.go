package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// patience is what the browser gives a query after the next key (ui's flight).
const patience = 20 * time.Millisecond

// print writes the table, with the goals beside the figures that have one.
func (r *results) print(w io.Writer, name string) error {
	var b strings.Builder
	large := name == "L"
	verdict := func(met bool, goal string) string {
		if met {
			return "  (goal " + goal + ": met)"
		}
		return "  (goal " + goal + ": MISSED)"
	}
	atL := func(met bool, goal string) string {
		if large {
			return verdict(met, goal)
		}
		return ""
	}
	timed := r.of("timed")
	ready, after := r.of("ready"), r.of("after")
	fmt.Fprintf(&b, "%s: %d keys typed, %d answers checked against SQL, %d differ\n", name, len(timed), len(r.of("checked")), len(r.of("differs")))
	for _, d := range r.of("differs")[:min(10, len(r.of("differs")))] {
		fmt.Fprintf(&b, "  differs: %q: %.200s\n", d.Text, strings.ReplaceAll(d.Note, "\n", "; "))
	}
	if len(ready) > 0 {
		p := ready[len(ready)-1]
		fmt.Fprintf(&b, "opened in %.1f ms, ready after %.0f ms (CPU %.0f)%s\n", p.Open, p.Wall, p.CPU, atL(p.Wall <= 3000, "3 s"))
		if p.Memory > 0 {
			fmt.Fprintf(&b, "memory: %.0f MB resident when ready%s, %.0f at most until then\n", p.Memory, verdict(p.Memory <= 80, "80 MB"), p.Peak)
		}
	}
	if len(after) > 0 {
		a := after[len(after)-1]
		if a.Memory > 0 {
			fmt.Fprintf(&b, "        %.0f MB after all keys, %.0f at most\n", a.Memory, a.Peak)
		}
		fmt.Fprintf(&b, "load of the machine: %s\n", a.Load)
	}

	fmt.Fprintf(&b, "\n%-14s %5s | %7s %7s %7s %7s | %7s %7s %7s | %4s %9s %8s %7s %7s\n",
		"typed", "keys", "p50 ms", "p95", "p99", "max", "CPU p50", "p99", "max", "vs", "theirs ms", "ours ms", "median", "least")
	line := func(what string, of, against []result) {
		if len(of) == 0 {
			return
		}
		wall, cpu, theirs, ours, ratio := figures(of, against)
		fmt.Fprintf(&b, "%-14s %5d | %7.2f %7.2f %7.2f %7.2f | %7.2f %7.2f %7.2f |", what, len(of),
			quantile(wall, .5), quantile(wall, .95), quantile(wall, .99), slices.Max(wall), quantile(cpu, .5), quantile(cpu, .99), slices.Max(cpu))
		if len(ratio) > 0 {
			fmt.Fprintf(&b, " %4d %9.1f %8.2f %6.1fx %6.1fx", len(ratio), quantile(theirs, .5), quantile(ours, .5), quantile(ratio, .5), slices.Min(ratio))
		}
		b.WriteByte('\n')
	}
	raced := r.of("raced")
	kinds := func(all []result, kind string, lengths ...int) []result {
		return slices.DeleteFunc(slices.Clone(all), func(x result) bool {
			return x.Kind != kind || len(lengths) > 0 && !slices.Contains(lengths, x.Length)
		})
	}
	for n := 1; n <= 6; n++ {
		line(fmt.Sprintf("%d letters", n), kinds(timed, "word", n), kinds(raced, "word", n))
	}
	line("more letters", kinds(timed, "word", 7, 8, 9, 10, 11, 12, 13, 14), nil)
	line("a second word", kinds(timed, "second"), kinds(raced, "second"))
	for n := 1; n <= 4; n++ {
		line(fmt.Sprintf("%d of CJK", n), kinds(timed, "han", n), kinds(raced, "han", n))
	}
	line("all", timed, raced)
	line(common, kinds(timed, "common"), kinds(raced, "common"))
	line("recorded", r.of("recorded"), r.of("recorded"))

	if len(timed) > 0 {
		wall, cpu, _, _, _ := figures(timed, nil)
		b.WriteByte('\n')
		fmt.Fprintf(&b, "wall p50 %.2f ms%s\n", quantile(wall, .5), atL(quantile(wall, .5) < 3, "< 3 ms"))
		fmt.Fprintf(&b, "wall p95 %.2f ms%s\n", quantile(wall, .95), atL(quantile(wall, .95) < 16, "< 16 ms"))
		if slices.Max(cpu) > 0 {
			fmt.Fprintf(&b, "CPU of the process p99 %.2f ms\n", quantile(cpu, .99))
		}
		if thread := threads(timed); slices.Max(thread) > 0 {
			fmt.Fprintf(&b, "CPU of the thread p50 %.2f, p99 %.2f ms%s\n", quantile(thread, .5), quantile(thread, .99), atL(quantile(thread, .99) < 10, "< 10 ms"))
		}
		fmt.Fprintf(&b, "keys %d%s\n", len(timed), verdict(len(timed) >= 700, "700"))
	}
	for n := 1; n <= 6; n++ {
		_, _, theirs, ours, ratio := figures(nil, kinds(raced, "word", n))
		if len(ratio) == 0 {
			continue
		}
		times := func(x float64, of string) string { return fmt.Sprintf("%.1f times %s%s", x, of, atL(x >= 20, "20")) }
		fmt.Fprintf(&b, "%d letters against upstream: %s, %s", n, times(quantile(ratio, .5), "for the median key"), times(sum(theirs)/sum(ours), "for all keys together"))
		if _, _, theirs, ours, ratio = figures(nil, kinds(raced, "common", n)); len(ratio) > 0 {
			fmt.Fprintf(&b, ", %s", times(sum(theirs)/sum(ours), "typing "+common))
		}
		b.WriteByte('\n')
	}
	if _, _, _, _, ratio := figures(nil, kinds(raced, "han", 2)); len(ratio) > 0 {
		fmt.Fprintf(&b, "two of CJK: %.1f times upstream%s\n", quantile(ratio, .5), atL(quantile(ratio, .5) >= 100, "100"))
	}
	if all := slices.Concat(raced, r.of("recorded")); len(all) > 0 {
		slices.SortFunc(all, func(x, y result) int { return cmp.Compare(x.Theirs/x.Wall, y.Theirs/y.Wall) })
		slower := slices.IndexFunc(all, func(x result) bool { return x.Theirs >= x.Wall })
		if slower < 0 {
			slower = len(all)
		}
		fmt.Fprintf(&b, "slower than upstream: %d of %d queries%s\n", slower, len(all), verdict(slower == 0, "none"))
		for _, x := range all[:min(slower, 20)] {
			fmt.Fprintf(&b, "  %.2fx: %.60q: %.2f ms, upstream's %.2f\n", x.Theirs/x.Wall, x.Text, x.Wall, x.Theirs)
		}
	}
	if given := r.of("cancelled"); len(given) > 0 {
		wall, _, _, _, _ := figures(given, nil)
		fmt.Fprintf(&b, "given up: %d queries, they went on for p50 %.2f, p95 %.2f, max %.2f ms; after a key the browser waits %v before%s\n", len(given),
			quantile(wall, .5), quantile(wall, .95), slices.Max(wall), patience, verdict(slices.Max(wall)+millis(patience) <= 30, "30 ms together"))
	}
	fmt.Fprintf(&b, "results: %s\n", r.path)
	_, err := io.WriteString(w, b.String())
	return err
}

// threads gives the time of the thread that searched.
func threads(of []result) (out []float64) {
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

// figures are the columns of some results, and of those that ran in turns.
func figures(of, against []result) (wall, cpu, theirs, ours, ratio []float64) {
	for _, r := range of {
		wall, cpu = append(wall, r.Wall), append(cpu, r.CPU)
	}
	for _, r := range against {
		theirs, ours, ratio = append(theirs, r.Theirs), append(ours, r.Wall), append(ratio, r.Theirs/r.Wall)
	}
	return wall, cpu, theirs, ours, ratio
}
