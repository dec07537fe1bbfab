package shell

import (
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// LastRead is how far a conversation was read.
type LastRead struct {
	At      time.Time // when
	Until   time.Time // the time of the last message that there was
	Message int64     // and its id
}

// Memory remembers how far conversations were read, in earlier runs too. A conversation is
// named by its root.
type Memory interface {
	// LastRead returns how far a conversation was read; false for one that never was.
	LastRead(root string) (LastRead, bool)
	// Note remembers that a conversation was read.
	Note(root string, r LastRead)
	// Forget forgets that a conversation was read.
	Forget(root string)
	// Known says what is known of conversations for a filter; nil for nothing.
	Known(f query.Filter) *query.Known
	// Save writes what has changed; it may block.
	Save() error
}

// Known says what is known of conversations for a filter, beside the database.
func (e *Env) Known(f query.Filter) *query.Known {
	switch {
	case f.OnNotes() && e.Annotations != nil:
		return e.Annotations.Known(f)
	case f.OnNotes() || e.Memory == nil:
		return nil
	}
	return e.Memory.Known(f)
}

// Unread reports whether a conversation has got messages since it was last read here.
func (e *Env) Unread(c *model.Conversation) bool {
	if e.Memory == nil {
		return false
	}
	r, ok := e.Memory.LastRead(c.RootID)
	return ok && c.LastActive.UnixMicro() > r.Until.UnixMicro()
}

// ConversationRead tells the screens that a conversation has been read.
type ConversationRead struct{ Root string }
