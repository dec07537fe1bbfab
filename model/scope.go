package model

import (
	"slices"
	"strings"
	"time"
)

// Scope names a part of the history that the list shows at a time.
type Scope int

// The scopes in the order in which the browser goes round them.
const (
	ScopeConversations Scope = iota // what people said, the default
	ScopeAutomation                 // sources that run by themselves: cron, tool, batch, …
	ScopeSubagents                  // delegates
	ScopeArchived                   // archived or hidden by upstream
	ScopeAll
)

// Scopes gives all scopes in that order.
func Scopes() []Scope {
	return []Scope{ScopeConversations, ScopeAutomation, ScopeSubagents, ScopeArchived, ScopeAll}
}

// String is the word of a scope on the command line and in commands.
func (s Scope) String() string {
	return [...]string{"conversations", "automation", "subagents", "archived", "all"}[s]
}

// automatedSources are the sources that run by themselves.
var automatedSources = []string{"cron", "tool", "batch", "kanban", "oneshot", "webhook", "schedule", "hook", "watcher", "eval"}

// scopeOf says where the list shows a conversation. What matters is the tip:
// an archived root hides nothing. Empty conversations without a title are in
// no scope but Everything, unless they were just begun.
func scopeOf(c *Conversation, now time.Time) Scope {
	switch {
	case c.Archived || c.Hidden:
		return ScopeArchived
	case c.Link == LinkDelegate || c.Source == "subagent":
		return ScopeSubagents
	case c.Messages == 0 && c.Title == "" && (!c.EndedAt.IsZero() || now.Sub(c.LastActive) > RunningWindow):
		return ScopeAll
	case slices.Contains(automatedSources, c.Source) || strings.HasPrefix(c.Source, "webhook"):
		return ScopeAutomation
	}
	return ScopeConversations
}
