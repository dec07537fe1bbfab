package cli

import (
	"errors"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/settings"
	"hermes-sessions/model/query"
)

// parseQuery parses the query of a command, with the named queries of the settings. Of a
// named one come scope and order too, where no flag says them.
func parseQuery(a *app, text string, o *query.ListOptions, given func(flag string) bool) (query.Query, error) {
	named := a.settings.Named
	if a.settings.File == "" {
		var err error
		if named, err = settings.NamedQueries(text, a.Environ); err != nil {
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

// editQuery changes the named queries in the settings file, for the browser.
func editQuery(a *app) func(was string, n *query.Named) ([]query.Named, error) {
	return func(was string, n *query.Named) ([]query.Named, error) {
		all, err := a.settings.EditQueries(was, n, a.Environ)
		if f, ok := errors.AsType[*fault.Fault](err); ok && f.Remedy != "" {
			return nil, errors.New(f.Message + "; " + f.Remedy)
		}
		return all, err
	}
}
