// Package running finds the open sessions, and says when they change.
package running

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

const (
	// recentlyOpen is how long ago the last message of an open session may be: Hermes
	// leaves sessions open that were never ended.
	recentlyOpen = "after:24h"
	// lastMessages is how many messages are read to find the last call of a tool.
	lastMessages = 12
	// interval is how often [Watch] reads the sessions again.
	interval = time.Second
)

// Source is where sessions are read: one database, or several as one.
type Source interface {
	Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error)
	Tail(ctx context.Context, id string, n int) ([]model.Message, error)
}

// Sessions gives the open sessions, the last active first.
func Sessions(ctx context.Context, s Source, now time.Time) ([]model.Running, error) {
	found, err := s.Search(ctx, query.Parse(recentlyOpen, false), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		return nil, err
	}
	var rows []model.Running
	for _, m := range found.Matches {
		if !m.EndedAt.IsZero() || m.Archived {
			continue
		}
		tail, err := s.Tail(ctx, m.ID, lastMessages)
		if err != nil {
			return nil, err
		}
		rows = append(rows, model.RunningOf(m.Conversation, tail, now))
	}
	return rows, nil
}

// Watch calls changed with the open sessions, first and then whenever they change, until
// ctx ends, whose error it returns.
func Watch(ctx context.Context, s Source, clock func() time.Time, changed func([]model.Running) error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	before := "not read"
	for {
		rows, err := Sessions(ctx, s, clock())
		if err != nil {
			return err
		}
		var now strings.Builder
		for _, r := range rows { // without the time, which always changes
			fmt.Fprintln(&now, r.ID, r.Activity, r.Messages, r.Title, r.Total.Tokens(), r.Total.Cost)
		}
		if now.String() != before {
			before = now.String()
			if err := changed(rows); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Object returns open sessions for JSON. localID gives the id that a session has in its
// own database.
func Object(rows []model.Running, localID func(id string) string) answer.Running {
	o := answer.Running{Sessions: []answer.RunningSession{}}
	for _, r := range rows {
		one := answer.RunningSession{
			ID: localID(r.ID), Title: output.OrNull(r.Title), Preview: r.Preview, Source: r.Source, Folder: output.OrNull(r.CWD), Model: output.OrNull(r.Model),
			State: r.Activity.String(), Silent: r.Silent.Seconds(), Tool: output.OrNull(r.Tool), Object: output.OrNull(r.Object),
			StartedAt: output.Seconds(r.RootStartedAt), LastActive: output.Seconds(r.LastActive), Messages: r.Messages, Usage: answer.UsageOf(r.Total),
		}
		if one.ID != r.ID {
			one.Profile = r.Profile
		}
		o.Sessions = append(o.Sessions, one)
	}
	return o
}
