package federation

import "context"

// Vacuum is [live.Store.Vacuum] of the member of a session.
func (f *Federation) Vacuum(ctx context.Context, session string) error {
	_, s, local, err := f.at(session)
	if err != nil {
		return err
	}
	return s.Vacuum(ctx, local)
}

// Checkpoint is [live.Store.Checkpoint] of the member of a session.
func (f *Federation) Checkpoint(ctx context.Context, session string) (emptied bool, err error) {
	_, s, local, err := f.at(session)
	if err != nil {
		return false, err
	}
	return s.Checkpoint(ctx, local)
}
