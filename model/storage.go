package model

import (
	"cmp"
	"math"
	"sort"
	"time"
)

// FileSizes are the sizes of the files of a database, in bytes.
type FileSizes struct {
	Path     string
	Schema   int    // version that the file states, 0 where it states none
	Journal  string // the journal mode, "wal" or "delete"
	File     int64  // of the database file
	Log      int64  // of its write-ahead log
	Pages    int64  // of all pages, with those that are in the log only
	Free     int64  // of the pages that hold nothing
	Copies   int    // full-text indexes that have a copy of each text
	Editable bool   // the file can be written
}

// Used is what the tables and indexes take.
func (f FileSizes) Used() int64 { return max(cmp.Or(f.Pages, f.File)-f.Free, 0) }

// StoredBytes counts the bytes that some messages or sessions take.
type StoredBytes struct {
	Text     int64 // bytes of the texts in all columns
	Indexed  int64 // of them: texts that the full-text index has
	Messages int   // rewound and compacted ones too
}

// Add sums two of them.
func (b StoredBytes) Add(c StoredBytes) StoredBytes {
	return StoredBytes{b.Text + c.Text, b.Indexed + c.Indexed, b.Messages + c.Messages}
}

// FromNewest begins a measurement of a database.
const FromNewest = math.MaxInt64

// StorageStep is what one step of measuring a database has found. A measurement goes from
// the newest message to the oldest.
type StorageStep struct {
	Sessions map[string]StoredBytes    // by session id
	Months   map[time.Time]StoredBytes // by the first moment of the month; the zero time for unknown times
	Newest   int64                     // the largest message id in this step
	Next     int64                     // the message id where the next step begins
	More     bool                      // there is a next step
}

// Storage is how many bytes the conversations of a database take, as far as it has been
// measured: the newest messages first.
type Storage struct {
	Sizes    FileSizes
	Sessions map[string]StoredBytes
	Months   map[time.Time]StoredBytes
	Total    StoredBytes
	Done     bool // all has been measured

	Next   int64 // the message id where the next step begins
	newest int64
}

// Add adds what a step has found.
func (s *Storage) Add(step StorageStep) {
	if s.Sessions == nil {
		s.Sessions, s.Months = map[string]StoredBytes{}, map[time.Time]StoredBytes{}
	}
	for id, b := range step.Sessions {
		s.Sessions[id] = s.Sessions[id].Add(b)
		s.Total = s.Total.Add(b)
	}
	for month, b := range step.Months {
		s.Months[month] = s.Months[month].Add(b)
	}
	s.newest = max(s.newest, step.Newest)
	s.Next = step.Next
	s.Done = !step.More
}

// Percent is how much has been measured, judged by the ids of the messages.
func (s *Storage) Percent() int {
	if s.Done {
		return 100
	}
	if s.newest <= 0 {
		return 0
	}
	return int(min(99, max(0, float64(s.newest-s.Next)/float64(s.newest)*100)))
}

// Overhead is what the file takes besides the texts: the full-text index, the other
// indexes, the bytes around every row, and the tables without messages. It is exact when
// all has been measured.
func (s *Storage) Overhead() int64 { return max(s.Sizes.Used()-s.Total.Text, 0) }

// freedOfCopy is the fraction of a text's copy in a full-text index that a delete frees, as
// measured on databases of 1 to 100 MB. The index marks the words of deleted rows, and frees
// their space only when Hermes optimizes it.
const freedOfCopy = 0.6

// Freed estimates what a delete and a vacuum after it free: the texts, and part of the copies
// that the full-text indexes have.
func (s *Storage) Freed(b StoredBytes) int64 {
	return b.Text + int64(freedOfCopy*float64(s.Sizes.Copies)*float64(b.Indexed))
}

// StorageRow is what a conversation, a source or a month takes.
type StorageRow struct {
	Conversation  *Conversation // nil for the others
	Name          string        // of a source
	Month         time.Time     // of a month; the zero time for unknown times
	Conversations int           // of a source; 1 for a conversation, 0 for a month
	StoredBytes
}

// ByConversation returns what each of some conversations takes, with all its segments, the
// largest first.
func (s *Storage) ByConversation(all []Conversation) []StorageRow {
	rows := make([]StorageRow, len(all))
	for i := range all {
		rows[i] = StorageRow{Conversation: &all[i], Conversations: 1, StoredBytes: s.Of(&all[i])}
	}
	sort.SliceStable(rows, func(i, j int) bool { return s.Freed(rows[i].StoredBytes) > s.Freed(rows[j].StoredBytes) })
	return rows
}

// Of sums what the segments of a conversation take, as far as it has been measured.
func (s *Storage) Of(c *Conversation) (b StoredBytes) {
	for _, id := range c.Segments {
		b = b.Add(s.Sessions[id])
	}
	return b
}

// BySource returns what the conversations of each source take, the largest first.
func (s *Storage) BySource(all []Conversation) []StorageRow {
	at := map[string]int{}
	var rows []StorageRow
	for i := range all {
		k, ok := at[all[i].Source]
		if !ok {
			k = len(rows)
			at[all[i].Source] = k
			rows = append(rows, StorageRow{Name: all[i].Source})
		}
		rows[k].Conversations++
		rows[k].StoredBytes = rows[k].Add(s.Of(&all[i]))
	}
	sort.Slice(rows, func(i, j int) bool {
		return cmp.Or(cmp.Compare(s.Freed(rows[j].StoredBytes), s.Freed(rows[i].StoredBytes)), cmp.Compare(rows[i].Name, rows[j].Name)) < 0
	})
	return rows
}

// ByMonth returns the bytes stored in each month, the newest month first.
func (s *Storage) ByMonth() []StorageRow {
	var rows []StorageRow
	for month, b := range s.Months {
		rows = append(rows, StorageRow{Month: month, StoredBytes: b})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Month.After(rows[j].Month) })
	return rows
}

// VacuumForecast says what a vacuum of a database needs, and what it gives back.
type VacuumForecast struct {
	Sizes     FileSizes
	Needs     int64         // free disk space while it runs, at most
	Available int64         // free disk space beside the file, -1 where it is not known
	Takes     time.Duration // an estimate
	InUse     InUse         // whether another process has the file open
}

// InUse says whether another process has a database open.
type InUse uint8

// What is known of other processes.
const (
	InUseUnknown InUse = iota // only trying tells
	NotInUse                  // none was found
	InUseByOther              // at least one has it open
)

// vacuumSpeed is how many bytes of a file are taken to be rewritten in a second.
const vacuumSpeed = 40 << 20

// ForecastVacuum returns the forecast for a file of these sizes. SQLite writes the new file
// to a temporary one first and then copies it, through the write-ahead log or with the old
// pages in a journal.
func ForecastVacuum(sizes FileSizes) VacuumForecast {
	return VacuumForecast{
		Sizes: sizes, Needs: 2 * sizes.Used(), Available: -1,
		Takes: (time.Duration(sizes.Used()) * time.Second / vacuumSpeed).Round(time.Second),
	}
}

// Why returns the reason why a vacuum cannot run now, "" where none is known.
func (f VacuumForecast) Why() string {
	switch {
	case f.InUse == InUseByOther:
		return "another process has the database open"
	case f.Available >= 0 && f.Available < f.Needs:
		return "it needs " + ByteSize(f.Needs) + " of free disk space; available: " + ByteSize(f.Available)
	}
	return ""
}

// Text says in sentences what a vacuum gives back, needs and takes.
func (f VacuumForecast) Text() string {
	text := "The file shrinks by about " + ByteSize(f.Sizes.Free) + ". That takes about " + roughly(f.Takes) + " and, while it runs, up to " + ByteSize(f.Needs) + " of free disk space"
	if f.Available >= 0 {
		text += " (" + ByteSize(f.Available) + " available)"
	}
	text += ". No other process may have the database open"
	switch f.InUse {
	case InUseByOther:
		text += ": one has it open now"
	case NotInUse:
		text += "; none was found"
	case InUseUnknown:
		text += "; close Hermes first"
	}
	return text + ". If interrupted, it leaves the file unchanged."
}

// roughly writes an estimated time in words.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "a second"
	case d < 2*time.Minute:
		return Quantity(int(d.Seconds()), "second")
	}
	return Quantity(int(d.Minutes()), "minute")
}
