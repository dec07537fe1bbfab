package store

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transcriptfiles"
)

// Details returns all facts about the conversation that session id belongs to, except
// its messages: the rows of its sessions, the number of messages by role, the usage by
// model. Where a part of the file is damaged it gives what can be read. The error is
// of [model.KindNotFound] for an unknown session.
func (s *Store) Details(ctx context.Context, id string) (model.Details, error) {
	conv, err := s.sessions.Conversation(ctx, id)
	if err != nil {
		return inFiles(ctx, s, id, model.Details{}, err, func(f *transcriptfiles.Conversation) (model.Details, error) {
			return s.files.Details(ctx, f)
		})
	}
	snap, err := s.sessions.FamilySnapshot(ctx, id)
	if err != nil {
		return model.Details{}, err
	}
	f := model.Details{Conversation: conv}
	if f.Files, err = s.files.Reports(ctx, conv.Segments); err != nil {
		return f, err
	}
	for _, segment := range conv.Segments {
		if i, ok := snap.Position(segment); ok {
			f.Sessions = append(f.Sessions, snap.Session(i))
		}
	}
	if len(f.Sessions) > 0 {
		_, f.ParentExists = snap.Position(f.Sessions[0].ParentID)
	}
	rows, err := s.Records(ctx, conv.Segments)
	if err != nil && !db.IsCorrupt(err) {
		return f, err
	}
	f.Rows = rows
	if f.Roles, err = s.roleCounts(ctx, conv.Segments); err != nil && !db.IsCorrupt(err) {
		return f, s.db.WrapError("count the messages of "+id+" in", err)
	}
	if f.Models, err = s.UsageOf(ctx, model.SessionSlice(f.Sessions)); err != nil && !db.IsCorrupt(err) {
		return f, s.db.WrapError("sum up the usage of "+id+" in", err)
	}
	return f, nil
}

func (s *Store) roleCounts(ctx context.Context, sessions []string) ([]model.RoleCount, error) {
	counts := map[string]*model.RoleCount{}
	for chunk := range slices.Chunk(sessions, 500) {
		args := db.BindArgs(chunk)
		err := db.EachRow(ctx, s.db.Pool, `SELECT m.role, count(*), total(`+s.db.Schema.VisibleRows("m")+`), total(`+s.db.Schema.ActiveRows("m")+`), total(`+s.db.Schema.NotRewoundRows("m")+`)
			FROM messages m WHERE m.session_id IN (`+db.Placeholders(len(chunk))+`) GROUP BY m.role`, args, func(r db.Row) {
			role := r.Text(0)
			if counts[role] == nil {
				counts[role] = &model.RoleCount{Role: role}
			}
			all := int(r.Int(1))
			visible := int(r.Int(2))
			active := int(r.Int(3))
			said := int(r.Int(4))
			n := counts[role]
			n.Visible += visible
			n.Hidden += active - visible
			n.Compacted += said - active
			n.Rewound += all - said
		})
		if err != nil {
			return nil, err
		}
	}
	var out []model.RoleCount
	for _, n := range counts {
		out = append(out, *n)
	}
	sort.Slice(out, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out[j].Visible, out[i].Visible), strings.Compare(out[i].Role, out[j].Role)) < 0
	})
	return out, nil
}

// ToolCounts counts how sessions have called tools, and how many of the calls failed, by
// their results. Rewound messages do not count. It reads the messages of the sessions, which
// takes seconds in a large database; ctx ends it between two groups of sessions.
func (s *Store) ToolCounts(ctx context.Context, sessions []string) ([]usage.ToolCount, error) {
	return s.sessions.ToolCounts(ctx, sessions)
}
