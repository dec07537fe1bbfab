package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Tip returns the id of the newest segment of a compressed conversation, seen
// from any of its segments; any other id comes back as it is
// (get_compression_tip by the rules of schema 25, store/README.md#tip).
func (s *Sessions) Tip(ctx context.Context, id string) (string, error) {
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return "", err
	}
	i, ok := snap.Position(id)
	if !ok {
		return id, nil
	}
	for snap.Lineage.Next[i] >= 0 {
		i = int(snap.Lineage.Next[i])
	}
	return snap.ID(i), nil
}

// ResumeTarget returns the session to continue when this one is resumed; see
// store.Store.ResumeTarget for the contract.
func (s *Sessions) ResumeTarget(ctx context.Context, id string) (string, error) {
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return "", err
	}
	i, ok := snap.Position(id)
	if !ok {
		return id, nil
	}
	for _, segment := range slices.Backward(snap.Lineage.SegmentsOf(i)) {
		if m := snap.Session(segment); m.VisibleMessages > 0 {
			return m.ID, nil
		}
	}
	for {
		child, newest := -1, model.Session{}
		for j, p := range snap.Lineage.Parent {
			if int(p) != i {
				continue
			}
			m := snap.Session(j)
			if startsAnew(s.db.Schema, &m, snap.Session(i)) {
				continue
			}
			if child < 0 || startedLater(&m, &newest) < 0 {
				child, newest = j, m
			}
		}
		if child < 0 {
			break
		}
		if newest.VisibleMessages > 0 {
			return newest.ID, nil
		}
		i = child
	}
	return id, nil
}

// startsAnew reports whether a child is known to be about something else than its
// parent. A file without marks knows that of none, not even of a tool's session.
func startsAnew(schema db.Schema, child *model.Session, parent model.Session) bool {
	return child.BranchedFrom != "" || child.ResetFrom != "" || child.DelegateFrom != "" || child.Replaces(&parent) ||
		schema.MarksDelegates() && (child.Source == "tool" || child.Source == "subagent")
}

// ResolveID finds the session with this id, or the only one whose id begins
// so; the case of ASCII letters does not matter (store/README.md#id-prefixes). The
// error is of [db.KindNotFound] or, naming the candidates, [db.KindAmbiguous].
func (s *Sessions) ResolveID(ctx context.Context, prefix string) (string, error) {
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return "", err
	}
	return requireOne(s.db, prefix, snap.withIDPrefix(prefix))
}

// withIDPrefix returns the session with an id, else those whose ids begin with it.
func (snap *Snapshot) withIDPrefix(prefix string) (found []model.Session) {
	if i, ok := snap.Position(prefix); ok {
		return []model.Session{snap.Session(i)}
	}
	for i := range snap.WithPrefix(prefix) {
		found = append(found, snap.Session(int(i)))
	}
	return found
}

// ResolveTitle finds the session with this title, or with the highest number
// after it ("title #3"; the title itself counts as #1). Titles are compared
// exactly (store/README.md#q4). Of equal ones the newest is meant.
func (s *Sessions) ResolveTitle(ctx context.Context, title string) (string, error) {
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return "", err
	}
	best, highest := model.Session{}, -1
	for _, m := range snap.All() {
		n, ok := titleNumber(m.Title, title)
		if !ok || title == "" {
			continue
		}
		if highest < 0 || cmp.Or(cmp.Compare(n, highest), startedLater(&best, &m)) > 0 {
			best, highest = m, n
		}
	}
	if highest < 0 {
		return "", s.db.NotFoundError(title)
	}
	return best.ID, nil
}

// titleNumber returns the number of a title in the lineage of base.
func titleNumber(title, base string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(title, base)
	if !ok {
		return 0, false
	}
	if rest == "" {
		return 1, true
	}
	digits, ok := strings.CutPrefix(rest, " #")
	if !ok || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// startedLater compares two sessions so that the newer one comes first.
func startedLater(a, b *model.Session) int {
	return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(b.ID, a.ID))
}

// Resolve finds a session by id, unique prefix of an id, title, or title of a numbered
// lineage, in this order.
func (s *Sessions) Resolve(ctx context.Context, name string) (string, error) {
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return "", err
	}
	var byID *db.Error
	if name != "" {
		id, err := s.ResolveID(ctx, name)
		if err == nil {
			return id, nil
		}
		if !errors.As(err, &byID) {
			return "", err
		}
		var titled []model.Session
		for _, m := range snap.All() {
			if m.Title == name {
				titled = append(titled, m)
			}
		}
		if len(titled) > 0 {
			return requireOne(s.db, name, titled)
		}
		id, err = s.ResolveTitle(ctx, name)
		if err == nil {
			return id, nil
		}
		if byID.Kind == db.KindAmbiguous {
			return "", byID
		}
	}
	return "", s.db.NotFoundError(name)
}

// requireOne returns the one session found, or says why there is not one.
func requireOne(d *db.DB, name string, found []model.Session) (string, error) {
	switch len(found) {
	case 0:
		return "", d.NotFoundError(name)
	case 1:
		return found[0].ID, nil
	}
	sort.Slice(found, func(i, j int) bool { return startedLater(&found[i], &found[j]) < 0 })
	e := &db.Error{Kind: db.KindAmbiguous, Path: d.Path, Remedy: model.Advise("use a longer prefix of the ID")}
	for _, m := range found {
		e.Matches = append(e.Matches, m.ID)
	}
	shown := e.Matches[:min(3, len(e.Matches))]
	e.Message = fmt.Sprintf("'%s' matches %d sessions: %s", name, len(found), strings.Join(shown, ", "))
	if len(shown) < len(found) {
		e.Message += ", …"
	}
	return "", e
}
