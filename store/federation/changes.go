package federation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/live"
)

// share is the part of a change that one member makes.
type share struct {
	*member
	store *live.Store
	ids   []string // in the member
}

// shares returns the members that ids name, in the order of their first ids.
func (f *Federation) shares(ids []string) ([]share, error) {
	var all []share
	for _, id := range ids {
		m, s, local, err := f.at(id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(o share) bool { return o.member == m })
		if i < 0 {
			all, i = append(all, share{member: m, store: s}), len(all)
		}
		all[i].ids = append(all[i].ids, local)
	}
	return all, nil
}

// memberPlans are the plans of the members for a deletion that was shown.
type memberPlans map[*member]model.Deletion

// maxPlans bounds the plans that are kept for deletions that the user may still confirm.
const maxPlans = 32

// PlanDelete is [live.Store.PlanDelete] of all members that the ids name.
func (f *Federation) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	shares, err := f.shares(ids)
	if err != nil {
		return model.Deletion{}, err
	}
	var sum model.Deletion
	plans := memberPlans{}
	for _, sh := range shares {
		plan, planErr := sh.store.PlanDelete(ctx, sh.ids, o)
		plans[sh.member] = plan
		sum = addDeletions(sum, sh.deletion(plan))
		err = cmp.Or(err, planErr)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.plans) >= maxPlans {
		clear(f.plans)
	}
	f.plans[planKey(sum)] = plans
	return sum, err
}

// planKey returns the key of a plan in Federation.plans.
func planKey(d model.Deletion) string {
	return fmt.Sprintf("%q %q %d", d.Sessions, d.Orphaned, d.Messages)
}

// addDeletions returns the sum of two plans or reports.
func addDeletions(a, b model.Deletion) model.Deletion {
	a.Sessions = append(a.Sessions, b.Sessions...)
	a.Requested += b.Requested
	a.Delegates += b.Delegates
	a.Messages += b.Messages
	a.DelegateMessages += b.DelegateMessages
	a.Files += b.Files
	a.Orphaned = append(a.Orphaned, b.Orphaned...)
	a.Running = append(a.Running, b.Running...)
	a.NotFound = append(a.NotFound, b.NotFound...)
	a.FilesLeft = append(a.FilesLeft, b.FilesLeft...)
	a.PerConversation = append(a.PerConversation, b.PerConversation...)
	a.Skipped = append(a.Skipped, b.Skipped...)
	return a
}

// undo holds the deleted rows of each member.
type undo struct {
	parts []undoPart
}

// undoPart is what one member has deleted.
type undoPart struct {
	share
	model.Undo
	restored bool
}

// Deleted returns the sum of the reports.
func (u *undo) Deleted() model.Deletion {
	var sum model.Deletion
	for _, p := range u.parts {
		sum = addDeletions(sum, p.deletion(p.Undo.Deleted()))
	}
	return sum
}

// Close discards what is saved.
func (u *undo) Close() error {
	var errs []error
	for _, p := range u.parts {
		errs = append(errs, p.Undo.Close())
	}
	return errors.Join(errs...)
}

// Delete is [live.Store.Delete] in one member after the other. Where one refuses, those
// before it have deleted their share, which the Undo has. A backup is refused for more
// than one member: it is one file.
func (f *Federation) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	shares, err := f.shares(ids)
	if err != nil {
		return nil, err
	}
	if len(shares) > 1 && o.Backup != "" {
		return nil, errors.New("delete: a backup is a file of one database; delete from one profile at a time")
	}
	plans, err := f.expected(o.Expected)
	if err != nil {
		return nil, err
	}
	done, total := 0, 0
	for _, p := range plans {
		total += p.Messages
	}
	u := &undo{}
	progress := o.Progress
	for _, sh := range shares {
		if plan, ok := plans[sh.member]; ok {
			o.Expected = &plan
		}
		if before := done; progress != nil {
			o.Progress = func(n, all int) { progress(before+n, max(total, before+all)) }
		}
		part, deleteErr := sh.store.Delete(ctx, sh.ids, o)
		if part != nil {
			u.parts = append(u.parts, undoPart{share: sh, Undo: part})
			done += part.Deleted().Messages
		}
		if deleteErr != nil {
			err = deleteErr
			break
		}
	}
	if len(u.parts) == 0 {
		return nil, err
	}
	return u, err
}

// expected returns the plans by member of the one that was shown, nil where none was.
func (f *Federation) expected(sum *model.Deletion) (memberPlans, error) {
	if sum == nil {
		return nil, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	plans, ok := f.plans[planKey(*sum)]
	if !ok {
		return nil, &model.Error{Kind: model.KindChanged, Path: "delete", Message: "the plan of this deletion is too old; nothing was deleted", Remedy: model.Advise("check the conversations, then delete them again")}
	}
	return plans, nil
}

// Restore is [live.Store.Restore], of what [Federation.Delete] removed. Where a member refuses,
// the others restore their share, and the error is that of the first.
func (f *Federation) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) (err error) {
	of, ok := u.(*undo)
	if !ok {
		return errors.New("restore: this was not deleted here")
	}
	done := 0
	total := u.Deleted().Messages
	progress := o.Progress
	for i := range of.parts {
		p := &of.parts[i]
		if !p.restored {
			if before := done; progress != nil {
				o.Progress = func(n, _ int) { progress(before+n, total) }
			}
			failed := p.store.Restore(ctx, p.Undo, o)
			p.restored, err = failed == nil, cmp.Or(err, failed)
		}
		done += p.Undo.Deleted().Messages
	}
	return err
}

// Editable is [live.Store.Editable]: what any member allows. What a member does not allow
// it refuses by itself.
func (f *Federation) Editable() model.Editable {
	var all model.Editable
	for i, m := range f.open() {
		s, _, _ := m.state()
		e := s.Editable()
		if i == 0 {
			all.ReadOnly = e.ReadOnly
		}
		if e.ReadOnly == nil {
			all.ReadOnly = nil
		}
		all.Pin, all.Archive = all.Pin || e.Pin, all.Archive || e.Archive
	}
	return all
}

// edit is the part of an edit that one member made.
type edit struct {
	of   *member
	done model.Edit
}

// edited returns the edits of members as one.
func (f *Federation) edited(parts []edit) model.Edit {
	var all model.Edit
	for _, p := range parts {
		for _, c := range p.done.Changes {
			c.Session = p.of.qualified(c.Session)
			all.Changes = append(all.Changes, c)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	all.Opening = f.last
	f.edits[f.last] = parts
	return all
}

// Rename is [live.Store.Rename].
func (f *Federation) Rename(ctx context.Context, r model.Renaming) (model.Edit, error) {
	m, s, local, err := f.at(r.ID)
	if err != nil {
		return model.Edit{}, err
	}
	r.ID = local
	done, err := s.Rename(ctx, r)
	if err != nil {
		return model.Edit{}, err
	}
	return f.edited([]edit{{m, done}}), nil
}

// SetPinned is [live.Store.SetPinned].
func (f *Federation) SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return f.setFlag(ctx, ids, on, (*live.Store).SetPinned)
}

// SetArchived is [live.Store.SetArchived].
func (f *Federation) SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return f.setFlag(ctx, ids, on, (*live.Store).SetArchived)
}

// setFlag changes the members one after the other; the first that refuses ends it.
func (f *Federation) setFlag(ctx context.Context, ids []string, on bool, set func(*live.Store, context.Context, []string, bool) (model.Edit, error)) (model.Edit, error) {
	shares, err := f.shares(ids)
	if err != nil {
		return model.Edit{}, err
	}
	var parts []edit
	for _, sh := range shares {
		done, setErr := set(sh.store, ctx, sh.ids, on)
		if err = setErr; err != nil {
			break
		}
		parts = append(parts, edit{sh.member, done})
	}
	return f.edited(parts), err
}

// UndoEdit is [live.Store.UndoEdit]. Where a member refuses, the others undo their part, and
// only its own is left for the next call.
func (f *Federation) UndoEdit(ctx context.Context, e model.Edit) (err error) {
	f.mu.Lock()
	parts := f.edits[e.Opening]
	f.mu.Unlock()
	var left []edit
	for _, p := range parts {
		s, _, _ := p.of.state()
		if failed := s.UndoEdit(ctx, p.done); failed != nil {
			left, err = append(left, p), cmp.Or(err, failed)
		}
	}
	f.mu.Lock()
	f.edits[e.Opening] = left
	f.mu.Unlock()
	return err
}
