package space

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// file is a database whose bytes are counted.
type file struct {
	profile, session string // a session of it; of the only one it does not matter which
	forecast         model.VacuumForecast
	sized            bool // forecast has been read
	shown, fresh     model.Storage
	again            bool // shown is complete, and is measured again
}

// part is what a step reads.
type part int

const (
	names part = iota // of the databases
	sizes             // of the files of one
	texts             // of some of its messages
)

// step is what is read next; from is the message where a step of texts begins.
type step struct {
	part    part
	file    int
	session string
	from    int64
}

// stepped is the answer to a step.
type stepped struct {
	files    []file
	forecast model.VacuumForecast
	texts    model.StorageStep
}

// measure counts the bytes of the databases.
type measure struct {
	read  *kit.Latest[step, stepped]
	files []file // of several, none until their names have been read
	asked bool   // the question before a vacuum is to be opened
	err   error
}

func newMeasure(env *shell.Env) (m measure) {
	library := env.Library
	if !env.Several {
		m.files = []file{{}}
	}
	m.read = kit.NewLatest(env.Context, func(ctx context.Context, q step) (a stepped, err error) {
		switch q.part {
		case sizes:
			a.forecast, err = library.ForecastVacuum(ctx, q.session)
			return a, err
		case texts:
			a.texts, err = library.MeasureStorage(ctx, q.session, q.from)
			return a, err
		}
		page, err := library.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll, RowsOnly: true})
		for _, c := range page.Conversations {
			if !slices.ContainsFunc(a.files, func(f file) bool { return f.profile == c.Profile }) {
				a.files = append(a.files, file{profile: c.Profile, session: c.ID})
			}
		}
		slices.SortFunc(a.files, func(x, y file) int { return strings.Compare(x.profile, y.profile) })
		return a, err
	})
	return m
}

// begin measures all files again.
func (m *measure) begin() tea.Cmd {
	for i := range m.files {
		f := &m.files[i]
		f.sized = false
		f.fresh = model.Storage{Next: model.FromNewest}
		f.again = f.shown.Done
	}
	m.err = nil
	return m.next()
}

// next reads the next part that is missing, nil where all has been read.
func (m *measure) next() tea.Cmd {
	if len(m.files) == 0 {
		return m.read.Ask(step{part: names})
	}
	for i := range m.files {
		f := &m.files[i]
		switch {
		case !f.sized:
			return m.read.Ask(step{part: sizes, file: i, session: f.session})
		case !f.fresh.Done:
			return m.read.Ask(step{part: texts, file: i, session: f.session, from: f.fresh.Next})
		}
	}
	return nil
}

// take notes the answer to a step, and returns what to read after it.
func (m *measure) take(q step, a stepped) tea.Cmd {
	if q.part == names {
		if m.files = a.files; len(m.files) == 0 {
			return nil
		}
		return m.begin()
	}
	f := &m.files[q.file]
	if q.part == sizes {
		f.forecast, f.sized = a.forecast, true
		f.fresh.Sizes, f.shown.Sizes = a.forecast.Sizes, a.forecast.Sizes
	} else {
		f.fresh.Add(a.texts)
	}
	if !f.again || f.fresh.Done {
		f.shown, f.again = f.fresh, false
	}
	return m.next()
}

// of returns the number of the database of a profile, -1 for none.
func (m *measure) of(profile string) int {
	if len(m.files) == 1 {
		return 0
	}
	return slices.IndexFunc(m.files, func(f file) bool { return f.profile == profile })
}

// frees estimates what a delete of a conversation frees, as far as it has been measured.
func (m *measure) frees(c *model.Conversation) int64 {
	i := m.of(c.Profile)
	if i < 0 {
		return 0
	}
	return m.files[i].shown.Freed(m.files[i].shown.Of(c))
}

// obstacles says why a database cannot be vacuumed, and why its log cannot be emptied.
func (m *measure) obstacles(i int) (vacuum, checkpoint string) {
	if i < 0 || m.files[i].forecast.Sizes == (model.FileSizes{}) {
		return "still reading", "still reading"
	}
	sizes := m.files[i].forecast.Sizes
	if sizes.Free == 0 {
		vacuum = "the file has no free pages"
	}
	if sizes.Log == 0 {
		checkpoint = "the write-ahead log is empty"
	}
	return vacuum, checkpoint
}

// askForecast reads what a vacuum takes, for the question before it.
func (m *measure) askForecast(i int) tea.Cmd {
	m.asked = true
	return m.read.Ask(step{part: sizes, file: i, session: m.files[i].session})
}

// vacuumMenu is the question before a vacuum, with what it takes. Where it is known that it
// would fail, it says why and offers nothing.
func (s *Screen) vacuumMenu(i int) shell.OpenMenu {
	f := s.bytes.files[i]
	menu := shell.OpenMenu{Title: "Vacuum the database?", Text: f.forecast.Text(), Entries: []shell.Entry{
		{Letter: "n", Label: "cancel", Do: func() tea.Cmd { return nil }},
	}}
	if s.env.Several {
		menu.Title = "Vacuum the database of " + kit.CleanLine(f.profile) + "?"
	}
	if why := f.forecast.Why(); why != "" {
		menu.Title = "Cannot vacuum: " + why
		return menu
	}
	menu.Entries = append(menu.Entries, shell.Entry{Letter: "y", Label: "vacuum", Do: func() tea.Cmd {
		return s.sh.Do(shell.CompactDatabase{Session: f.session, Vacuum: true})
	}})
	return menu
}
