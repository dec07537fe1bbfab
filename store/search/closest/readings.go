package closest

import (
	"slices"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// Readings returns the words, and parts of words, that are searched for in other forms too.
func (r *Ranking) Readings() (out []model.WordReading) {
	for _, w := range r.Words() {
		for _, one := range append(w.Parts, w) {
			if len(one.Forms) > 0 {
				out = append(out, one)
			}
		}
	}
	return out
}

// Words returns all words of the ranking, with the forms and parts that are searched for.
func (r *Ranking) Words() (out []model.WordReading) {
	for _, w := range r.words {
		reading := model.WordReading{Word: w.term.Text, Forms: w.forms, Corrected: w.corrected, Inside: w.inside, English: w.english}
		parts := w.units
		if len(w.units) == 1 || w.whole {
			reading.Conversations, parts = w.units[0].rarity, w.units[1:]
		}
		for _, u := range parts {
			part := model.WordReading{Word: u.typed[0].Text, Conversations: u.rarity}
			for _, t := range u.others {
				if part.Inside = t.Within; !t.Within && !t.Prefix {
					part.Forms = append(part.Forms, t.Text)
				}
			}
			reading.Parts = append(reading.Parts, part)
		}
		out = append(out, reading)
	}
	for _, c := range r.compounds {
		out = append(out, model.WordReading{
			Word: c.typed, Forms: slices.Concat([]string{c.word.term.Text}, c.word.forms), Conversations: c.word.units[0].rarity,
		})
	}
	return out
}

// FunctionWords returns the words that were left out.
func (r *Ranking) FunctionWords() (out []string) {
	for _, w := range r.functionWords {
		out = append(out, w.term.Text)
	}
	return out
}

// Groups returns alternatives that match where any word is, in any of its forms.
func (r *Ranking) Groups() (groups []match.Group) {
	for _, w := range r.words {
		for _, u := range w.units {
			groups = append(groups, groupsOf(u.terms())...)
		}
	}
	for _, c := range r.compounds {
		groups = append(groups, groupsOf(c.word.units[0].terms())...)
	}
	return groups
}

// Spans returns the stretches of time that words of the query name.
func (r *Ranking) Spans() (out []model.SpanReading) {
	for _, s := range r.spans {
		out = append(out, model.SpanReading{Words: s.Words, Span: s.String()})
	}
	return out
}

// Missing returns how many words the query has, and those that a candidate lacks,
// the rarest first. A word that no text has as a whole is in parts where the conversation has
// any of them. A misspelled word is returned as its most frequent correction.
func (r *Ranking) Missing(c Candidate) (words int, missing []string, inParts bool) {
	type missingWord struct {
		text   string
		rarity int
	}
	var absent []missingWord
	has := func(unit int) bool { return c.has[unit] }
	for i, w := range r.words {
		if r.hasWord(i, c, has) {
			inParts = inParts || len(w.units) > 1 && !r.hasByDateOrCompound(i, c, has) && !r.hasWhole(i, has)
			continue
		}
		if len(w.units) > 1 && !w.halves && r.hasPart(i, has) {
			inParts = true
			continue
		}
		rarity := 0
		for _, u := range w.units {
			rarity = max(rarity, u.rarity)
		}
		text := w.term.Text
		if w.corrected {
			text = w.forms[0]
		}
		absent = append(absent, missingWord{text, rarity})
	}
	sort.SliceStable(absent, func(i, j int) bool { return absent[i].rarity < absent[j].rarity })
	for _, word := range absent {
		missing = append(missing, word.text)
	}
	return len(r.words), missing, inParts
}

// hasWord reports whether a candidate has a word or most of its parts, if its units that has
// reports are there. Two halves of a word are not the word.
func (r *Ranking) hasWord(i int, c Candidate, has func(unit int) bool) bool {
	w := r.words[i]
	return r.hasByDateOrCompound(i, c, has) || r.hasWhole(i, has) || !w.halves && w.mostly(func(at int) bool { return has(r.firstUnit[i] + at) })
}

// hasWhole reports whether a word is there that is also looked for in parts.
func (r *Ranking) hasWhole(i int, has func(unit int) bool) bool {
	return r.words[i].whole && has(r.firstUnit[i])
}

// hasByDateOrCompound reports whether a candidate was active in the time that a word names, or has a
// word that this one makes with its neighbors.
func (r *Ranking) hasByDateOrCompound(i int, c Candidate, has func(unit int) bool) bool {
	return r.isDate(i) && c.inSpan[r.spanOf[i]] ||
		slices.ContainsFunc(r.compounds, func(made compound) bool { return made.first <= i && i <= made.last && has(made.unit) })
}

// hasAll is hasWord for all words.
func (r *Ranking) hasAll(c Candidate, has func(unit int) bool) bool {
	for i := range r.words {
		if !r.hasWord(i, c, has) {
			return false
		}
	}
	return true
}

// hasPart reports whether any unit of a word is there.
func (r *Ranking) hasPart(i int, has func(unit int) bool) bool {
	for at := range r.words[i].units {
		if has(r.firstUnit[i] + at) {
			return true
		}
	}
	return false
}

// Together reports whether the best message of a candidate has all words.
func (r *Ranking) Together(c Candidate) bool {
	return c.Message != 0 && r.hasAll(c, func(unit int) bool { return r.units[unit].inMessage(c.Message) })
}

// standing returns how much of the query a candidate has. topical says that there are words
// that are no dates.
func (r *Ranking) standing(c *Candidate, topical bool) standing {
	switch {
	case topical && c.topic == 0:
		return withoutTopic
	case !r.hasAll(*c, func(unit int) bool { return c.has[unit] }):
		return someWords
	case r.guesses(c):
		return likelyAll
	case r.Together(*c):
		return allTogether
	}
	return allWords
}

// guesses reports whether a word of the query is read as another one, by its parts or as a part
// of longer ones, and the candidate is not one of the time that the word names.
func (r *Ranking) guesses(c *Candidate) bool {
	for i, w := range r.words {
		if (w.corrected || w.inside || len(w.units) > 1 && !r.hasWhole(i, func(unit int) bool { return c.has[unit] })) && !(r.isDate(i) && c.inSpan[r.spanOf[i]]) {
			return true
		}
	}
	return false
}

// HasAllWords reports whether a candidate has all words of the query, in some form.
func (c Candidate) HasAllWords() bool { return c.standing >= allWords }

// OutOfScope reports whether the scope of the list hides a candidate.
func (c Candidate) OutOfScope() bool { return c.visibility != Shown }

// mostly reports whether at least half of a word, by the weights of its units, has a
// property.
func (w *word) mostly(has func(unit int) bool) bool {
	all, found := 0.0, 0.0
	for i, u := range w.units {
		all += u.weight
		if has(i) {
			found += u.weight
		}
	}
	return all > 0 && found >= all/2
}
