// Package usage sums up what sessions have consumed: by day, week, month and hour, by
// model, source, folder, profile and tool, and by conversation.
//
// Hermes counts tokens and costs by session, and in newer files by session and model; no
// message has its own. A session therefore counts as a whole, at the time of its start, in the
// time zone that is passed in. A conversation that was compressed or reset goes on in a
// new session, which counts at its own start.
//
//   - usage.go: records, sums and rows
//   - dimension.go: what records are grouped by, and the keys of groups
//   - calendar.go: a year of days, and the periods without use between rows
package usage

import (
	"slices"
	"sort"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Report is what all sessions of a database have consumed.
type Report struct {
	Records       []Record // those of one session next to each other
	Conversations []Conversation
}

// Conversation is what rows by conversation name.
type Conversation struct {
	Root, Tip string // ids of the first and of the newest segment
	Title     string
}

// Record is what a session has consumed with one model, or how it has called one tool.
// What belongs to the whole session is in each of its records.
type Record struct {
	Session      string
	Conversation int32     // in [Report.Conversations]
	At           time.Time // start of the session; zero where that is unknown

	Model, Source, Folder, Profile string
	Messages, Calls                int    // of the session: visible messages, and calls of tools
	Tool                           string // of the records of [Report.WithTools]
	Failed                         int    // of their calls
	Usage                          model.Usage
}

// Newest returns the latest start of a session, zero where none is known.
func (r Report) Newest() (at time.Time) {
	for i := range r.Records {
		if r.Records[i].At.After(at) {
			at = r.Records[i].At
		}
	}
	return at
}

// ToolCount is how a session has called a tool.
type ToolCount struct {
	Session, Tool string
	Calls, Failed int
}

// WithTools returns the calls of tools as records: one for each session and tool, without
// messages and usage, which belong to no tool. Sessions that the report lacks are left out.
func (r Report) WithTools(counts []ToolCount) Report {
	first := make(map[string]int, len(r.Records))
	for i := range r.Records {
		if _, ok := first[r.Records[i].Session]; !ok {
			first[r.Records[i].Session] = i
		}
	}
	with := Report{Conversations: r.Conversations, Records: make([]Record, 0, len(counts))}
	for _, c := range counts {
		i, ok := first[c.Session]
		if !ok {
			continue
		}
		record := r.Records[i]
		record.Usage, record.Messages = model.Usage{}, 0
		record.Tool = c.Tool
		record.Calls = c.Calls
		record.Failed = c.Failed
		with.Records = append(with.Records, record)
	}
	return with
}

// WithFailures returns the report with the failed calls of each session in its records.
func (r Report) WithFailures(counts []ToolCount) Report {
	failed := map[string]int{}
	for _, c := range counts {
		failed[c.Session] += c.Failed
	}
	with := Report{Conversations: r.Conversations, Records: make([]Record, len(r.Records))}
	for i, one := range r.Records {
		one.Failed = failed[one.Session]
		with.Records[i] = one
	}
	return with
}

// Sum is the sum over some records.
type Sum struct {
	Sessions, Messages, Calls, Failed int
	Usage                             model.Usage // with the whole cost
	Actual, Estimated                 float64     // US dollars, apart
	Unpriced                          int         // records of sessions that did something and have no price
}

// add adds a record; first says that it is the first one of its session.
func (s *Sum) add(r *Record, first bool) {
	tool := r.Tool != ""
	if first {
		s.Sessions++
		s.Messages += r.Messages
	}
	if first || tool {
		s.Calls += r.Calls
		s.Failed += r.Failed
	}
	if tool {
		return
	}
	u := r.Usage
	cost := s.Usage.Cost
	s.Usage = s.Usage.Add(u)
	s.Usage.Cost = cost
	switch {
	case u.Cost.Known && u.Cost.Estimated:
		s.Estimated = model.AddUSD(s.Estimated, u.Cost.USD)
	case u.Cost.Known:
		s.Actual = model.AddUSD(s.Actual, u.Cost.USD)
	case u.Tokens() != 0 || u.APICalls != 0 || r.Messages > 0:
		s.Unpriced++
	}
	s.Usage.Cost = model.Cost{
		USD: model.AddUSD(s.Actual, s.Estimated), Known: cost.Known || u.Cost.Known,
		Estimated: cost.Estimated || u.Cost.Estimated,
	}
	s.Usage.Cost.Partial = s.Usage.Cost.Known && s.Unpriced > 0
}

// Row is a group of records.
type Row struct {
	Keys         []string // for each dimension, "" where that is unknown
	Conversation int32    // in [Report.Conversations], of the first record
	Sum

	last string // the session of the last record
}

// Selection confines records to a time and to groups.
type Selection struct {
	From, To time.Time // the start of sessions: From and later, before To; zero for no limit
	Picks    []Pick    // all of them must hold
}

// Pick is a group of records: those with a key.
type Pick struct {
	By  Dimension
	Key string
}

// In returns the records of the selection. Records without a time are in no selection with
// a limit.
func (s Selection) In(r Report, zone *time.Location) Report {
	if s.From.IsZero() && s.To.IsZero() && len(s.Picks) == 0 {
		return r
	}
	in := Report{Conversations: r.Conversations, Records: make([]Record, 0, len(r.Records))}
	keys := newKeys(r, zone)
	for i := range r.Records {
		record := &r.Records[i]
		keep := s.From.IsZero() || !record.At.Before(s.From) && !record.At.IsZero()
		keep = keep && (s.To.IsZero() || record.At.Before(s.To) && !record.At.IsZero())
		for _, p := range s.Picks {
			keep = keep && keys.of(p.By, record) == p.Key
		}
		if keep {
			in.Records = append(in.Records, *record)
		}
	}
	return in
}

// Total returns the sum over all records.
func (r Report) Total() Sum {
	if rows := r.Group(nil, time.UTC); len(rows) > 0 {
		return rows[0].Sum
	}
	return Sum{}
}

// Group sums up the records by some dimensions, in no order. A session with several
// models is in the row of each, with its messages; its tokens and its cost are divided.
func (r Report) Group(by []Dimension, zone *time.Location) []Row {
	keys := newKeys(r, zone)
	places := map[string]int{}
	var rows []Row
	var name strings.Builder
	for i := range r.Records {
		record := &r.Records[i]
		id := ""
		if len(by) == 1 {
			id = keys.of(by[0], record)
		} else {
			name.Reset()
			for _, d := range by {
				name.WriteString(keys.of(d, record))
				name.WriteByte(0)
			}
			id = name.String()
		}
		n, ok := places[id]
		if !ok {
			n = len(rows)
			places[id] = n
			row := Row{Conversation: record.Conversation, Keys: make([]string, len(by))}
			for k, d := range by {
				row.Keys[k] = keys.of(d, record)
			}
			rows = append(rows, row)
		}
		first := rows[n].last != record.Session || rows[n].Sessions == 0
		rows[n].last = record.Session
		rows[n].add(record, first)
	}
	return rows
}

// SortByKeys sorts rows by their keys: times from old to new, names from A to Z, what is
// unknown first.
func SortByKeys(rows []Row) {
	sort.SliceStable(rows, func(i, j int) bool { return slices.Compare(rows[i].Keys, rows[j].Keys) < 0 })
}

// Sort sorts rows by a measure, the largest first, and equal ones by their keys.
func Sort(rows []Row, m Measure) {
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := m.Of(&rows[i].Sum), m.Of(&rows[j].Sum)
		if a != b {
			return a > b
		}
		return slices.Compare(rows[i].Keys, rows[j].Keys) < 0
	})
}

// Measure is a number of a sum that rows are compared by.
type Measure int

// The measures.
const (
	Tokens    Measure = iota // input and output
	CacheRead                // tokens
	Dollars
	Sessions
	Messages
	Calls  // of tools
	Failed // calls of tools
)

// String names a measure.
func (m Measure) String() string {
	return [...]string{"tokens", "cache reads", "cost", "sessions", "messages", "tool calls", "failed calls"}[m]
}

// Of returns the number of a sum.
func (m Measure) Of(s *Sum) float64 {
	switch m {
	case Tokens:
		return float64(s.Usage.Tokens())
	case CacheRead:
		return float64(s.Usage.CacheRead)
	case Dollars:
		return s.Usage.Cost.USD
	case Sessions:
		return float64(s.Sessions)
	case Messages:
		return float64(s.Messages)
	case Calls:
		return float64(s.Calls)
	}
	return float64(s.Failed)
}
