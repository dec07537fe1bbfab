package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// Facts gives all that is known of the conversation that session id belongs
// to, beside what was said in it. Where a part of the file is damaged it gives
// what can be read.
func (s *Store) Facts(ctx context.Context, id string) (model.Facts, error) {
	conv, err := s.Conversation(ctx, id)
	if err != nil {
		return model.Facts{}, err
	}
	c, err := s.catalog(ctx)
	if err != nil {
		return model.Facts{}, err
	}
	f := model.Facts{Conversation: conv}
	for _, segment := range conv.Segments {
		if i, ok := c.find(segment); ok {
			f.Sessions = append(f.Sessions, c.Session(i))
		}
	}
	if len(f.Sessions) > 0 {
		_, f.Parent = c.find(f.Sessions[0].ParentID)
	}
	rows, err := s.Records(ctx, conv.Segments)
	if err != nil && !corrupt(err) {
		return f, err
	}
	f.Rows = rows
	if f.Roles, err = s.roles(ctx, conv.Segments); err != nil && !corrupt(err) {
		return f, s.wrap("count the messages of "+id+" in", err)
	}
	if f.Models, err = s.modelsOf(ctx, model.Sessions(f.Sessions)); err != nil && !corrupt(err) {
		return f, s.wrap("sum up the usage of "+id+" in", err)
	}
	return f, nil
}

// roles counts the messages of sessions by their role.
func (s *Store) roles(ctx context.Context, sessions []string) ([]model.RoleCount, error) {
	counts := map[string]*model.RoleCount{}
	for chunk := range slices.Chunk(sessions, 500) {
		args := make([]any, len(chunk))
		for i, id := range chunk {
			args[i] = id
		}
		rows, err := s.db.QueryContext(ctx, `SELECT m.role, count(*), total(`+s.schema.visible("m")+`), total(`+s.schema.active("m")+`), total(`+s.schema.said("m")+`)
			FROM messages m WHERE m.session_id IN (`+strings.TrimSuffix(strings.Repeat("?,", len(chunk)), ",")+`) GROUP BY m.role`, args...)
		if err != nil {
			return nil, err
		}
		err = eachRecord(rows, func(r Record) error {
			role := text(r[0].Value)
			if counts[role] == nil {
				counts[role] = &model.RoleCount{Role: role}
			}
			all, visible, active, said := int(number(r[1].Value)), int(number(r[2].Value)), int(number(r[3].Value)), int(number(r[4].Value))
			n := counts[role]
			n.Visible += visible
			n.Hidden += active - visible
			n.Compacted += said - active
			n.Rewound += all - said
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var out []model.RoleCount
	for _, n := range counts {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b model.RoleCount) int {
		return cmp.Or(cmp.Compare(b.Visible, a.Visible), strings.Compare(a.Role, b.Role))
	})
	return out, nil
}
