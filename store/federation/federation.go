// Package federation shows several session databases as one: the profiles of Hermes, and
// files that were put aside.
//
// A [Federation] has the calls of [store.Store] that a browser makes, also for [Only] one
// database, whose ids stay as they are. Of several, a session of the member work has the id
// work/ID in it, so that ids that occur in two databases stay apart, and
// [model.Session.Profile] is the member's name:
//
//	lists, searches      all members are asked at once, and the answers merged
//	one conversation     its member is asked; there is one lineage per database
//	storage              is that of the member of a session
//	changes              go to the members that the ids name, one after the other
//	profile:work         leaves the other members out
//
// A member that is absent, damaged or locked does not stop the others: it is left out, and
// [Federation.Notes] says why. One that does not answer in time, such as a file on a
// network drive that hangs, joins when it answers.
package federation

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/live"
)

// Member is a database of a federation.
type Member struct {
	Name string // unique, without a slash
	Open func(context.Context) (*live.Store, error)
}

// Federation is several databases as one. Its methods may be called from several
// goroutines at once.
type Federation struct {
	members  []*member
	only     *live.Store // set by Only
	patience time.Duration

	mu    sync.Mutex             // guards the fields below
	edits map[int][]edit         // what an edit of several members consists of, by its Opening
	last  int                    // key of the last of them
	plans map[string]memberPlans // of deletions, by planKey
}

// member is a database and what is known of it.
type member struct {
	name string

	mu      sync.Mutex // guards the fields below
	store   *live.Store
	err     error // why it is not open
	version int64 // of its data, as it was last read
	asked   bool  // DataVersion has been asked and has not answered
	slow    bool  // it has not answered in time
	changes int   // of the other fields, for DataVersion
}

// Open opens the members. It waits at most for patience; members that take longer join
// later. The error is that of the first member where none can be opened.
func Open(ctx context.Context, members []Member, patience time.Duration) (*Federation, error) {
	f := &Federation{patience: patience, edits: map[int][]edit{}, plans: map[string]memberPlans{}}
	var opening sync.WaitGroup
	for _, from := range members {
		m := &member{name: from.Name, slow: true}
		f.members = append(f.members, m)
		opening.Go(func() {
			s, err := from.Open(context.WithoutCancel(ctx))
			m.mu.Lock()
			defer m.mu.Unlock()
			m.store = s
			m.err = err
			m.slow = false
			m.changes++
		})
	}
	if err := f.wait(ctx, &opening); err != nil {
		return nil, err
	}
	var first error
	for _, m := range f.members {
		s, slow, err := m.state()
		if s != nil || slow {
			return f, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, cmp.Or(first, errors.New("no database was named"))
}

// Only returns what a browser reads of one database: ids and profiles are its own, it is
// waited for, and its errors are not kept back. It is changed and closed by itself.
func Only(s *live.Store) *Federation {
	return &Federation{only: s, members: []*member{{store: s}}, edits: map[int][]edit{}, plans: map[string]memberPlans{}}
}

// wait waits for the members that were asked, except those that take longer than the
// patience. The error is ctx's.
func (f *Federation) wait(ctx context.Context, asked *sync.WaitGroup) error {
	all := make(chan struct{})
	go func() { asked.Wait(); close(all) }()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(f.patience):
		return nil
	}
}

// Close closes all members but those that do not answer.
func (f *Federation) Close() error {
	var errs []error
	for _, m := range f.open() {
		s, _, _ := m.state()
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Names returns the names of the members, in their order.
func (f *Federation) Names() []string {
	names := make([]string, len(f.members))
	for i, m := range f.members {
		names[i] = m.name
	}
	return names
}

// Member returns the database of a session, the name of the member and the id that the
// session has there. The store is nil where the member is not open or there is none.
func (f *Federation) Member(id string) (s *live.Store, name, local string) {
	m, local := f.find(id)
	if m == nil {
		return nil, "", id
	}
	s, _, _ = m.state()
	return s, m.name, local
}

// find returns the member that an id names, nil for none, and the id in it.
func (f *Federation) find(id string) (*member, string) {
	if f.only != nil {
		return f.members[0], id
	}
	name, local, _ := strings.Cut(id, "/")
	for _, m := range f.members {
		if m.name == name {
			return m, local
		}
	}
	return nil, ""
}

// Stores returns the members that are open, by name.
func (f *Federation) Stores() map[string]*live.Store {
	open := map[string]*live.Store{}
	for _, m := range f.members {
		if s, _, _ := m.state(); s != nil {
			open[m.name] = s
		}
	}
	return open
}

// state returns the store, nil while it is not open, whether the member does not answer, and
// why it is not open.
func (m *member) state() (s *live.Store, slow bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.store, m.slow, m.err
}

// Notes says what is wrong with the members, each with its name.
func (f *Federation) Notes() []model.HealthNote {
	if f.only != nil {
		return f.only.Notes()
	}
	var notes []model.HealthNote
	for _, m := range f.members {
		s, slow, err := m.state()
		switch {
		case slow:
			notes = append(notes, model.HealthNote{Kind: "member-slow", Message: m.name + " does not answer; its conversations are not shown"})
		case err != nil:
			notes = append(notes, model.HealthNote{Kind: "member-not-open", Message: m.name + ": " + err.Error(), Remedy: remedyOf(err)})
		}
		if s == nil || slow {
			continue
		}
		for _, n := range s.Notes() {
			n.Message = m.name + ": " + n.Message
			notes = append(notes, n)
		}
	}
	return notes
}

// remedyOf returns what an error advises to do.
func remedyOf(err error) model.Remedy {
	if e, ok := errors.AsType[interface {
		error
		Advice() (cause string, remedy model.Remedy)
	}](err); ok {
		_, remedy := e.Advice()
		return remedy
	}
	return model.Remedy{}
}

// FileNotice says what has happened to the file of a member, see [live.Store.FileNotice].
func (f *Federation) FileNotice() string {
	if f.only != nil {
		return f.only.FileNotice()
	}
	for _, m := range f.members {
		if s, slow, _ := m.state(); s != nil && !slow {
			if notice := s.FileNotice(); notice != "" {
				return m.name + ": " + notice
			}
		}
	}
	return ""
}

// DataVersion looks at the members, and returns a number that changes when one of them has
// changed, was opened, or no longer answers.
func (f *Federation) DataVersion(ctx context.Context) (int64, error) {
	if f.only != nil {
		return f.only.DataVersion(ctx)
	}
	var asked sync.WaitGroup
	for _, m := range f.members {
		if s := m.ask(); s != nil {
			asked.Go(func() {
				v, err := s.DataVersion(context.WithoutCancel(ctx))
				m.answered(v, err)
			})
		}
	}
	if err := f.wait(ctx, &asked); err != nil {
		return 0, err
	}
	var sum int64
	for _, m := range f.members {
		m.mu.Lock()
		if m.asked && !m.slow {
			m.slow = true
			m.changes++
		}
		sum += m.version + int64(m.changes)
		m.mu.Unlock()
	}
	return sum, nil
}

// ask returns the store to ask for its version, nil while an earlier answer is still to come.
func (m *member) ask() *live.Store {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil || m.asked {
		return nil
	}
	m.asked = true
	return m.store
}

// answered records what the member has answered.
func (m *member) answered(version int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.slow {
		m.changes++
	}
	m.asked, m.slow = false, false
	if err == nil && version > m.version {
		m.version = version
	}
}

func (f *Federation) open() []*member {
	var open []*member
	for _, m := range f.members {
		if s, slow, _ := m.state(); s != nil && !slow {
			open = append(open, m)
		}
	}
	return open
}

// minParallel is how many members are asked at the same time; where there are more
// processors, it is as many as these. A search takes several megabytes while it works.
const minParallel = 4

// answer says that a member has answered.
type answer struct {
	member int
	err    error
}

// callState is how far a call of a member has come.
type callState int

const (
	callNotBegun callState = iota
	callRunning
	callProbed  // running, and the version of its file was asked for, to see whether that answers
	callEnded   // with an answer or an error
	callLeftOut // the file does not answer
)

// each calls do for every member, several at the same time, and returns the positions of the
// members that answered, in order. The error is the first one where none did, or ctx's. A member whose
// file does not answer, as on a network drive that hangs, is left out, and its call goes on:
// what that writes must not be read.
func (f *Federation) each(ctx context.Context, members []*member, do func(i int, s *live.Store) error) ([]int, error) {
	answers, alive := make(chan answer, len(members)), make(chan int, len(members))
	states, errs := make([]callState, len(members)), make([]error, len(members))
	tick := time.NewTicker(f.patience / 2) // a file is asked after one, and left out after two
	defer tick.Stop()
	next, waiting := 0, 0
	for {
		for ; next < len(members) && waiting < max(minParallel, runtime.GOMAXPROCS(0)); next++ {
			i := next
			s, slow, _ := members[i].state()
			if slow {
				states[i] = callLeftOut // by the call before
				continue
			}
			states[i] = callRunning
			waiting++
			go func() { answers <- answer{i, do(i, s)} }()
		}
		if waiting == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case a := <-answers:
			if states[a.member] != callLeftOut && ctx.Err() == nil {
				states[a.member], errs[a.member] = callEnded, a.err
				members[a.member].noteError(a.err)
				waiting--
			}
		case i := <-alive:
			if states[i] == callProbed {
				states[i] = callRunning
			}
		case <-tick.C:
			for i, m := range members {
				switch states[i] {
				case callProbed:
					states[i] = callLeftOut
					waiting--
					m.leaveOut()
				case callRunning:
					states[i] = callProbed
					s, _, _ := m.state()
					go func() { _, _ = s.DataVersion(context.WithoutCancel(ctx)); alive <- i }()
				}
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []int
	var first error
	for i, err := range errs {
		switch {
		case states[i] != callEnded:
		case err == nil:
			all = append(all, i)
		case first == nil:
			first = err
		}
	}
	if all == nil {
		return nil, first
	}
	return all, nil
}

// leaveOut leaves a member out until its file answers.
func (m *member) leaveOut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.slow = true
	m.changes++
}

// noteError records why a member could not be read; nil that it could.
func (m *member) noteError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func notOpenError(id string) error {
	return &model.Error{Kind: model.KindNotFound, Path: id, Message: "its database is not open", Remedy: model.Advise("the notes say why")}
}
