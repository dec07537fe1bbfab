package state

import (
	"encoding/json"
	"sort"
	"sync"
	"time"

	"hermes-sessions/ui/shell"
)

// mostRead is how many conversations are remembered, of all databases together: those read
// last.
const mostRead = 5000

// readMemory is the file, as one run of the program knows it. Its methods may be called at
// once from several goroutines.
type readMemory struct {
	file   string
	saving sync.Mutex // held by Save
	mu     sync.Mutex
	all    readDocument
	edited readDocument // entries of this run; one that is nil was forgotten
}

// readDocument is the file: entries by database and by the root of the conversation.
type readDocument map[string]map[string]*readEntry

// readEntry is how far a conversation was read.
type readEntry struct {
	Read    time.Time `json:"read"`    // when
	Until   time.Time `json:"until"`   // the time of the last message that there was
	Message int64     `json:"message"` // and its id
}

// openReadMemory reads a file. A damaged one is taken for an empty one, with an error.
func openReadMemory(file string) (*readMemory, error) {
	m := &readMemory{file: file, all: readDocument{}, edited: readDocument{}}
	text, err := readFile(file)
	if err == nil {
		err = m.all.parse(text)
	}
	return m, err
}

// parse reads the entries of a file.
func (d *readDocument) parse(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var read readDocument
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	for database, of := range read {
		for root, e := range of {
			d.put(database, root, e)
		}
	}
	return nil
}

func (d readDocument) put(database, root string, e *readEntry) {
	if d[database] == nil {
		d[database] = map[string]*readEntry{}
	}
	d[database][root] = e
}

// Get returns how far a conversation was read; false for one that never was.
func (m *readMemory) Get(database, root string) (shell.LastRead, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.all[database][root]
	if e == nil {
		return shell.LastRead{}, false
	}
	return shell.LastRead{At: e.Read, Until: e.Until, Message: e.Message}, true
}

// Put remembers that a conversation was read.
func (m *readMemory) Put(database, root string, r shell.LastRead) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := &readEntry{r.At, r.Until, r.Message}
	m.all.put(database, root, e)
	m.edited.put(database, root, e)
}

// Forget forgets that a conversation was read.
func (m *readMemory) Forget(database, root string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[database][root] != nil {
		m.all.put(database, root, nil)
		m.edited.put(database, root, nil)
	}
}

// Until returns by root the time of the last message that there was when a conversation of a
// database was read, in microseconds.
func (m *readMemory) Until(database string) map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	until := map[string]int64{}
	for root, e := range m.all[database] {
		if e != nil {
			until[root] = e.Until.UnixMicro()
		}
	}
	return until
}

// Save writes what this run has changed into the file. Of a conversation that another run
// has read further, that is kept. It waits for another Save, which may be writing what is
// to be in the file when the program ends.
func (m *readMemory) Save() error {
	m.saving.Lock()
	defer m.saving.Unlock()
	m.mu.Lock()
	edited := m.edited
	m.edited = readDocument{}
	m.mu.Unlock()
	if len(edited) == 0 {
		return nil
	}
	err := updateFile(m.file, func(text []byte) ([]byte, error) {
		merged := readDocument{}
		if merged.parse(text) != nil { // it is damaged, or of a newer version
			if err := ReplaceFile(m.file+".unread", text, false); err != nil {
				return nil, err
			}
		}
		for database, of := range edited {
			for root, e := range of {
				if was := merged[database][root]; e == nil || was == nil || !was.Until.After(e.Until) { // clocks may be set back
					merged.put(database, root, e)
				}
			}
		}
		merged.limit(mostRead)
		changed, err := json.MarshalIndent(merged, "", " ")
		return append(changed, '\n'), err
	})
	if err != nil {
		m.mu.Lock()
		for database, of := range edited { // for the next time
			for root, e := range of {
				if _, newer := m.edited[database][root]; !newer {
					m.edited.put(database, root, e)
				}
			}
		}
		m.mu.Unlock()
	}
	return err
}

// limit leaves the n entries that were read last.
func (d readDocument) limit(n int) {
	type key struct {
		database, root string
		read           time.Time
	}
	var all []key
	for database, of := range d {
		for root, e := range of {
			if e == nil {
				delete(of, root)
				continue
			}
			all = append(all, key{database, root, e.Read})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].read.After(all[j].read) })
	for _, k := range all[min(n, len(all)):] {
		delete(d[k.database], k.root)
	}
	for database, of := range d {
		if len(of) == 0 {
			delete(d, database)
		}
	}
}
