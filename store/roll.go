package store

import (
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// roll is sessions in little memory, in which the collector finds little to
// follow: a [model.Session] is large and full of pointers, and tens of
// thousands are kept. Here each is a row of numbers, and the texts of all lie
// one after the other. It is a [model.Roll].
type roll struct {
	rows []entry
	text string
	byID []int32 // positions, in the order of the ids
	since
}

// since is what is otherwise by now than the rows of a roll say.
type since struct {
	sessions map[int32]model.Session // by position; those behind the rows came later
	came     map[string]int32        // positions of these
	gone     map[int32]bool
}

// with gives a roll in which some sessions are as they are now, or have come or
// gone, and where they stand in it. One that comes back stands where it stood.
func (r *roll) with(now []model.Session, gone []string) (with *roll, changed []int32) {
	w := *r
	w.sessions, w.came, w.gone = map[int32]model.Session{}, map[string]int32{}, map[int32]bool{}
	maps.Copy(w.sessions, r.sessions)
	maps.Copy(w.came, r.came)
	maps.Copy(w.gone, r.gone)
	for _, id := range gone {
		if i, ok := w.place(id); ok {
			w.gone[i] = true
			changed = append(changed, i)
		}
	}
	for _, m := range now {
		i, ok := w.place(m.ID)
		if !ok {
			i = int32(w.Len())
			w.came[m.ID] = i
		}
		delete(w.gone, i)
		w.sessions[i] = m
		changed = append(changed, i)
	}
	return &w, changed
}

// entry is a session. Its texts are spots in the text of all.
type entry struct {
	id, source, title, model, parent, reason   spot
	cwd, branch, profile                       spot
	branchedFrom, delegateFrom, resetFrom      spot
	counts                                     spot // numbers that nobody asks of all sessions
	visible                                    int32
	started, ended, said, active               int64 // seconds
	startedNs, endedNs, saidNs, activeNs       int32 // and what is over
	usd                                        float64
	archived, pinned, hidden, known, estimated bool
}

// spot is where a text begins, with its length before it; 0 is for none.
type spot uint32

// Len gives how many sessions there are.
func (r *roll) Len() int { return len(r.rows) + len(r.came) }

// Session makes a session.
func (r *roll) Session(i int) model.Session {
	if len(r.sessions) > 0 {
		if m, ok := r.sessions[int32(i)]; ok {
			return m
		}
	}
	e := &r.rows[i]
	var n [8]int64
	at := e.counts
	for k := range n {
		var u uint64
		u, at = r.number(at)
		n[k] = int64(u>>1) ^ -int64(u&1) // as binary.AppendVarint has it
	}
	return model.Session{
		ID: r.at(e.id), Source: r.at(e.source), Title: r.at(e.title), Model: r.at(e.model),
		ParentID: r.at(e.parent), EndReason: r.at(e.reason),
		StartedAt: instant(e.started, e.startedNs), EndedAt: instant(e.ended, e.endedNs),
		MessageCount: int(n[0]), ToolCalls: int(n[1]),
		Usage: model.Usage{
			Input: n[2], Output: n[3], CacheRead: n[4], CacheWrite: n[5], Reasoning: n[6], APICalls: n[7],
			Cost: model.Cost{USD: e.usd, Known: e.known, Estimated: e.estimated},
		},
		CWD: r.at(e.cwd), GitBranch: r.at(e.branch), Profile: r.at(e.profile),
		Archived: e.archived, Pinned: e.pinned, Hidden: e.hidden,
		BranchedFrom: r.at(e.branchedFrom), DelegateFrom: r.at(e.delegateFrom), ResetFrom: r.at(e.resetFrom),
		LastMessageAt: instant(e.said, e.saidNs), Visible: int(e.visible), ActivityAt: instant(e.active, e.activeNs),
	}
}

// all makes one session after the other, with its position.
func (r *roll) all() iter.Seq2[int, model.Session] {
	return func(yield func(int, model.Session) bool) {
		for i := range r.there() {
			if !yield(i, r.Session(i)) {
				return
			}
		}
	}
}

// id gives the id of a session.
func (r *roll) id(i int) string {
	if i >= len(r.rows) {
		return r.sessions[int32(i)].ID
	}
	return r.at(r.rows[i].id)
}

// title gives the title of a session.
func (r *roll) title(i int) string {
	if m, ok := r.sessions[int32(i)]; ok {
		return m.Title
	}
	return r.at(r.rows[i].title)
}

// there gives the positions of all sessions that are not gone.
func (r *roll) there() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range r.Len() {
			if !r.gone[int32(i)] && !yield(i) {
				return
			}
		}
	}
}

// find gives the position of the session with an id.
func (r *roll) find(id string) (int, bool) {
	i, ok := r.place(id)
	return int(i), ok && !r.gone[i]
}

// place is find for one that may be gone.
func (r *roll) place(id string) (int32, bool) {
	n, ok := slices.BinarySearchFunc(r.byID, id, func(i int32, id string) int { return strings.Compare(r.id(int(i)), id) })
	if ok {
		return r.byID[n], true
	}
	i, ok := r.came[id]
	return i, ok
}

// said gives how many messages of a session are visible, and when the last of
// all was written.
func (r *roll) said(i int) (visible int, last time.Time) {
	if m, ok := r.sessions[int32(i)]; ok {
		return m.Visible, m.LastMessageAt
	}
	e := &r.rows[i]
	return int(e.visible), instant(e.said, e.saidNs)
}

// heard says how many messages of a session are visible, and when the last of
// all was written. It is for whoever makes the roll.
func (r *roll) heard(i, visible int, last time.Time) {
	if m, ok := r.sessions[int32(i)]; ok {
		m.Visible, m.LastMessageAt = visible, last
		r.sessions[int32(i)] = m
		return
	}
	e := &r.rows[i]
	e.visible = int32(visible)
	e.said, e.saidNs = last.Unix(), int32(last.Nanosecond())
}

// at gives a text.
func (r *roll) at(p spot) string {
	if p == 0 {
		return ""
	}
	n, from := r.number(p)
	return r.text[from : uint64(from)+n]
}

// number reads a number as binary.AppendUvarint writes it, and where it ends.
func (r *roll) number(p spot) (n uint64, end spot) {
	for shift := 0; ; shift += 7 {
		b := r.text[p]
		p++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, p
		}
	}
}

// instant gives a time back.
func instant(seconds int64, nanos int32) time.Time {
	if seconds == (time.Time{}).Unix() && nanos == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos))
}

// enrolment makes a roll, one session after the other.
type enrolment struct {
	rows  []entry
	text  []byte
	known map[string]spot // what several may share
}

// enrol begins a roll of about so many sessions.
func enrol(sessions int) *enrolment {
	return &enrolment{rows: make([]entry, 0, sessions), text: make([]byte, 1, 1+sessions*80), known: map[string]spot{}}
}

// add takes a session in. Nothing of it is held on to.
func (r *enrolment) add(s *model.Session) {
	u := &s.Usage
	counts := spot(len(r.text))
	for _, n := range [...]int64{
		int64(s.MessageCount), int64(s.ToolCalls),
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.APICalls,
	} {
		r.text = binary.AppendVarint(r.text, n)
	}
	r.rows = append(r.rows, entry{
		id: r.own(s.ID), source: r.shared(s.Source), title: r.own(s.Title), model: r.shared(s.Model),
		parent: r.shared(s.ParentID), reason: r.shared(s.EndReason),
		cwd: r.shared(s.CWD), branch: r.shared(s.GitBranch), profile: r.shared(s.Profile),
		branchedFrom: r.shared(s.BranchedFrom), delegateFrom: r.shared(s.DelegateFrom), resetFrom: r.shared(s.ResetFrom),
		counts: counts, visible: int32(s.Visible),
		started: s.StartedAt.Unix(), startedNs: int32(s.StartedAt.Nanosecond()),
		ended: s.EndedAt.Unix(), endedNs: int32(s.EndedAt.Nanosecond()),
		said: s.LastMessageAt.Unix(), saidNs: int32(s.LastMessageAt.Nanosecond()),
		active: s.ActivityAt.Unix(), activeNs: int32(s.ActivityAt.Nanosecond()),
		usd: u.Cost.USD, known: u.Cost.Known, estimated: u.Cost.Estimated,
		archived: s.Archived, pinned: s.Pinned, hidden: s.Hidden,
	})
}

// own keeps a text that hardly another session has.
func (r *enrolment) own(s string) spot {
	if s == "" {
		return 0
	}
	p := spot(len(r.text))
	r.text = append(binary.AppendUvarint(r.text, uint64(len(s))), s...)
	return p
}

// shared keeps a text once for all.
func (r *enrolment) shared(s string) spot {
	p, ok := r.known[s]
	if !ok {
		p = r.own(s)
		r.known[strings.Clone(s)] = p
	}
	return p
}

// roll ends it.
func (r *enrolment) roll() *roll {
	done := &roll{rows: slices.Clip(r.rows), text: string(r.text), byID: make([]int32, len(r.rows))}
	for i := range done.byID {
		done.byID[i] = int32(i)
	}
	// Ids are unique but for those that are none. Of these the last is found.
	slices.SortFunc(done.byID, func(a, b int32) int {
		return cmp.Or(strings.Compare(done.id(int(a)), done.id(int(b))), cmp.Compare(b, a))
	})
	return done
}
