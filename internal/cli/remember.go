package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/lastread"
	"hermes-sessions/internal/cli/settings"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui"
	"hermes-sessions/ui/shell"
)

// memory is what one run of the browser starts with and leaves behind. Nothing is
// remembered of a run on the demo, of one that picks for a script, and of what
// flags say.
type memory struct {
	file  string         // "" to remember nothing
	list  bool           // scope, order, sources and folder too, not only queries
	start settings.State // as it was read
	read  *readMemory    // nil to remember nothing
}

// databases are the paths of the databases that are open.
type databases struct {
	one     string            // the only one
	members map[string]string // of several, by name
}

// databasesOf gives the paths of what is open.
func databasesOf(h history) databases {
	if h.several == nil {
		return databases{one: h.at.DB}
	}
	d := databases{members: map[string]string{}}
	for name, at := range h.places {
		d.members[name] = at.DB
	}
	return d
}

// key gives the database of a session and the id that it has there.
func (d databases) key(id string) (database, local string) {
	if d.members == nil {
		return d.one, id
	}
	name, local, _ := strings.Cut(id, "/")
	return d.members[name], local
}

// each calls do with every database, and what the ids of its sessions begin with.
func (d databases) each(do func(database, prefix string)) {
	if d.members == nil {
		do(d.one, "")
	}
	for name, database := range d.members {
		do(database, name+"/")
	}
}

// readMemory remembers how far conversations of the databases that are open were read. It
// implements [shell.Memory].
type readMemory struct {
	*lastread.Memory
	databases
}

// openReadMemory opens the memory beside a state file.
func openReadMemory(a *app, state string, d databases) *readMemory {
	m, err := lastread.Open(filepath.Join(filepath.Dir(state), "read.json"))
	if err != nil {
		a.log.Warn("what was read", "error", err)
	}
	return &readMemory{m, d}
}

func (r *readMemory) LastRead(root string) (shell.LastRead, bool) { return r.Of(r.key(root)) }

func (r *readMemory) Note(root string, read shell.LastRead) {
	database, local := r.key(root)
	r.Put(database, local, read)
}

func (r *readMemory) Forget(root string) { r.Memory.Forget(r.key(root)) }

func (r *readMemory) Known(query.Filter) *query.Known {
	all := map[string]int64{}
	r.each(func(database, prefix string) {
		for root, until := range r.Until(database) {
			all[prefix+root] = until
		}
	})
	return query.NewKnown(all)
}

// resolve gives the filters of a command with what this program remembers of conversations.
func resolve(a *app, s listed, filters []query.Filter) []query.Filter {
	var memory *readMemory
	return query.Resolve(filters, func(f query.Filter) *query.Known {
		if memory == nil {
			own, _ := settings.Read(a.configFile, a.Environ) // wrong settings are told by what needs them
			file := own.StateFile(a.Environ)
			if file == "" {
				return nil
			}
			memory = openReadMemory(a, file, s.databases())
		}
		return memory.Known(f)
	})
}

// recall reads the state file and puts it into the options of the browser.
func (b browsing) recall(a *app, h history, opt *ui.Options) memory {
	m := memory{list: !b.listGiven}
	if !a.selection.Demo && !b.pick.any() {
		m.file = a.settings.StateFile(a.Environ)
	}
	if m.file == "" {
		return m
	}
	var err error
	if m.start, err = settings.ReadState(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		opt.Note = "the saved state of the browser is damaged and was ignored: " + m.file
	}
	m.read = openReadMemory(a, m.file, databasesOf(h))
	opt.Memory = m.read
	opt.History = m.start.Queries
	if m.list {
		opt.List.Scope = model.Scopes()[max(0, slices.Index(names(model.Scopes()), m.start.Scope))]
		opt.List.Order = query.Orders()[max(0, slices.Index(names(query.Orders()), m.start.Sort))]
		opt.List.Sources, opt.List.CWD = m.start.Sources, m.start.Folder
	}
	return m
}

// save writes the state file when the browser has ended, if anything changed.
// When that fails, a note says so and the run succeeds all the same.
func (m memory) save(a *app, root *ui.Root) {
	if m.file == "" {
		return
	}
	if err := m.read.Save(); err != nil {
		a.log.Warn("what was read", "error", err)
		a.printNote(fault.Fault{Kind: "state", Message: "what you have read could not be saved: " + err.Error(), Remedy: "remember = false in the settings turns this off"})
	}
	s := m.start
	s.Queries = root.History()
	if m.list {
		q := root.Listed()
		s.Scope, s.Sort, s.Sources, s.Folder = q.Scope.String(), q.Order.String(), q.Sources, q.CWD
	}
	if now, err := json.Marshal(s); err == nil {
		if then, err := json.Marshal(m.start); err == nil && string(now) == string(then) {
			return
		}
	}
	if err := s.Write(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		a.printNote(fault.Fault{Kind: "state", Message: "the state of the browser could not be saved: " + err.Error(), Remedy: "remember = false in the settings turns this off"})
	}
}
