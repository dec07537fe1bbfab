package closest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"hermes-sessions/model/analysis"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
)

// Source is a database in a read transaction, as the ranking needs it. Conversations have
// numbers below ConversationCount. Rows and Count leave out messages that no search
// finds, and those that the filters of the query leave out.
type Source interface {
	// Rows returns the messages that have any of the terms. The set is the caller's.
	Rows(ctx context.Context, terms []match.Term) (*idset.Set, error)
	// Terms returns words of the index that begin with a prefix, sorted. Of each segment
	// of the index it reads at most as many as most.
	Terms(ctx context.Context, prefix string, most int) ([]string, error)
	// HasTerm reports whether the index has a word.
	HasTerm(ctx context.Context, term string) (bool, error)
	// Count calls each once with every conversation of messages, and with how many of
	// them are of the user or the agent and how many of tools.
	Count(ctx context.Context, ids *idset.Set, each func(conversation, bySpeakers, byTools int32)) error
	// ConversationOf returns the conversation of a message, below zero for none.
	ConversationOf(ctx context.Context, message int64) (int32, error)
	// ReadRoles reads the roles of the messages of ids, for IsTool.
	ReadRoles(ctx context.Context, ids *idset.Set) error
	// IsTool reports whether a message is the result of a tool, once ReadRoles has read
	// its role.
	IsTool(message int64) bool
	// ReadMessages calls each with every message of ids: whether the user wrote it, and
	// how many bytes its text and its tool calls have.
	ReadMessages(ctx context.Context, ids []int64, each func(id int64, byUser bool, bytes int)) error
	// MessageCount returns how many messages a conversation has.
	MessageCount(conversation int32) int
	// Titles returns the conversations whose titles match.
	Titles(m *match.Matcher) []int32
	// OfSource returns the conversations of a source, such as telegram, in any case of
	// its letters.
	OfSource(name string) []int32
	// Title returns the title of a conversation.
	Title(conversation int32) string
	// Active returns when a conversation began and when it was active last.
	Active(conversation int32) (from, to time.Time)
	// ConversationCount returns how many conversations there are.
	ConversationCount() int
	// Visibility returns whether a conversation may be found.
	Visibility(conversation int32) Visibility
	// Version identifies what the answers of the other methods, Visibility aside, depend
	// on: the version of the file, and the filters that Rows applies. It is nil where
	// that is not known.
	Version() any
}

// Visibility says whether a conversation may be found.
type Visibility int

// The visibilities.
const (
	Excluded         Visibility = iota // never
	OutOfScope                         // the list does not show it; found only where none that is shown is closer
	OnlyWithAllWords                   // the list does not show it; a message has all words, and no conversation that is shown has
	Shown
)

// Candidate is a conversation that has some of the words.
type Candidate struct {
	Conversation int32
	Message      int64   // the one with most of the rare words, 0 where only the title has any
	Score        float64 // comparable within one ranking only
	Far          bool    // it is much less close than the first

	visibility Visibility
	saturation float64 // messages with a word that give half of its weight
	has        []bool  // by position in units of the ranking
	inSpan     []bool  // by position in spans of the ranking: it was active then
	topic      float64 // the weight of its words that are no dates
	standing   standing
}

// standing is how much of a query a conversation has, the most last.
type standing int

const (
	withoutTopic standing = iota // dates alone
	someWords
	likelyAll // all words, but one of them is there in parts or read as another one
	allWords
	allTogether // all words in one message, in some form
)

// Ranking is the answer: the words of a query and the conversations with most of
// them.
type Ranking struct {
	Candidates []Candidate // first those with all words, then by score
	words      []*word
	units      []*unit // of all words, then of all compounds, then of phrases of two words
	firstUnit  []int   // the place of the first unit of each word
	compounds  []compound
	spans      []analysis.Span
	spanOf     []int   // of each word the place of the span that it names, below zero for none
	bestScore  float64 // without what dates give

	functionWords []typedWord // of the query, left out
}

// The constants of the score. The recall sets (internal/tools/bench/recall) lose at most
// two points where any of them is halved or doubled.
const (
	formWeight = 0.8  // of another form of a word, beside the word as typed
	toolWeight = 0.25 // of a message of a tool, beside one of the user or the agent
	saturation = 1.2  // messages with a word that give half of its weight
	titleBonus = 0.6  // of the weight of a word that the title has, or that is the source
	bestBonus  = 0.5  // of the weights of the words in the best message
	userBonus  = 1.3  // of a message of the user as the best one, beside one of the agent

	// A long conversation has most words somewhere. In one of meanMessages messages,
	// saturation messages with a word give half of its weight. In a longer one more are
	// needed, by the logarithm of its messages; lengthShare is the part of saturation
	// that depends on it.
	meanMessages = 8
	lengthShare  = 0.6
	// A message of more bytes than shortMessage counts less as the best one, by
	// lengthCost for each power of e.
	shortMessage = 300
	lengthCost   = 0.5
	// maxBestMessages is how many messages of a conversation may be its best one: those
	// with the greatest weights of words.
	maxBestMessages = 3

	// maxCandidates is how many conversations are looked into for their best message,
	// and maxClosest the most that a ranking has.
	maxCandidates = 60
	maxClosest    = 30
	// maxMessages is how many messages are looked into for the best ones, those with
	// the rarest words before others.
	maxMessages = 40_000
	// minScoreShare is the part of the best score that a candidate must have.
	minScoreShare = 0.2
	// cutShare is the part of it up to which candidates are further away
	// (Candidate.Far), and strictCut the same where a conversation has all words.
	cutShare  = 0.30
	strictCut = 0.40
	// dateBonus is the part of the best score that a conversation gets which was active when
	// the query says, if it has all other words.
	dateBonus = 0.4
	// maxOutOfScope is how many conversations out of scope there may be.
	maxOutOfScope = 2
)

// Rank returns the conversations closest to a query: those with most of its words
// anywhere, in any form, where rare words count more than common ones. Dates of the query are
// those seen from now. found says that there are conversations with all words beside
// those of the source. It keeps the words that it looks up in the cache. The error is ctx's or
// the source's.
func Rank(ctx context.Context, s Source, q query.Query, now time.Time, found bool, cache *Cache) (*Ranking, error) {
	r := &Ranking{}
	words, functionWords, pairs := r.split(q, now, !leavesOut(ctx, Dates))
	r.functionWords = functionWords
	for _, key := range words {
		w, err := cache.lookUp(ctx, s, key, key.lookUp)
		if err != nil {
			return nil, err
		}
		r.words, r.firstUnit = append(r.words, w), append(r.firstUnit, len(r.units))
		r.units = append(r.units, w.units...)
	}
	if err := r.addCompounds(ctx, s, pairs, cache); err != nil {
		return nil, err
	}
	if err := r.addPhrases(ctx, s, cache); err != nil {
		return nil, err
	}
	r.score(s)
	weights, err := r.weighMessages(ctx, s, r.weighLengths(s))
	if err != nil {
		return nil, err
	}
	if err := r.findBestMessages(ctx, s, weights); err != nil {
		return nil, err
	}
	r.order()
	r.cut(found)
	return r, nil
}

// score ranks the conversations by the units.
func (r *Ranking) score(s Source) {
	scores := make([]float32, s.ConversationCount())
	var touched []int32
	add := func(n int32, weight float64) {
		if scores[n] == 0 {
			touched = append(touched, n)
		}
		scores[n] += float32(weight)
	}
	for _, u := range r.units {
		for at, n := range u.conversations {
			f := float64(u.frequencies[at])
			add(n, u.weight*f/(f+saturation)) // weighLengths scores the best again by their lengths
		}
		for _, n := range u.titles {
			add(n, u.weight*titleBonus)
		}
		for _, n := range u.ofSource {
			add(n, u.sourceWeight*titleBonus)
		}
	}
	keep := func(n int32) bool { return s.Visibility(n) != Excluded }
	chosen := best(touched, scores, keep)
	if len(r.spans) > 0 && len(chosen) == maxCandidates { // of those of the time one more page
		chosen = append(chosen, best(touched, scores, func(n int32) bool {
			return slices.Contains(r.inSpans(s, n), true) && !slices.Contains(chosen, n) && keep(n)
		})...)
	}
	for _, n := range chosen {
		r.Candidates = append(r.Candidates, Candidate{
			Conversation: n, Score: float64(scores[n]), visibility: s.Visibility(n), has: make([]bool, len(r.units)), inSpan: r.inSpans(s, n),
		})
	}
}

// inSpans tells for each span of the query whether a conversation was active in it.
func (r *Ranking) inSpans(s Source, n int32) (in []bool) {
	for _, span := range r.spans {
		from, to := s.Active(n)
		in = append(in, from.Before(span.To) && !to.Before(span.From))
	}
	return in
}

// best returns the maxCandidates conversations with the best scores among those that
// keep accepts, best first and newer ones before older with the same score.
func best(of []int32, scores []float32, keep func(int32) bool) []int32 {
	before := func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) }
	var top []int32
	for _, n := range of {
		if len(top) == maxCandidates && before(n, top[maxCandidates-1]) > 0 || !keep(n) {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, n, before)
		if len(top) == maxCandidates {
			top = top[:maxCandidates-1]
		}
		top = slices.Insert(top, at, n)
	}
	return top
}

// weighLengths finds which words each candidate has, and scores it again by its length.
// It returns 1 + the place of each conversation among the candidates.
func (r *Ranking) weighLengths(s Source) (slots []int32) {
	slots = make([]int32, s.ConversationCount())
	for i := range r.Candidates {
		c := &r.Candidates[i]
		slots[c.Conversation] = int32(i) + 1
		length := math.Log(2+float64(s.MessageCount(c.Conversation))) / math.Log(2+meanMessages)
		c.Score, c.saturation = 0, saturation*(1-lengthShare+lengthShare*length)
	}
	for i, u := range r.units {
		for at, n := range u.conversations {
			if slot := slots[n]; slot > 0 {
				c, f := &r.Candidates[slot-1], float64(u.frequencies[at])
				c.has[i] = true
				c.Score += u.weight * f / (f + c.saturation)
			}
		}
		for _, n := range u.titles {
			if slot := slots[n]; slot > 0 {
				c := &r.Candidates[slot-1]
				c.has[i] = true
				c.Score += u.weight * titleBonus
			}
		}
		for _, n := range u.ofSource {
			if slot := slots[n]; slot > 0 {
				c := &r.Candidates[slot-1]
				c.has[i] = true
				c.Score += u.sourceWeight * titleBonus
			}
		}
	}
	return slots
}

// weighMessages sums up, for each candidate, the weights of the words in each of its
// messages, a message of a tool counting less.
func (r *Ranking) weighMessages(ctx context.Context, s Source, slots []int32) ([]map[int64]float64, error) {
	rarestFirst := slices.Clone(r.units)
	sort.SliceStable(rarestFirst, func(i, j int) bool { return rarestFirst[i].weight > rarestFirst[j].weight })
	weights := make([]map[int64]float64, len(r.Candidates))
	for i := range weights {
		weights[i] = map[int64]float64{}
	}
	ids, looked := &idset.Set{}, 0
	for _, u := range rarestFirst {
		if looked += u.messages; looked > maxMessages && looked > u.messages {
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for id := range u.all() {
			n, err := s.ConversationOf(ctx, id)
			if err != nil {
				return nil, err
			}
			if n < 0 || slots[n] == 0 {
				continue
			}
			weights[slots[n]-1][id] += u.weight
			ids.Add(id)
		}
	}
	if err := s.ReadRoles(ctx, ids); err != nil {
		return nil, err
	}
	for _, of := range weights {
		for id := range of {
			if s.IsTool(id) {
				of[id] *= toolWeight
			}
		}
	}
	return weights, nil
}

// findBestMessages finds the message of each candidate with most of the rare words for
// its length, and ranks the candidates again: words in one message tell more than
// words apart, and those that the user wrote tell most.
func (r *Ranking) findBestMessages(ctx context.Context, s Source, weights []map[int64]float64) error {
	var ids []int64
	slots := map[int64]int{} // the places of their conversations
	for i, of := range weights {
		for _, id := range heaviest(of) {
			ids, slots[id] = append(ids, id), i
		}
	}
	slices.Sort(ids)
	best := make([]float64, len(r.Candidates))
	err := s.ReadMessages(ctx, ids, func(id int64, byUser bool, bytes int) {
		at := slots[id]
		weight := weights[at][id] / (1 + lengthCost*math.Log(max(1, float64(bytes)/shortMessage)))
		if byUser {
			weight *= userBonus
		}
		if weight > best[at] || weight == best[at] && id > r.Candidates[at].Message {
			best[at], r.Candidates[at].Message = weight, id
		}
	})
	if err != nil {
		return err
	}
	for i := range r.Candidates {
		r.Candidates[i].Score += bestBonus * best[i]
	}
	return nil
}

// order adds what dates give to the scores, and puts the candidates into their order.
func (r *Ranking) order() {
	topic := 0.0 // the weight of all words that are no dates and that texts have
	for i := range r.Candidates {
		r.bestScore = max(r.bestScore, r.Candidates[i].Score)
	}
	for i, w := range r.words {
		if r.isDate(i) {
			continue
		}
		for at, u := range w.units {
			if !u.found() {
				continue
			}
			topic += u.weight
			for j := range r.Candidates {
				if c := &r.Candidates[j]; c.has[r.firstUnit[i]+at] {
					c.topic += u.weight
				}
			}
		}
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		for _, made := range r.compounds {
			if u := r.units[made.unit]; c.has[made.unit] {
				c.topic += u.weight
			}
		}
		c.standing = r.standing(c, topic > 0)
		if topic > 0 && slices.Contains(c.inSpan, true) {
			c.Score += dateBonus * r.bestScore * min(1, c.topic/topic)
		}
	}
	r.sort()
}

// sort puts the candidates into their order. Those come first that alone have a message with
// all words: an error message that only a subagent met.
func (r *Ranking) sort() {
	outside := func(c *Candidate) bool { return c.visibility == OnlyWithAllWords }
	sort.SliceStable(r.Candidates, func(i, j int) bool {
		a, b := &r.Candidates[i], &r.Candidates[j]
		if outside(a) != outside(b) {
			return outside(a)
		}
		return cmp.Or(cmp.Compare(b.standing, a.standing), cmp.Compare(b.Score, a.Score)) < 0
	})
}

// isDate reports whether a word of the query is a date, or a part of one.
func (r *Ranking) isDate(word int) bool { return word < len(r.spanOf) && r.spanOf[word] >= 0 }

// heaviest returns the maxBestMessages messages with the greatest weights, the newest of
// equals first.
func heaviest(weights map[int64]float64) (ids []int64) {
	for id := range weights {
		at, _ := slices.BinarySearchFunc(ids, id, func(a, b int64) int {
			return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(b, a))
		})
		if at < maxBestMessages {
			ids = slices.Insert(ids[:min(len(ids), maxBestMessages-1)], at, id)
		}
	}
	return ids
}

// cut leaves out the candidates with much lower scores than the best one, and those out of
// scope with lower scores than one that is shown, and marks those that are further away.
func (r *Ranking) cut(found bool) {
	bestShown, outOfScope := 0.0, 0
	for _, c := range r.Candidates {
		if c.visibility == Shown {
			bestShown = max(bestShown, c.Score)
		}
	}
	r.Candidates = slices.DeleteFunc(r.Candidates, func(c Candidate) bool {
		if c.visibility == Shown {
			return c.Score < minScoreShare*r.bestScore
		}
		outOfScope++
		return outOfScope > maxOutOfScope || c.visibility == OutOfScope && c.Score < bestShown
	})
	r.Candidates = r.Candidates[:min(len(r.Candidates), maxClosest)]
	share := cutShare
	if found || slices.ContainsFunc(r.Candidates, func(c Candidate) bool { return c.standing >= likelyAll }) {
		share = strictCut
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Far = c.standing < allTogether && c.Score < share*r.bestScore; c.Far && c.standing == likelyAll {
			c.standing = someWords // what is in a summary alone is below what was said
		}
	}
	r.sort()
}
