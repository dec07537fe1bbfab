package shell

import (
	"errors"
	"testing"
	"time"
)

func TestTheSecondClickOnARowOpensIt(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var c Clicks
	for i, click := range []struct {
		row    int
		later  time.Duration
		second bool
	}{
		{0, 0, false},
		{0, 200 * time.Millisecond, true},
		{0, 200 * time.Millisecond, false}, // the third one begins anew
		{1, 200 * time.Millisecond, false},
		{1, 600 * time.Millisecond, false},
		{1, 300 * time.Millisecond, true},
	} {
		at = at.Add(click.later)
		if got := c.Second(click.row, at); got != click.second {
			t.Errorf("click %d: second = %v", i, got)
		}
	}
}

// A screen reads again when the database has changed, not while it reads, and beside a busy
// writer not all the time. Where it does not know the version that it has read, the first
// one may be newer.
func TestAScreenReadsAgainWhenTheDatabaseHasChanged(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := NewFreshness(3)
	f.Asked(at)
	f.Answered(at.Add(time.Second))
	later := at.Add(RefreshPause * time.Second)
	for _, c := range []struct {
		name    string
		version int64
		err     error
		settled bool
		now     time.Time
		want    bool
	}{
		{"the same version", 3, nil, true, later, false},
		{"while it reads", 4, nil, false, later, false},
		{"too early", 4, nil, true, later.Add(-time.Second), false},
		{"an error", 4, errors.New("gone"), true, later, false},
		{"a new version", 4, nil, true, later, true},
		{"that version again", 4, nil, true, later, false},
	} {
		if got := f.Outdated(Polled{Version: c.version, Err: c.err}, c.settled, c.now); got != c.want {
			t.Errorf("%s: outdated = %v", c.name, got)
		}
	}
	unknown := NewFreshness(0)
	if !unknown.Outdated(Polled{Version: 3}, true, at) || unknown.Outdated(Polled{Version: 3}, true, at) {
		t.Error("with an unknown version it does not read again once")
	}
}
