package search

import (
	"context"
	"iter"
	"strconv"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// readAndMatch looks into messages themselves: those of ids or, with where, those that
// satisfy it. seen are all that were read, found those that match.
func (f *executor) readAndMatch(ctx context.Context, query query.Query, where string, ids *fts.Set, args ...any) (seen, found *fts.Set, err error) {
	seen, found = &fts.Set{}, &fts.Set{}
	if where == "" && ids.Empty() {
		return seen, found, nil
	}
	from := `messages m WHERE ` + where
	if where == "" {
		f.addStep("symbols by reading what the index found")
		from, args = fromIDs(ids.All())
	} else {
		f.addStep("reading messages that no index answers for")
		if f.hasIDRange() {
			from = `messages m WHERE (` + where + `) AND m.id BETWEEN ` + strconv.FormatInt(f.firstID, 10) + ` AND ` + strconv.FormatInt(f.lastID, 10)
		}
	}
	// Whoever has nothing to do looks into what was read: the one who reads, and
	// another beside.
	work, late := make(chan []messageText), &fts.Set{}
	err = db.Parallel(func() error {
		defer close(work)
		m := match.NewMatcher(query.Groups)
		var some []messageText
		size := 0
		look := func() {
			select {
			case work <- some:
			default:
				matchTexts(m, some, found)
			}
			some, size = nil, 0
		}
		err := f.eachText(ctx, f.tx, from, args, func(b messageText) {
			seen.Add(b.id)
			some = append(some, b)
			if size += len(b.content) + len(b.toolCalls); size > secondReaderShare {
				look()
			}
		})
		matchTexts(m, some, found)
		return err
	}, func() error {
		m := match.NewMatcher(query.Groups)
		for some := range work {
			matchTexts(m, some, late)
		}
		return nil
	})
	found.Union(late)
	return seen, found, err
}

// secondReaderShare is how many bytes of texts are worth waking somebody for.
const secondReaderShare = 32 << 10

// messageText is what is searched of a message.
type messageText struct {
	id                           int64
	content, toolName, toolCalls string
}

func (b messageText) matches(m *match.Matcher) bool {
	return m.Match(Unescape(b.content), b.toolName, Unescape(b.toolCalls))
}

// matchTexts adds those of some messages that match.
func matchTexts(m *match.Matcher, some []messageText, to *fts.Set) {
	for _, b := range some {
		if b.matches(m) {
			to.Add(b.id)
		}
	}
}

// fromIDs are some messages m, for a FROM.
func fromIDs(ids iter.Seq[int64]) (from string, args []any) {
	return `json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE 1`, []any{db.JsonList(ids)}
}

// eachText hands over what is searched of messages.
func (f *executor) eachText(ctx context.Context, q db.Querier, from string, args []any, each func(messageText)) error {
	var id int64
	var content, name, calls any
	return eachRowOf(ctx, q, `SELECT m.id, m.content, `+f.toolNameColumn+`, `+f.toolCallsColumn+` FROM `+from, args, func(scan func(...any) error) error {
		err := scan(&id, &content, &name, &calls)
		if err == nil {
			each(messageText{id, db.AsText(content), db.AsText(name), db.AsText(calls)})
		}
		return err
	})
}
