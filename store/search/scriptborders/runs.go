package scriptborders

import (
	"cmp"
	"slices"
	"strings"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
)

// maxRunMessages bounds the messages whose runs are known. Their texts are read once, in a
// quarter of a second: to look for a word in the trigrams of each takes a key 3 ms more.
const maxRunMessages = 20_000

// runs are the words after a script without spaces in the texts of messages.
type runs struct {
	read idset.Set // messages whose runs these are
	all  []run     // by text, also of messages that were written since
}

// run is a word after a script without spaces, see [match.RunsBehindScripts].
type run struct {
	text    string
	message int64
}

// Texts collects the runs of messages. The zero value has none.
type Texts struct {
	read  idset.Set
	all   []run
	texts map[string]string // each once
}

// Add adds the texts of a message, JSON escapes decoded.
func (t *Texts) Add(message int64, texts ...string) {
	t.read.Add(message)
	for _, text := range texts {
		match.RunsBehindScripts(text, func(text string) {
			known, ok := t.texts[text]
			if !ok {
				if t.texts == nil {
					t.texts = map[string]string{}
				}
				known = strings.Clone(text)
				t.texts[known] = known
			}
			t.all = append(t.all, run{known, message})
		})
	}
}

// add adds the runs of messages.
func (r *runs) add(t *Texts) {
	r.all = slices.DeleteFunc(r.all, func(known run) bool { return !r.read.Has(known.message) })
	r.all = append(r.all, t.all...)
	r.read.Union(&t.read)
	slices.SortFunc(r.all, func(a, b run) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.message, b.message))
	})
	r.all = slices.Clip(slices.Compact(r.all))
}

// rows returns the messages with a run that is a word, or begins with it. The set is the
// caller's.
func (r *runs) rows(word string, prefix bool) *idset.Set {
	found := &idset.Set{}
	from, _ := slices.BinarySearchFunc(r.all, word, func(known run, word string) int { return strings.Compare(known.text, word) })
	for _, known := range r.all[from:] {
		if known.text != word && !(prefix && strings.HasPrefix(known.text, word)) {
			break
		}
		if r.read.Has(known.message) {
			found.Add(known.message)
		}
	}
	return found
}
