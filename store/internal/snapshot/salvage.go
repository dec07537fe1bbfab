package snapshot

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// salvageSnapshot reads the sessions that are left. A session of which only the
// id is known, because its messages or an index name it, is shown by that.
func (s *Sessions) salvageSnapshot(ctx context.Context) (*Snapshot, error) {
	s.db.AddNote(model.NoteDamaged)
	snap, err := s.newSnapshot(ctx, s.db.Pool)
	if err != nil {
		return nil, err
	}
	all, seen := sessiontable.NewBuilder(0), map[string]bool{}
	add := func(m model.Session) {
		if !seen[m.ID] && m.ID != "" {
			seen[m.ID] = true
			all.Add(&m)
		}
	}
	idOf := map[int64]string{}
	gaps, err := s.Salvage.Sessions(ctx, columnList(s.db.Schema), func(r db.Row) {
		if !s.db.Schema.CanName(r[1]) {
			s.db.AddNote(model.NoteUnnamed)
			return
		}
		m := scanSession(r[1:])
		idOf[r.Int(0)] = m.ID
		add(m)
	})
	if err != nil {
		return nil, err
	}
	left, err := s.Salvage.BySession(ctx)
	if err != nil {
		return nil, err
	}
	for id := range left {
		if !seen[id] {
			add(model.Session{ID: id, StartedAt: left[id].Last, EndedAt: left[id].Last})
		}
	}
	if key := s.db.Schema.RowKey("sessions"); key != "id" { // otherwise the index of ids is the table
		lost, err := s.Salvage.OnlyIndexed(ctx, `SELECT id, `+key+` FROM main.sessions ORDER BY id`, idOf, gaps)
		if err != nil {
			return nil, err
		}
		for _, r := range lost {
			add(model.Session{ID: r.Text(0)})
		}
	}
	snap.Table = all.Build()
	for i := range snap.Len() {
		if r := left[snap.ID(i)]; r != nil {
			snap.SetMessageStats(i, len(r.IDs), r.Last)
		}
	}
	snap.linkConversations(s.db.Schema)
	return snap, nil
}

// salvagePreviews reads previews one by one and leaves out those that cannot be read.
func (s *Sessions) salvagePreviews(ctx context.Context, ids []string, condition string, length int, each func(id string, p preview)) ([]string, error) {
	s.db.AddNote(model.NoteDamaged)
	var silent []string
	for _, id := range ids {
		more, err := s.readPreviews(ctx, []string{id}, condition, length, each)
		if err != nil && !db.IsCorrupt(err) {
			return nil, err
		}
		silent = append(silent, more...)
	}
	return silent, nil
}
