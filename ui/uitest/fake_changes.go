package uitest

import (
	"context"
	"errors"
	"slices"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// A fake library can also be changed, as slowly and as grudgingly as a test
// wants.
var _ shell.Changes = (*Fake)(nil)

// changing is how a fake takes changes.
type changing struct {
	Takes     time.Duration // a change, in ten parts; it can be stopped between two
	Refuses   error         // all changes
	Rights    error         // why it is known to refuse them
	Left      []string      // titles of what cannot be deleted
	Parted    []string      // segments that were deleted alone
	whole     []string      // sessions that were deleted with their conversations
	Plans     int
	BackTakes time.Duration // a Restore
	Old       bool          // the database knows neither pins nor an archive
	Earlier   string        // a title that an earlier segment of every conversation has
}

// fakeUndo holds the deleted conversations.
type fakeUndo struct {
	convs   []model.Conversation
	refused []model.SkippedConversation
	part    *model.Deletion // a segment
	closed  bool
}

func (u *fakeUndo) Deleted() (d model.Deletion) {
	if u.part != nil {
		return *u.part
	}
	d.Skipped = u.refused
	for _, c := range u.convs {
		d.Sessions = append(append(d.Sessions, c.Segments...), c.ID)
		d.Messages += c.Messages
	}
	return d
}

func (u *fakeUndo) Close() error { u.closed = true; return nil }

func (f *Fake) PlanDelete(_ context.Context, ids []string, o model.DeleteOptions) (d model.Deletion, err error) {
	if f.Planning != nil {
		time.Sleep(f.Planning(ids))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Plans++
	for _, id := range ids {
		i := slices.IndexFunc(f.Convs, func(c model.Conversation) bool {
			return c.ID == id || o.SegmentOnly && slices.Contains(c.Segments, id)
		})
		if i < 0 {
			d.NotFound = append(d.NotFound, id)
			continue
		}
		c := f.Convs[i]
		if slices.Contains(f.Left, c.Title) {
			if !o.SkipBlocked {
				return d, errors.New("another process is using it")
			}
			d.Skipped = append(d.Skipped, model.SkippedConversation{ID: c.RootID, Reason: "another process is using it"})
			continue
		}
		if o.SegmentOnly {
			d.Requested++
			d.Sessions = append(d.Sessions, id)
			d.Messages += c.Messages / len(c.Segments)
			if k := slices.Index(c.Segments, id) + 1; k > 0 && k < len(c.Segments) {
				d.Orphaned = append(d.Orphaned, c.Segments[k])
			}
			continue
		}
		d.Requested += len(c.Segments)
		d.Sessions = append(d.Sessions, c.Segments...)
		d.Messages += c.Messages
		d.Delegates += c.Delegates
		for range c.Branches {
			d.Orphaned = append(d.Orphaned, "branch of "+c.ID)
		}
	}
	d.Running = f.Alive
	if len(d.NotFound) == len(ids) {
		return model.Deletion{}, errors.New(ids[0] + " no longer exists")
	}
	return d, f.Refuses
}

func (f *Fake) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	now, err := f.PlanDelete(ctx, ids, o)
	if err != nil {
		return nil, err
	}
	if o.Expected != nil && (!slices.Equal(now.Sessions, o.Expected.Sessions) || now.Messages != o.Expected.Messages) {
		return nil, errors.New("another program has changed these sessions; nothing was deleted")
	}
	u := &fakeUndo{refused: now.Skipped}
	if o.SegmentOnly { // its conversation stays
		f.Set(func() {
			f.Parted = append(f.Parted, now.Sessions...)
			f.Version++
		})
		u.part = &now
		return u, nil
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(now.Skipped, func(r model.SkippedConversation) bool { return r.ID == id })
	})
	for n := range 10 {
		if err := f.pause(ctx); err != nil {
			if u.convs == nil {
				return nil, err
			}
			return u, err
		}
		f.mu.Lock()
		for _, id := range ids[n*len(ids)/10 : (n+1)*len(ids)/10] {
			if i := slices.IndexFunc(f.Convs, func(c model.Conversation) bool { return c.ID == id }); i >= 0 {
				u.convs = append(u.convs, f.Convs[i])
				f.whole = append(append(f.whole, id), f.Convs[i].Segments...)
				f.Convs = slices.Delete(f.Convs, i, i+1)
			}
		}
		f.Version++
		f.mu.Unlock()
		if o.Progress != nil {
			o.Progress((n+1)*now.Messages/10, now.Messages)
		}
	}
	return u, nil
}

func (f *Fake) pause(ctx context.Context) error {
	f.mu.Lock()
	d := f.Takes / 10
	f.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (f *Fake) Restore(_ context.Context, u model.Undo, o model.RestoreOptions) error {
	time.Sleep(f.BackTakes)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Refuses != nil {
		return f.Refuses
	}
	if part := u.(*fakeUndo).part; part != nil {
		f.Parted = slices.DeleteFunc(f.Parted, func(id string) bool { return slices.Contains(part.Sessions, id) })
	}
	back := slices.Clone(u.(*fakeUndo).convs)
	for i, c := range back {
		for _, other := range f.Convs {
			if c.Title == "" || other.Title != c.Title {
				continue
			}
			if !o.DropTitles {
				return model.TitleTaken{Title: c.Title, Owner: other.ID}
			}
			back[i].Title = ""
		}
	}
	f.Convs = append(f.Convs, back...)
	for _, c := range back {
		f.whole = slices.DeleteFunc(f.whole, func(id string) bool { return id == c.ID || slices.Contains(c.Segments, id) })
	}
	f.Version++
	return f.Refuses
}

func (f *Fake) Editable() model.Editable {
	f.mu.Lock()
	defer f.mu.Unlock()
	return model.Editable{ReadOnly: f.Rights, Pin: !f.Old, Archive: !f.Old}
}

func (f *Fake) ByID(id string) *model.Conversation {
	for i := range f.Convs {
		if f.Convs[i].ID == id || slices.Contains(f.Convs[i].Segments, id) {
			return &f.Convs[i]
		}
	}
	return nil
}

func (f *Fake) Conversation(_ context.Context, id string) (model.Conversation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.ByID(id); c != nil {
		return *c, nil
	}
	return model.Conversation{}, errors.New(id + " no longer exists")
}

func (f *Fake) TitleOwner(ctx context.Context, title, by string) (*model.TitleOwner, error) {
	if err := f.begin(ctx, "titled", title); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var taken []string
	var owner *model.TitleOwner
	for _, c := range f.Convs {
		if model.TitleBase(c.Title) == model.TitleBase(title) {
			taken = append(taken, c.Title)
		}
		if c.Title == title {
			owner = &model.TitleOwner{Session: c.ID, Conversation: c}
		}
		if f.Earlier == title && c.ID == by {
			owner = &model.TitleOwner{Session: c.Segments[0], Conversation: c, EarlierSegment: true}
		}
	}
	if owner != nil {
		owner.NextFree = model.NextTitle(model.TitleBase(title), taken)
	}
	return owner, nil
}

// change changes conversations and says what it did.
func (f *Fake) change(ctx context.Context, ids []string, column string, get func(*model.Conversation) any, put func(*model.Conversation)) (e model.Edit, err error) {
	if err := f.pause(ctx); err != nil {
		return e, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Refuses != nil {
		return e, f.Refuses
	}
	for _, id := range ids {
		c := f.ByID(id)
		if c == nil {
			return e, errors.New(id + " no longer exists")
		}
		before := get(c)
		if put(c); get(c) != before {
			e.Changes = append(e.Changes, model.CellChange{Session: id, Column: column, Before: before, After: get(c)})
		}
		c.Scope = model.ScopeConversations
		if c.Archived {
			c.Scope = model.ScopeArchived
		}
	}
	f.Version++
	return e, nil
}

func (f *Fake) Rename(ctx context.Context, r model.Renaming) (model.Edit, error) {
	title, err := model.SanitizeTitle(r.Title)
	if err != nil {
		return model.Edit{}, err
	}
	f.mu.Lock()
	c := f.ByID(r.ID)
	f.mu.Unlock()
	if c == nil || c.Title != r.Was {
		return model.Edit{}, errors.New("another program has renamed it; nothing was renamed")
	}
	return f.change(ctx, []string{r.ID}, "title", func(c *model.Conversation) any { return c.Title }, func(c *model.Conversation) { c.Title = title })
}

func (f *Fake) SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return f.change(ctx, ids, "pinned", func(c *model.Conversation) any { return c.Pinned }, func(c *model.Conversation) { c.Pinned = on })
}

func (f *Fake) SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return f.change(ctx, ids, "archived", func(c *model.Conversation) any { return c.Archived }, func(c *model.Conversation) { c.Archived = on })
}

func (f *Fake) UndoEdit(ctx context.Context, e model.Edit) error {
	for _, cell := range e.Changes {
		f.mu.Lock()
		if c := f.ByID(cell.Session); cell.Column == "title" && (c == nil || c.Title != cell.After) {
			f.mu.Unlock()
			return errors.New("another program has renamed it")
		}
		f.mu.Unlock()
		_, err := f.change(ctx, []string{cell.Session}, cell.Column, func(*model.Conversation) any { return nil }, func(c *model.Conversation) {
			switch cell.Column {
			case "title":
				c.Title = cell.Before.(string)
			case "pinned":
				c.Pinned = cell.Before.(bool)
			case "archived":
				c.Archived = cell.Before.(bool)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Fake) CleanupFindings(context.Context) (found []model.CleanupFinding, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.Convs {
		switch {
		case c.State == model.StateEmpty:
			found = append(found, model.CleanupFinding{Conversation: c, Reason: model.CleanupEmpty})
		case c.Title == "nightly report":
			found = append(found, model.CleanupFinding{Conversation: c, Reason: model.CleanupDuplicate, Original: "Broker upgrade plan"})
		}
	}
	return found, f.Err
}

func (f *Fake) Prunable(_ context.Context, o model.PruneOptions) (all model.Prunable, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.Convs {
		switch {
		case Now().Sub(c.LastActive) <= o.OlderThan:
		case c.Pinned:
			all.Left.Pinned++
		case c.Archived:
			all.Left.Archived++
		default:
			all.Conversations = append(all.Conversations, c)
		}
	}
	return all, f.Err
}
