package trash

import (
	"context"
	"errors"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// PlanDelete says what Delete would remove; see store.Store.PlanDelete.
func (b *Bin) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	p, err := b.makeDeletePlan(ctx, func(snap *snapshot.Snapshot) (selection, error) { return selectSessions(snap, ids, o.SegmentOnly), nil })
	if o.SkipBlocked && err == nil {
		p, err = b.planUnblocked(ctx, ids, nil)
	}
	if err != nil {
		return model.Deletion{}, err
	}
	if err := b.countTranscripts(p); err != nil {
		return p.Deletion, err
	}
	return p.Deletion, b.checkBlockers(ctx, p)
}

// selection is what a delete takes from a snapshot, by positions in it.
type selection struct {
	removals []model.DeletionGroup
	orphaned []int    // sessions that stay and lose their parent
	notFound []string // ids that do not exist
	byAge    bool     // by a prune: what is no longer old stays
	left     model.Left
}

// selector chooses what to delete. It is called again when the plan is made again.
type selector func(*snapshot.Snapshot) (selection, error)

// selectSessions chooses the conversations of the sessions with these ids, or with
// segment only these sessions, with their delegates.
func selectSessions(snap *snapshot.Snapshot, ids []string, segment bool) (chosen selection) {
	var positions []int
	missing := map[string]bool{}
	for _, id := range ids {
		if i, ok := snap.Position(id); ok {
			positions = append(positions, i)
		} else if !missing[id] {
			missing[id] = true
			chosen.notFound = append(chosen.notFound, id)
		}
	}
	chosen.removals, chosen.orphaned = snap.Lineage.PlanDeletion(positions, segment)
	return chosen
}

// deletePlan is what is going to be deleted, by what the snapshot says.
type deletePlan struct {
	model.Deletion
	snapshot *snapshot.Snapshot
	removals []removal
	ids      map[string]bool // the sessions that go
	messages map[string]int  // by session
	byAge    bool            // see selection
}

// removal is a conversation with its delegates: it is deleted completely or, where
// something blocks it, not at all.
type removal struct {
	ids       []string // each before its parent, so that the delegates come first
	delegates int      // number of them
	messages  int
}

// root returns the id of the first segment of the conversation.
func (r removal) root() string { return r.ids[len(r.ids)-1] }

// deletionShare says how much is deleted with the conversation.
func (r removal) deletionShare() model.DeletionShare {
	return model.DeletionShare{ID: r.root(), Sessions: len(r.ids), Messages: r.messages}
}

// makeDeletePlan makes the plan for what a selector chooses. The error is of
// [model.KindNotFound] where none of the ids exists.
func (b *Bin) makeDeletePlan(ctx context.Context, choose selector) (*deletePlan, error) {
	snap, err := b.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(snap)
	if err != nil {
		return nil, err
	}
	if len(chosen.removals) == 0 && len(chosen.notFound) > 0 {
		return nil, b.db.NotFoundError(chosen.notFound[0])
	}
	p := &deletePlan{snapshot: snap, ids: map[string]bool{}, byAge: chosen.byAge}
	p.NotFound, p.Left = chosen.notFound, chosen.left
	now := b.db.Clock()
	for _, g := range chosen.removals {
		var r removal
		for _, i := range g.Positions {
			m := snap.Session(i)
			r.ids = append(r.ids, m.ID)
			p.ids[m.ID] = true
			if m.Running(now) {
				p.Running = append(p.Running, m.ID)
			}
		}
		p.Requested += g.Requested
		r.delegates = len(g.Positions) - g.Requested
		p.Delegates += r.delegates
		p.Sessions = append(p.Sessions, r.ids...)
		p.removals = append(p.removals, r)
	}
	for _, i := range chosen.orphaned {
		p.Orphaned = append(p.Orphaned, snap.ID(i))
	}
	messages, err := b.countMessages(ctx, b.db.Pool, p.Sessions)
	if err != nil {
		return nil, b.db.WrapError("count the messages of", err)
	}
	p.messages = messages
	for i := range p.removals {
		for k, id := range p.removals[i].ids {
			p.removals[i].messages += messages[id]
			if k < p.removals[i].delegates {
				p.DelegateMessages += messages[id]
			}
		}
		p.Messages += p.removals[i].messages
		p.PerConversation = append(p.PerConversation, p.removals[i].deletionShare())
	}
	return p, nil
}

// countMessages counts the message rows of sessions, visible or not, by session.
func (b *Bin) countMessages(ctx context.Context, q db.Querier, ids []string) (map[string]int, error) {
	counts := map[string]int{}
	return counts, db.InChunks(ids, func(where string, args []any) error {
		return db.EachRow(ctx, q, `SELECT session_id, count(*) FROM messages WHERE session_id `+where+` GROUP BY session_id`, args, func(r db.Row) {
			counts[r.Text(0)] = int(r.Int(1))
		})
	})
}

// checkExpected returns an error of [model.KindChanged] where the plan differs from the deletion
// that the user confirmed; nil where want is nil.
func (p *deletePlan) checkExpected(b *Bin, want *model.Deletion) error {
	if want == nil {
		return nil
	}
	have, agreed := slices.Sorted(slices.Values(p.Sessions)), slices.Sorted(slices.Values(want.Sessions))
	stays, stayed := slices.Sorted(slices.Values(p.Orphaned)), slices.Sorted(slices.Values(want.Orphaned))
	if slices.Equal(have, agreed) && p.Messages == want.Messages && slices.Equal(stays, stayed) {
		return nil
	}
	return b.changedError(nil)
}

// changedError makes the error of sessions that others have changed since the plan
// was made.
func (b *Bin) changedError(err error) *model.Error {
	return &model.Error{
		Kind: model.KindChanged, Path: b.db.Path, Err: err,
		Message: "another program has changed these sessions; nothing was deleted",
		Remedy:  model.Advise("check them, then delete again"),
	}
}

// errPlanChanged is the error of a transaction that finds sessions other than the
// plan says. The plan is made again, or the delete refused.
var errPlanChanged = errors.New("another program has changed these sessions")
