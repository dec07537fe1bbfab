package model

import (
	"slices"
	"strings"
	"time"
)

// Scope is the part of the history that the list shows.
type Scope int

// The scopes, in the order in which the browser cycles through them.
const (
	ScopeConversations Scope = iota // held with a person; the default
	ScopeAutomation                 // from sources that run unattended: cron, tool, batch, …
	ScopeSubagents                  // delegates
	ScopeArchived                   // archived, or hidden by Hermes
	ScopeAll
)

// Scopes returns all scopes in the order of the constants.
func Scopes() []Scope {
	return []Scope{ScopeConversations, ScopeAutomation, ScopeSubagents, ScopeArchived, ScopeAll}
}

// String returns the name of a scope on the command line and in commands.
func (s Scope) String() string {
	return [...]string{"conversations", "automation", "subagents", "archived", "all"}[s]
}

// automatedSources are the sources that run unattended.
var automatedSources = []string{"cron", "tool", "batch", "kanban", "oneshot", "webhook", "schedule", "hook", "watcher", "eval"}

// scopeOf returns the scope of a conversation. The tip decides: an archived root does
// not archive the conversation. An empty conversation without a title is only in
// ScopeAll, unless it has just been started.
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
