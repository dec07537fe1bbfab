package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/closest"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/snippet"
)

// closest returns the conversations closest to a query, without those of found, and
// writes into res what they were found by.
func (e *Engine) closest(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, q query.Query, list query.ListOptions, filter *listFilter, h *hitCounter, found []int32, res *model.SearchResults) ([]model.Match, error) {
	s, err := e.newCloseSource(ctx, conn, snap, q, list, filter, h, found)
	if err != nil {
		return nil, err
	}
	if snap.IsPart() {
		if err := s.f.checkPart(ctx, true); err != nil {
			return nil, err
		}
	}
	if s.f.words.table == "" { // every word would be a reading of all messages
		res.IndexNote = withoutCloseWords(res.IndexNote)
		return nil, nil
	}
	ranking, err := closest.Rank(ctx, s, q, e.db.Clock(), len(found) > 0, &e.closeWords)
	if errors.Is(err, errNoWords) {
		res.IndexNote = withoutCloseWords(res.IndexNote)
		return nil, nil
	}
	if err == nil && !snap.Complete() {
		err = errIncomplete
	}
	if err != nil {
		return nil, err
	}
	if !list.Further {
		ranking.Candidates = slices.DeleteFunc(ranking.Candidates, func(c closest.Candidate) bool {
			if c.Far {
				res.Further++
			}
			return c.Far
		})
	}
	res.Spans = ranking.Spans()
	res.Readings, res.CloseGroups = ranking.Readings(), ranking.Groups()
	res.CloseWords, res.FunctionWords = ranking.Words(), ranking.FunctionWords()
	matches, err := e.closeMatches(ctx, conn, snap, h.index, ranking, query.Query{Groups: res.CloseGroups})
	near := slices.DeleteFunc(matches, func(m model.Match) bool { return m.Best.OptionNames && m.Tier() == model.Closest })
	res.Close = len(near)
	return near, err
}

// maxOnlyWithAllWords is how many conversations out of scope are shown before the closest
// ones, where no conversation that the list shows has all words. More are counted alone.
const maxOnlyWithAllWords = 2

// withoutCloseWords returns the note for a file whose words cannot be looked up one by one,
// after a note on its index, or "".
func withoutCloseWords(note string) string {
	return cmp.Or(note, "the full-text index cannot be read") + "; the closest matches need it"
}

// newCloseSource returns what package closest asks of the database, with all that
// restricts a search: its filters, the scopes that the list shows, and the
// conversations that it has found.
func (e *Engine) newCloseSource(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, q query.Query, list query.ListOptions, filter *listFilter, h *hitCounter, found []int32) (*closeSource, error) {
	ex := e.newExecutor(conn, q, snap.DataVersion)
	ex.capabilityCache = capabilitiesOf(snap)
	if err := ex.probeOnce(ctx); err != nil {
		return nil, err
	}
	if !snap.IsPart() { // the words of the last query are not looked up again, but their messages are
		if err := e.sessions.ReadMessageSessions(ctx, conn, snap); err != nil {
			return nil, err
		}
	}
	s := &closeSource{
		f: ex, snapshot: snap, index: h.index, excluded: excludedTerms(q), sessions: snap.MessageSessions.Load(),
		unmapped: unmappedSessions{}, roles: e.sessions.RoleSets.Read(),
		keeps: filter.matcher(h.index), shows: snapshot.ScopesShown(list), found: make(map[int32]bool, len(found)),
	}
	var err error
	if s.summaries, err = ex.summaries(ctx); err != nil {
		return nil, err
	}
	s.titles, _, _ = h.index.NamesAndSources()
	for _, n := range found {
		s.found[n] = true
	}
	if len(found) == 0 && len(h.outOfScope) <= maxOnlyWithAllWords {
		s.onlyWithAll = h.outOfScope
	}
	return s, nil
}

// closeMatches reads the rows and the best messages of a ranking.
func (e *Engine) closeMatches(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, index *snapshot.ConversationIndex, ranking *closest.Ranking, marks query.Query) ([]model.Match, error) {
	var numbers []int32
	var messages []int64
	var page []model.Conversation
	for _, found := range ranking.Candidates {
		numbers = append(numbers, found.Conversation)
		page = append(page, index.Conversation(found.Conversation))
		if found.Message != 0 {
			messages = append(messages, found.Message)
		}
	}
	if err := e.sessions.AddPreviewsByKey(ctx, page, snap.PreviewKeys(numbers)); err != nil {
		return nil, err
	}
	hits := map[int64]model.Hit{}
	slices.Sort(messages)
	for chunk := range slices.Chunk(messages, snippetReadBatch) {
		read, err := e.snippetSources(ctx, conn, chunk)
		if err != nil {
			return nil, err
		}
		for _, h := range snippet.Hits(marks, read, snippet.Width, false) {
			hits[h.MessageID] = h
		}
	}
	named := newNameMatcher(marks)
	matches := make([]model.Match, len(page))
	for i, found := range ranking.Candidates {
		m := &matches[i]
		m.Conversation = page[i]
		m.Close = true
		m.Score = found.Score
		m.Words, m.Missing, m.InParts = ranking.Missing(found)
		m.AllWords = found.HasAllWords()
		m.Together = ranking.Together(found)
		m.OutOfScope = found.OutOfScope()
		var ok bool
		if m.Best, ok = hits[found.Message]; !ok || m.Best.OptionNames && named.matcher.Match(m.Title) {
			m.Best = named.hit(&m.Conversation, byTitle, snippet.Width)
		}
	}
	return matches, nil
}

// excludedTerms returns the terms that no message may have.
func excludedTerms(q query.Query) (terms []match.Term) {
	for _, g := range q.Groups {
		terms = append(terms, g.Not...)
	}
	return terms
}

// closeSource is what package closest asks of a database at the moment of a read
// transaction.
type closeSource struct {
	f           *executor
	snapshot    *snapshot.Snapshot
	index       *snapshot.ConversationIndex
	titles      *match.TextIndex
	keeps       func(conversation int32) bool // the filters do
	shows       [model.ScopeAll + 1]bool      // scopes that the list shows
	found       map[int32]bool                // conversations with all words
	onlyWithAll []int32                       // conversations out of scope, the only ones with all words
	excluded    []match.Term
	without     *idset.Set // messages with an excluded term, nil until they are looked for
	sessions    *snapshot.MessageSessions
	unmapped    unmappedSessions   // sessions of messages that sessions has not
	roles       *snapshot.RoleSets // of the messages of Rows
	summaries   *idset.Set         // messages that are summaries of compressed context
}

// errNoWords says that the reader of the word index cannot answer.
var errNoWords = errors.New("the word index cannot be read")

// Rows implements closest.Source.
func (s *closeSource) Rows(ctx context.Context, terms []match.Term) (*idset.Set, error) {
	if s.without == nil {
		s.without = &idset.Set{}
		if len(s.excluded) > 0 {
			without, err := s.rows(ctx, s.excluded, false)
			if err != nil {
				return nil, err
			}
			s.without = without
		}
	}
	ids, err := s.rows(ctx, terms, true)
	if err == nil {
		ids.Subtract(s.without)
	}
	return ids, err
}

// rows returns the messages with any of some terms. With onlyNewestTexts it reads the newest of the
// texts that no index holds whole.
func (s *closeSource) rows(ctx context.Context, terms []match.Term, onlyNewestTexts bool) (*idset.Set, error) {
	q := query.Query{Filters: s.f.query.Filters}
	for _, t := range terms {
		q.Groups = append(q.Groups, match.Group{All: []match.Term{t}})
	}
	ex := s.f.engine.newExecutor(s.f.tx, q, s.f.dataVersion)
	ex.capabilityCache, ex.onlyNewestTexts = s.f.capabilityCache, onlyNewestTexts
	ids, err := ex.messages(ctx)
	if err != nil {
		return nil, err
	}
	var sessions *snapshot.MessageSessions
	var unmapped unmappedSessions
	if s.tooManyForRoles(ids) {
		sessions, unmapped, err = ex.sessionsOfMessages(ctx, s.snapshot, ids)
	} else {
		s.roles, sessions, unmapped, err = ex.rowsOf(ctx, s.snapshot, ids)
	}
	if err != nil {
		return nil, err
	}
	s.sessions = sessions
	maps.Copy(s.unmapped, unmapped)
	return ids, nil
}

// maxRoleMessages is the number of messages with a word up to which their roles are read to
// count them. A more frequent word says little about a conversation, and no index has the roles.
const maxRoleMessages = 30_000

// tooManyForRoles reports whether all messages count as those of the user or the agent.
func (s *closeSource) tooManyForRoles(ids *idset.Set) bool {
	return !s.snapshot.IsPart() && ids.Len() > maxRoleMessages
}

// ReadRoles implements closest.Source.
func (s *closeSource) ReadRoles(ctx context.Context, ids *idset.Set) (err error) {
	s.roles, err = s.f.readRoles(ctx, ids, func(int64, string) {})
	return err
}

// Terms implements closest.Source.
func (s *closeSource) Terms(ctx context.Context, prefix string, most int) (terms []string, err error) {
	err = s.useWordIndex(ctx, func(ix *fts.Index) (err error) {
		terms, err = ix.Terms(ctx, prefix, most)
		return err
	})
	return terms, err
}

// HasTerm implements closest.Source.
func (s *closeSource) HasTerm(ctx context.Context, term string) (has bool, err error) {
	err = s.useWordIndex(ctx, func(ix *fts.Index) (err error) {
		has, err = ix.HasTerm(ctx, term)
		return err
	})
	return has, err
}

// useWordIndex lends the reader of the word index.
func (s *closeSource) useWordIndex(ctx context.Context, use func(*fts.Index) error) error {
	_, last, err := s.f.idRange(ctx)
	if err != nil {
		return cmp.Or(ctx.Err(), errNoWords)
	}
	ix := &s.f.engine.indexes
	if err := ix.lock(ctx); err != nil {
		return err
	}
	defer ix.unlock()
	x, err := ix.refreshed(ctx, s.f, s.f.words.table, last)
	if err == nil {
		err = use(x)
	}
	if err != nil {
		return cmp.Or(ctx.Err(), errNoWords)
	}
	return nil
}

// Count implements closest.Source.
func (s *closeSource) Count(ctx context.Context, ids *idset.Set, each func(conversation, bySpeakers, byTools int32)) error {
	h := hitCounter{index: s.index, hitCounts: s.f.engine.scorePool.take(len(s.index.Scopes))}
	defer h.release(&s.f.engine.scorePool)
	h.ignoreRoles = s.tooManyForRoles(ids)
	if err := h.count(ctx, s.f, s.snapshot, ids); err != nil {
		return err
	}
	for _, n := range h.nonZero { // however many summaries have a word, it may not have been said
		summaries := h.summaries[n]
		each(n, max(0, h.scores[n].bySpeakers-summaries), h.scores[n].byTools+min(1, summaries))
	}
	return nil
}

// ConversationOf implements closest.Source.
func (s *closeSource) ConversationOf(ctx context.Context, message int64) (int32, error) {
	session := s.sessions.SessionOf(message)
	if session < 0 && !s.sessions.AllIDs().Has(message) {
		var ok bool
		if session, ok = s.unmapped[message]; !ok {
			one := &idset.Set{}
			one.Add(message)
			session = -1
			err := s.f.engine.sessions.ReadSessionIDs(ctx, s.f.tx, one, func(_ int64, id string) { session = s.snapshot.SessionNumber(id) })
			if err != nil {
				return -1, err
			}
			s.unmapped[message] = session
		}
	}
	if session < 0 {
		return -1, nil
	}
	return s.index.ConversationOf(session), nil
}

// IsTool implements closest.Source. What a summary has counts as little as what a tool
// has.
func (s *closeSource) IsTool(message int64) bool {
	return s.roles.FromTools.Has(message) || s.summaries.Has(message)
}

// ReadMessages implements closest.Source. It reads only the headers of the rows: the texts
// may be long.
func (s *closeSource) ReadMessages(ctx context.Context, ids []int64, each func(id int64, byUser bool, bytes int)) error {
	calls := s.f.engine.db.Schema.ColumnOrNull("messages", "m", "tool_calls")
	return db.EachRow(ctx, s.f.tx, `SELECT m.id, m.role = 'user', coalesce(octet_length(m.content), 0) + coalesce(octet_length(`+calls+`), 0)
		FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(slices.Values(ids))}, func(r db.Row) {
		id := r.Int(0)
		each(id, r.Bool(1) && !s.summaries.Has(id), int(r.Int(2)))
	})
}

// MessageCount implements closest.Source.
func (s *closeSource) MessageCount(n int32) int {
	c := s.index.Conversation(n)
	return c.Messages
}

// Active implements closest.Source.
func (s *closeSource) Active(n int32) (from, to time.Time) {
	c := s.index.Conversation(n)
	return c.RootStartedAt, c.LastActive
}

// Titles implements closest.Source.
func (s *closeSource) Titles(m *match.Matcher) []int32 {
	s.snapshot.RequestTitles(m)
	return slices.DeleteFunc(m.MatchIndex(s.titles), func(n int32) bool { return s.titles.Text(int(n)) == "" })
}

// OfSource implements closest.Source.
func (s *closeSource) OfSource(name string) (conversations []int32) {
	_, sources, sourceOf := s.index.NamesAndSources()
	for number, source := range sources {
		if !strings.EqualFold(source, name) {
			continue
		}
		for n, of := range sourceOf {
			if of == int32(number) && s.index.Scopes[n] != snapshot.NoScope {
				conversations = append(conversations, int32(n))
			}
		}
	}
	return conversations
}

// Title implements closest.Source.
func (s *closeSource) Title(n int32) string { return s.titles.Text(int(n)) }

// Version implements closest.Source.
func (s *closeSource) Version() any {
	if s.f.capabilityCache == nil {
		return nil
	}
	type version struct {
		capabilities *capabilityCache
		index        *snapshot.ConversationIndex
		restrictions string
	}
	return version{s.f.capabilityCache, s.index, fmt.Sprint(s.f.query.Filters, s.excluded)}
}

// ConversationCount implements closest.Source. A damaged index may count fewer sessions.
func (s *closeSource) ConversationCount() int {
	return max(s.snapshot.SessionCount(), len(s.index.Scopes))
}

// Visibility implements closest.Source.
func (s *closeSource) Visibility(n int32) closest.Visibility {
	scope := s.index.Scopes[n]
	switch {
	case scope == snapshot.NoScope || s.found[n] || !s.keeps(n):
		return closest.Excluded
	case s.shows[scope]:
		return closest.Shown
	case slices.Contains(s.onlyWithAll, n):
		return closest.OnlyWithAllWords
	case len(s.found) > 0: // the notice about other scopes leads there
		return closest.Excluded
	}
	return closest.OutOfScope
}
