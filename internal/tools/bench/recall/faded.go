package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// fadedKind is the kind of a question without its two rarest words. No file has it.
const fadedKind = "faded"

// fewestFaded is how many words a question has at least that is asked as a faded one.
const fewestFaded = 5

// faded returns the questions without their two rarest words: what is left of them when
// the words that tell most are forgotten. Rarity is over conversations. A word that
// stands in no conversation stays in the question, as no search gains by it.
func faded(ctx context.Context, s *store.Store, all []question) ([]question, error) {
	var made []question
	for _, q := range all {
		words := strings.Fields(q.Query)
		if q.Kind != "question" || len(words) < fewestFaded {
			continue
		}
		counts := make([]int, len(words))
		for i, w := range words {
			var err error
			if counts[i], err = conversationsWith(ctx, s, w); err != nil {
				return nil, err
			}
		}
		for range 2 {
			rarest := -1
			for i, n := range counts {
				if n > 0 && (rarest < 0 || n < counts[rarest]) {
					rarest = i
				}
			}
			if rarest >= 0 {
				words, counts = slices.Delete(words, rarest, rarest+1), slices.Delete(counts, rarest, rarest+1)
			}
		}
		q.Query, q.Kind = strings.Join(words, " "), fadedKind
		made = append(made, q)
	}
	return made, nil
}

// conversationsWith counts the conversations that have a word as it is.
func conversationsWith(ctx context.Context, s *store.Store, word string) (int, error) {
	word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if word == "" {
		return 0, nil
	}
	found, err := s.Search(ctx, query.Parse(strconv.Quote(word), false), query.ListOptions{Limit: 1})
	return found.Conversations, err
}
