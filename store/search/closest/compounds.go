package closest

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model/analysis"
	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
)

// addHalves replaces the unit of a word that occurs nowhere with the units of the two words
// it runs together, as mergeconflict does merge and conflict. Of several ways to split it,
// the one nearest the middle is taken: short words are in many others by accident. A word of
// the language is only made of others, as checklist is: absent is not abs and ent.
func (w *word) addHalves(ctx context.Context, s Source, word string) error {
	ways, err := splits(ctx, s, word, 2)
	if err != nil {
		return err
	}
	best, halves := minHalfLength-1, [2]string{}
	for _, way := range ways {
		first, second, _ := strings.Cut(way, " ")
		if w.english && !(analysis.IsEnglish(first) && analysis.IsEnglish(second)) {
			continue
		}
		if shorter := min(len(first), len(second)); shorter > best {
			best, halves = shorter, [2]string{first, second}
		}
	}
	if best < minHalfLength {
		return nil
	}
	w.units = nil
	w.forms = nil
	w.corrected = false
	w.inside = false
	w.halves = true
	for _, half := range halves {
		h, err := typedWord{term: match.Term{Text: half}}.lookUp(ctx, s)
		if err != nil {
			return err
		}
		w.units = append(w.units, h.units...)
	}
	return nil
}

// addApart adds the words that a word that occurs nowhere runs together where texts have them
// side by side: docker compose, which docker-compose is too, for dockercompose.
func (w *word) addApart(ctx context.Context, s Source, word string) error {
	ways, err := splits(ctx, s, word, maxApart)
	if err != nil {
		return err
	}
	if camel := analysis.CamelApart(w.term.Text); camel != word && !slices.Contains(ways, camel) {
		ways = slices.Insert(ways, 0, camel)
	}
	for _, way := range ways[:min(len(ways), maxWays)] {
		if err := w.addWhereFound(ctx, s, way); err != nil {
			return err
		}
	}
	if len(w.forms) == 0 {
		return nil
	}
	return w.units[0].lookUp(ctx, s)
}

const (
	minHalfLength = 3  // bytes of each of two words that were written together
	minApart      = 2  // the same where texts have them side by side
	maxApart      = 3  // such words
	maxWays       = 12 // ways to split a word that are looked for
	maxSplit      = 60 // bytes of a word that is split
)

// splits returns the ways to split a word into 2 to most words of the texts, those into fewer
// words first.
func splits(ctx context.Context, s Source, word string, most int) (ways []string, err error) {
	var more []string
	for i := minApart; i <= len(word)-minApart && len(word) <= maxSplit; i++ {
		if !utf8.RuneStart(word[i]) {
			continue
		}
		if has, err := s.HasTerm(ctx, word[:i]); err != nil {
			return nil, err
		} else if !has {
			continue
		}
		if has, err := s.HasTerm(ctx, word[i:]); err != nil {
			return nil, err
		} else if has {
			ways = append(ways, word[:i]+" "+word[i:])
		}
		if most > 2 {
			rest, err := splits(ctx, s, word[i:], most-1)
			if err != nil {
				return nil, err
			}
			for _, r := range rest {
				more = append(more, word[:i]+" "+r)
			}
		}
	}
	return append(ways, more...), nil
}

// addWhereFound adds a form, if any text has it.
func (w *word) addWhereFound(ctx context.Context, s Source, form string) error {
	has, err := s.HasTerm(ctx, form)
	if err == nil && strings.ContainsAny(form, " .") {
		var found *idset.Set
		found, err = s.Rows(ctx, []match.Term{{Text: form}})
		has = err == nil && found.Len() > 0
	}
	if has {
		w.addForm(form)
	}
	return err
}

// neighbors are two or three words of the query that texts may have as one: change log,
// changelog. One of two may be a function word: log in, login.
type neighbors struct {
	first, last int // the places of those that are no function words, among the words
	typed       string
}

// placedWord is a word of the query with its place among those that are no function words,
// below zero for a function word.
type placedWord struct {
	typedWord
	place int
}

// particles are the function words that make another word with the one before or after.
var particles = strings.Fields("in out up down on off over by me my no")

// neighborsOf returns the neighbors among the words of a query.
func neighborsOf(words []placedWord) (found []neighbors) {
	last, pair := -1, "" // the last word that is no function word, and what it made with the one before
	for i, w := range words {
		if i > 0 && (words[i-1].place < 0) != (w.place < 0) && canJoin(words[i-1], w) {
			place := max(w.place, words[i-1].place)
			found = append(found, neighbors{place, place, words[i-1].term.Text + " " + w.term.Text})
		}
		if w.place < 0 {
			continue
		}
		joined := ""
		if last >= 0 && canJoin(words[last], w) {
			if joined = words[last].term.Text + " " + w.term.Text; pair != "" {
				found = append(found, neighbors{w.place - 2, w.place, pair + " " + w.term.Text})
			}
			found = append(found, neighbors{w.place - 1, w.place, joined})
		}
		last, pair = i, joined
	}
	return found
}

// canJoin reports whether two neighbors may be one word. A number makes one with a word:
// 50 ms, utf 8.
func canJoin(a, b placedWord) bool {
	return !a.quoted && !b.quoted && canBeHalf(a, isNumber(b.term.Text)) && canBeHalf(b, isNumber(a.term.Text))
}

func canBeHalf(w placedWord, besideNumber bool) bool {
	text := w.term.Text
	switch {
	case w.place < 0:
		return slices.Contains(particles, strings.ToLower(text))
	case isNumber(text):
		return !besideNumber
	case besideNumber:
		return len(text) >= minApart && analysis.IsPlain(text)
	}
	return len(text) >= minHalfLength && analysis.IsPlain(text)
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789.") == "" }

// compound is neighbors of the query that texts have as one.
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
		key := typedWord{term: match.Term{Text: strings.ToLower(strings.ReplaceAll(n.typed, " ", ""))}, compound: true}
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
