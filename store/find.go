package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// finder finds the messages that match one query inside one snapshot, by the
// routes that the file's full-text index allows (store/README.md#fts-layouts):
//
//   - words and phrases by messages_fts;
//   - text in scripts without spaces by messages_fts_trigram from three
//     characters on, else by LIKE;
//   - the same text as JSON spells it, \uXXXX, by messages_fts, where each
//     escape is a word (store/README.md#q2);
//   - messages that an index does not hold, or not whole, by reading them.
//
// Every route gives the same answer to the same question.
type finder struct {
	s     *Store
	q     queryer
	query model.Query

	version int64 // DataVersion from before the snapshot
	from    int64 // ids looked at
	to      int64
	ground
	known *surveyed // of the same moment, nil where there is none
	kept  queryer   // q with statements that are kept, once asked for
	note  string    // which index was of no use, "" if all were
	route []string  // by which roads the answer was found
	name  string    // columns of m that old files may lack
	calls string
	some  int           // as many messages are read without a closer look at the index
	among *ftsindex.Set // the messages that are of interest to trigrams, nil for all
}

// ground is what there is to ask at one moment.
type ground struct {
	words, grams index
	rebuilt      bool          // state_meta says something of the index
	lacking      string        // why words is not all that it could be
	gramsToo     bool          // grams was looked at
	first, last  int64         // ids that there are, once asked for
	coded        *ftsindex.Set // see [finder.coded], once asked for
}

// surveyed is the ground at a catalog's moment, as far as it was looked at.
type surveyed struct {
	mu   sync.Mutex
	made bool
	ground
}

// surveyedOf gives that of a catalog.
func surveyedOf(c *catalog) *surveyed {
	return c.derived.get(func() any { return &surveyed{} }).(*surveyed)
}

// keep keeps what was found out for the next question of the same moment.
func (f *finder) keep() {
	if f.known != nil {
		f.known.mu.Lock()
		f.known.made, f.known.ground = true, f.ground
		f.known.mu.Unlock()
	}
}

// index is a full-text table as it stands at this moment.
type index struct {
	table   string // "" where it can not be used
	outside string // condition on m for messages that it does not hold whole, "" for none
	padded  bool   // two spaces follow what was said
}

func (s *Store) finder(q queryer, query model.Query, version int64) *finder {
	return &finder{
		s: s, q: q, query: query, version: version, from: math.MinInt64, to: math.MaxInt64,
		name: s.schema.column("messages", "m", "tool_name"), calls: s.schema.column("messages", "m", "tool_calls"),
		some: 500,
	}
}

// find gives the ids of the matching messages that may be shown.
func (f *finder) find(ctx context.Context) (*ftsindex.Set, error) {
	if f.query.Empty() {
		return &ftsindex.Set{}, nil
	}
	defer func(asked model.Query) { f.query = asked }(f.query)
	f.query = withTool(f.query)
	if err := f.survey(ctx); err != nil {
		return nil, err
	}
	for {
		ids, err := f.answer(ctx)
		if err == nil {
			if err := f.shown(ctx, ids); err != nil {
				return nil, err
			}
			return f.only(ctx, ids)
		}
		if ctx.Err() != nil || !f.without(err) {
			return nil, err
		}
	}
}

// unshown remembers which messages nobody is shown. To ask each hit would
// mean to read to the end of its row, behind its text: the marks stand there.
type unshown struct {
	mu      sync.Mutex
	version int64         // DataVersion of rewound; 0 for none yet
	rewound *ftsindex.Set // taken back, see [schema.said]
	hidden  *ftsindex.Set // scaffolding, marked so when it is written
	seen    int64         // greatest id looked at for hidden
}

// shown takes the rewound and the hidden messages out of ids.
func (f *finder) shown(ctx context.Context, ids *ftsindex.Set) error {
	sc := f.s.schema
	if ids.Empty() || !sc.has("messages", "active") && !sc.has("messages", "display_kind") {
		return nil
	}
	u := &f.s.unshown
	u.mu.Lock()
	version, rewound, hidden, seen := u.version, u.rewound, u.hidden, u.seen
	u.mu.Unlock()
	if version == 0 || version != f.version {
		rewound = &ftsindex.Set{}
		var last int64
		if sc.has("messages", "active") {
			// The inner question is answered from an index, the outer for few.
			err := f.ids(ctx, rewound, `SELECT m.id FROM messages m WHERE m.id IN (SELECT id FROM messages WHERE coalesce(active, 1) <> 1)
				AND NOT `+sc.said("m"))
			if err != nil {
				return err
			}
		}
		if sc.has("messages", "display_kind") {
			err := f.each(ctx, `SELECT coalesce(max(id), 0) FROM messages`, nil, func(scan func(...any) error) error { return scan(&last) })
			if err != nil {
				return err
			}
			hidden = hidden.Clone() // others may be reading it
			if err := f.ids(ctx, hidden, `SELECT m.id FROM messages m WHERE m.id > ? AND m.display_kind = 'hidden'`, seen); err != nil {
				return err
			}
			seen = last
		}
		u.mu.Lock()
		u.version, u.rewound, u.hidden, u.seen = f.version, rewound, hidden, seen
		u.mu.Unlock()
	}
	ids.Subtract(rewound)
	ids.Subtract(hidden)
	return nil
}

// ids puts what a query gives into a set.
func (f *finder) ids(ctx context.Context, into *ftsindex.Set, query string, args ...any) error {
	var id int64
	return f.each(ctx, query, args, func(scan func(...any) error) error {
		err := scan(&id)
		into.Add(id)
		return err
	})
}

// indexError is an error of a full-text table.
type indexError struct {
	index *index
	err   error
}

func (e *indexError) Error() string { return e.err.Error() }
func (e *indexError) Unwrap() error { return e.err }

// without gives up the index that failed and reports whether one did.
func (f *finder) without(err error) bool {
	e, ok := errors.AsType[*indexError](err)
	if !ok || code(err) == sqliteBusy || code(err) == sqliteLocked || code(err) == sqliteInterr {
		return false
	}
	e.index.table, f.known = "", nil
	f.note = "the full-text index is damaged: every message was read"
	return true
}

// survey finds out what the indexes can be asked at this moment. The keys of
// state_meta change while Hermes rebuilds them.
func (f *finder) survey(ctx context.Context) error {
	if k := f.known; k != nil {
		k.mu.Lock()
		made, ground := k.made, k.ground
		k.mu.Unlock()
		if made {
			f.ground, f.note = ground, ground.lacking
			return nil
		}
	}
	err := f.look(ctx)
	f.note = f.lacking
	if err == nil {
		f.keep()
	}
	return err
}

func (f *finder) look(ctx context.Context) error {
	marks := map[string]bool{}
	if f.s.schema.has("state_meta", "key") {
		err := f.each(ctx, `SELECT key FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`, nil, func(scan func(...any) error) error {
			var key any
			err := scan(&key)
			marks[text(key)] = true
			return err
		})
		if err != nil {
			return err
		}
	}
	f.rebuilt = marks["fts_rebuild_high_water"] || marks["fts_rebuild_progress"]
	if marks["fts_stale"] {
		f.lacking = "Hermes has put its full-text index aside: every message was read"
		return nil
	}
	ddl, ok := f.s.schema.tables["messages_fts"]
	if !ok {
		f.lacking = "there is no full-text index: every message was read"
		return nil
	}
	f.words.table = "messages_fts"
	absent, err := f.absent(ctx, "messages_fts")
	if err != nil {
		return err
	}
	var outside []string
	if absent > 0 {
		outside = append(outside, notIn("messages_fts"))
		if !marks["fts_rebuild_high_water"] {
			f.lacking = fmt.Sprintf("the full-text index lacks %d messages: they were read one by one", absent)
		}
	}
	if external(ddl) && !strings.Contains(ddl, "tool_name") { // versions 1 to 10
		outside = append(outside, f.calls+" IS NOT NULL OR coalesce("+f.name+", '') <> ''")
	}
	if strings.Contains(ddl, "messages_fts_src") { // storage 3 holds 8,192 characters of a tool result
		outside = append(outside, "m.role = 'tool' AND octet_length(m.content) > 8192")
	}
	f.words.outside = strings.Join(outside, " OR ")
	return nil
}

// surveyGrams finds out what the index of trigrams can answer, which few queries
// need.
func (f *finder) surveyGrams(ctx context.Context) error {
	if f.gramsToo || f.words.table == "" {
		return nil
	}
	f.gramsToo = true
	ddl, ok := f.s.schema.tables["messages_fts_trigram"]
	if !ok {
		return nil
	}
	absent, err := f.absent(ctx, "messages_fts_trigram")
	if err != nil {
		return err
	}
	f.grams.table, f.grams.padded = "messages_fts_trigram", !external(ddl)
	var outside []string
	if absent > 0 { // out of step, or without tools, cron and subagents by design
		outside = append(outside, notIn("messages_fts_trigram"))
	}
	if external(ddl) && !strings.Contains(ddl, "tool_calls") { // versions 10; storage 2 and 3
		outside = append(outside, f.calls+" IS NOT NULL")
	}
	if external(ddl) && !strings.Contains(ddl, "tool_name") {
		outside = append(outside, "coalesce("+f.name+", '') <> ''")
	}
	f.grams.outside = strings.Join(outside, " OR ")
	f.keep()
	return nil
}

var contentOption = regexp.MustCompile(`\bcontent\s*=`)

// external reports whether a full-text table keeps its text elsewhere.
func external(ddl string) bool { return contentOption.MatchString(ddl) }

func notIn(table string) string {
	return "NOT EXISTS (SELECT 1 FROM " + table + "_docsize d WHERE d.id = m.id)"
}

// absences remembers how many messages full-text tables do not know.
type absences struct {
	mu      sync.Mutex
	version int64 // DataVersion of counts; 0 for none yet
	counts  map[string]int
	kept    map[string]bool // counted before, when nothing was absent
}

// absent counts the messages that a full-text table does not know. A table
// that knew all of them, and has its triggers, still does: to count a million
// takes half a second.
func (f *finder) absent(ctx context.Context, table string) (int, error) {
	if _, ok := f.s.schema.tables[table+"_docsize"]; !ok {
		return 0, nil
	}
	a := &f.s.absences
	a.mu.Lock()
	if a.version != f.version || a.counts == nil {
		a.version, a.counts = f.version, map[string]int{}
	}
	n, known := a.counts[table]
	whole := a.kept[table]
	a.mu.Unlock()
	if known && f.version != 0 {
		return n, nil
	}
	if whole && !f.rebuilt && f.s.schema.mirrored(table) {
		return 0, nil
	}
	err := f.each(ctx, `SELECT CASE WHEN (SELECT count(*) FROM `+table+`_docsize) = (SELECT count(*) FROM messages)
			AND (SELECT max(id) FROM `+table+`_docsize) IS (SELECT max(id) FROM messages) THEN 0
		ELSE (SELECT count(*) FROM messages m WHERE `+notIn(table)+`) END`, nil,
		func(scan func(...any) error) error { return scan(&n) })
	if err == nil {
		a.mu.Lock()
		if a.version == f.version {
			a.counts[table] = n
		}
		if a.kept == nil {
			a.kept = map[string]bool{}
		}
		a.kept[table] = n == 0
		a.mu.Unlock()
	}
	return n, err
}

// mirrored reports whether triggers keep a full-text table in step.
func (s schema) mirrored(table string) bool {
	for _, event := range []string{"_insert", "_delete", "_update"} {
		if _, ok := s.tables[table+event]; !ok {
			return false
		}
	}
	return true
}

// answer finds with the indexes that are left.
func (f *finder) answer(ctx context.Context) (*ftsindex.Set, error) {
	if f.words.table == "" {
		_, ids, err := f.read(ctx, f.query, "1", nil)
		return ids, err
	}
	ids, err := f.found(ctx)
	if err != nil {
		return nil, err
	}
	if f.words.outside != "" {
		seen, found, err := f.read(ctx, f.query, f.words.outside, nil)
		if err != nil {
			return nil, err
		}
		ids.Subtract(seen)
		ids.Union(found)
	}
	return ids, nil
}

// found finds what the indexes hold. Each alternative with symbols is looked
// at by itself, and what none of them is sure of is read.
func (f *finder) found(ctx context.Context) (*ftsindex.Set, error) {
	var plain, symbols []model.Group
	for _, g := range f.query.Groups {
		if len(atWords(g.All))+len(atWords(g.None)) == 0 {
			plain = append(plain, g)
		} else {
			symbols = append(symbols, g)
		}
	}
	ids, unsure := &ftsindex.Set{}, &ftsindex.Set{}
	if q, ok := questionOf(plain); ok {
		var err error
		if ids, err = f.match(ctx, &f.words, q); err != nil {
			return nil, err
		}
	} else {
		for _, g := range plain {
			found, err := f.group(ctx, g)
			if err != nil {
				return nil, err
			}
			ids.Union(found)
		}
	}
	for _, g := range symbols {
		found, err := f.group(ctx, g)
		if err != nil {
			return nil, err
		}
		sure, rest, err := f.verify(ctx, g, found)
		if err != nil {
			return nil, err
		}
		ids.Union(sure)
		unsure.Union(rest)
	}
	unsure.Subtract(ids)
	_, read, err := f.read(ctx, f.query, "", unsure)
	if err != nil {
		return nil, err
	}
	ids.Union(read)
	return ids, nil
}

// atWords gives the terms that have symbols at their words.
func atWords(terms []model.Term) (with []model.Term) {
	for _, t := range terms {
		if t.Words() != nil && t.Symbols() {
			with = append(with, t)
		}
	}
	return with
}

// verify parts the messages of one alternative by whether the symbols of its
// terms stand at their words: of those an index of words knows nothing. The
// index of trigrams says which surely have them. It says of others that they
// can not; of the rest, unsure, the texts tell.
func (f *finder) verify(ctx context.Context, g model.Group, ids *ftsindex.Set) (sure, unsure *ftsindex.Set, err error) {
	unsure = ids
	sure = ids.Clone()
	f.among = unsure // which will be fewer and fewer
	defer func() { f.among = nil }()
	for _, t := range atWords(g.All) { // must have all of them
		can, ok, err := f.spelled(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			unsure.Intersect(can)
			sure.Intersect(can)
		}
		if sure.Empty() {
			continue
		}
		if sure, err = f.asItStands(ctx, t, sure); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range atWords(g.None) { // must have none, and most have not
		if sure.Empty() {
			break
		}
		may, err := f.match(ctx, &f.words, spoken(t))
		if err != nil {
			return nil, nil, err
		}
		can, ok, err := f.spelled(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			may.Intersect(can)
		}
		if may.Intersect(sure); may.Len() > f.some {
			if err := f.refute(ctx, t, may); err != nil {
				return nil, nil, err
			}
			has, err := f.asItStands(ctx, t, may)
			if err != nil {
				return nil, nil, err
			}
			unsure.Subtract(has)
		}
		sure.Subtract(may)
	}
	unsure.Subtract(sure)
	for _, t := range atWords(g.All) {
		if unsure.Len() <= f.some {
			break
		}
		if err := f.refute(ctx, t, unsure); err != nil {
			return nil, nil, err
		}
	}
	return sure, unsure, nil
}

// refute takes messages out of unsure that surely do not have a term, where that
// is one word of ASCII with symbols behind it. Of messages that are plain, see
// [written], and have no escapes of JSON, the index of trigrams has all that there
// is to know: they have it behind what is in no word, or begin with it. Without
// this every message that has the word, and another one that ends so, is read:
// "a." would take ten times as long.
func (f *finder) refute(ctx context.Context, t model.Term, unsure *ftsindex.Set) error {
	odd := func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }
	if t.Leads() || len(t.Words()) != 1 || strings.ContainsFunc(t.Text, odd) || !f.measured() {
		return nil
	}
	w, err := f.writing(ctx, unsure)
	if err != nil {
		return err
	}
	absent := &w.plain
	for _, q := range []question{inside(`\u`, nil), first(t.Text[:min(3, len(t.Text))]), after(betweenWords(), t.Text)} {
		can, ok, err := f.trigrams(ctx, q)
		if err != nil || !ok {
			return err
		}
		absent.Subtract(can)
	}
	unsure.Subtract(absent)
	return nil
}

// spelled gives the messages that may have a term with its symbols: those in
// which symbols stand next to a letter as they do in the term, those that may
// have it as JSON spells it, and those that the trigrams do not hold whole. ok
// is false where no index tells.
func (f *finder) spelled(ctx context.Context, t model.Term) (can *ftsindex.Set, ok bool, err error) {
	if err := f.surveyGrams(ctx); err != nil {
		return nil, false, err
	}
	edges, symbols := t.Edges()
	if can, ok, err = f.edged(ctx, edges); err != nil || !ok {
		return nil, false, err
	}
	inJSON, err := f.coding(ctx, symbols)
	if err != nil {
		return nil, false, err
	}
	can.Union(inJSON)
	return can, true, nil
}

// edged gives the messages in which characters stand next to one another as
// some edges have them. ok is false where the index of trigrams does not tell.
func (f *finder) edged(ctx context.Context, edges []model.Edge) (ids *ftsindex.Set, ok bool, err error) {
	var of []question
	for _, e := range edges {
		if e.Fits == nil && !within(e.Text) || strings.Contains(e.Text, "\ufffd") {
			return nil, false, nil
		}
		of = append(of, inside(e.Text, e.Fits))
	}
	return f.trigrams(ctx, anyOf(of...))
}

// coding gives the messages that may have some symbols as JSON spells them, and
// those that the trigrams do not hold whole.
func (f *finder) coding(ctx context.Context, symbols []rune) (*ftsindex.Set, error) {
	var of []question
	for _, symbol := range symbols {
		of = append(of, quoted(escapeWord(symbol), true))
	}
	ids, err := f.match(ctx, &f.words, anyOf(of...))
	if err != nil {
		return nil, err
	}
	coded, err := f.coded(ctx)
	if err != nil {
		return nil, err
	}
	ids.Union(coded)
	return ids, nil
}

// asItStands gives those of some messages that surely have a term, as far as
// the index of trigrams tells of any: those with its text, where that is ASCII
// and its first word begins there, and where it ends with a symbol, or at a
// word's end unless that may go on. Between its words stands what is typed
// there, or one space, as between most.
func (f *finder) asItStands(ctx context.Context, t model.Term, among *ftsindex.Set) (sure *ftsindex.Set, err error) {
	odd := func(r rune) bool { return r >= utf8.RuneSelf }
	escape := strings.Contains(t.Text, `\u`) // may be read as another character
	sure = &ftsindex.Set{}
	if !f.measured() || escape || strings.ContainsFunc(t.Text, odd) {
		return sure, nil
	}
	texts := []string{t.Text}
	if spaced := t.Spaced(); !strings.EqualFold(spaced, t.Text) {
		texts = append(texts, spaced)
	}
	for _, text := range texts {
		ids, ok, err := f.havingText(ctx, t, text)
		if err != nil || !ok {
			return sure, err
		}
		whole, err := f.inOne(ctx, ftsindex.Both(ids, among), text)
		if err != nil {
			return nil, err
		}
		sure.Union(whole)
	}
	return sure, nil
}

// havingText gives the messages that have a text of ASCII, which is that of a
// term, where the term's first word begins and its last one may end. ok is false
// where the index of trigrams does not tell.
func (f *finder) havingText(ctx context.Context, t model.Term, text string) (ids *ftsindex.Set, ok bool, err error) {
	ends, careful := endsOf(t)
	if t.Leads() {
		ids, ok, err = f.trigrams(ctx, inside(text, ends))
	} else {
		ids, ok, err = f.trigrams(ctx, after(betweenWords(), text))
	}
	if err != nil || !ok || careful == nil {
		return ids, ok, err
	}
	escapes, ok, err := f.trigrams(ctx, inside(`\u`, nil))
	if err != nil || !ok {
		return nil, false, err
	}
	coded := ftsindex.Both(ids, escapes)
	ids = ftsindex.Without(ids, escapes)
	if t.Leads() && !coded.Empty() {
		found, ok, err := f.trigrams(ctx, inside(text, careful))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(ftsindex.Both(found, coded))
	}
	return ids, true, nil
}

// endsOf tells which three characters may end the text of a term, the last of
// them behind it: ends in messages without escapes of JSON, careful in those with
// some. nil is for any; careful is nil only where escapes make no difference.
func endsOf(t model.Term) (ends, careful func(three []byte) bool) {
	switch {
	case !t.Trails() && !t.Prefix:
		ends = func(three []byte) bool {
			r, _ := utf8.DecodeLastRune(three)
			return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
		careful = func(three []byte) bool { return ends(three) && three[len(three)-1] != '\\' }
	case strings.HasSuffix(t.Text, `\`): // of no escape
		careful = func(three []byte) bool {
			last := three[len(three)-1]
			return last != 'u' && last != '\\'
		}
	}
	return ends, careful
}

// betweenWords gives the characters of ASCII that are in no word.
func betweenWords() (all []rune) {
	for c := byte(1); c < utf8.RuneSelf; c++ {
		if !inASCIIWord(c) {
			all = append(all, rune(c))
		}
	}
	return all
}

// inOne gives those of some messages in which a text of ASCII, found by the
// index of trigrams, surely stands as it is. They have no NUL, and no space of
// the text is the one which the index has between what is said, a tool's name
// and its arguments.
func (f *finder) inOne(ctx context.Context, ids *ftsindex.Set, s string) (*ftsindex.Set, error) {
	w, err := f.unbroken(ctx, ids)
	if err != nil {
		return nil, err
	}
	ids = &w.known
	if !strings.Contains(s, " ") {
		return ids, nil
	}
	ids.Subtract(&w.odd)
	nameless := ids.Clone()
	for name, named := range w.names {
		nameless.Subtract(named)
		switch {
		case spans(s, name, false):
			ids.Subtract(named)
		case spans(s, name, true):
			ids.Subtract(ftsindex.Both(named, &w.calls))
		}
	}
	if spans(s, "", true) {
		ids.Subtract(nameless)
	}
	return ids, nil
}

// spans reports whether a text may only be one where the index has what is
// said, a tool's name and its arguments one after the other, with a space
// between them.
func spans(s, tool string, calls bool) bool {
	s, tool = strings.ToLower(s), strings.ToLower(tool)
	for i := range len(s) {
		if s[i] != ' ' {
			continue
		}
		before, after, name := s[:i], s[i+1:], tool+" "
		if strings.HasPrefix(name, after) || strings.HasPrefix(after, name) || calls && tool != "" && strings.HasSuffix(tool, before) {
			return true
		}
	}
	return false
}

// trigrams asks the index of trigrams by its pages, as far as messages are of
// interest. ok is false where these do not tell of all messages.
func (f *finder) trigrams(ctx context.Context, q question) (ids *ftsindex.Set, ok bool, err error) {
	if f.grams.table == "" || f.grams.outside != "" || !f.grams.padded {
		return nil, false, nil
	}
	return f.matchPages(ctx, &f.grams, q, f.among)
}

// within reports whether a text has always another character behind it: JSON's
// brackets end a row, or what is no text where JSON was cut off.
func within(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !strings.ContainsRune(`]}"`+"\ufffd", last)
}

// question gives the query as one question to messages_fts; ok is false where
// a term of it needs another route.
func (f *finder) question() (q question, ok bool) { return questionOf(f.query.Groups) }

// questionOf makes the question that the full-text indexes are asked for some
// alternatives of the query.
func questionOf(alternatives []model.Group) (q question, ok bool) {
	var groups []question
	for _, g := range alternatives {
		words, stretches := split(g.All)
		without, more := split(g.None)
		if len(stretches)+len(more) > 0 {
			return question{}, false
		}
		groups = append(groups, butNot(conjunction(words), without))
	}
	return anyOf(groups...), len(groups) > 0
}

// group finds the messages of one alternative, set by set.
func (f *finder) group(ctx context.Context, g model.Group) (*ftsindex.Set, error) {
	words, stretches := split(g.All)
	without, more := split(g.None)
	ids := &ftsindex.Set{}
	if len(words) > 0 {
		var err error
		if ids, err = f.match(ctx, &f.words, butNot(conjunction(words), without)); err != nil {
			return nil, err
		}
	}
	for i, t := range stretches {
		first := i == 0 && len(words) == 0
		if !first && ids.Empty() {
			return ids, nil
		}
		found, err := f.stretch(ctx, t)
		if err != nil {
			return nil, err
		}
		if !first {
			found.Intersect(ids)
		}
		ids = found
	}
	if len(words) == 0 && len(without) > 0 {
		var none []question
		for _, t := range without {
			none = append(none, spoken(t))
		}
		found, err := f.match(ctx, &f.words, anyOf(none...))
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	for _, t := range more {
		found, err := f.stretch(ctx, t)
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	return ids, nil
}

// split parts terms into those looked for as words and the others.
func split(terms []model.Term) (words, stretches []model.Term) {
	for _, t := range terms {
		if t.Words() != nil {
			words = append(words, t)
		} else {
			stretches = append(stretches, t)
		}
	}
	return words, stretches
}

// stretch finds the messages that hold a text anywhere.
func (f *finder) stretch(ctx context.Context, t model.Term) (*ftsindex.Set, error) {
	if err := f.surveyGrams(ctx); err != nil {
		return nil, err
	}
	ids, outside, err := f.stretchByIndex(ctx, t)
	if err != nil {
		return nil, err
	}
	if outside != "" {
		// LIKE stops at a NUL. Multimodal content begins with one; behind one in
		// the middle of a text only words are found.
		where := `(` + outside + `) AND (m.content LIKE ?1 ESCAPE '\' OR ` + f.name + ` LIKE ?1 ESCAPE '\'
			OR ` + f.calls + ` LIKE ?1 ESCAPE '\' OR m.content < char(1))`
		_, found, err := f.read(ctx, alone(t), where, nil, pattern(t.Text))
		if err != nil {
			return nil, err
		}
		ids.Union(found)
	}
	if esc := escaped(t.Text); esc != t.Text {
		found, err := f.match(ctx, &f.words, quoted(esc, true))
		if err != nil {
			return nil, err
		}
		if found.Subtract(ids); utf8.RuneCountInString(t.Text) > 1 {
			// Each character is a word, and words may have something between them.
			if found, err = f.together(ctx, t, found); err != nil {
				return nil, err
			}
		}
		ids.Union(found)
	}
	return ids, nil
}

// stretchByIndex finds the messages that hold a text anywhere as it is typed, by
// the index of trigrams: from three characters on by the text itself, shorter
// texts by what stands around them. outside is the condition on m for messages of
// which the index does not tell, "1" for all and "" for none.
func (f *finder) stretchByIndex(ctx context.Context, t model.Term) (ids *ftsindex.Set, outside string, err error) {
	var ok bool
	short := utf8.RuneCountInString(t.Text) < 3
	switch {
	case f.grams.table != "" && !short:
		ids, err = f.match(ctx, &f.grams, quoted(t.Text, false))
		return ids, f.grams.outside, err
	case asTyped(strings.ReplaceAll(t.Text, `\`, "")):
		ids, ok, err = f.shortStretch(ctx, t)
	case short:
		ids, ok, err = f.partly(ctx, t.Text)
	}
	if err == nil && !ok {
		return &ftsindex.Set{}, "1", nil
	}
	return ids, "", err
}

// shortStretch finds the messages that hold a text of one or two characters which
// is stored as it is typed, backslashes aside. ok is false where the index of
// trigrams does not tell.
func (f *finder) shortStretch(ctx context.Context, t model.Term) (found *ftsindex.Set, ok bool, err error) {
	found, ok, err = f.anywhere(ctx, t.Text)
	if err != nil || !ok || t.Text[0] >= utf8.RuneSelf { // other scripts as JSON spells them are found by their escapes
		return found, ok, err
	}
	unsure, err := f.coded(ctx)
	if err != nil {
		return nil, false, err
	}
	if strings.HasSuffix(t.Text, `\`) { // may only spell another character
		sure, _, err := f.trigrams(ctx, inside(t.Text, func(three []byte) bool {
			// The u of an escape may stand behind it, or one more before that.
			return len(three) > len(t.Text) && three[len(t.Text)] != 'u' && three[len(t.Text)] != '\\'
		}))
		if err != nil {
			return nil, false, err
		}
		unsure = unsure.Clone()
		unsure.Union(found)
		unsure.Subtract(sure)
		found = sure
	}
	if _, unsure, err = f.read(ctx, alone(t), "", unsure); err != nil {
		return nil, false, err
	}
	found.Union(unsure)
	return found, true, nil
}

// anywhere gives the messages that have one or two characters, by the index of
// trigrams. Where they can end JSON, it is remembered how messages end.
func (f *finder) anywhere(ctx context.Context, s string) (ids *ftsindex.Set, ok bool, err error) {
	of := inside(s, nil)
	if within(s) {
		return f.trigrams(ctx, of)
	}
	if ids, ok, err = f.trigrams(ctx, of); err != nil || !ok || len([]rune(s)) > 2 {
		return nil, false, err
	}
	rest, err := f.held(ctx, f.from, f.to)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(ids)
	w, err := f.writing(ctx, rest)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(&w.known)
	rest.Union(&w.odd)
	for end, found := range w.ends {
		if strings.Contains(end, s) {
			ids.Union(found)
		}
	}
	var escapes []question // of what JSON has no need to escape, but may
	for _, r := range s {
		escapes = append(escapes, quoted(escapeWord(r), true))
	}
	found, err := f.match(ctx, &f.words, anyOf(escapes...))
	if err != nil {
		return nil, false, err
	}
	rest.Union(found)
	rest.Subtract(ids)
	_, found, err = f.read(ctx, alone(model.Term{Text: s}), "", rest)
	ids.Union(found)
	return ids, true, err
}

// alone is the query for one term.
func alone(t model.Term) model.Query {
	return model.Query{Groups: []model.Group{{All: []model.Term{t}}}}
}

// asTyped reports whether a text is stored as it is typed, but for the case of
// its ASCII letters: JSON spells a backslash in several ways, other letters may
// have more forms than two, and U+FFFD stands for what is no text.
func asTyped(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == '\\' || r == utf8.RuneError || r|1 == 0xffff || 0x7f <= r && (r < 0xa0 || unicode.SimpleFold(r) != r || unicode.Is(unicode.Latin, r))
	})
}

// pattern makes a LIKE pattern that no text with s in it fails. LIKE knows the
// case of ASCII letters only.
func pattern(s string) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, r := range s {
		switch {
		case r == '%' || r == '_' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 0x80 && unicode.IsLetter(r) && unicode.SimpleFold(r) != r:
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('%')
	return b.String()
}

// match asks a full-text table. The set is the caller's.
func (f *finder) match(ctx context.Context, x *index, q question) (*ftsindex.Set, error) {
	if ids, ok, err := f.matchPages(ctx, x, q, nil); ok || err != nil {
		return ids, err
	}
	f.by("SQLite's full-text index " + x.table)
	query := `SELECT rowid FROM ` + x.table + ` WHERE ` + x.table + ` MATCH ?`
	args := []any{q.sql()}
	if f.bounded() {
		query += ` AND rowid BETWEEN ? AND ?`
		args = append(args, f.from, f.to)
	}
	ids := &ftsindex.Set{}
	if err := f.ids(ctx, ids, query, args...); err != nil {
		return nil, &indexError{x, err}
	}
	return ids, nil
}

func (f *finder) bounded() bool { return f.from > math.MinInt64 || f.to < math.MaxInt64 }

// read looks into messages themselves: those of ids or, with where, those that
// satisfy it. seen are all that were read, found those that match.
func (f *finder) read(ctx context.Context, query model.Query, where string, ids *ftsindex.Set, args ...any) (seen, found *ftsindex.Set, err error) {
	seen, found = &ftsindex.Set{}, &ftsindex.Set{}
	if where == "" && ids.Empty() {
		return seen, found, nil
	}
	from := `messages m WHERE ` + where
	if where == "" {
		f.by("symbols by reading what the index found")
		from, args = these(ids.All())
	} else {
		f.by("reading messages that no index answers for")
		if f.bounded() {
			from = `messages m WHERE (` + where + `) AND m.id BETWEEN ` + strconv.FormatInt(f.from, 10) + ` AND ` + strconv.FormatInt(f.to, 10)
		}
	}
	// Whoever has nothing to do looks into what was read: the one who reads, and
	// another beside.
	work, late := make(chan []body), &ftsindex.Set{}
	err = abreast(func() error {
		defer close(work)
		m := model.NewMatcher(query.Groups)
		var some []body
		size := 0
		look := func() {
			select {
			case work <- some:
			default:
				matching(m, some, found)
			}
			some, size = nil, 0
		}
		err := f.texts(ctx, f.q, from, args, func(b body) {
			seen.Add(b.id)
			some = append(some, b)
			if size += len(b.content) + len(b.calls); size > readBeside {
				look()
			}
		})
		matching(m, some, found)
		return err
	}, func() error {
		m := model.NewMatcher(query.Groups)
		for some := range work {
			matching(m, some, late)
		}
		return nil
	})
	found.Union(late)
	return seen, found, err
}

// readBeside is how many bytes of texts are worth waking somebody for.
const readBeside = 32 << 10

// body is what is searched of a message.
type body struct {
	id                   int64
	content, name, calls string
}

func (b body) matches(m *model.Matcher) bool {
	return m.Match(unescape(b.content), b.name, unescape(b.calls))
}

// matching adds those of some messages that match.
func matching(m *model.Matcher, some []body, to *ftsindex.Set) {
	for _, b := range some {
		if b.matches(m) {
			to.Add(b.id)
		}
	}
}

// these are some messages m, for a FROM.
func these(ids iter.Seq[int64]) (from string, args []any) {
	return `json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE 1`, []any{list(ids)}
}

// texts hands over what is searched of messages.
func (f *finder) texts(ctx context.Context, q queryer, from string, args []any, each func(body)) error {
	var id int64
	var content, name, calls any
	return rowByRow(ctx, q, `SELECT m.id, m.content, `+f.name+`, `+f.calls+` FROM `+from, args, func(scan func(...any) error) error {
		err := scan(&id, &content, &name, &calls)
		if err == nil {
			each(body{id, text(content), text(name), text(calls)})
		}
		return err
	})
}

// each runs a query and hands over its rows one by one.
func (f *finder) each(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	return rowByRow(ctx, f.q, query, args, row)
}

func rowByRow(ctx context.Context, q queryer, query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list makes one argument of many ids, for json_each.
func list(ids iter.Seq[int64]) string {
	b := []byte{'['}
	for id := range ids {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}
