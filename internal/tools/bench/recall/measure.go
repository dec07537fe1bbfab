package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// result is a question with what each program answered.
type result struct {
	question
	answers []answer // in the order of the programs
}

// answer is where a program has the conversation that is meant.
type answer struct {
	rank  int  // 1 is the first, 0 is not found
	empty bool // nothing at all was found
	close int  // rows that have not all words in one message, of the browser
	lost  bool // the conversation is further away, and so not shown

	further int // rows that are further away
	took    time.Duration
}

// measure asks every program every question.
func measure(ctx context.Context, programs []program, all []question) ([]result, error) {
	results := make([]result, 0, len(all))
	for _, q := range all {
		r := result{question: q}
		for _, p := range programs {
			a, err := ask(ctx, p, q.Query, q.roots)
			if err != nil {
				return nil, err
			}
			r.answers = append(r.answers, a)
		}
		results = append(results, r)
	}
	return results, nil
}

func ask(ctx context.Context, p program, text string, roots map[string]bool) (answer, error) {
	found, err := p.search(ctx, text)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %q: %w", p.name, text, err)
	}
	a := answer{close: found.close, further: found.furtherCount, took: found.took, empty: len(found.roots) == 0}
	a.rank = 1 + slices.IndexFunc(found.roots, func(root string) bool { return roots[root] })
	a.lost = a.rank == 0 && slices.ContainsFunc(found.withFurther, func(root string) bool { return roots[root] })
	return a, nil
}

// figures are what a program scores on some questions, in percent except the
// mean reciprocal rank.
type figures struct {
	first, five, ten float64
	mrr              float64
	empty            float64

	close, further int           // the medians of the close rows shown, and of those further away
	lost           float64       // right answers that are further away, and so not shown
	p95            time.Duration // of the time that an answer took
}

func score(results []result, program int) (f figures) {
	var near, further []int
	var took []time.Duration
	for _, r := range results {
		a := r.answers[program]
		if a.rank == 1 {
			f.first++
		}
		if a.rank >= 1 && a.rank <= 5 {
			f.five++
		}
		if a.rank >= 1 && a.rank <= 10 {
			f.ten++
		}
		if a.rank > 0 {
			f.mrr += 1 / float64(a.rank)
		}
		if a.empty {
			f.empty++
		}
		if a.lost {
			f.lost++
		}
		near, further, took = append(near, a.close), append(further, a.further), append(took, a.took)
	}
	slices.Sort(near)
	slices.Sort(further)
	slices.Sort(took)
	if len(near) > 0 {
		f.close, f.further, f.p95 = near[len(near)/2], further[len(further)/2], took[len(took)*95/100]
	}
	n := float64(max(len(results), 1))
	return figures{
		first: 100 * f.first / n, five: 100 * f.five / n, ten: 100 * f.ten / n, mrr: f.mrr / n, empty: 100 * f.empty / n,
		close: f.close, further: f.further, lost: 100 * f.lost / n, p95: f.p95,
	}
}

// lost is a question of which a beginning has the conversation among the first five,
// and the whole has not.
type lost struct {
	question
	prefix string // the longest such beginning
	before answer // to prefix
	whole  answer // to all of it
}

// way is what a program answers while questions are typed.
type way struct {
	questions int    // of more than one word
	lost      []lost // of these
	// five is how many of the questions of four words or more, whole, have their
	// conversation among the first five after each quarter of their words.
	five  [4]int
	whole int
}

// onTheWay asks a program every question of more than one word up to the end of each
// word.
func onTheWay(ctx context.Context, p program, all []question) (w way, err error) {
	for _, q := range all {
		parts := prefixes(q.Query)
		if len(parts) < 2 {
			continue
		}
		w.questions++
		l, answers := lost{question: q}, make([]answer, len(parts))
		for i, part := range parts {
			if answers[i], err = ask(ctx, p, part, q.roots); err != nil {
				return way{}, err
			}
			if i < len(parts)-1 && answers[i].amongFive() {
				l.prefix, l.before = part, answers[i]
			}
		}
		if l.whole = answers[len(parts)-1]; l.prefix != "" && !l.whole.amongFive() {
			w.lost = append(w.lost, l)
		}
		if len(parts) < len(w.five) {
			continue
		}
		w.whole++
		for i := range w.five {
			if answers[(i+1)*len(parts)/len(w.five)-1].amongFive() {
				w.five[i]++
			}
		}
	}
	return w, nil
}

func (a answer) amongFive() bool { return a.rank >= 1 && a.rank <= 5 }

// prefixes returns the beginnings of a text that end with a word, the whole last. In
// scripts without spaces every character may end a word.
func prefixes(text string) (all []string) {
	text = strings.TrimSpace(text)
	letters := []rune(text)
	for i, r := range letters {
		if i+1 < len(letters) && !unicode.IsSpace(letters[i+1]) &&
			!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			continue
		}
		if !unicode.IsSpace(r) {
			all = append(all, string(letters[:i+1]))
		}
	}
	return all
}
