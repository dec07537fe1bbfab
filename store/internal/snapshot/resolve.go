package snapshot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Tip returns the id of the newest segment of a compressed conversation, seen
// from any of its segments; any other id comes back as it is
// (get_compression_tip by the rules of schema 25, store/README.md#tip).
func (s *Sessions) Tip(ctx context.Context, id string) (string, error) {
	snap, err := s.FamilySnapshot(ctx, id)
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
	snap, err := s.FamilySnapshot(ctx, id)
	if err != nil {
		return "", err
	}
	i, ok := snap.Position(id)
	if !ok {
		return id, nil
	}
	return snap.ID(snap.resumeTarget(s.db.Schema, i)), nil
}

// resumeTarget returns where Hermes continues when a session is resumed. In a file with marks it
// goes from the tip down to the last continuation with messages, in an older one only from
// sessions without any (store/README.md#resume-target).
func (snap *Snapshot) resumeTarget(schema db.Schema, session int) int {
	segments := snap.Lineage.SegmentsOf(session)
	tip, marked := segments[len(segments)-1], schema.MarksDelegates()
	target := tip
	if !marked {
		target = session
		if i := snap.newestWithMessages(segments); i >= 0 {
			return i
		}
	}
	for at := tip; at >= 0; at = snap.newestContinuation(schema, at) {
		if snap.Session(at).VisibleMessages > 0 {
			if target = at; !marked {
				break
			}
		}
	}
	return target
}

// newestWithMessages returns the last of some segments that has messages, -1 for none.
func (snap *Snapshot) newestWithMessages(segments []int) int {
	for _, i := range slices.Backward(segments) {
		if snap.Session(i).VisibleMessages > 0 {
			return i
		}
	}
	return -1
}

// newestContinuation returns the last child of a session that Hermes takes for its continuation,
// -1 for none.
func (snap *Snapshot) newestContinuation(schema db.Schema, parent int) int {
	child, newest := -1, model.Session{}
	for i, p := range snap.Lineage.Parent {
		if int(p) != parent {
			continue
		}
		m := snap.Session(i)
		if !startsAnew(schema, &m, snap.Session(parent)) && (child < 0 || startedLater(&m, &newest) < 0) {
			child, newest = i, m
		}
	}
	return child
}

// startsAnew reports whether a child is known to be about something else than its
// parent. A file without marks knows that of none, not even of a tool's session.
func startsAnew(schema db.Schema, child *model.Session, parent model.Session) bool {
	return child.BranchedFrom != "" || child.ResetFrom != "" || child.DelegateFrom != "" || child.Replaces(&parent) ||
		schema.MarksDelegates() && (child.Source == "tool" || child.Source == "subagent")
}

// ResolveID finds the session with this id, or the only one whose id begins
// so; the case of ASCII letters does not matter (store/README.md#id-prefixes). The
// error is of [model.KindNotFound] or, naming the candidates, [model.KindAmbiguous].
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

// ResolveTitle finds the session that a title means, see [store.Store.ResolveTitle].
func (s *Sessions) ResolveTitle(ctx context.Context, title string) (string, error) {
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return "", err
	}
	found, _ := snap.named(title).withTitle(asSpelled)
	if len(found) == 0 || title == "" {
		return "", s.db.NotFoundError(title)
	}
	return found[0].ID, nil
}

// startedLater compares two sessions so that the newer one comes first.
func startedLater(a, b *model.Session) int {
	return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(b.ID, a.ID))
}

// Newest returns the session of one of these sources that was active last in a workspace, else
// anywhere, see [store.Store.Newest]. Where one of those that began last is, it reads no others
// than those active since.
func (s *Sessions) Newest(ctx context.Context, workspace string, sources ...string) (found model.Session, err error) {
	if !s.readsAllAtOnce() {
		err := s.db.ReadTx(ctx, func(conn db.Querier) (err error) {
			found, err = s.newestOfActive(ctx, conn, workspace, sources)
			return err
		})
		if found.ID != "" || err != nil && !db.IsCorrupt(err) {
			return found, s.db.WrapError("read the newest sessions of", err)
		}
	}
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return found, err
	}
	here, anywhere := s.newestOf(snap, workspace, sources)
	if here.ID == "" {
		here = anywhere
	}
	return here, nil
}

// newestOfActive is Newest by the sessions active lately, none where an earlier one may be newer.
func (s *Sessions) newestOfActive(ctx context.Context, conn db.Querier, workspace string, sources []string) (none model.Session, err error) {
	families, err := s.newActiveFamilies(ctx, conn)
	if err != nil {
		return none, err
	}
	for of := 20; of <= maxNewestSessions; of *= 10 {
		at, err := db.QueryValue(ctx, conn, `SELECT at FROM `+newestActivity+` ORDER BY at DESC LIMIT 1 OFFSET ?`, of, of*3/4-1)
		if err != nil || !isTime(at) {
			return none, err
		}
		if ok, err := families.readSince(ctx, conn, at.(float64), true); err != nil || !ok {
			return none, err
		}
		found, anywhere := s.newestOf(families.snap, workspace, sources)
		if workspace == "" {
			found = anywhere
		}
		if found.ID != "" && s.lastSeen(&found).After(db.AsTime(at)) {
			return found, nil
		}
	}
	return none, nil
}

// newestOf returns the session of a snapshot that was active last in a workspace, and the one
// anywhere.
func (s *Sessions) newestOf(snap *Snapshot, workspace string, sources []string) (here, anywhere model.Session) {
	later := func(m, than *model.Session) bool {
		return than.ID == "" || cmp.Or(s.lastSeen(m).Compare(s.lastSeen(than)), startedLater(than, m)) > 0
	}
	for i, m := range snap.All() {
		if !slices.Contains(sources, m.Source) || !snap.isOpenToAll(s.db.Schema, i) {
			continue
		}
		if later(&m, &anywhere) {
			anywhere = m
		}
		if m.InWorkspace(workspace) && later(&m, &here) {
			here = m
		}
	}
	return here, anywhere
}

// lastSeen is when a session was last active. A date in the future, by a clock that was wrong,
// says nothing.
func (s *Sessions) lastSeen(m *model.Session) time.Time {
	at := m.LastActive()
	if at.After(s.db.Clock().Add(model.RunningWindow)) {
		return time.Time{}
	}
	return at
}

// isOpenToAll reports whether a conversation is neither put away nor the work of a delegate.
func (snap *Snapshot) isOpenToAll(schema db.Schema, session int) bool {
	segments := snap.Lineage.SegmentsOf(session)
	root, tip := segments[0], snap.Session(segments[len(segments)-1])
	delegate := snap.Session(root).DelegateFrom != ""
	if !schema.MarksDelegates() {
		delegate = snap.Lineage.Link[root] == model.LinkDelegate
	}
	return !tip.Archived && !tip.Hidden && !delegate
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
	e := &model.Error{Kind: model.KindAmbiguous, Path: d.Path, Remedy: model.Advise("use a longer prefix of the ID")}
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
