package transcriptfiles

import (
	"context"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// AddTo adds the conversations that only files have to a list of the database, which list
// reads. They are in no scope but [model.ScopeAll]. The first rows of a list that does not
// show them do not wait for the folder.
func (f *Folder) AddTo(ctx context.Context, q query.ListOptions, list func(query.ListOptions) (model.ConversationPage, error)) (model.ConversationPage, error) {
	shows := q.ShowsScope(model.ScopeAll)
	if (q.FirstPage || q.RowsOnly) && !shows {
		return list(q)
	}
	only, err := f.matching(ctx, q)
	if err != nil {
		return model.ConversationPage{}, err
	}
	if len(only) == 0 || !shows {
		page, err := list(q)
		page.OutOfScope += len(only)
		return page, err
	}
	// However many of them come before the page, its other rows begin at most as many earlier.
	part, offset := q, max(q.Offset, 0)
	part.Offset = max(offset-len(only), 0)
	if q.Limit > 0 {
		part.Limit += offset - part.Offset
	}
	page, err := list(part)
	if err != nil {
		return page, err
	}
	page.Total += len(only)
	all := slices.Concat(page.Conversations, only)
	compare, pinned := q.SortOrder().Comparison(), q.PinnedFirst && q.SortOrder() == query.ByActivity
	sort.SliceStable(all, func(i, j int) bool {
		if pinned && all[i].Pinned != all[j].Pinned {
			return all[i].Pinned
		}
		return compare(&all[i], &all[j]) < 0
	})
	all = all[min(offset-part.Offset, len(all)):]
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	page.Conversations = all
	return page, nil
}

// matching returns the conversations that a list asks for in any scope. What a filter on
// messages asks for is not known of them.
func (f *Folder) matching(ctx context.Context, q query.ListOptions) ([]model.Conversation, error) {
	all, err := f.Conversations(ctx)
	if err != nil {
		return nil, ctx.Err() // a checkup says what is wrong with the folder
	}
	filters := slices.DeleteFunc(slices.Clone(q.Filters), func(f query.Filter) bool { return f.Field == query.FieldText })
	passes := query.Predicate(filters, f.db.Clock(), func(query.Filter) bool { return false }, func(string, query.Filter) bool { return false })
	return slices.DeleteFunc(all, func(c model.Conversation) bool { return !q.AdmitsOrigin(&c) || !passes(&c) }), nil
}

// SearchHints says that a search which shows everything does not read files.
func (f *Folder) SearchHints(ctx context.Context, q query.ListOptions) []string {
	if q.Scope != model.ScopeAll {
		return nil
	}
	l, err := f.current(ctx)
	if err != nil || len(l.only) == 0 { // a checkup says what is wrong with the folder
		return nil
	}
	return []string{model.Quantity(len(l.only), "conversation") + " only in files are not searched; list them with source:" + model.SourceFile}
}

// AddRecords adds to the rows of sessions, which are in the order of ids, those of the
// sessions that only files have, with the name of the first file.
func (f *Folder) AddRecords(ctx context.Context, ids []string, rows []db.Record) ([]db.Record, error) {
	if len(rows) == len(ids) || f.db.Transcripts == "" {
		return rows, nil
	}
	l, err := f.current(ctx)
	if err != nil {
		return rows, ctx.Err()
	}
	var all []db.Record
	for _, id := range ids {
		if len(rows) > 0 && rows[0].Get("id") == id {
			all, rows = append(all, rows[0]), rows[1:]
			continue
		}
		if i, ok := slices.BinarySearchFunc(l.only, id, func(h head, id string) int { return strings.Compare(h.ID, id) }); ok {
			c := &l.only[i]
			all = append(all, db.Record{
				{Name: "id", Value: c.ID}, {Name: "source", Value: c.Source}, {Name: "title", Value: nil}, {Name: "model", Value: db.EmptyAsNull(c.Model)},
				{Name: "started_at", Value: db.Seconds(c.StartedAt)}, {Name: "ended_at", Value: db.Seconds(c.EndedAt)},
				{Name: "message_count", Value: int64(c.Messages)}, {Name: "file", Value: l.names[c.ID][0]},
			})
		}
	}
	return append(all, rows...), nil
}
