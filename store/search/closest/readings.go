package closest

import (
	"cmp"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// Readings returns the words that stand in other forms.
func (r *Ranking) Readings() (out []model.WordReading) {
	for _, w := range r.words {
		if len(w.forms) > 0 {
			out = append(out, model.WordReading{Word: w.term.Text, Forms: w.forms, Corrected: w.corrected})
		}
	}
	return out
}

// Groups returns the alternatives any of which is a word in any form.
func (r *Ranking) Groups() (groups []match.Group) {
	for _, u := range r.units {
		groups = append(groups, groupsOf(u.terms())...)
	}
	return groups
}

// Missing returns how many words the query has, and those that a candidate lacks,
// the rarest first. A word that stands for its parts is missing where less than half
// of them, by weight, stand in the conversation.
func (r *Ranking) Missing(c Candidate) (words int, missing []string) {
	type lack struct {
		text   string
		rarity int
	}
	var lacks []lack
	at := 0
	for _, w := range r.words {
		all, found, rarity := 0.0, 0.0, 0
		for _, u := range w.units {
			all += u.weight
			rarity = max(rarity, u.rarity)
			if c.has[at] {
				found += u.weight
			}
			at++
		}
		if found < all/2 || all == 0 {
			lacks = append(lacks, lack{w.term.Text, rarity})
		}
	}
	slices.SortStableFunc(lacks, func(a, b lack) int { return cmp.Compare(a.rarity, b.rarity) })
	for _, l := range lacks {
		missing = append(missing, l.text)
	}
	return len(r.words), missing
}
