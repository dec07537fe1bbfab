package unindexed

import (
	"math"
	"slices"
	"strings"

	"hermes-sessions/store/internal/idset"
)

// index is an inverted index in memory: which messages have a term. Its segments are never changed.
type index []*segment

// segment is the part of an index for some messages.
type segment struct {
	messages []int64  // by number; dead where a later segment has the message, or it was deleted
	terms    string   // sorted, one after the other
	ends     []uint32 // of the terms in terms
	starts   []uint32 // of the terms in postings, and its end
	postings []uint16 // the numbers of the messages with a term, or a bitmap of these where that is shorter
}

const dead = math.MinInt64

// These bound a segment, so that what is not sorted yet takes little memory.
const (
	maxMessages = 1 << 14
	maxPostings = 1 << 19
)

// bytes returns the memory of an index.
func (x index) bytes() (n int) {
	for _, s := range x {
		n += 8*len(s.messages) + len(s.terms) + 4*len(s.ends) + 4*len(s.starts) + 2*len(s.postings)
	}
	return n
}

// having returns the messages with a term, or with one that begins with it.
func (x index) having(term string, prefix bool) *idset.Set {
	return x.find(term, func(t string) bool { return prefix || t == term })
}

// find returns the messages with a term that begins with a text and passes.
func (x index) find(prefix string, passes func(term string) bool) *idset.Set {
	found := &idset.Set{}
	for _, s := range x {
		var numbers []uint64
		for i := s.from(prefix); i < len(s.ends) && strings.HasPrefix(s.term(i), prefix); i++ {
			if !passes(s.term(i)) {
				continue
			}
			if numbers == nil {
				numbers = make([]uint64, (len(s.messages)+63)/64)
			}
			s.each(i, func(number int) { numbers[number/64] |= 1 << (number % 64) })
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

// from returns the first term that is not below a text.
func (s *segment) from(text string) int {
	low, high := 0, len(s.ends)
	for low < high {
		if middle := (low + high) / 2; s.term(middle) < text {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (s *segment) term(i int) string {
	from := uint32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.terms[from:s.ends[i]]
}

// each calls each with the numbers of the messages with a term.
func (s *segment) each(i int, each func(number int)) {
	list := s.postings[s.starts[i]:s.starts[i+1]]
	if len(list) < bitmapSize(len(s.messages)) {
		for _, number := range list {
			each(int(number))
		}
		return
	}
	for at, bits := range list {
		for bit := range 16 {
			if bits>>bit&1 != 0 {
				each(at*16 + bit)
			}
		}
	}
}

// bitmapSize is the length of a bitmap in postings.
func bitmapSize(messages int) int { return (messages + 15) / 16 }

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
		if len(last.messages)+len(before.messages) > maxMessages || len(last.postings)+len(before.postings) > maxPostings/2 ||
			len(last.messages)*2 < len(before.messages) {
			break
		}
		var b indexBuilder
		for _, s := range []*segment{before, last} {
			terms := make([][]int, len(s.messages))
			for i := range s.ends {
				s.each(i, func(number int) { terms[number] = append(terms[number], i) })
			}
			for number, message := range s.messages {
				if message != dead {
					b.begin(message)
					for _, i := range terms[number] {
						b.add([]byte(s.term(i)))
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
	if len(b.messages) == maxMessages || len(b.number) >= maxPostings {
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
		b.size += len(term) + 8
	}
	if b.lastIn[n] == len(b.messages) {
		return
	}
	b.lastIn[n] = len(b.messages)
	b.termOf, b.number = append(b.termOf, n), append(b.number, uint16(len(b.messages)-1))
}

// bytes estimates the memory of the index, at most.
func (b *indexBuilder) bytes() int {
	return b.done.bytes() + 8*len(b.messages) + b.size + 2*len(b.number)
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
	s := &segment{messages: b.messages, starts: []uint32{0}}
	var terms strings.Builder
	for _, n := range order {
		terms.WriteString(b.terms[n])
		s.ends = append(s.ends, uint32(terms.Len()))
		from := 0
		if n > 0 {
			from = ends[n-1]
		}
		list := sorted[from:ends[n]]
		if size := bitmapSize(len(s.messages)); len(list) >= size {
			bitmap := make([]uint16, size)
			for _, number := range list {
				bitmap[number/16] |= 1 << (number % 16)
			}
			list = bitmap
		}
		s.postings = append(s.postings, list...)
		s.starts = append(s.starts, uint32(len(s.postings)))
	}
	s.terms, s.ends, s.starts, s.postings = terms.String(), slices.Clip(s.ends), slices.Clip(s.starts), slices.Clip(s.postings)
	return append(b.done, s)
}
