package uitest

import (
	"context"
	"time"

	"hermes-sessions/model"
)

// storing is how the file of a fake is.
type storing struct {
	Forecast model.VacuumForecast
	Vacuums  int
}

// MeasureStorage counts the texts of the messages, in two steps.
func (f *Fake) MeasureStorage(ctx context.Context, _ string, from int64) (model.StorageStep, error) {
	if err := f.begin(ctx, "measure", ""); err != nil {
		return model.StorageStep{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	step := model.StorageStep{Sessions: map[string]model.StoredBytes{}, Months: map[time.Time]model.StoredBytes{}, Newest: 1000, Next: 500, More: from == model.FromNewest}
	for i, c := range f.Convs {
		if (i%2 == 0) != step.More {
			continue
		}
		b := model.StoredBytes{Messages: c.Messages, Text: int64(c.Messages * (1000 + i)), Indexed: int64(c.Messages * 900)}
		step.Sessions[c.Segments[0]] = b
		month := time.Date(c.LastActive.Year(), c.LastActive.Month(), 1, 0, 0, 0, 0, time.UTC)
		step.Months[month] = step.Months[month].Add(b)
	}
	return step, nil
}

// ForecastVacuum returns what a test has set.
func (f *Fake) ForecastVacuum(context.Context, string) (model.VacuumForecast, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Forecast, f.Err
}

// Vacuum makes the file smaller.
func (f *Fake) Vacuum(ctx context.Context, _ string) error {
	if err := f.pause(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Vacuums++
	f.Forecast.Sizes.File -= f.Forecast.Sizes.Free
	f.Forecast.Sizes.Free = 0
	return f.Refuses
}

// Checkpoint empties the log.
func (f *Fake) Checkpoint(context.Context, string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Forecast.Sizes.Log = 0
	return true, f.Refuses
}
