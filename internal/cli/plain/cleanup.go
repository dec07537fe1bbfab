package plain

import (
	"context"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
)

// clutter lists what can be cleaned up, with the reasons.
func (p *Prompt) clutter(ctx context.Context, _ []model.Conversation, _ string) error {
	found, err := p.Store.CleanupFindings(ctx)
	if err != nil {
		return err
	}
	return p.listFindings(found, (*model.CleanupFinding).Why, "No clutter: no empty, ghost or duplicate conversations.")
}

// defaultInactiveDays is the age from which :inactive lists conversations.
const defaultInactiveDays = 90

// inactive lists the ended conversations without a message for a number of days.
func (p *Prompt) inactive(ctx context.Context, _ []model.Conversation, rest string) error {
	days := defaultInactiveDays
	if rest != "" {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > 100_000 {
			return fault.Usage(":inactive takes a number of days, not %q", rest)
		}
		days = n
	}
	old, err := p.Store.Prunable(ctx, model.PruneOptions{OlderThan: time.Duration(days) * 24 * time.Hour})
	if err != nil {
		return err
	}
	found := make([]model.CleanupFinding, len(old.Conversations))
	for i := range found {
		found[i].Conversation = old.Conversations[i]
	}
	err = p.listFindings(found, nil, "No ended conversation has been inactive for "+output.Count(days, "day", "days")+".")
	if left := old.Left.String(); left != "" && err == nil {
		err = p.say("As old, but left: %s.", left)
	}
	return err
}

// listFindings prints conversations that may be deleted as the list, so that :delete and
// :read take their numbers. why may be nil.
func (p *Prompt) listFindings(found []model.CleanupFinding, why func(*model.CleanupFinding) string, none string) error {
	p.rows = make([]model.Conversation, len(found))
	p.total = len(found)
	p.limit = len(found)
	clear(p.gone)
	for i := range found {
		p.rows[i] = found[i].Conversation
	}
	if len(found) == 0 {
		return p.say("%s", none)
	}
	return p.inPages(func() error {
		for i := range found {
			f := &found[i]
			words := []string{print.Title(f.Conversation)}
			if why != nil {
				words = append(words, output.Clean(why(f)))
			}
			words = append(words, output.Count(f.Messages, "message", "messages"), output.Ago(p.Now(), f.LastActive), output.Clean(f.Source))
			if err := p.say("%3d  %s", i+1, strings.Join(words, " · ")); err != nil {
				return err
			}
		}
		return p.sayWrapped(output.Count(len(found), "conversation", "conversations") + ". :delete NUMBER… deletes some of them, :list returns to the list.")
	})
}
