package snapshot

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessionroles"
)

// preview is the values of a session that only its messages have.
type preview struct {
	Text      string // the first user message, as upstream previews it
	shortened string // the first message with text, shortened, without inserted memories
	lastRole  string
}

// previewKey changes when a session's messages do.
type previewKey = sessionroles.Key

// PreviewKey returns the key of the previews of a session. snap may be nil.
func (snap *Snapshot) PreviewKey(id string) previewKey {
	if snap == nil {
		return previewKey{ID: id}
	}
	i, ok := snap.Position(id)
	if !ok {
		return previewKey{ID: id}
	}
	return snap.previewKeyAt(i)
}

// PreviewKeys returns PreviewKey as a function that finds the first sessions of some
// conversations without a search.
func (snap *Snapshot) PreviewKeys(numbers []int32) func(id string) previewKey {
	at := make(map[string]int, len(numbers))
	for _, n := range numbers {
		at[snap.ID(int(n))] = int(n)
	}
	return func(id string) previewKey {
		if n, ok := at[id]; ok {
			return snap.previewKeyAt(n)
		}
		return snap.PreviewKey(id)
	}
}

// previewKeyAt returns the key of the previews of the session at a position.
func (snap *Snapshot) previewKeyAt(i int) previewKey {
	visible, last := snap.MessageStats(i)
	return previewKey{ID: snap.ID(i), Visible: visible, Last: last}
}

// maxPreviews bounds the cache of previews.
const maxPreviews = 20_000

// AddPreviews fills in Preview and State of the conversations of one page: reading
// messages for all of them would cost more than the whole list (store/README.md#q29).
func (s *Sessions) AddPreviews(ctx context.Context, page []model.Conversation) error {
	return s.AddPreviewsByKey(ctx, page, s.CachedSnapshot().PreviewKey)
}

// AddPreviewsByKey fills in Preview and State of the conversations of one page. key gives
// the key of a session in the cache by its id.
func (s *Sessions) AddPreviewsByKey(ctx context.Context, page []model.Conversation, key func(id string) previewKey) error {
	// The preview is the first thing the user said: in the root, or where the
	// root has nothing in the segments after it.
	// A chain of a hundred thousand segments, as damage may make it, is read by many at a time.
	for from, to := 0, 1; ; from, to = to, min(2*to, to+250) {
		var ids []string
		next := func(m *model.Conversation) []string {
			if m.Preview != "" {
				return nil
			}
			return m.Segments[min(from, len(m.Segments)):min(to, len(m.Segments))]
		}
		for i := range page {
			m := &page[i]
			if from == 0 {
				ids = append(ids, m.ID)
			}
			ids = append(ids, next(m)...)
		}
		if len(ids) == 0 {
			break
		}
		found, err := s.PreviewsOf(ctx, ids, key)
		if err != nil {
			return err
		}
		for i := range page {
			m := &page[i]
			for _, id := range next(m) {
				if m.Preview = found[id].shortened; m.Preview != "" {
					break
				}
			}
			if from == 0 {
				m.State = model.StateOf(m, found[m.ID].lastRole, s.db.Clock())
			}
		}
	}
	return nil
}

// PreviewsCached reports whether the previews of the first sessions of conversations are
// in the cache.
func (s *Sessions) PreviewsCached(snap *Snapshot, numbers []int32) bool {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	for _, n := range numbers {
		if _, ok := s.cache.previews[snap.previewKeyAt(int(n))]; !ok {
			return false
		}
	}
	return true
}

// PreviewsOf returns the previews of sessions, from the cache or the file.
func (s *Sessions) PreviewsOf(ctx context.Context, ids []string, key func(string) previewKey) (map[string]preview, error) {
	found := make(map[string]preview, len(ids))
	var missing []string
	s.cache.mu.Lock()
	for _, id := range ids {
		if _, ok := found[id]; ok {
			continue
		}
		d, ok := s.cache.previews[key(id)]
		if !ok {
			missing = append(missing, id)
		}
		found[id] = d
	}
	s.cache.mu.Unlock()
	for chunk := range slices.Chunk(missing, 250) {
		silent, err := s.readPreviews(ctx, chunk, "typeof(content) <> 'null'", previewLength, func(id string, p preview) { found[id] = p })
		if err == nil && len(silent) > 0 {
			_, err = s.readPreviews(ctx, silent, saysSomething(), previewLength, func(id string, p preview) {
				d := found[id]
				d.shortened = p.shortened
				found[id] = d
			})
		}
		if db.IsCorrupt(err) {
			s.db.AddNote(model.NoteDamaged) // and the row does without
		} else if err != nil {
			return nil, s.db.WrapError("read previews", err)
		}
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if len(s.cache.previews) > maxPreviews {
		clear(s.cache.previews)
	}
	for _, id := range missing {
		s.cache.previews[key(id)] = found[id]
	}
	return found, nil
}

// maxMessagesBeforePreview is how many messages may come before the user's first one.
const maxMessagesBeforePreview = "64"

// The characters that are read of a long text: as many as [model.Preview] needs, and where
// memories stand before what the user said, as many as [model.Opening] looks at.
const (
	previewLength = 1000
	openingLength = 1 << 18
)

// maxWhole is the bytes of encoded content that are read whole, and ends those that are read of a
// longer one at its beginning, at its end, and on either side of its first text if that lies between.
// What is left out is of pictures, as a rule: these parts together are the same content with smaller
// ones.
const (
	maxWhole = 1 << 20
	ends     = 64 << 10
)

// opening is the expression for what a preview needs of content: at most some characters of
// a text, and of encoded content these parts, if the characters are the fewest, else all.
func opening(length int) string {
	encoded := "content"
	if length < openingLength {
		encoded = strings.NewReplacer("bytes", "CAST(content AS BLOB)", "ends", strconv.Itoa(ends)).Replace(`CASE
			WHEN octet_length(content) <= ` + strconv.Itoa(maxWhole) + ` THEN content
			ELSE substr(bytes, 1, ends) || (SELECT CASE WHEN at > ends AND at <= octet_length(content) - ends
				THEN substr(bytes, at - ends, 2 * ends) ELSE '' END FROM (SELECT instr(bytes, CAST('"text"' AS BLOB)) AS at)) || substr(bytes, -ends) END`)
	}
	return `CASE WHEN content < char(1) THEN ` + encoded + ` ELSE substr(content, 1, ` + strconv.Itoa(length) + `) END`
}

// beginsInserted reports whether a text begins with what Hermes put before the first letters
// of the user: memories, a summary, a skill.
func beginsInserted(text string) bool {
	const tag = "<memory-context"
	_, _, summed := model.SplitSummary(text)
	_, skill := model.SkillCall(text)
	text = strings.TrimSpace(text)
	return summed || skill || len(text) > len(tag) && strings.EqualFold(text[:len(tag)], tag)
}

// saysSomething is the condition on a message that is not blank and no summary.
func saysSomething() string {
	condition := `trim(content, char(9, 10, 13, 32)) <> ''`
	for _, prefix := range model.SummaryPrefixes() {
		condition += ` AND substr(ltrim(content, char(9, 10, 32)), 1, ` + strconv.Itoa(utf8.RuneCountInString(prefix)) + `) <> '` + prefix + `'`
	}
	return condition
}

// readPreviews looks up the first user message that fulfils a condition, at most length
// characters of its text or what comes behind memories, and the role of the last visible
// message. silent are the sessions whose user message is there and says nothing: it is blank, or a summary alone.
func (s *Sessions) readPreviews(ctx context.Context, ids []string, condition string, length int, each func(id string, p preview)) (silent []string, err error) {
	defer func() {
		if db.IsCorrupt(err) && len(ids) > 1 {
			silent, err = s.salvagePreviews(ctx, ids, condition, length, each)
		}
	}()
	var longer []string // of which more is to be read
	err = db.EachRow(ctx, s.db.Pool, `WITH want(id) AS (VALUES `+strings.TrimSuffix(strings.Repeat("(?),", len(ids)), ",")+`)
		SELECT want.id,
			(SELECT `+opening(length)+` FROM messages WHERE id = (SELECT id FROM (
				SELECT id, CASE role WHEN 'user' THEN `+condition+` END AS fits FROM messages m
				WHERE m.session_id = want.id AND `+s.db.Schema.NotRewoundRows("m")+s.db.Schema.AndNotHidden("m")+`
				ORDER BY timestamp, id LIMIT `+maxMessagesBeforePreview+`)
				WHERE fits LIMIT 1)),
			(SELECT role FROM messages m WHERE m.session_id = want.id AND `+s.db.Schema.VisibleRows("m")+`
				ORDER BY timestamp DESC, id DESC LIMIT 1)
		FROM want`, db.BindArgs(ids), func(r db.Row) {
		id := r.Text(0)
		// What cannot be decoded still makes a preview of what is there.
		stored := r.Text(1)
		said, broken := model.DecodeContent(stored)
		parted := broken != "" && (len(stored) == 2*ends || len(stored) == 4*ends)
		if length < openingLength && (parted || len(said.Text) >= length && beginsInserted(said.Text)) {
			longer = append(longer, id)
			return
		}
		if said.Text == "" && len(said.Media) > 0 {
			names := make([]string, len(said.Media))
			for i, a := range said.Media {
				names[i] = a.ShortName()
			}
			said.Text = "[" + strings.Join(names, ", ") + "]"
		}
		p := preview{Text: model.Preview(said.Text), shortened: model.Preview(model.Opening(said.Text)), lastRole: r.Text(2)}
		if call, ok := model.SkillCall(said.Text); ok {
			p.Text = model.Preview(call)
		}
		_, _, summed := model.SplitSummary(said.Text)
		if p.shortened == "" && !summed {
			p.shortened = p.Text
		}
		if p.shortened == "" && r[1] != nil {
			silent = append(silent, id)
		}
		each(id, p)
	})
	if err == nil && len(longer) > 0 {
		var more []string
		more, err = s.readPreviews(ctx, longer, condition, openingLength, each)
		silent = append(silent, more...)
	}
	return silent, err
}
