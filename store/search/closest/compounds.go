package closest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model/analysis"
	"hermes-sessions/model/match"
)

// addHalves replaces the unit of a word that occurs nowhere with the units of the two words
// it runs together, as mergeconflict does merge and conflict. Of several ways to split it,
// the one nearest the middle is taken: short words are in many others by accident.
func (w *word) addHalves(ctx context.Context, s Source, word string) error {
	places, err := splits(ctx, s, word, minHalfLength)
	if err != nil || len(places) == 0 {
		return err
	}
	fromMiddle := func(at int) int { return max(at, len(word)-at) }
	at := slices.MinFunc(places, func(a, b int) int { return cmp.Compare(fromMiddle(a), fromMiddle(b)) })
	w.units, w.forms, w.corrected, w.inside = nil, nil, false, false
	for _, half := range []string{word[:at], word[at:]} {
		h, err := typedWord{term: match.Term{Text: half}}.lookUp(ctx, s)
		if err != nil {
			return err
		}
		w.units = append(w.units, h.units...)
	}
	return nil
}

// addApart adds the two words that a word that occurs nowhere runs together where texts have
// them side by side: docker compose, which docker-compose is too, for dockercompose.
func (w *word) addApart(ctx context.Context, s Source, word string) error {
	places, err := splits(ctx, s, word, minApart)
	if err != nil {
		return err
	}
	for _, at := range places {
		if err := w.addWhereFound(ctx, s, word[:at]+" "+word[at:]); err != nil {
			return err
		}
	}
	if len(w.forms) == 0 {
		return nil
	}
	return w.units[0].lookUp(ctx, s)
}

// minHalfLength is how many bytes each of two words has that were written together, minApart
// where texts have them side by side, and maxSplit how many both have.
const (
	minHalfLength = 3
	minApart      = 2
	maxSplit      = 60
)

// splits returns the places at which a word has two words of the texts, each of shortest bytes
// at least.
func splits(ctx context.Context, s Source, word string, shortest int) (places []int, err error) {
	for i := shortest; i <= len(word)-shortest && len(word) <= maxSplit; i++ {
		has := utf8.RuneStart(word[i])
		for _, half := range []string{word[:i], word[i:]} {
			if has {
				if has, err = s.HasTerm(ctx, half); err != nil {
					return nil, err
				}
			}
		}
		if has {
			places = append(places, i)
		}
	}
	return places, nil
}

// addWhereFound adds a form, if any message has it.
func (w *word) addWhereFound(ctx context.Context, s Source, form string) error {
	found, err := s.Rows(ctx, []match.Term{{Text: form}})
	if err == nil && found.Len() > 0 {
		w.addForm(form)
	}
	return err
}

// neighbors are two words of the query that texts may have as one: change log, changelog. One
// of them may be a function word: log in, login.
type neighbors struct {
	first, last   int // the places of those that are no function words, among the words
	typed, joined string
}

// particles are the function words that make another word with the one before or after.
var particles = strings.Fields("in out up down on off over by me my no")

// joins returns the neighbors that a and b are, if they may be one word. Each is a word of the
// query; a place below zero says that it is a function word.
func joins(a, b typedWord, first, last int) (pair []neighbors) {
	if a.quoted || b.quoted || !canBeHalf(a, b, first) || !canBeHalf(b, a, last) {
		return nil
	}
	if first < 0 {
		first = last
	} else if last < 0 {
		last = first
	}
	return []neighbors{{first, last, a.term.Text + " " + b.term.Text, strings.ToLower(a.term.Text + b.term.Text)}}
}

// canBeHalf reports whether a word may be one of the two of a compound, beside another. A
// number makes one with a word: 50 ms, utf 8.
func canBeHalf(w, other typedWord, place int) bool {
	text := strings.ToLower(w.term.Text)
	switch {
	case place < 0:
		return slices.Contains(particles, text)
	case isNumber(text):
		return !isNumber(other.term.Text)
	case isNumber(other.term.Text):
		return len(text) >= minApart && analysis.IsPlain(w.term.Text)
	}
	return len(text) >= minHalfLength && analysis.IsPlain(w.term.Text)
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789.") == "" }

// compound is two neighbors of the query that texts have as one.
type compound struct {
	neighbors
	unit int // the place of its unit among the units of the ranking
	word *word
}

// addCompounds looks up the words that two neighbors of the query make.
func (r *Ranking) addCompounds(ctx context.Context, s Source, pairs []neighbors, cache *Cache) error {
	for _, n := range pairs {
		if n.last >= len(r.words) {
			break
		}
		key := typedWord{term: match.Term{Text: n.joined}, compound: true}
		w, err := cache.lookUp(ctx, s, key, key.lookUp)
		if err != nil {
			return err
		}
		if len(w.units) == 1 && w.units[0].found() {
			r.compounds = append(r.compounds, compound{neighbors: n, unit: len(r.units), word: w})
			r.units = append(r.units, w.units[0])
		}
	}
	return nil
}
