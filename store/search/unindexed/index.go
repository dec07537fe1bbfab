package unindexed

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/store/internal/idset"
)

// index is an inverted index in memory: which messages have a term. Its segments are never changed.
type index []*segment

// segment is the part of an index for some messages. Its entries are sorted by term: how many bytes
// the term shares with the one before, how many follow, these; and how many bytes the postings are,
// and these. The first entry of a block shares nothing.
type segment struct {
	messages []int64 // by number; dead where a later segment has the message, or it was deleted
	entries  []byte
	blocks   []uint32 // where every blockTerms-th entry begins

	terms, postings int // their numbers
}

const blockTerms = 16

const dead = math.MinInt64

// A segment ends with the message that reaches one of these, so that what is not sorted yet takes little
// memory.
const (
	maxMessages = 1 << 14
	maxTerms    = 1 << 18
	maxPostings = 1 << 22
)

// bytes returns the memory of an index.
func (x index) bytes() (n int) {
	for _, s := range x {
		n += 8*len(s.messages) + len(s.entries) + 4*len(s.blocks)
	}
	return n
}

// having returns the messages with a term, or with one that begins with it.
func (x index) having(term string, prefix bool) *idset.Set {
	return x.find(term, func(t []byte) bool { return prefix || len(t) == len(term) })
}

// find returns the messages with a term that begins with a text and passes.
func (x index) find(prefix string, passes func(term []byte) bool) *idset.Set {
	found := &idset.Set{}
	for _, s := range x {
		var numbers []uint64
		for term, postings := range s.termsFrom(prefix) {
			if !bytes.HasPrefix(term, []byte(prefix)) {
				break
			}
			if !passes(term) {
				continue
			}
			if numbers == nil {
				numbers = make([]uint64, (len(s.messages)+63)/64)
			}
			for number := range s.numbers(postings) {
				numbers[number/64] |= 1 << (number % 64)
			}
		}
		if numbers != nil {
			for number, message := range s.messages {
				if numbers[number/64]>>(number%64)&1 != 0 && message != dead {
					found.Add(message)
				}
			}
		}
	}
	return found
}

// termsFrom yields the terms from a text on, each with its postings. The bytes are valid until the next.
func (s *segment) termsFrom(text string) iter.Seq2[[]byte, []byte] {
	return func(yield func(term, postings []byte) bool) {
		rest := s.entries
		after := sort.Search(len(s.blocks), func(i int) bool {
			first, _ := cutBytes(rest[s.blocks[i]+1:]) // after the 0 of what is shared
			return string(first) > text
		})
		if after > 0 {
			rest = rest[s.blocks[after-1]:]
		}
		var term []byte
		for len(rest) > 0 {
			shared, size := binary.Uvarint(rest)
			added, next := cutBytes(rest[size:])
			term = append(term[:shared], added...)
			var postings []byte
			if postings, rest = cutBytes(next); string(term) >= text && !yield(term, postings) {
				return
			}
		}
	}
}

// cutBytes returns the bytes whose number stands before them, and what follows.
func cutBytes(of []byte) (cut, rest []byte) {
	n, size := binary.Uvarint(of)
	return of[size : size+int(n)], of[size+int(n):]
}

// appendBytes appends bytes with their number before them.
func appendBytes(to, add []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(add))), add...)
}

// numbers yields the numbers of the messages in postings: the gaps between them, or a bitmap where that
// is shorter.
func (s *segment) numbers(postings []byte) iter.Seq[int] {
	return func(yield func(number int) bool) {
		if len(postings) < bitmapSize(len(s.messages)) {
			for number := -1; len(postings) > 0; {
				gap, size := binary.Uvarint(postings)
				if number += int(gap); !yield(number) {
					return
				}
				postings = postings[size:]
			}
			return
		}
		for at, bits := range postings {
			for bit := range 8 {
				if bits>>bit&1 != 0 && !yield(at*8+bit) {
					return
				}
			}
		}
	}
}

// bitmapSize is the length of a bitmap in postings.
func bitmapSize(messages int) int { return (messages + 7) / 8 }

// without returns an index in which some messages are dead.
func (x index) without(gone *idset.Set) index {
	x = slices.Clone(x)
	for i, s := range x {
		if slices.ContainsFunc(s.messages, gone.Has) {
			of := *s
			of.messages = slices.Clone(s.messages)
			for number, message := range of.messages {
				if gone.Has(message) {
					of.messages[number] = dead
				}
			}
			x[i] = &of
		}
	}
	return x
}

// merged returns an index with the same messages in few segments: each has more than twice as many
// as the next.
func (x index) merged() index {
	for len(x) > 1 {
		last, before := x[len(x)-1], x[len(x)-2]
		if len(last.messages)+len(before.messages) > maxMessages || last.terms+before.terms >= maxTerms ||
			last.postings+before.postings >= maxPostings || len(last.messages)*2 < len(before.messages) {
			break // two segments would come of it again, or little
		}
		var b indexBuilder
		for _, s := range []*segment{before, last} {
			var terms [][]byte
			of := make([][]uint32, len(s.messages)) // the terms of each message
			for term, postings := range s.termsFrom("") {
				for number := range s.numbers(postings) {
					of[number] = append(of[number], uint32(len(terms)))
				}
				terms = append(terms, bytes.Clone(term))
			}
			for number, message := range s.messages {
				if message != dead {
					b.begin(message)
					for _, i := range of[number] {
						b.add(terms[i])
					}
				}
			}
		}
		x = append(x[:len(x)-2:len(x)-2], b.index()...)
	}
	return x
}

// indexBuilder makes an index.
type indexBuilder struct {
	done index // full segments

	messages []int64
	numbers  map[string]uint32 // of the terms
	terms    []string          // by number
	size     int               // of the terms in an index
	lastIn   []int             // by term: the last message with it, counted from 1
	termOf   []uint32          // of each posting
	number   []uint16          // the message of each posting
}

// begin begins the terms of a message.
func (b *indexBuilder) begin(message int64) {
	if len(b.messages) == maxMessages || len(b.terms) >= maxTerms || len(b.number) >= maxPostings {
		b.done = b.index()
		*b = indexBuilder{done: b.done}
	}
	b.messages = append(b.messages, message)
}

// add adds a term of the message that was begun last.
func (b *indexBuilder) add(term []byte) {
	n, ok := b.numbers[string(term)]
	if !ok {
		if b.numbers == nil {
			b.numbers = map[string]uint32{}
		}
		n = uint32(len(b.terms))
		b.terms = append(b.terms, string(term))
		b.numbers[b.terms[n]] = n
		b.lastIn = append(b.lastIn, 0)
		b.size += len(term) + 2
	}
	if b.lastIn[n] == len(b.messages) {
		return
	}
	b.lastIn[n] = len(b.messages)
	b.termOf, b.number = append(b.termOf, n), append(b.number, uint16(len(b.messages)-1))
}

// bytes estimates the memory of the index.
func (b *indexBuilder) bytes() int {
	return b.done.bytes() + 8*len(b.messages) + b.size + len(b.number) + len(b.number)/4
}

// index returns an index of the messages and terms that were added.
func (b *indexBuilder) index() index {
	if len(b.messages) == 0 {
		return b.done
	}
	order := make([]uint32, len(b.terms))
	for n := range order {
		order[n] = uint32(n)
	}
	slices.SortFunc(order, func(a, c uint32) int { return strings.Compare(b.terms[a], b.terms[c]) })
	ends := make([]int, len(b.terms)) // of the postings of each term, by its number
	for _, n := range b.termOf {
		ends[n]++
	}
	total := 0
	for n, count := range ends {
		ends[n] = total
		total += count
	}
	sorted := make([]uint16, total)
	for i, n := range b.termOf {
		sorted[ends[n]] = b.number[i]
		ends[n]++
	}
	s := &segment{messages: b.messages, terms: len(b.terms), postings: total}
	before := ""
	var postings []byte
	for i, n := range order {
		shared := 0
		if i%blockTerms == 0 {
			s.blocks = append(s.blocks, uint32(len(s.entries)))
		} else {
			shared = sharedPrefix(before, b.terms[n])
		}
		from := 0
		if n > 0 {
			from = ends[n-1]
		}
		before = b.terms[n]
		postings = appendPostings(postings[:0], sorted[from:ends[n]], len(s.messages))
		s.entries = appendBytes(binary.AppendUvarint(s.entries, uint64(shared)), []byte(before[shared:]))
		s.entries = appendBytes(s.entries, postings)
	}
	s.entries = bytes.Clone(s.entries) // without what it could grow by
	return append(b.done, s)
}

// sharedPrefix is the length of what two texts begin with.
func sharedPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// appendPostings appends the postings of a term.
func appendPostings(to []byte, numbers []uint16, messages int) []byte {
	from, before := len(to), -1
	for _, number := range numbers {
		to = binary.AppendUvarint(to, uint64(int(number)-before))
		before = int(number)
	}
	if size := bitmapSize(messages); len(to)-from >= size {
		to = append(to[:from], make([]byte, size)...)
		for _, number := range numbers {
			to[from+int(number)/8] |= 1 << (number % 8)
		}
	}
	return to
}
