package cli

import (
	"context"

	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
)

// listed is what lists and searches need: one database, or several as one.
type listed interface {
	Conversations(ctx context.Context, list query.ListOptions) (model.ConversationPage, error)
	Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error)
	Tail(ctx context.Context, id string, n int) ([]model.Message, error)
	Records(ctx context.Context, ids []string) ([]store.Record, error)
	Notes() []model.HealthNote
	print.UsageSource
	print.RowSource
	Databases() state.Databases
	// In returns the database of a session, nil where it cannot be read now, and the id there.
	In(id string) (*store.Store, string)
}

// single is one database.
type single struct{ *store.Store }

// LocalID implements [print.RowSource].
func (s single) LocalID(id string) string { return id }

// Databases returns the path of the database, with links resolved.
func (s single) Databases() state.Databases {
	return state.Databases{One: hermes.RealPath(s.Path())}
}

// In returns the database and the id, whether it has such a session or not.
func (s single) In(id string) (*store.Store, string) { return s.Store, id }

// members is several databases.
type members struct {
	*federation.Federation
	History history
}

// Databases returns the paths of all databases.
func (m members) Databases() state.Databases { return m.History.Paths() }

// In returns the database of a session, nil where it cannot be read now, and the id there.
func (m members) In(id string) (*store.Store, string) {
	s, _, local := m.History.Of(id)
	return s, local
}

// LocalID implements [print.RowSource].
func (m members) LocalID(id string) string {
	_, _, local := m.History.Of(id)
	return local
}

// Records reads rows, each from its own database. Sessions without a row are left out.
func (m members) Records(ctx context.Context, ids []string) ([]store.Record, error) {
	of := map[*store.Store][]string{}
	for _, id := range ids {
		s, _, local, err := m.History.Open(id)
		if err != nil {
			return nil, err
		}
		of[s] = append(of[s], local)
	}
	found := map[*store.Store][]store.Record{}
	for s, local := range of {
		records, err := s.Records(ctx, local)
		if err != nil {
			return nil, err
		}
		found[s] = records
	}
	all := make([]store.Record, 0, len(ids))
	for _, id := range ids {
		s, _, local := m.History.Of(id)
		// They are in the order of the ids, without those that are left out.
		if left := found[s]; len(left) > 0 && (len(left) == len(of[s]) || left[0].Get("id") == local) {
			all, found[s] = append(all, left[0]), left[1:]
		}
		of[s] = of[s][1:]
	}
	return all, nil
}
