package federation

import (
	"context"

	"hermes-sessions/model"
)

// MeasureStorage is [live.Store.MeasureStorage] of the member of a session.
func (f *Federation) MeasureStorage(ctx context.Context, session string, from int64) (model.StorageStep, error) {
	m, s, local, err := f.at(session)
	if err != nil {
		return model.StorageStep{}, err
	}
	step, err := s.MeasureStorage(ctx, local, from)
	sessions := make(map[string]model.StoredBytes, len(step.Sessions))
	for id, bytes := range step.Sessions {
		sessions[m.own(id)] = bytes
	}
	step.Sessions = sessions
	return step, err
}

// ForecastVacuum is [live.Store.ForecastVacuum] of the member of a session.
func (f *Federation) ForecastVacuum(ctx context.Context, session string) (model.VacuumForecast, error) {
	_, s, local, err := f.at(session)
	if err != nil {
		return model.VacuumForecast{}, err
	}
	return s.ForecastVacuum(ctx, local)
}

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
