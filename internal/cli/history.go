package cli

import (
	"errors"
	"slices"
	"strings"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/ui/shell"
)

// history is what the browser shows: one database, or several as one.
type history struct {
	Library *federation.Federation // what is read, also of one
	Changes shell.Changes
	One     *live.Store     // the only database, nil for several
	At      hermes.Location // of the only one
	Several *federation.Federation
	Places  map[string]hermes.Named // of several, by name
}

// Of returns the database of a session, where it is, and the id that the session has there.
// The store is nil where the database cannot be read now.
func (h history) Of(id string) (s *store.Store, at hermes.Location, local string) {
	if h.Several == nil {
		return h.One.Current(), h.At, id
	}
	l, name, local := h.Several.Member(id)
	if l == nil {
		return nil, h.Places[name].Location, local
	}
	return l.Current(), h.Places[name].Location, local
}

// Open is [history.Of] for what cannot go on without the database.
func (h history) Open(id string) (s *store.Store, at hermes.Location, local string, err error) {
	if s, at, local = h.Of(id); s == nil {
		err = errors.New("the database of " + id + " cannot be read at the moment")
	}
	return s, at, local, err
}

// In returns the database of sessions, and their ids there. All must be of one database.
func (h history) In(ids []string) (s *store.Store, local []string, err error) {
	var first string
	for i, id := range ids {
		of, at, l, err := h.Open(id)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			s, first = of, at.DB
		}
		if at.DB != first {
			return nil, nil, errors.New("these conversations are in several databases; choose those of one profile at a time")
		}
		local = append(local, l)
	}
	return s, local, nil
}

// Parts returns sessions by database, in the order of the first of each, and their ids there.
func (h history) Parts(ids []string) (parts []export.Part, err error) {
	for _, id := range ids {
		s, _, local, err := h.Open(id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(parts, func(p export.Part) bool { return p.Store == s })
		if i < 0 {
			i, parts = len(parts), append(parts, export.Part{Store: s})
		}
		parts[i].IDs = append(parts[i].IDs, local)
	}
	return parts, nil
}

// Badge names what is listed, "" for the default database.
func (h history) Badge() string {
	if h.Several != nil {
		names := h.Several.Names()
		if len(names) > 2 {
			return output.Count(len(names), "database", "databases")
		}
		return strings.Join(names, ", ")
	}
	return h.At.Badge()
}

// Paths returns the paths of the databases.
func (h history) Paths() state.Databases {
	if h.Places == nil {
		return state.Databases{One: hermes.RealPath(h.At.DB)}
	}
	d := state.Databases{Members: map[string]string{}}
	for name, at := range h.Places {
		d.Members[name] = at.Real
	}
	return d
}
