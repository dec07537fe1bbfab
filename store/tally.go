package store

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// tally counts messages that match, by the conversations they belong to.
type tally struct {
	shelf *shelf
	counted

	all       *ftsindex.Set // messages
	heard     *heard
	owners    *owners
	strangers strangers
}

// counted is what was counted of conversations.
type counted struct {
	scores  []score // by number
	names   []name  // by number, that match
	touched []int32 // those of which something matches
	found   []int32 // room for those that are shown
}

// score is what matched of one conversation.
type score struct {
	said, tools int32 // messages of people, and those of tools
	best        int64 // the newest of the best voice: a voice and an id, 0 for none
}

// The voices, the better ones greater. What was said in words is best: mostly
// the words that were looked for are among them.
const (
	byTool = 1 + iota
	calling
	inWords

	voiceBit = 60 // where the voice stands in score.best
	maxBest  = 1<<voiceBit - 1
)

// all gives how many messages match.
func (s *score) all() int { return int(s.said + s.tools) }

// attach finds out what the messages are that were found, and takes ids over.
// Those that stand in no transcript are left out.
func (t *tally) attach(ctx context.Context, f *finder, c *catalog, ids *ftsindex.Set) (err error) {
	h, err := f.learn(ctx, ids)
	if err != nil {
		return err
	}
	ids.Subtract(&h.mute)
	t.all, t.heard = ids, h
	t.owners = c.owners.Load()
	t.strangers, err = f.strange(ctx, c, t.all)
	return err
}

// manyHits is from how many messages on they are counted by sheets.
const manyHits = 2_000

// count finds out what the messages are that were found, as attach does, and
// counts them for their conversations.
func (t *tally) count(ctx context.Context, f *finder, c *catalog, ids *ftsindex.Set) error {
	if err := t.attach(ctx, f, c, ids); err != nil {
		return err
	}
	if t.all.Len() >= manyHits {
		t.countSheets()
	} else {
		for id := range t.all.All() {
			t.countOne(id, t.owners.of(id))
		}
	}
	for id, session := range t.strangers {
		t.countOne(id, session)
	}
	return nil
}

// countOne counts a message of a session.
func (t *tally) countOne(id int64, session int32) {
	s := t.score(session)
	if s == nil {
		return
	}
	voice := int64(inWords)
	switch {
	case t.heard.tools.Has(id):
		voice = byTool
		s.tools++
	case t.heard.calls.Has(id):
		voice = calling
		s.said++
	default:
		s.said++
	}
	if 0 <= id && id <= maxBest { // others were chosen by hand, and show no snippet
		s.best = max(s.best, voice<<voiceBit|id)
	}
}

// share is the score of a session on a sheet.
type share struct {
	said, tools uint16
	best        uint16 // a voice and a place on the sheet
}

// placeBits is where the voice stands in share.best.
const placeBits = 14

// countSheets counts the messages that owners know. At a common word this is
// most of a search, and most of it is to wait for memory: hence a sheet at a
// time, whose sessions are few, 64 messages of it at a time, and of these at
// once all of one session that stand together.
func (t *tally) countSheets() {
	var sheet *ownerSheet
	var shares []share
	at := int64(-1)
	for first, word := range t.all.Words() {
		if n := first / ownerPage; n != at {
			t.addSheet(sheet, shares, at*ownerPage)
			at, sheet = n, t.owners.sheet(n)
			if sheet != nil {
				shares = slices.Grow(shares[:0], len(sheet.sessions))[:len(sheet.sessions)]
				clear(shares)
			}
		}
		if sheet != nil {
			countOn(sheet, shares, first%ownerPage, word, t.heard.tools.Word(first), t.heard.calls.Word(first))
		}
	}
	t.addSheet(sheet, shares, at*ownerPage)
}

// countOn counts 64 messages, as bits from a place on, that follow all those
// before. Whose they are nobody foresees, so it must not branch.
func countOn(s *ownerSheet, shares []share, place int64, word, tools, calls uint64) {
	for turns := s.turns[place/64]; word != 0; {
		begun := word&-word<<1 - 1 // up to the first of them
		later := turns &^ begun
		run := word & (later&-later - 1) // up to the next turn
		word &^= run
		its := &shares[s.run(place/64, turns&begun)]
		said := run &^ tools
		its.said += uint16(bits.OnesCount64(said))
		its.tools += uint16(bits.OnesCount64(run & tools))
		best, voice := said&^calls, inWords
		if best == 0 {
			best, voice = said, calling
		}
		if best == 0 {
			best, voice = run, byTool
		}
		its.best = max(its.best, uint16(voice<<placeBits|int(place)+bits.Len64(best)-1))
	}
}

// addSheet takes in what was counted on a sheet that begins with a message.
func (t *tally) addSheet(sheet *ownerSheet, shares []share, first int64) {
	if sheet == nil {
		return
	}
	for n, its := range shares {
		if its == (share{}) {
			continue
		}
		if s := t.score(sheet.sessions[n]); s != nil {
			s.said, s.tools = s.said+int32(its.said), s.tools+int32(its.tools)
			voice, place := int64(its.best>>placeBits), int64(its.best&(1<<placeBits-1))
			s.best = max(s.best, voice<<voiceBit|(first+place))
		}
	}
}

// session gives the number of the session of a message, below zero for none.
func (t *tally) session(id int64) int32 {
	if n, ok := t.strangers[id]; ok {
		return n
	}
	return t.owners.of(id)
}

// place gives the number of the conversation of a session, below zero for none.
func (t *tally) place(session int32) int32 {
	if session >= 0 {
		return t.shelf.of(session)
	}
	return session
}

// score gives that of the conversation of a session, in which a hit was found;
// nil for none.
func (t *tally) score(session int32) *score {
	n := t.place(session)
	if n < 0 {
		return nil
	}
	s := &t.scores[n]
	if s.all() == 0 {
		t.touched = append(t.touched, n)
	}
	return s
}

// addNamed takes in the conversations that match by what they are called.
func (t *tally) addNamed(named []int32) {
	for _, n := range named {
		if t.scores[n].all() == 0 {
			t.touched = append(t.touched, n)
		}
	}
}

// inOrder puts conversations that match in an order. After the first of so many
// it need not go on.
func (t *tally) inOrder(found []int32, by model.Sort, most int) []int32 {
	if by == model.ByRelevance {
		found = t.mostRelevant(found, most)
	}
	in, ranks := t.shelf.inOrder(by), t.shelf.inRanks(by)
	there := make([]uint64, len(in)/64+1)
	for _, n := range found {
		there[ranks[n]/64] |= 1 << (ranks[n] % 64)
	}
	sorted := make([]int32, 0, len(found))
	for i, word := range there {
		for ; word != 0; word &= word - 1 {
			sorted = append(sorted, in[i*64+bits.TrailingZeros64(word)])
		}
	}
	if by == model.ByRelevance {
		sorted = t.byRelevance(sorted)
	}
	return sorted
}

// spare keeps the scores of the last search for the next: to make them anew at
// every key keeps the collector busy.
type spare struct {
	mu sync.Mutex
	of counted
}

// take gives scores for so many conversations, nothing counted yet.
func (s *spare) take(n int) counted {
	s.mu.Lock()
	c := s.of
	s.of = counted{}
	s.mu.Unlock()
	if len(c.scores) != n {
		return counted{scores: make([]score, n), names: make([]name, n)}
	}
	return c
}

// giveBack lets the next search have the scores, nothing counted.
func (t *tally) giveBack(s *spare) {
	c := t.counted
	if len(c.touched)*8 < len(c.scores) {
		for _, n := range c.touched {
			c.scores[n] = score{}
		}
	} else {
		clear(c.scores)
	}
	clear(c.names)
	c.touched = c.touched[:0]
	s.mu.Lock()
	s.of = c
	s.mu.Unlock()
}

// mostRelevant is above every relevance.
const mostRelevant = 80

// relevance tells how well a conversation answers the query.
func (t *tally) relevance(n int32) int {
	s := &t.scores[n]
	r := bits.Len32(uint32(1+2*s.said+s.tools)) - 1
	if t.names[n] == byTitle {
		r += mostRelevant / 2
	}
	return r
}

// mostRelevant leaves out conversations that stand behind so many others.
func (t *tally) mostRelevant(found []int32, most int) []int32 {
	var with [mostRelevant]int
	each := make([]uint8, len(found))
	for at, n := range found {
		r := t.relevance(n)
		each[at] = uint8(r)
		with[r]++
	}
	least := mostRelevant - 1
	for ; least > 0 && with[least] < most; least-- {
		most -= with[least]
	}
	left := found[:0]
	for at, n := range found {
		if int(each[at]) >= least {
			left = append(left, n)
		}
	}
	return left
}

// byRelevance gives conversations, the most relevant first, and of equals the
// first.
func (t *tally) byRelevance(found []int32) []int32 {
	var ends [mostRelevant]int
	for _, n := range found {
		ends[mostRelevant-1-t.relevance(n)]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sorted := make([]int32, len(found))
	for _, n := range slices.Backward(found) {
		at := &ends[mostRelevant-1-t.relevance(n)]
		*at--
		sorted[*at] = n
	}
	return sorted
}

// newestSaid is how many messages of people a conversation is judged by.
const newestSaid = 4

// candidate gives the messages that may be the best hit of a conversation, one
// a round: the newest of the best voice and, where somebody said it, what was
// said before. last is the one of the round before.
func (t *tally) candidate(n int32, round int, last int64) (id int64, ok bool) {
	s := &t.scores[n]
	if round == 0 {
		return s.best & maxBest, s.best != 0
	}
	if round >= int(s.said) {
		return 0, false
	}
	for id, ok = t.all.Before(last); ok; id, ok = t.all.Before(id) {
		if !t.heard.tools.Has(id) && t.place(t.session(id)) == n {
			return id, true
		}
	}
	return 0, false
}
