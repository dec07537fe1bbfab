package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	"hermes-sessions/model"
)

// A fake library can also be changed, as slowly and as grudgingly as a test
// wants.
var _ Changes = (*fake)(nil)

// changing is how a fake takes changes.
type changing struct {
	takes   time.Duration // a change, in ten parts; it can be stopped between two
	refuses error         // all changes
	left    []string      // ids that can not be deleted
	plans   int
}

// fakeUndo holds what was deleted.
type fakeUndo struct {
	convs  []model.Conversation
	closed bool
}

func (u *fakeUndo) Gone() (d model.Deletion) {
	for _, c := range u.convs {
		d.Sessions = append(d.Sessions, c.Segments...)
		d.Messages += c.Messages
	}
	return d
}

func (u *fakeUndo) Close() error { u.closed = true; return nil }

func (f *fake) PlanDelete(_ context.Context, ids []string, o model.DeleteOptions) (d model.Deletion, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plans++
	for _, id := range ids {
		i := slices.IndexFunc(f.convs, func(c model.Conversation) bool { return c.ID == id })
		if i < 0 {
			d.Missing = append(d.Missing, id)
			continue
		}
		c := f.convs[i]
		if o.Segment {
			d.Asked++
			d.Sessions = append(d.Sessions, c.ID)
			d.Messages += c.Messages / len(c.Segments)
			continue
		}
		d.Asked += len(c.Segments)
		d.Sessions = append(d.Sessions, c.Segments...)
		d.Messages += c.Messages
		d.Delegates += c.Delegates
		for range c.Branches {
			d.Stay = append(d.Stay, "branch of "+c.ID)
		}
	}
	if len(d.Missing) == len(ids) {
		return model.Deletion{}, errors.New(ids[0] + " is not there any more")
	}
	return d, f.refuses
}

func (f *fake) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	now, err := f.PlanDelete(ctx, ids, o)
	if err != nil {
		return nil, err
	}
	if o.Expect != nil && (!slices.Equal(now.Sessions, o.Expect.Sessions) || now.Messages != o.Expect.Messages) {
		return nil, errors.New("another program has changed these sessions meanwhile; nothing was removed")
	}
	u := &fakeUndo{}
	for n := range 10 {
		if err := f.pause(ctx); err != nil {
			if u.convs == nil {
				return nil, err
			}
			return u, err
		}
		f.mu.Lock()
		for _, id := range ids[n*len(ids)/10 : (n+1)*len(ids)/10] {
			if i := slices.IndexFunc(f.convs, func(c model.Conversation) bool { return c.ID == id }); i >= 0 {
				u.convs = append(u.convs, f.convs[i])
				f.convs = slices.Delete(f.convs, i, i+1)
			}
		}
		f.version++
		f.mu.Unlock()
		if o.Progress != nil {
			o.Progress((n+1)*now.Messages/10, now.Messages)
		}
	}
	return u, nil
}

func (f *fake) pause(ctx context.Context) error {
	f.mu.Lock()
	d := f.takes / 10
	f.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (f *fake) Restore(_ context.Context, u model.Undo, o model.RestoreOptions) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	back := slices.Clone(u.(*fakeUndo).convs)
	for i, c := range back {
		for _, other := range f.convs {
			if c.Title == "" || other.Title != c.Title {
				continue
			}
			if !o.DropTitles {
				return model.TitleTaken{Title: c.Title, Owner: other.ID}
			}
			back[i].Title = ""
		}
	}
	f.convs = append(f.convs, back...)
	f.version++
	return f.refuses
}
