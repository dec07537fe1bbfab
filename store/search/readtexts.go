package search

import (
	"context"
	"iter"
	"strconv"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
)

// readAndMatch reads the texts of messages and matches them against a query: the
// messages of ids, or, when where is not "", those that satisfy this condition on
// m, with args. read are all messages that were read, found those that match. It
// is the slowest way to an answer, and the one that the tests compare every index
// with.
func (ex *executor) readAndMatch(ctx context.Context, q query.Query, where string, ids *idset.Set, args ...any) (read, found *idset.Set, err error) {
	read, found = &idset.Set{}, &idset.Set{}
	if where == "" && ids.Empty() {
		return read, found, nil
	}
	from := ""
	if where == "" {
		ex.addStep("symbols, by reading the messages that the index found")
		from, args = fromIDs(ids.All())
	} else {
		ex.addStep("reading messages that no index answers for")
		from = `messages m WHERE ` + where
		if ex.hasIDRange() {
			from = `messages m WHERE (` + where + `) AND m.id BETWEEN ` + strconv.FormatInt(ex.firstID, 10) + ` AND ` + strconv.FormatInt(ex.lastID, 10)
		}
	}
	// One goroutine reads and a second one matches. The reader matches a batch
	// itself when the second one is busy.
	batches, foundBeside := make(chan []messageText), &idset.Set{}
	err = db.Parallel(func() error {
		defer close(batches)
		m := match.NewMatcher(q.Groups)
		var batch []messageText
		size := 0
		flush := func() {
			select {
			case batches <- batch:
			default:
				matchTexts(m, batch, found)
			}
			batch, size = nil, 0
		}
		err := ex.eachText(ctx, from, args, func(t messageText) {
			read.Add(t.id)
			batch = append(batch, t)
			if size += len(t.content) + len(t.toolCalls); size > matchBatchBytes {
				flush()
			}
		})
		matchTexts(m, batch, found)
		return err
	}, func() error {
		m := match.NewMatcher(q.Groups)
		for batch := range batches {
			matchTexts(m, batch, foundBeside)
		}
		return nil
	})
	found.Union(foundBeside)
	return read, found, err
}

// matchBatchBytes is how many bytes of text are worth handing to another goroutine.
const matchBatchBytes = 32 << 10

// messageText is the text of a message that is searched, as it is stored.
type messageText struct {
	id                           int64
	content, toolName, toolCalls string
}

// matches reports whether the texts, with JSON escapes decoded, match together.
func (t messageText) matches(m *match.Matcher) bool {
	return m.Match(pyjson.Unescape(t.content), t.toolName, pyjson.Unescape(t.toolCalls))
}

// matchTexts adds the ids of the messages that match to a set.
func matchTexts(m *match.Matcher, texts []messageText, to *idset.Set) {
	for _, t := range texts {
		if t.matches(m) {
			to.Add(t.id)
		}
	}
}

// fromIDs returns a FROM clause, with its arguments, for the messages m of some ids.
// One statement serves any number of ids, so that it is prepared once.
func fromIDs(ids iter.Seq[int64]) (from string, args []any) {
	return `temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE 1`, []any{db.JSONList(ids)}
}

// eachText calls each with the searched text of every message of a FROM clause.
func (ex *executor) eachText(ctx context.Context, from string, args []any, each func(messageText)) error {
	return db.EachRow(ctx, ex.tx, `SELECT m.id, m.content, `+ex.toolNameColumn+`, `+ex.toolCallsColumn+` FROM `+from, args, func(r db.Row) {
		each(messageText{r.Int(0), r.Text(1), r.Text(2), r.Text(3)})
	})
}
