package state

import (
	"strings"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// Databases are the paths of the open databases: absolute and without symbolic links, so
// that what is kept on a database is found again however it is named.
type Databases struct {
	One     string            // the only one
	Members map[string]string // of several, by name: ids begin with it and a slash
}

// Key returns the database of a session and the id that it has there.
func (d Databases) Key(id string) (database, local string) {
	if d.Members == nil {
		return d.One, id
	}
	name, local, _ := strings.Cut(id, "/")
	return d.Members[name], local
}

// Each calls do with every database, and with what the ids of its sessions begin with.
func (d Databases) Each(do func(database, prefix string)) {
	if d.Members == nil {
		do(d.One, "")
	}
	for name, database := range d.Members {
		do(database, name+"/")
	}
}

// Readings is the memory of how far the conversations of open databases were read. It
// implements [shell.Memory].
type Readings struct {
	*readMemory
	of Databases
}

// OpenReadings reads a file for the databases that are open. A damaged one is taken for an empty one,
// with an error.
func OpenReadings(file string, of Databases) (*Readings, error) {
	m, err := openReadMemory(file)
	return &Readings{m, of}, err
}

// LastRead implements [shell.Memory].
func (r *Readings) LastRead(root string) (shell.LastRead, bool) { return r.Get(r.of.Key(root)) }

// Note implements [shell.Memory].
func (r *Readings) Note(root string, read shell.LastRead) {
	database, local := r.of.Key(root)
	r.Put(database, local, read)
}

// Forget implements [shell.Memory].
func (r *Readings) Forget(root string) { r.readMemory.Forget(r.of.Key(root)) }

// Known implements [shell.Memory].
func (r *Readings) Known(query.Filter) *query.Known {
	all := map[string]int64{}
	r.of.Each(func(database, prefix string) {
		for root, until := range r.Until(database) {
			all[prefix+root] = until
		}
	})
	return query.NewKnown(all)
}
