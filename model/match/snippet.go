package match

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a piece of text; Hit marks that it matched.
type Span struct {
	Text string
	Hit  bool
}

// Snippet is the text around a match, in spans, so that cleaning one span cannot
// move the marks of another.
type Snippet []Span

// Snippet returns the text around the densest matches, on one line of at most
// width columns, and true. A text without matches gives its beginning and false.
func (m *Matcher) Snippet(text string, width int) (Snippet, bool) {
	if s, ok := m.FindSnippet(text, width); ok {
		return s, true
	}
	return singleLine(text, 0, width, nil), false
}

// FindSnippet is [Matcher.Snippet], except that a text without matches gives nil.
func (m *Matcher) FindSnippet(text string, width int) (Snippet, bool) {
	places := m.firstOccurrences(text, width)
	if len(places) == 0 {
		return nil, false
	}
	from, to := m.densestOf(places, width)
	room := width - 2 // for the two ellipses
	core := textWidth(text[from:to])
	if core >= room {
		return singleLine(text, from, width, places), true
	}
	start := backUp(text, from, (room-core)/3)
	if tail := textWidth(firstColumns(text[to:], room)); core+textWidth(text[start:from])+tail < room {
		start = backUp(text, from, room-core-tail) // the end of the text leaves room
	}
	return singleLine(text, start, width, places), true
}

// firstOccurrences returns the matches up to 1 KB behind the first place where all
// terms stand together: the rest of a long tool result is not worth the time.
func (m *Matcher) firstOccurrences(text string, width int) []occurrence {
	const beyond = 1 << 10 // bytes
	for _, c := range m.terms[:m.marked] {
		if c.substring { // its matches do not come in order
			return m.occurrences(text)
		}
	}
	var found []occurrence
	last := make([]int, m.marked) // end of the last match of each
	enough := len(text)
	m.eachOccurrence(text, m.marked, func(term, start, end int) bool {
		found = append(found, occurrence{term, start, end})
		if last[term] = end; enough == len(text) && slices.Min(last) > max(0, end-width) {
			enough = end + beyond
		}
		return end < enough
	})
	slices.SortStableFunc(found, func(a, b occurrence) int { return a.start - b.start })
	return found
}

// Densest returns the part of a text with the densest matches, which a snippet of at most
// width columns would show. ok is false for a text without matches.
func (m *Matcher) Densest(text string, width int) (from, to int, ok bool) {
	places := m.firstOccurrences(text, width)
	if len(places) == 0 {
		return 0, 0, false
	}
	from, to = m.densestOf(places, width)
	return from, to, true
}

// densestOf returns the part of a text, of at most width bytes, with the most
// different terms, then the most matches, then the first.
func (m *Matcher) densestOf(places []occurrence, width int) (from, to int) {
	seen := make([]int, len(m.terms))
	var kinds, best, first int
	for i, p := range places {
		if seen[p.term]++; seen[p.term] == 1 {
			kinds++
		}
		for ; first < i && p.end-places[first].start > width; first++ {
			if seen[places[first].term]--; seen[places[first].term] == 0 {
				kinds--
			}
		}
		if score := kinds<<32 + i - first; score > best {
			best = score
			from = places[first].start
			to = p.end
		}
	}
	return from, to
}

// singleLine lays out text from start on one line of width columns. Runs of white
// space become one space; an ellipsis stands for what is left out at either end.
func singleLine(text string, start, width int, places []occurrence) Snippet {
	var out Snippet
	b := make([]byte, 0, 2*width) // of the span at hand
	hit := false
	put := func(s string, isHit bool) {
		if isHit != hit && len(b) > 0 {
			out = append(out, Span{string(b), hit})
			b = b[:0]
		}
		b, hit = append(b, s...), isHit
	}
	used := 0
	if !isBlank(text[:start]) {
		put("…", false)
		used = 1
	}
	var space, begun bool
	within := false // the space is part of a match
	reach := 0      // the greatest end of the matches that started so far
	for i := start; i < len(text); {
		for ; len(places) > 0 && places[0].start <= i; places = places[1:] {
			reach = max(reach, places[0].end)
		}
		end := graphemeEnd(text, i)
		r, _ := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			space = begun
			within = i < reach
			i = end
			continue
		}
		n := runeWidth(r)
		if space {
			n++
		}
		if room := width - used - n; room < 0 || room == 0 && !isBlank(text[end:]) {
			if at := bytes.LastIndexByte(b, ' '); !space && !hit && at >= max(0, len(b)-mostOfWord) {
				b = b[:at]
			}
			if !bytes.HasSuffix(b, []byte("…")) {
				put("…", false)
			}
			break
		}
		if space {
			put(" ", within)
		}
		put(text[i:end], i < reach)
		space, begun = false, true
		used, i = used+n, end
	}
	if len(b) > 0 {
		out = append(out, Span{string(b), hit})
	}
	return out
}

// mostOfWord is how many bytes of a word that does not fit are left out with its end.
const mostOfWord = 16

func isBlank(text string) bool { return strings.TrimLeftFunc(text, unicode.IsSpace) == "" }

// backUp returns the start of the character that stands at most room columns
// before i, or of a word near it.
func backUp(text string, i, room int) int {
	// Characters can be told apart only going forward, from a place where one
	// surely starts: far enough back for anything but damaged text.
	from := max(0, i-16*room-16)
	if plain := max(0, i-room-16); IsASCII(text[plain:i]) {
		from = plain // each byte is a character of one column
	}
	for from < i && !utf8.RuneStart(text[from]) {
		from++
	}
	for from > 0 && i-from < 1<<12 { // marks and halves of flags belong to what is before them
		prev, size := utf8.DecodeLastRuneInString(text[:from])
		if r, _ := utf8.DecodeRuneInString(text[from:]); !isFlag(prev) && prev != '\u200d' && graphemeEnd(string(prev)+string(r), 0) == size {
			break
		}
		from -= size
	}
	begins := make([]int, 0, i-from)
	for ; from < i; from = graphemeEnd(text, from) {
		begins = append(begins, from)
	}
	start, word := i, 0 // no word begins near i
	for ; len(begins) > 0; begins = begins[:len(begins)-1] {
		prev := begins[len(begins)-1]
		r, _ := utf8.DecodeRuneInString(text[prev:])
		if room -= runeWidth(r); room < 0 {
			break
		}
		if unicode.IsSpace(r) {
			word = start
		}
		start = prev
	}
	if start > 0 && start < word && word-start <= 12 {
		return word
	}
	return start
}

// IsASCII reports whether a text is plain ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// firstColumns returns the beginning of a text, at most n columns of it.
func firstColumns(text string, n int) string {
	for i := 0; i < len(text); {
		r, _ := utf8.DecodeRuneInString(text[i:])
		if n -= runeWidth(r); n < 0 {
			return text[:i]
		}
		i = graphemeEnd(text, i)
	}
	return text
}

// textWidth returns how many columns a text takes.
func textWidth(text string) int {
	n := 0
	for i := 0; i < len(text); i = graphemeEnd(text, i) {
		r, _ := utf8.DecodeRuneInString(text[i:])
		n += runeWidth(r)
	}
	return n
}

// graphemeEnd returns the end of the user-perceived character that starts at i:
// letters with their marks, emoji with modifiers or joined by ZWJ, flags.
func graphemeEnd(text string, i int) int {
	if text[i] < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
		return i + 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	i += size
	if i < len(text) && text[i] < utf8.RuneSelf {
		return i
	}
	if isFlag(r) {
		if next, size := utf8.DecodeRuneInString(text[i:]); isFlag(next) {
			i += size
		}
	}
	for i < len(text) && text[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\u200d':
			i += size
			if i < len(text) && text[i] >= utf8.RuneSelf {
				_, size = utf8.DecodeRuneInString(text[i:])
				i += size
			}
		case unicode.In(r, unicode.M), r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xe0020 && r <= 0xe007f, r >= 0x1160 && r <= 0x11ff:
			i += size
		default:
			return i
		}
	}
	return i
}

// isFlag reports whether r is a regional indicator, two of which make a flag.
func isFlag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// runeWidth estimates the width of a character in a terminal, never too small
// for what is common.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f000 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd, r >= 0x231a && r <= 0x231b, r >= 0x23e9 && r <= 0x23f3,
		r >= 0x2600 && r <= 0x27bf, r >= 0x2b00 && r <= 0x2bff && unicode.Is(unicode.So, r):
		return 2
	}
	return 1
}
