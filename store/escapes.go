package store

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// escaped spells text as Python's JSON does.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// escapeWord is the word, or the words, that an escape of JSON is of a character,
// of one that needs none too.
func escapeWord(r rune) string {
	if r > 0xffff {
		return escaped(string(r))
	}
	return fmt.Sprintf("u%04x", r)
}

// unescape gives stored text with its \uXXXX escapes as characters, so that it
// can be searched. It is not parsed: what is damaged can be searched too.
func unescape(s string) string {
	i := escapeIn(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		r, n := escape(s[i:])
		if n == 0 {
			b.WriteString(s[:i+2])
			n = 2
		} else {
			// Arguments are JSON inside JSON: their own escapes have two backslashes.
			b.WriteString(strings.TrimRight(s[:i], `\`))
			if utf16.IsSurrogate(r) {
				rest := strings.TrimLeft(s[i+n:], `\`)
				low, m := escape(`\` + rest)
				if r = utf16.DecodeRune(r, low); m > 0 && r != unicode.ReplacementChar {
					n += len(s[i+n:]) - len(rest) + m - 1
				}
			}
			b.WriteRune(r)
		}
		s = s[i+n:]
		i = escapeIn(s)
	}
	b.WriteString(s)
	return b.String()
}

// escapeIn gives where `\u` stands first, -1 for nowhere. JSON is full of
// backslashes, at each of which [strings.Index] stops: this looks at eight
// characters at once.
func escapeIn(s string) int {
	const each = 0x0101010101010101
	i := 0
	for ; i+9 <= len(s); i += 8 {
		here := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		behind := here>>8 | uint64(s[i+8])<<56
		other := (here ^ '\\'*each) | (behind ^ 'u'*each) // 0 where both are as wanted
		if found := (other - each) &^ other & (0x80 * each); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	if n := strings.Index(s[i:], `\u`); n >= 0 {
		return i + n
	}
	return -1
}

// escape reads a \uXXXX at the beginning of s; n is its length, 0 if none.
func escape(s string) (r rune, n int) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, 0
	}
	v, ok := hexadecimal(s[2:6])
	if !ok {
		return 0, 0
	}
	return rune(v), 6
}

// hexadecimal reads four digits. That something is none is no error: text that
// is searched is full of it.
func hexadecimal(four string) (v uint16, ok bool) {
	for _, c := range []byte(four) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint16(c)
	}
	return v, true
}

// together gives those of some messages that have a text of several characters,
// in all of which an index of words knows its escapes one after the other. Of
// most it is remembered whether anything stands between them; the others are
// read.
func (f *finder) together(ctx context.Context, t model.Term, ids *ftsindex.Set) (*ftsindex.Set, error) {
	if ids.Empty() {
		return ids, nil
	}
	f.by("escapes by reading what the index found")
	now, ok, err := f.catchUpSpelling(ctx)
	if err != nil {
		return nil, err
	}
	found := &ftsindex.Set{}
	if ok {
		found = f.s.spelling.unbroken(now, t.Text, ids)
	}
	if ids = ftsindex.Without(ids, found); ids.Empty() {
		return found, nil
	}
	m := model.NewMatcher(alone(t).Groups)
	return found, f.spell(ctx, now, ids, func(b body) {
		if b.matches(m) {
			found.Add(b.id)
		}
	})
}

// catchUpSpelling drops what is remembered of messages that the index of words
// was told of since, and gives the moment. ok is false where nothing can be
// remembered: that index can not be read, is not told of all that is written, or
// has other words than [escapes] are.
func (f *finder) catchUpSpelling(ctx context.Context) (now ftsindex.Moment, ok bool, err error) {
	if !f.s.schema.mirrored(f.words.table) || strings.Contains(f.s.schema.tables[f.words.table], "tokenize") {
		return now, false, nil
	}
	s := &f.s.spelling
	s.mu.Lock()
	as := s.as
	s.mu.Unlock()
	now, changed, ok, err := f.since(ctx, &f.words, as)
	if err != nil || !ok {
		return now, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.as.Same(now) || !s.as.Same(as): // right, or somebody else's
	case changed == nil:
		s.as, s.known, s.apart = now, ftsindex.Set{}, nil
	default:
		s.as = now
		s.known.Subtract(changed)
		s.apart = slices.DeleteFunc(s.apart, func(a parting) bool { return !s.known.Has(int64(a.id)) })
	}
	return now, true, nil
}

// spell reads messages and remembers how escapes stand in them at a moment of
// the index of words.
func (f *finder) spell(ctx context.Context, now ftsindex.Moment, ids *ftsindex.Set, each func(body)) error {
	known := &ftsindex.Set{}
	var all []parting
	from, args := these(ids.All())
	err := f.texts(ctx, f.q, from, args, func(b body) {
		if pairs, ok := apartIn(b.content, b.name, b.calls); ok && 0 <= b.id && b.id <= ftsindex.MaxRow {
			known.Add(b.id)
			for _, p := range pairs {
				all = append(all, parting{p, uint32(b.id)})
			}
		}
		each(b)
	})
	f.s.spelling.add(now, known, all) // what was read before a cancellation too
	return err
}

const (
	// spelledAhead is how many messages are read before anybody asks for them.
	spelledAhead = 50_000
	// mostApart bounds the memory of all messages, two megabytes, and of one.
	mostApart   = 1 << 18
	mostApartIn = 64
)

// spellAhead reads how the newest messages are spelled that have characters of
// scripts without spaces as escapes.
func (f *finder) spellAhead(ctx context.Context) error {
	begins := []string{"u0e", "u0f", "u10", "u11", "u17", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}
	for hangul := 0xac; hangul <= 0xd7; hangul++ {
		begins = append(begins, fmt.Sprintf("u%x", hangul))
	}
	var of []question
	for _, b := range begins {
		of = append(of, quoted(b, true))
	}
	now, ok, err := f.catchUpSpelling(ctx)
	if err != nil || !ok {
		return err
	}
	ids, ok, err := f.matchPages(ctx, &f.words, anyOf(of...), nil)
	if err != nil || !ok {
		return err
	}
	rows := f.s.spelling.unread(ids).Rows()
	for part := range slices.Chunk(rows[max(0, len(rows)-spelledAhead):], hearAtOnce) {
		some := &ftsindex.Set{}
		for _, id := range part {
			some.Add(id)
		}
		if err := f.spell(ctx, now, some, func(body) {}); err != nil {
			return err
		}
	}
	return nil
}

// spelling remembers how escapes stand in messages, as far as an index of words
// does not tell. Without it, every message with the escapes of a text is read: at
// a million messages, two characters of a common word take 28 to 35 ms instead of
// 3 to 5, more than a key may take.
type spelling struct {
	mu    sync.Mutex
	as    ftsindex.Moment // of the index of words, when what follows was right
	known ftsindex.Set    // the messages
	apart []parting       // in them
}

// parting is two escapes of a message, one after the other for an index of words,
// that may have something between them.
type parting struct {
	pair uint32 // see [pairOf]
	id   uint32
}

func pairOf(first, second uint16) uint32 { return uint32(first)<<16 | uint32(second) }

// unbroken gives those of some messages that surely have a text as escapes with
// nothing between them, where the index of words has found these one after the
// other at a moment.
func (s *spelling) unbroken(now ftsindex.Moment, text string, ids *ftsindex.Set) *ftsindex.Set {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < utf8.RuneSelf }) {
		return &ftsindex.Set{}
	}
	var pairs []uint32
	units := utf16.Encode([]rune(text))
	for i, u := range units[1:] {
		pairs = append(pairs, pairOf(units[i], u))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.as.Same(now) { // somebody has seen another moment since
		return &ftsindex.Set{}
	}
	sure := ftsindex.Both(ids, &s.known)
	for _, a := range s.apart {
		if slices.Contains(pairs, a.pair) {
			sure.Remove(int64(a.id))
		}
	}
	return sure
}

// add takes in what was read of messages at a moment.
func (s *spelling) add(now ftsindex.Moment, known *ftsindex.Set, all []parting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.as.Same(now) || len(s.apart)+len(all) > mostApart {
		return
	}
	for _, a := range all {
		if !s.known.Has(int64(a.id)) { // else another search has read it
			s.apart = append(s.apart, a)
		}
	}
	s.known.Union(known)
}

// unread gives those of some messages that are not known.
func (s *spelling) unread(ids *ftsindex.Set) *ftsindex.Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ftsindex.Without(ids, &s.known)
}

// apartIn gives the pairs of escapes in a message that an index of words may
// take for neighbours although something stands between them. ok is false where
// it may take for escapes what is read as none, or where they are too many.
func apartIn(content, name, calls string) (pairs []uint32, ok bool) {
	var said, called, tool escapes
	if !said.in(content) || !called.in(calls) || !tool.in(name) || tool.some {
		return nil, false
	}
	pairs = append(said.apart, called.apart...)
	if said.some && called.some { // which an index may have in one row
		pairs = append(pairs, pairOf(said.last, called.first), pairOf(called.last, said.first))
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	return pairs, len(pairs) <= mostApartIn
}

// escapes is those of a text.
type escapes struct {
	some        bool // there are any
	first, last uint16
	apart       []uint32 // pairs of them, see [apartIn]
}

// in looks at a text. ok is false where a word of it is no escape but may be one
// for an index of words: that folds letters, and does not see what stands before
// a word.
func (e *escapes) in(s string) (ok bool) {
	end, word := 0, false // where the last one ends, and whether a word begins behind that
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if size == 1 || unicode.Is(unicode.Latin, r) || 0x300 <= r && r < 0x370 { // it may be folded to a letter, or left out
				return false
			}
			i += size - 1
			continue
		}
		if c|0x20 != 'u' || len(s)-i < 5 || i > 0 && inASCIIWord(s[i-1]) {
			word = word || inASCIIWord(c)
			continue
		}
		unit, ok := hexadecimal(s[i+1 : i+5])
		if !ok {
			word = true
			continue
		}
		if c != 'u' || i == 0 || s[i-1] != '\\' {
			return false
		}
		begin := i
		for begin > end && s[begin-1] == '\\' {
			begin--
		}
		switch {
		case !e.some:
			e.some, e.first = true, unit
		case !word && begin > end:
			e.apart = append(e.apart, pairOf(e.last, unit))
		}
		e.last, end, word = unit, i+5, false
		i += 4
	}
	return true
}

func inASCIIWord(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
