package snapshot

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/model/analysis"
	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/db"
)

// MatchName is [Snapshot.MatchName] of all sessions. Before they are in memory it reads
// those alone that have the name, by their id, a prefix of it or the title: all of them
// only where none has.
func (s *Sessions) MatchName(ctx context.Context, name string) (model.NameMatch, error) {
	current, err := s.isCurrent(ctx)
	if err != nil {
		return model.NameMatch{}, err
	}
	if !current && !s.db.IndexesBypassed.Load() {
		var some *Snapshot
		err := s.db.ReadTx(ctx, func(q db.Querier) error {
			ids, ok, err := s.namesakes(ctx, q, name)
			if err == nil && ok {
				some, err = s.relatedSessions(ctx, q, ids)
			}
			return err
		})
		switch {
		case db.IsCorrupt(err): // the whole is read around the damage
		case err != nil:
			return model.NameMatch{}, s.db.WrapError("look up a name in", err)
		case some != nil && !some.doubts.any():
			if found := some.MatchName(name); found.By != model.NameUnknown {
				return found, nil
			}
		}
	}
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return model.NameMatch{}, err
	}
	return snap.MatchName(name), nil
}

// maxNamesakes is how many sessions may have a name; of more, all sessions are read.
const maxNamesakes = 200

// namesakes returns the ids of all sessions that a name may mean, and perhaps of others:
// the one with this id, else those whose id begins or whose title agrees with it. ok is
// false where none or too many may be meant.
func (s *Sessions) namesakes(ctx context.Context, q db.Querier, name string) (ids []string, ok bool, err error) {
	if ids, err = db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE id = ?`, name); len(ids) == 1 || err != nil {
		return ids, err == nil, err
	}
	if ids, err = db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\' LIMIT ?`, likePrefix(name), maxNamesakes+1); err != nil {
		return nil, false, err
	}
	n := nameSearch{name: name, folded: foldName(name)}
	words := strings.Fields(n.folded)
	if s.db.Schema.Has("sessions", "title") {
		if s.db.Schema.RowKey("sessions") != "rowid" {
			return nil, false, nil
		}
		var rows []int64
		err := db.EachRow(ctx, q, `SELECT rowid, title FROM sessions WHERE title IS NOT NULL`, nil, func(r db.Row) {
			if title := foldName(r.Text(1)); strings.Contains(title, n.folded) || hasWordsInOrder(title, words) {
				rows = append(rows, r.Int(0))
			}
		})
		if err != nil || len(rows) > maxNamesakes {
			return nil, false, err
		}
		titled, err := db.QueryTexts(ctx, q, `SELECT s.id FROM temp.json_each(?) j CROSS JOIN sessions s ON s.rowid = j.value`, db.JSONList(slices.Values(rows)))
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, titled...)
	}
	return ids, len(ids) > 0 && len(ids) <= maxNamesakes, nil
}

// MatchName returns the sessions that a name may mean: what every command and the browser go by.
// The first of these that finds any decides: an id; the newest title of a series, else a title,
// as Hermes resolves them (store/README.md#titles); the beginning of one id only; both titles in
// any case; the beginning of several ids; a part of a title. If none does, it gives up to three
// sessions with a similar id or title.
//
// Case and diacritics are folded as in a search. A part of a title is a substring, else
// words that begin words of the title in the same order. Of the segments of a
// conversation whose titles have it, only the newest is given.
func (snap *Snapshot) MatchName(name string) model.NameMatch {
	if strings.TrimSpace(name) == "" {
		return model.NameMatch{}
	}
	if i, ok := snap.Position(name); ok {
		return namesOf(model.NameID, []model.Session{snap.Session(i)})
	}
	n := snap.named(name)
	if found, by := n.withTitle(asSpelled); len(found) > 0 {
		return namesOf(by, found)
	}
	ids := snap.withIDPrefix(name)
	if len(ids) == 1 {
		return namesOf(model.NameID, ids)
	}
	if found, by := n.withTitle(foldName); len(found) > 0 {
		return namesOf(by, found)
	}
	if len(ids) > 0 {
		sort.Slice(ids, func(i, j int) bool { return startedLater(&ids[i], &ids[j]) < 0 })
		return namesOf(model.NameID, ids)
	}
	if found := n.withPart(); len(found) > 0 {
		return namesOf(model.NamePart, found)
	}
	return namesOf(model.NameUnknown, n.similar())
}

func namesOf(by model.NameKind, found []model.Session) model.NameMatch {
	m := model.NameMatch{By: by}
	for _, s := range found {
		m.Sessions = append(m.Sessions, model.NamedSession{ID: s.ID, Title: s.Title})
	}
	return m
}

// nameSearch looks for sessions with a name.
type nameSearch struct {
	snapshot     *Snapshot
	name, folded string
	titled       []model.Session // newest first
}

// named returns a search for sessions with a name.
func (snap *Snapshot) named(name string) *nameSearch {
	n := &nameSearch{snapshot: snap, name: name, folded: foldName(name)}
	for _, m := range snap.All() {
		if m.Title != "" {
			n.titled = append(n.titled, m)
		}
	}
	sort.Slice(n.titled, func(i, j int) bool { return startedLater(&n.titled[i], &n.titled[j]) < 0 })
	return n
}

// foldName returns a text as names are compared: in lower case, without diacritics, with
// single spaces.
func foldName(s string) string {
	return strings.Join(strings.Fields(strings.Map(match.Fold, s)), " ")
}

// asSpelled returns a text as Hermes compares titles.
func asSpelled(s string) string { return s }

// botChat is the title by which Hermes knows its hidden chat: it is no series.
const botChat = "Bot Chat"

// withTitle returns the newest session whose title begins a series of the name, "name #…", in
// whichever case of ASCII letters, else those whose title is the name. Both are compared in a form.
func (n *nameSearch) withTitle(form func(string) string) (found []model.Session, by model.NameKind) {
	want := form(n.name)
	series, newest := want+" #", model.Session{}
	for _, m := range n.titled {
		title := form(m.Title)
		if title == want {
			found = append(found, m)
		}
		if by == model.NameUnknown && len(title) >= len(series) && equalFoldASCII(title[:len(series)], series) {
			by, newest = model.NameSeries, m
		}
	}
	if by == model.NameSeries && !(len(found) > 0 && n.name == botChat) {
		return []model.Session{newest}, by
	}
	return found, model.NameTitle
}

// equalFoldASCII compares as SQLite's LIKE does.
func equalFoldASCII(a, b string) bool {
	lower := func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return strings.Map(lower, a) == strings.Map(lower, b)
}

// leastPart is how many characters a part of a title has.
const leastPart = 2

// withPart returns the sessions whose titles contain the name, else those whose titles
// have its words in order, one of each conversation.
func (n *nameSearch) withPart() []model.Session {
	if utf8.RuneCountInString(n.folded) < leastPart {
		return nil
	}
	words := strings.Fields(n.folded)
	for _, has := range []func(title string) bool{
		func(title string) bool { return strings.Contains(title, n.folded) },
		func(title string) bool { return hasWordsInOrder(title, words) },
	} {
		var found []model.Session
		for _, m := range n.titled {
			if has(foldName(m.Title)) {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return n.onePerConversation(found)
		}
	}
	return nil
}

// hasWordsInOrder reports whether each of some words begins a word of a title, in the
// order of the title. Scripts without spaces have no words: there they may begin
// anywhere.
func hasWordsInOrder(title string, words []string) bool {
	at := 0
	for _, w := range words {
		for {
			i := strings.Index(title[at:], w)
			if i < 0 {
				return false
			}
			before, _ := utf8.DecodeLastRuneInString(title[:at+i])
			first, size := utf8.DecodeRuneInString(w)
			if at+i == 0 || !match.IsWord(before) || match.IsUnspaced(first) || match.IsUnspaced(before) {
				at += i + len(w)
				break
			}
			at += i + size
		}
	}
	return true
}

// onePerConversation keeps the first session of each conversation.
func (n *nameSearch) onePerConversation(found []model.Session) []model.Session {
	seen := map[int32]bool{}
	return slices.DeleteFunc(found, func(m model.Session) bool {
		i, _ := n.snapshot.Position(m.ID)
		of := n.snapshot.Conversations.ConversationOf(int32(i))
		again := seen[of]
		seen[of] = true
		return again
	})
}

// The bounds of what is similar.
const (
	maxSimilar      = 3
	maxIDErrors     = 2   // wrong characters in an id
	leastIDPrefix   = 9   // characters that an id begins with, a date and its separator
	leastSimilarity = 0.5 // share of the words that a title must have in any form
	nearlyBest      = 0.7 // share of the best similarity
)

// maxMisspelled is how many bytes a name has at most that is compared with others. No
// title and no id is as long, and comparing takes the longer the longer both are.
const maxMisspelled = 1000

// similar returns the sessions with similar ids, else those with similar titles, the most
// similar first.
func (n *nameSearch) similar() []model.Session {
	if len(n.name) > maxMisspelled {
		return nil
	}
	type candidate struct {
		model.Session
		score float64
	}
	var all []candidate
	add := func(m model.Session, score float64) {
		if score > 0 {
			all = append(all, candidate{m, score})
		}
	}
	for _, m := range n.snapshot.All() {
		add(m, idSimilarity(strings.ToLower(n.name), strings.ToLower(m.ID)))
	}
	if len(all) == 0 {
		words := significantWords(n.folded)
		for _, m := range n.titled {
			add(m, titleSimilarity(words, foldName(m.Title)))
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(b.score, a.score), startedLater(&a.Session, &b.Session)) < 0
	})
	var found []model.Session
	for _, c := range all {
		if c.score >= nearlyBest*all[0].score {
			found = append(found, c.Session)
		}
	}
	found = n.onePerConversation(found)
	return found[:min(len(found), maxSimilar)]
}

// idSimilarity rates how likely a name is a misspelled id, or the beginning of one: 0
// for not at all.
func idSimilarity(name, id string) float64 {
	if len(name) < minIDName || strings.ContainsAny(name, " \t") {
		return 0
	}
	if errors := analysis.Distance(name, id[:min(len(name), len(id))]); errors <= maxIDErrors {
		return 1 + 1/float64(1+errors)
	}
	common := 0
	for common < min(len(name), len(id)) && name[common] == id[common] {
		common++
	}
	if common < leastIDPrefix {
		return 0
	}
	return float64(common) / float64(common+len(name))
}

// minIDName is how long a name is that may be a misspelled id.
const minIDName = 8

// significantWords returns the words of a text, without function words unless there are
// no others.
func significantWords(folded string) []analysis.Segment {
	all := analysis.Segments(folded)
	words := slices.DeleteFunc(slices.Clone(all), func(w analysis.Segment) bool { return analysis.IsFunctionWord(w.Text) })
	if len(words) == 0 {
		return all
	}
	return words
}

// titleSimilarity returns the share of some words that stand in a title, misspelled ones
// and other forms counting less: 0 where it is below leastSimilarity.
func titleSimilarity(words []analysis.Segment, title string) float64 {
	if len(words) == 0 {
		return 0
	}
	inTitle := analysis.Segments(title)
	sum := 0.0
	for _, w := range words {
		best := 0.0
		if w.Unspaced {
			best = shareOfPairs(w.Text, title)
		} else {
			for _, t := range inTitle {
				best = max(best, wordSimilarity(w.Text, t.Text))
			}
		}
		sum += best
	}
	if share := sum / float64(len(words)); share >= leastSimilarity {
		return share
	}
	return 0
}

// shareOfPairs returns the share of the pairs of characters of a run that a title has.
func shareOfPairs(run, title string) float64 {
	pairs := analysis.Pairs(run)
	found := 0
	for _, p := range pairs {
		if strings.Contains(title, p) {
			found++
		}
	}
	return float64(found) / float64(len(pairs))
}

// wordSimilarity rates how likely one word was meant by another: 0 for not at all.
func wordSimilarity(typed, word string) float64 {
	short, long := utf8.RuneCountInString(typed), utf8.RuneCountInString(word)
	if short > long {
		short, long = long, short
	}
	switch {
	case typed == word:
		return 1
	case short < 3:
		return 0
	case strings.HasPrefix(word, typed), analysis.IsPlain(typed) && analysis.IsPlain(word) && analysis.Stem(typed) == analysis.Stem(word):
		return 0.9
	case long >= 4 && analysis.Distance(typed, word) == 1, short >= 7 && analysis.Distance(typed, word) == 2:
		return 0.8
	}
	return 0
}
