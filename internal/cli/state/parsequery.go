package state

import (
	"errors"
	"sync"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/model/query"
)

// ParseQuery parses the query of a command, with the named queries of the settings. Of a
// named one come scope and order too, where no flag says them. file is where settings that were not
// read yet are, as in [ReadSettings].
func (s Settings) ParseQuery(text, file string, environ env.Vars, o *query.ListOptions, given func(flag string) bool) (query.Query, error) {
	named := s.Named
	if s.File == "" {
		var err error
		if named, err = NamedQueries(text, file, environ); err != nil {
			return query.Query{}, err
		}
	}
	q := query.ParseNamed(text, false, named)
	if q.Named == nil {
		return q, nil
	}
	if !given("scope") && !o.EverySession {
		o.Scope = q.Named.Scope
	}
	if by := q.Named.Order; by != nil && !given("sort") {
		o.Order = *by
	}
	return q, nil
}

// QueryEditor changes the named queries in the settings file, for the browser.
func (s Settings) QueryEditor(environ env.Vars) func(was string, n *query.Named) ([]query.Named, error) {
	return func(was string, n *query.Named) ([]query.Named, error) {
		all, err := s.EditQueries(was, n, environ)
		if f, ok := errors.AsType[*fault.Fault](err); ok && f.Remedy != "" {
			return nil, errors.New(f.Message + "; " + f.Remedy)
		}
		return all, err
	}
}

// MemoryQueryEditor is a [Settings.QueryEditor] whose changes are in no file.
func (s Settings) MemoryQueryEditor() func(was string, n *query.Named) ([]query.Named, error) {
	var mu sync.Mutex
	all := s.Named
	return func(was string, n *query.Named) ([]query.Named, error) {
		mu.Lock()
		defer mu.Unlock()
		all = withEdit(all, was, n)
		return all, nil
	}
}
