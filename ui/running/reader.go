// Package running reads which sessions are open and what each is doing ([model.Activity]), for
// the list and for the command of the same name.
package running

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

const (
	// recentlyOpen is how long ago the last message of an open session may be, unless a
	// process works in it: Hermes leaves sessions open that were never ended.
	recentlyOpen = "after:24h"
	// lastMessages is how many messages are read to find the last call of a tool.
	lastMessages = 12
	// interval is how often [Watch] reads the sessions again.
	interval = time.Second
	// settled is how long after its last message a conversation is read again even where its
	// counts are the same.
	settled = 10 * time.Second
)

// Source is where sessions are read: one database, or several as one.
type Source interface {
	Conversations(ctx context.Context, list query.ListOptions) (model.ConversationPage, error)
	Tail(ctx context.Context, id string, n int) ([]model.Message, error)
}

// Reader reads open sessions again and again. It keeps the last messages of those that
// have not changed. It may be used by one goroutine at a time.
type Reader struct {
	Source Source
	tails  map[string]tail // by the id of the session
}

// tail is the last messages of a conversation.
type tail struct {
	messages []model.Message
	count    int // of all messages
	at       time.Time
}

// open returns the conversations that are open, the last active first, and then those without
// a recent message in which a process works.
func (r *Reader) open(ctx context.Context, now time.Time) (all []model.Conversation, err error) {
	seen := map[string]bool{}
	for _, filter := range []string{recentlyOpen, "is:live"} {
		page, err := r.Source.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll, Filters: query.Parse(filter, false).Filters})
		if err != nil {
			return nil, err
		}
		for _, c := range page.Conversations {
			if !seen[c.ID] && (c.EndedAt.IsZero() && !c.Archived || c.Lock.Live(now)) {
				seen[c.ID] = true
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// Sessions returns the open sessions, the last active first.
func (r *Reader) Sessions(ctx context.Context, now time.Time) ([]model.Running, error) {
	all, err := r.open(ctx, now)
	if err != nil {
		return nil, err
	}
	return r.Describe(ctx, all, now)
}

// Describe says what open conversations are doing, in their order.
func (r *Reader) Describe(ctx context.Context, all []model.Conversation, now time.Time) (rows []model.Running, err error) {
	tails := map[string]tail{}
	for _, c := range all {
		t, known := r.tails[c.ID]
		if !known || t.count != c.Messages || !t.at.Equal(c.LastActive) || now.Sub(t.at) < settled {
			t = tail{count: c.Messages, at: c.LastActive}
			if t.messages, err = r.Source.Tail(ctx, c.ID, lastMessages); err != nil {
				return nil, err
			}
		}
		tails[c.ID] = t
		rows = append(rows, model.RunningOf(c, t.messages, now))
	}
	r.tails = tails
	return rows, nil
}

// Watch calls changed with the open sessions, first and then whenever they change, until
// unread reports that the reader of the output has ended. It returns the first error of a read
// or of changed, or ctx's when it ends.
func (r *Reader) Watch(ctx context.Context, clock func() time.Time, unread func() bool, changed func([]model.Running) error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	before := "not read"
	for {
		rows, err := r.Sessions(ctx, clock())
		if err != nil {
			return err
		}
		var state strings.Builder
		for _, row := range rows { // without the time, which always changes
			fmt.Fprintln(&state, row.ID, row.Activity, row.Messages, row.Title, row.Total.Tokens(), row.Total.Cost)
		}
		if state.String() != before {
			before = state.String()
			if err := changed(rows); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if unread() {
				return nil
			}
		}
	}
}
