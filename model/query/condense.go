package query

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of a long text, its lines are weighed in pieces of up to maxPiece bytes. Of one longer
// than maxWeighed bytes the middle is not looked at.
const (
	maxPiece   = 200
	maxWeighed = 1 << 20
)

// piece is a part of a long text, in bytes.
type piece struct {
	start, end int
	weight     float64
}

// Condense returns what a pasted text of many lines is searched by, up to size bytes: the
// pieces that tell most of it, in their order. A log repeats its lines with other numbers,
// so a word tells less the more pieces have it. Pieces that tell less than half of what the
// best one does are left out; of equal ones those nearest to either end are kept. A text
// that is searched as it is comes back unchanged.
func Condense(text string, size int) string {
	var parts []string
	for _, p := range condense(text, size) {
		parts = append(parts, text[p.start:p.end])
	}
	return strings.Join(parts, "\n")
}

// condense returns the pieces that Condense keeps.
func condense(text string, size int) []piece {
	if len(text) <= size && (!strings.Contains(text, "\n") || len(strings.Fields(text)) <= maxTerms) {
		return []piece{{end: len(text)}}
	}
	all := pieces(text)
	times := shapes(text, all)
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
		words := shapesOf(text[all[i].start:all[i].end])
		for _, s := range words {
			all[i].weight += 1 / float64(times[s]*len(words))
		}
	}
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		return cmp.Or(cmp.Compare(all[b].weight, all[a].weight), cmp.Compare(fromEnd(a, len(all)), fromEnd(b, len(all)))) < 0
	})
	var kept []piece
	for _, i := range order {
		if n := all[i].end - all[i].start + 1; n <= size && all[i].weight >= all[order[0]].weight/2 { // a byte for what joins them
			kept, size = append(kept, all[i]), size-n
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].start < kept[j].start })
	return kept
}

// shapes counts in how many pieces of a text each shape of a word stands.
func shapes(text string, all []piece) map[string]int {
	times := map[string]int{}
	for _, p := range all {
		for _, s := range shapesOf(text[p.start:p.end]) {
			times[s]++
		}
	}
	return times
}

// fromEnd returns how far the i-th of n is from the nearer end.
func fromEnd(i, n int) int { return min(i, n-1-i) }

// pieces divides a text at the ends of lines, and long lines between words.
func pieces(text string) []piece {
	var all []piece
	for pos := 0; pos < len(text); {
		if pos >= maxWeighed/2 && pos < len(text)-maxWeighed/2 {
			pos = len(text) - maxWeighed/2
			for pos < len(text) && !utf8.RuneStart(text[pos]) {
				pos++
			}
		}
		end := min(pos+maxPiece, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		if line := strings.IndexByte(text[pos:end], '\n'); line >= 0 {
			end = pos + line + 1
		} else if space := strings.LastIndexFunc(text[pos:end], unicode.IsSpace); end < len(text) && space > 0 {
			end = pos + space
		}
		if strings.TrimSpace(text[pos:end]) != "" {
			all = append(all, piece{start: pos, end: end})
		}
		pos = end
	}
	return all
}

// shapesOf returns the different words of a text in lower case, with one 0 for all that have
// a digit: times, numbers and hashes differ from line to line.
func shapesOf(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, w := range all {
		if all[i] = strings.ToLower(w); strings.ContainsFunc(w, unicode.IsNumber) {
			all[i] = "0"
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// dropCommon keeps maxTerms different terms: those in the fewest pieces of the text, and
// of these the ones nearest to either end. An operator stays before a term that stays.
func (l *lexer) dropCommon() {
	if l.termCount <= maxTerms {
		return
	}
	times := shapes(l.query.Text, pieces(l.query.Text))
	rank := make([]int, len(l.operands))
	order := make([]int, len(l.operands))
	for i, it := range l.operands {
		order[i], rank[i] = i, len(times)
		for _, w := range shapesOf(it.term.Text) {
			rank[i] = min(rank[i], times[w])
		}
	}
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(fromEnd(a, len(order)), fromEnd(b, len(order)))) < 0
	})
	kept, seen := make([]bool, len(l.operands)), map[string]bool{}
	for _, i := range order {
		if t := l.operands[i].term.Text; l.operands[i].operator == noOperator && (len(seen) < maxTerms || seen[t]) {
			kept[i], seen[t] = true, true
		}
	}
	for i := len(kept) - 2; i >= 0; i-- {
		kept[i] = kept[i] || l.operands[i].operator != noOperator && kept[i+1]
	}
	n := -1
	l.operands = slices.DeleteFunc(l.operands, func(operand) bool { n++; return !kept[n] })
}
