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
		reading := model.WordReading{Word: w.term.Text, Forms: w.forms, Corrected: w.corrected, Inside: w.inside}
		if len(w.units) == 1 {
			reading.Conversations = w.units[0].rarity
		} else {
			for _, u := range w.units {
				part := model.WordReading{Word: u.typed[0].Text, Conversations: u.rarity}
				for _, t := range u.others {
					if part.Inside = t.Within; !t.Within && !t.Prefix {
						part.Forms = append(part.Forms, t.Text)
					}
				}
				reading.Parts = append(reading.Parts, part)
			}
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

// Missing returns how many words the query has, and those that a candidate lacks,
// the rarest first. A word that is searched for by its parts is missing where the
// conversation has less than half of them, by weight. A misspelled word is returned as its
// most frequent correction.
func (r *Ranking) Missing(c Candidate) (words int, missing []string) {
	type missingWord struct {
		text   string
		rarity int
	}
	var absent []missingWord
	at := 0
	for i, w := range r.words {
		if !w.mostly(func(i int) bool { return c.has[at+i] }) && !r.inCompound(i, func(unit int) bool { return c.has[unit] }) {
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
		at += len(w.units)
	}
	sort.SliceStable(absent, func(i, j int) bool { return absent[i].rarity < absent[j].rarity })
	for _, word := range absent {
		missing = append(missing, word.text)
	}
	return len(r.words), missing
}

// Together reports whether the best message of a candidate has all words.
func (r *Ranking) Together(c Candidate) bool {
	for i, w := range r.words {
		if !w.mostly(func(i int) bool { return w.units[i].inMessage(c.Message) }) &&
			!r.inCompound(i, func(unit int) bool { return r.units[unit].inMessage(c.Message) }) {
			return false
		}
	}
	return c.Message != 0
}

// OutOfScope reports whether the scope of the list hides a candidate.
func (c Candidate) OutOfScope() bool { return c.visibility != Shown }

// inCompound reports whether a word of the query is part of a compound whose unit has a
// property.
func (r *Ranking) inCompound(word int, has func(unit int) bool) bool {
	return slices.ContainsFunc(r.compounds, func(c compound) bool {
		return c.first <= word && word <= c.last && has(c.unit)
	})
}

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
