package ui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// stored gives a fake a file with free pages and a log.
func stored(f *uitest.Fake) {
	f.Forecast = model.ForecastVacuum(model.FileSizes{Path: "state.db", Journal: "wal", File: 900_000, Log: 40_000, Free: 120_000, Editable: true})
	f.Forecast.Available = 10_000_000_000
}

// The storage screen lists the largest conversations, the conversations of a source, and
// months; a conversation is read or deleted from there.
func TestStorageListsTheLargest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() { stored(lib) })
		d := start(t, lib, 120, 24).keys("ctrl+x", "S").sees("Storage · 900 kB, 120 kB free, write-ahead log 40 kB", " of text in ", "of indexes and rows", "Conversations   Sources   Months")
		d.keys("enter").sees("you").keys("q").sees("Storage ·")
		title := lib.Titles()
		d.keys("d").sees("Delete “").keys("y").sees("Deleted “", "Storage ·")
		if now := lib.Titles(); len(now) != len(title)-1 {
			t.Errorf("%d of %d conversations are left", len(now), len(title))
		}
		d.keys("u").sees("Restored “").keys("right").sees("cli, ").keys("d").sees("Only conversations can be deleted")
		d.keys("enter").sees("of  cli").keys("q").sees("cli, ").misses("of  cli").keys("right").sees("December 1999").keys("enter").sees("Months cannot be opened")
		d.keys("q").sees("12 conversations")
		low := start(t, lib, 60, 12).keys("ctrl+x", "S").sees("120 kB free", "1 / 24").keys("down", "down").sees("3 / 24")
		low.send(tea.WindowSizeMsg{Width: 60, Height: 40})
		low.misses(" / 24")
	})
}

// A vacuum is asked for with what it takes, runs as a job, and is not offered where it
// cannot work; a checkpoint empties the log.
func TestVacuumAndCheckpointFromTheStorageScreen(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() { stored(lib) })
		d := start(t, lib, 120, 24).keys("ctrl+x", "S").keys("V").sees("Vacuum the database?", "The file shrinks by about 120 kB", "up to 1.6 MB of free disk space", "close Hermes first")
		d.keys("n").sees("120 kB free").keys("V", "y").sees("Vacuumed: 780 kB, was 900 kB", "780 kB, no free pages")
		d.keys("V").sees("The file has no free pages")
		d.keys("C").sees("Emptied the write-ahead log, 40 kB").misses("write-ahead log 40 kB,").keys("C").sees("The write-ahead log is empty")
		lib.Set(func() { stored(lib); lib.Forecast.Available = 1000; lib.Forecast.InUse = model.InUseByOther })
		d.keys("f5", "V").sees("Cannot vacuum: another process has the database open").misses("y  vacuum")
		if lib.Vacuums != 1 {
			t.Errorf("%d vacuums", lib.Vacuums)
		}
		start(t, lib, 120, 24, func(o *Options) { o.Changes = nil }).keys("ctrl+x", "S").sees("Storage ·").keys("V").sees("--read-only")
	})
}

// Errors are told, and of several databases which one is shown.
func TestStorageSaysWhatItCannotShow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].Profile = []string{"home", "work"}[i%2]
			}
		})
		several := func(o *Options) { o.Several = true }
		d := start(t, lib, 110, 24, several)
		work := 0 // of the source cli
		for _, c := range lib.Convs {
			if c.Profile == "work" && c.Source == "cli" {
				work++
			}
		}
		d.keys("down", "down", "ctrl+x", "S").sees("Storage of work · ").keys("right").sees(fmt.Sprintf("cli, %d conversations", work))
		start(t, lib, 110, 24, several).types("zzzz").keys("ctrl+x", "S").sees("Storage shows the database of a conversation: select one")
		d = start(t, lib, 110, 24).keys("ctrl+x", "S").sees("Storage ·")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("f5").sees("stopped: the disk is on fire").keys("d").sees("The database could not be read")
		lib.Set(func() { lib.Err, lib.Delay = nil, func(string) time.Duration { return time.Hour } })
		d.keys("f5").sees("measuring again").keys("q").misses("Storage ·")
	})
}

func TestStorageAtEverySize(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"200x50": {200, 50}, "120x40": {120, 40}, "80x24": {80, 24}, "30x8": {30, 8}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				lib.Set(func() { stored(lib) })
				golden.RequireEqual(t, start(t, lib, size[0], size[1]).keys("ctrl+x", "S", "down").screen())
			})
		})
	}
}

// Sums of a damaged file say that something may be missing in them, as its list does.
func TestFiguresOfADamagedFileSayThatSomeAreMissing(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		slow := model.HealthNote{Kind: "fts-missing", Message: "there is no full-text index"}
		lib.HealthNotes = []model.HealthNote{{Kind: "damaged", Message: "the database is damaged; some is missing"}, slow}
		for _, key := range []string{"S", "U"} {
			start(t, lib, 100, 30).keys("ctrl+x", key).sees("! the database is damaged; some is missing").misses("full-text")
			start(t, lib, 30, 12).keys("ctrl+x", key).sees("! the database is damaged")
		}
		lib.Set(func() { lib.HealthNotes = []model.HealthNote{slow} })
		for _, key := range []string{"S", "U"} {
			start(t, lib, 100, 30).keys("ctrl+x", key).misses("full-text")
		}
	})
}
