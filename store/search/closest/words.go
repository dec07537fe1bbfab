package closest

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/analysis"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
)

// typedWord is a word of a query as it was typed.
type typedWord struct {
	term     match.Term
	quoted   bool // only as typed
	compound bool // made of two words of the query; only where texts have it
	phrase   bool // two words of the query, side by side in a text
	date     bool // names a time beside words for the topic: it is no misspelling, and its parts say nothing
}

// word is a word of a query with the forms that the texts have of it. It is not changed
// once it was looked up.
type word struct {
	typedWord
	forms     []string // other forms that texts have: inflections, corrected spellings
	corrected bool     // no text has the word; forms are corrections of it, or it without marks
	english   bool     // no text has the word, but it is one: it is not corrected
	halves    bool     // no text has the word; units are two that it may run together
	whole     bool     // the first of units is the word, the others are its parts
	inside    bool     // no text has the word by itself; it is looked for inside others
	units     []*unit  // one, or the parts of a word that no text has as a whole
}

// unit is the terms that are looked up for a word, or for a part of it, and where they are.
type unit struct {
	typed, others []match.Term // others: other forms
	stem, prefix  string       // of the inflections of the word, "" where it has none
	share         float64      // of its weight that counts
	weight        float64      // rarity × share
	rarity        int          // conversations that have it

	rows          *idset.Set // messages with any of the terms, nil where ids has them
	ids           []int64    // the same, where that is smaller
	messages      int        // how many
	conversations []int32    // with such messages
	frequencies   []float32  // how many messages each has, weighted by form and role
	titles        []int32    // conversations with any of the terms in the title
	ofSource      []int32    // conversations whose source is the word, where it is not in quotes
	sourceWeight  float64    // of the word as a source
}

// terms returns all terms of the unit.
func (u *unit) terms() []match.Term { return slices.Concat(u.typed, u.others) }

// split returns the words of a query, at most maxWords, each once: of tests and testing
// the first, unless the second may still become another word. Function words, and those that
// say when the conversation was, are returned apart, unless there are no other words. pairs
// are the words that may be one. With dates it sets those of the words, seen from now.
func (r *Ranking) split(q query.Query, now time.Time, dates bool) (words, functionWords []typedWord, pairs []neighbors) {
	quoted, stems := map[string]bool{}, map[string]bool{}
	for _, text := range q.Quoted() {
		quoted[text] = true
	}
	terms := q.Terms()
	texts := make([]string, len(terms))
	for i, t := range terms {
		if !quoted[t.Text] {
			texts[i] = strings.ToLower(t.Text)
		}
	}
	saysWhen := analysis.TimeWords(texts)
	if dates {
		r.spans = analysis.Spans(texts, now)
	}
	var all []placedWord
	for i, t := range terms {
		w := typedWord{term: t, quoted: quoted[t.Text]}
		if !w.quoted && (isFunctionWord(t.Text) || saysWhen[i]) {
			functionWords, all = append(functionWords, w), append(all, placedWord{w, -1})
			continue
		}
		if !w.quoted {
			w.term = withoutPossessive(t)
			stem := strings.ToLower(w.term.Text)
			if analysis.IsPlain(stem) {
				stem = analysis.Stem(stem)
			}
			if stems[stem] && !t.Prefix {
				continue
			}
			stems[stem] = true
		}
		span := slices.IndexFunc(r.spans, func(s analysis.Span) bool { return s.First <= i && i <= s.Last })
		words, all = append(words, w), append(all, placedWord{w, len(words)})
		r.spanOf = append(r.spanOf, span)
	}
	if len(words) == 0 {
		words = functionWords
		functionWords = nil
		r.spanOf = nil
	}
	if topical := slices.Contains(r.spanOf, -1); topical {
		for i, span := range r.spanOf {
			words[i].date = span >= 0
		}
	}
	return words[:min(len(words), maxWords)], functionWords, neighborsOf(all)
}

// withoutPossessive returns user for user's, which few of the texts about a user have.
func withoutPossessive(t match.Term) match.Term {
	owner, ok := strings.CutSuffix(strings.ReplaceAll(t.Text, "’", "'"), "'s")
	if !ok || !analysis.IsPlain(owner) {
		return t
	}
	return match.Term{Text: owner}
}

// maxWords is how many words of a query a ranking uses.
const maxWords = 50

// isFunctionWord reports whether a word is a function word, also one such as what's. An
// option of one letter, as in pnpm -r publish, is one: many commands have it.
func isFunctionWord(word string) bool {
	if len(word) == 2 && word[0] == '-' {
		return true
	}
	word, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(word), "’", "'"), "'")
	return analysis.IsFunctionWord(word)
}

// lookUp finds the messages and titles that have the unit, and weighs it.
func (u *unit) lookUp(ctx context.Context, s Source) error {
	if err := u.readRows(ctx, s); err != nil {
		return err
	}
	if !leavesOut(ctx, Titles) {
		u.titles = u.matchTitles(s)
	}
	// A word that only titles have is as rare as they are, and so is one that is only a source.
	u.rarity = max(len(u.conversations), len(u.titles))
	u.rarity = cmp.Or(u.rarity, len(u.ofSource))
	weigh := func(rarity int) float64 {
		if leavesOut(ctx, Rarity) {
			return u.share
		}
		return u.share * math.Log(1+float64(s.ConversationCount())/float64(1+rarity))
	}
	u.weight, u.sourceWeight = weigh(u.rarity), weigh(len(u.ofSource))
	return nil
}

// matchTitles returns the conversations with any of the terms in the title. Titles are
// in no index of words, so the inflections of a word are looked for by their stem.
func (u *unit) matchTitles(s Source) []int32 {
	if u.prefix == "" {
		return s.Titles(match.NewMatcher(groupsOf(u.terms())))
	}
	groups := groupsOf(append(u.terms(), match.Term{Text: u.prefix, Prefix: true}))
	exact := match.NewMatcher(groupsOf(u.terms()))
	return slices.DeleteFunc(s.Titles(match.NewMatcher(groups)), func(n int32) bool {
		title := s.Title(n)
		return !exact.Match(title) && !slices.ContainsFunc(analysis.Segments(title), func(word analysis.Segment) bool {
			folded := strings.ToLower(word.Text)
			return analysis.IsPlain(folded) && analysis.Stem(folded) == u.stem
		})
	})
}

// readRows finds the messages of the unit and counts them by conversation.
func (u *unit) readRows(ctx context.Context, s Source) error {
	typed, err := s.Rows(ctx, u.typed)
	if err != nil {
		return err
	}
	u.rows = typed
	u.ids = nil
	u.conversations = nil
	counts := make([]float32, s.ConversationCount())
	count := func(ids *idset.Set, weight float32) error {
		return s.Count(ctx, ids, func(n, bySpeakers, byTools int32) {
			if counts[n] == 0 {
				u.conversations = append(u.conversations, n)
			}
			counts[n] += weight * (float32(bySpeakers) + toolWeight*float32(byTools))
		})
	}
	if err := count(typed, 1); err != nil {
		return err
	}
	if len(u.others) > 0 {
		others, err := s.Rows(ctx, u.others)
		if err != nil {
			return err
		}
		others.Subtract(typed)
		if err := count(others, formWeight); err != nil {
			return err
		}
		u.rows.Union(others)
	}
	if u.messages = u.rows.Len(); 8*u.messages < u.rows.Bytes() {
		u.ids, u.rows = u.rows.Rowids(), nil
	}
	u.conversations = slices.Clone(u.conversations) // its array may be twice as large
	u.frequencies = make([]float32, len(u.conversations))
	for i, n := range u.conversations {
		u.frequencies[i] = counts[n]
	}
	return nil
}

// all iterates over the messages with any of the terms.
func (u *unit) all() iter.Seq[int64] {
	if u.rows == nil {
		return slices.Values(u.ids)
	}
	return u.rows.All()
}

// inMessage reports whether a message has any of the terms.
func (u *unit) inMessage(id int64) bool {
	if u.rows != nil {
		return u.rows.Has(id)
	}
	_, ok := slices.BinarySearch(u.ids, id)
	return ok
}

// found reports whether any message or title has the unit, also a message of a conversation
// that the source does not know yet.
func (u *unit) found() bool { return u.rarity > 0 || u.messages > 0 }

// lookUp finds the forms that texts have of a word: the word and its inflections; where no
// text has these, its parts, or words that it may be a misspelling or a part of, or two
// words that it was written together of.
func (t typedWord) lookUp(ctx context.Context, s Source) (*word, error) {
	u := &unit{typed: []match.Term{t.term}, share: 1}
	w := &word{typedWord: t, units: []*unit{u}}
	if t.quoted {
		return w, u.lookUp(ctx, s)
	}
	if !leavesOut(ctx, Titles) {
		u.ofSource = s.OfSource(t.term.Text)
	}
	if t.compound && isAlphanumeric(t.term.Text) {
		if has, err := s.HasTerm(ctx, t.term.Text); err != nil || !has {
			return &word{typedWord: t}, err
		}
	}
	if t.term.Prefix { // the word itself counts more than longer words
		u.typed, u.others = []match.Term{{Text: t.term.Text}}, []match.Term{t.term}
	}
	folded, err := w.addForms(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := u.lookUp(ctx, s); err != nil || t.compound || t.date {
		return w, err
	}
	if u.found() {
		return w, w.addPartsOfText(ctx, s)
	}
	w.forms, u.others = nil, nil
	if bare := withoutMarks(t.term.Text); bare != t.term.Text {
		b, err := typedWord{term: match.Term{Text: bare, Prefix: t.term.Prefix}}.lookUp(ctx, s)
		if err != nil || !slices.ContainsFunc(b.units, (*unit).found) {
			return w, err
		}
		if has, err := s.HasTerm(ctx, strings.ToLower(bare)); err != nil {
			return nil, err
		} else if has {
			b.forms = []string{bare}
		}
		b.typedWord, b.corrected = t, len(b.forms) > 0
		return b, nil
	}
	if parts := partsOf(t.term); len(parts) > 0 {
		return w, w.addParts(ctx, s, parts)
	}
	letters := isWord(folded)
	if letters {
		err := w.addApart(ctx, s, folded)
		if err != nil || u.found() && analysis.IsPlain(t.term.Text) { // userNames may be userName too
			return w, err
		}
	}
	w.english = letters && analysis.IsEnglish(folded)
	if letters && !w.english && !leavesOut(ctx, Typos) {
		if err := w.addCorrections(ctx, s, folded); err != nil {
			return nil, err
		}
	}
	if utf8.RuneCountInString(folded) >= minInsideLength && isAlphanumeric(folded) { // also a piece of a hash or a number
		w.inside = true
		u.others = append(u.others, match.Term{Text: folded, Within: true})
	}
	if err := u.lookUp(ctx, s); err != nil || u.found() || !letters {
		return w, err
	}
	return w, w.addHalves(ctx, s, folded)
}

// withoutMarks returns a word without the marks before and behind it: HOME for $HOME, retry for
// ~retry~. A word that has other marks inside, or none but marks, is returned as it is.
func withoutMarks(word string) string {
	bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(bare) < minApart || !isAlphanumeric(bare) {
		return word
	}
	return bare
}

// addForms adds the inflections and the other spellings of a word, and returns it in lower case.
func (w *word) addForms(ctx context.Context, s Source) (string, error) {
	folded := strings.ToLower(w.term.Text)
	plain := analysis.IsPlain(w.term.Text)
	if half := analysis.HalfWidth(folded); half != folded {
		w.addForm(half)
		folded, plain = half, analysis.IsPlain(half)
	}
	if plain && !leavesOut(ctx, Forms) {
		if err := w.addInflections(ctx, s, folded); err != nil {
			return "", err
		}
	}
	if full := analysis.Unabbreviated(folded); full != "" && !leavesOut(ctx, Forms) {
		if err := w.addUnabbreviated(ctx, s, full); err != nil {
			return "", err
		}
	}
	if stem := analysis.WithoutEnding(folded); stem != "" {
		w.addForm(stem)
	}
	spellings := []string{analysis.Joined(folded), analysis.Apart(folded), analysis.Version(folded)}
	if camel := analysis.CamelApart(w.term.Text); camel != folded {
		if has, err := s.HasTerm(ctx, folded); err != nil {
			return "", err
		} else if has { // otherwise it may also be misspelled, see addApart
			spellings = append(spellings, camel)
		}
	}
	for _, spelling := range spellings {
		if spelling != "" {
			if err := w.addWhereFound(ctx, s, spelling); err != nil {
				return "", err
			}
		}
	}
	return folded, nil
}

// addParts looks for a word of several parts that no text has as a whole: inside longer ones,
// 0.4.4 in v0.4.4, else its parts, else its characters.
func (w *word) addParts(ctx context.Context, s Source, parts []*unit) error {
	u, whole := w.units[0], w.term.Text
	if n := utf8.RuneCountInString(whole); n >= minInsideLength && n <= maxInsideLength && !strings.ContainsFunc(whole, match.IsUnspaced) {
		u.others = []match.Term{{Text: whole, Within: true}}
		err := u.lookUp(ctx, s)
		if w.inside = u.found(); err != nil || w.inside {
			return err
		}
	}
	w.units = parts
	if err := lookUpParts(ctx, s, parts); err != nil || slices.ContainsFunc(parts, (*unit).found) {
		return err
	}
	if characters := charactersOf(whole); len(characters) > 0 {
		w.units = characters
	}
	return lookUpParts(ctx, s, w.units)
}

// maxWhole is how many conversations have a text without spaces at most of which the parts are
// looked for too.
const maxWhole = 10

// addPartsOfText adds the pairs of a text without spaces that few conversations have: it may be
// several words, which others have apart. They count where a conversation has most of them.
func (w *word) addPartsOfText(ctx context.Context, s Source) error {
	parts := partsOf(w.term)
	if len(parts) < 2 || w.units[0].rarity > maxWhole || strings.ContainsFunc(w.term.Text, hasSpaces) {
		return nil
	}
	if err := lookUpParts(ctx, s, parts); err != nil {
		return err
	}
	all, has := 0.0, map[int32]float64{}
	for _, p := range parts {
		all += p.weight
		for _, n := range p.anywhere() {
			has[n] += p.weight
		}
	}
	for _, p := range parts {
		p.keep(func(n int32) bool { return has[n] >= all/2 })
	}
	w.whole = true
	w.units = append(w.units, parts...)
	w.units[0].weight *= phraseShare
	return nil
}

// hasSpaces reports whether a character is of a script with spaces between words, as Korean is.
func hasSpaces(r rune) bool { return !match.IsUnspaced(r) || unicode.Is(unicode.Hangul, r) }

// anywhere returns the conversations with the unit in a message or in the title.
func (u *unit) anywhere() []int32 {
	all := slices.Concat(u.conversations, u.titles)
	slices.Sort(all)
	return slices.Compact(all)
}

// keep leaves out the conversations that are not to be kept.
func (u *unit) keep(kept func(int32) bool) {
	conversations, frequencies := u.conversations, u.frequencies
	u.conversations, u.frequencies = nil, nil
	for i, n := range conversations {
		if kept(n) {
			u.conversations, u.frequencies = append(u.conversations, n), append(u.frequencies, frequencies[i])
		}
	}
	u.titles = slices.DeleteFunc(u.titles, func(n int32) bool { return !kept(n) })
}

// maxWordParts is how many parts of a word are looked up as words.
const maxWordParts = 4

// lookUpParts looks up the parts of a word, the first maxWordParts as words with other forms:
// key for task_keys, and card41967 for credit_card_4196.
func lookUpParts(ctx context.Context, s Source, parts []*unit) error {
	left := maxWordParts
	for _, p := range parts {
		if text := p.typed[0].Text; left == 0 || !isAlphanumeric(text) {
			if err := p.lookUp(ctx, s); err != nil {
				return err
			}
			continue
		}
		left--
		w, err := typedWord{term: p.typed[0]}.lookUp(ctx, s)
		if err != nil {
			return err
		}
		if len(w.units) == 1 {
			*p = *w.units[0]
		}
	}
	return nil
}

// minInsideLength and maxInsideLength are how many characters a word has that is looked for
// inside others. A pasted text without spaces may be one word.
const (
	minInsideLength = 4
	maxInsideLength = 64
)

// maxForms bounds the inflections of a word, and maxScanned the words that are
// looked through for them.
const (
	maxForms   = 12
	maxScanned = 2_000
)

func (w *word) addInflections(ctx context.Context, s Source, word string) error {
	if len(word) < 3 {
		return nil
	}
	stem := analysis.Stem(word)
	var forms []string
	if prefix := analysis.InflectionPrefix(word); prefix != "" {
		w.units[0].stem, w.units[0].prefix = stem, prefix
		terms, err := s.Terms(ctx, prefix, maxScanned)
		if err != nil {
			return err
		}
		for _, t := range terms {
			if len(t) <= len(word)+len("ization") && analysis.IsPlain(t) && analysis.Stem(t) == stem {
				forms = append(forms, t)
			}
		}
	}
	for _, f := range analysis.Inflections(stem) {
		if has, err := s.HasTerm(ctx, f); err != nil {
			return err
		} else if has {
			forms = append(forms, f)
		}
	}
	slices.Sort(forms)
	for _, f := range slices.Compact(forms) {
		if f != word && len(w.forms) < maxForms {
			w.addForm(f)
		}
	}
	return nil
}

// addUnabbreviated adds what a word is short for, with its inflections.
func (w *word) addUnabbreviated(ctx context.Context, s Source, full string) error {
	if err := w.addWhereFound(ctx, s, full); err != nil || !analysis.IsPlain(full) {
		return err
	}
	return w.addInflections(ctx, s, full)
}

func (w *word) addForm(form string) {
	w.forms = append(w.forms, form)
	w.units[0].others = append(w.units[0].others, match.Term{Text: form})
}

// maxCorrections is how many corrected spellings are searched for.
const maxCorrections = 3

// scannedPrefix is how many letters the words have in common that are looked through
// at once for corrections.
const scannedPrefix = 4

// addCorrections adds the words one typing error away that most conversations have.
func (w *word) addCorrections(ctx context.Context, s Source, word string) error {
	existing, err := existingTerms(ctx, s, word, analysis.Edits(word))
	if err != nil {
		return err
	}
	var found []*unit
	for _, e := range existing {
		u := &unit{typed: []match.Term{{Text: e}}}
		if err := u.readRows(ctx, s); err != nil {
			return err
		}
		if len(u.conversations) > 0 {
			found = append(found, u)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return len(found[i].conversations) > len(found[j].conversations) })
	for _, u := range found[:min(len(found), maxCorrections)] {
		w.corrected = true
		w.addForm(u.typed[0].Text)
	}
	return nil
}

// phraseShare is the share of two words side by side. It is small, as each of them counts by
// itself too: it only prefers the texts in which they belong together.
const phraseShare = 0.2

// maxPhrases is the number of forms in which two neighbors of a query are looked up.
const maxPhrases = 16

// addPhrases looks up the neighbors of the query side by side.
func (r *Ranking) addPhrases(ctx context.Context, s Source, cache *Cache) error {
	for i := range max(0, len(r.words)-1) {
		a, b := r.words[i], r.words[i+1]
		if a.quoted || b.quoted || !analysis.IsPlain(a.term.Text) || !analysis.IsPlain(b.term.Text) {
			continue
		}
		key := typedWord{term: match.Term{Text: a.term.Text + " " + b.term.Text}, phrase: true}
		w, err := cache.lookUp(ctx, s, key, func(ctx context.Context, s Source) (*word, error) {
			u := &unit{share: phraseShare}
			for _, first := range append([]string{a.term.Text}, a.forms...) {
				for _, second := range append([]string{b.term.Text}, b.forms...) {
					u.typed = append(u.typed, match.Term{Text: first + " " + second})
				}
			}
			u.typed = u.typed[:min(len(u.typed), maxPhrases)]
			return &word{typedWord: key, units: []*unit{u}}, u.lookUp(ctx, s)
		})
		if err != nil {
			return err
		}
		r.units = append(r.units, w.units[0])
	}
	return nil
}

// existingTerms returns the edits of a word that the index has. Those that begin
// as the word does are looked for in one scan, which costs a third of looking up each.
func existingTerms(ctx context.Context, s Source, word string, edits []string) (existing []string, err error) {
	var scanned []string
	prefix := word[:min(len(word), scannedPrefix)]
	if utf8.ValidString(prefix) && len(word) > scannedPrefix {
		if scanned, err = s.Terms(ctx, prefix, maxScanned); err != nil {
			return nil, err
		}
	}
	slices.Sort(edits) // neighbors are on the same page of the index
	for _, e := range edits {
		if len(scanned) > 0 && len(scanned) < maxScanned && strings.HasPrefix(e, prefix) {
			if _, ok := slices.BinarySearch(scanned, e); ok {
				existing = append(existing, e)
			}
			continue
		}
		has, err := s.HasTerm(ctx, e)
		if err != nil {
			return nil, err
		}
		if has {
			existing = append(existing, e)
		}
	}
	return existing, nil
}

// isWord reports whether a text is one word of letters of a script with spaces.
func isWord(text string) bool {
	return isAlphanumeric(text) && !strings.ContainsFunc(text, unicode.IsDigit)
}

// isAlphanumeric reports whether a text is one word or number of a script with spaces.
func isAlphanumeric(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || match.IsUnspaced(r)
	})
}

// The shares of pairs of characters count less than 1 because pairs overlap, and less again
// for a pair with a character that is used as a function word.
const (
	pairShare         = 0.6
	functionPairShare = 0.2
)

// maxParts bounds the parts of a word: a pasted text without spaces is one word.
const maxParts = 60

// partsOf returns the parts of a term that no text has as a whole: the words of
// an identifier, those of several scripts, the pairs of characters of a run. It is
// nil for a single word.
func partsOf(t match.Term) (parts []*unit) {
	segments := analysis.Segments(t.Text)
	if len(segments) == 1 && !segments[0].Unspaced {
		return nil
	}
	for i, segment := range segments {
		switch {
		case len(parts) > maxParts:
			return parts[:maxParts]
		case !segment.Unspaced:
			part := match.Term{Text: segment.Text, Prefix: t.Prefix && i == len(segments)-1}
			parts = append(parts, &unit{typed: []match.Term{part}, share: 1})
		case i == 0 || !analysis.IsEnding(segment.Text): // the ending of API가 says nothing
			parts = append(parts, pairsOf(segment.Text)...)
		}
	}
	return parts[:min(len(parts), maxParts)]
}

// pairsOf returns the pairs of characters of a run, without function words if there are
// others.
func pairsOf(run string) (pairs []*unit) {
	texts := analysis.Pairs(cmp.Or(analysis.WithoutEnding(run), run))
	if telling := slices.DeleteFunc(slices.Clone(texts), analysis.IsFunctionPair); len(telling) > 0 {
		texts = telling
	}
	for _, text := range texts {
		u := &unit{typed: []match.Term{{Text: text}}, share: pairShare}
		if analysis.IsFunctionPair(text) || strings.ContainsFunc(text, analysis.IsFunctionCharacter) {
			u.share = functionPairShare
		}
		pairs = append(pairs, u)
	}
	return pairs
}

// charactersOf returns the Chinese characters of a text of which no text has a pair, without
// those that are used as function words: most of them are words too.
func charactersOf(text string) (characters []*unit) {
	seen := map[rune]bool{}
	for _, r := range text {
		if one := string(r); unicode.Is(unicode.Han, r) && !seen[r] && !analysis.IsFunctionCharacter(r) && len(characters) < maxCharacters {
			seen[r] = true
			characters = append(characters, &unit{typed: []match.Term{{Text: one}}, share: pairShare})
		}
	}
	return characters
}

// maxCharacters is how many characters of a word are looked for.
const maxCharacters = 12

// groupsOf returns alternatives that match where any of the terms is.
func groupsOf(terms []match.Term) (groups []match.Group) {
	for _, t := range terms {
		groups = append(groups, match.Group{All: []match.Term{t}})
	}
	return groups
}
