package store

import (
	"context"

	"hermes-sessions/model"
)

// Lineage returns the tree of all sessions that are related by their parents to
// session id: segments, branches and delegates, from the root down, with what
// each and all below it have used (store/README.md#lineage). A parent that does
// not exist counts as none, and a cycle of parents is cut above its oldest
// session. A root that carries the mark of a delegate is of that kind. The error
// is of [model.KindNotFound] for an unknown session.
func (s *Store) Lineage(ctx context.Context, id string) (*model.Node, error) {
	return s.sessions.Lineage(ctx, id)
}

// QuickLineage returns the tree of [Store.Lineage] for a screen that cannot wait:
// from the newest snapshot in memory, with previews, and the states that depend on
// messages, read only around session id. partial is true where Lineage may give
// more.
func (s *Store) QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	return s.sessions.QuickLineage(ctx, id)
}

// Ancestors returns the sessions above one, the root of its lineage first and
// its parent last; none for a root. The error is of [model.KindNotFound] for an
// unknown session.
func (s *Store) Ancestors(ctx context.Context, id string) ([]model.Session, error) {
	return s.sessions.Ancestors(ctx, id)
}

// Descendants returns the sessions below one, to any depth and of every kind:
// each after its parent, siblings oldest first. The error is of
// [model.KindNotFound] for an unknown session.
func (s *Store) Descendants(ctx context.Context, id string) ([]model.Session, error) {
	return s.sessions.Descendants(ctx, id)
}

// Tip returns the id of the newest segment of a compressed conversation, seen
// from any of its segments; any other id comes back as it is
// (get_compression_tip by the rules of schema 25, store/README.md#tip).
func (s *Store) Tip(ctx context.Context, id string) (string, error) {
	return s.sessions.Tip(ctx, id)
}

// ResumeTarget returns the session to continue when a conversation is resumed
// from session id (resolve_resume_session_id, store/README.md#resume-target): from
// the tip, the last session with messages on the way down the newest children,
// leaving out those that are marked as branches, resets or delegates, and those of
// tools; the tip where none has messages. In a file without such marks it is the
// newest segment with messages, else the first session with messages on that way.
// An unknown id comes back as it is.
func (s *Store) ResumeTarget(ctx context.Context, id string) (string, error) {
	return s.sessions.ResumeTarget(ctx, id)
}

// ResumeCheck says what a person should know before resuming a conversation from
// session id: its tip and state, whether another process is working in it
// (store/README.md#sessions-in-use), whether the tip has no messages or Hermes goes on
// in another session, and whether it is the work of a delegate. The
// error is of [model.KindNotFound] for an unknown session.
func (s *Store) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	return s.sessions.ResumeCheck(ctx, id)
}

// Fork finds the place where a session left its parent. A branch begins with
// copies of messages of its parent: the last of them is the place. A delegate
// left at the call that started it. Where neither is found, it is the last
// message that the parent had when the session began. A session without a parent
// has only its first message. The error is of [model.KindNotFound] for an unknown
// session.
func (s *Store) Fork(ctx context.Context, id string) (model.Fork, error) {
	return s.transcripts.Fork(ctx, id)
}

// Forks is [Store.Fork] for many sessions of one lineage, by their ids: what several of them
// have in common is read once. Where one is unknown, there are no forks, and the error is of
// [model.KindNotFound].
func (s *Store) Forks(ctx context.Context, ids []string) (map[string]model.Fork, error) {
	return s.transcripts.Forks(ctx, ids)
}
