package shell

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Request is something that a screen or a dialog wants and only the root can
// do, because it concerns other screens, the database or the whole program.
type Request interface{ request() }

// OpenTranscript opens a conversation: at a hit, or at its end where the hit
// has no message. The words of the query are marked.
type OpenTranscript struct {
	Conversation model.Conversation
	Query        query.Query
	Hit          model.Hit
	AtEnd        bool // not where it was left last time
	FromList     bool // reading goes on from here to the other rows of the list
}

// OpenLineage opens the tree of a session, or goes back to it where the screen
// below shows it already.
type OpenLineage struct{ ID string }

// OpenScreen opens a screen that needs nothing to begin with, named by its keys.
type OpenScreen struct{ In Context }

// OpenSpace opens the screen of what could be deleted, at the tab of an action: [Storage],
// [CleanUp] or [Expiring].
type OpenSpace struct{ Tab Action }

// CompactDatabase makes the file of the database of a session smaller by its free pages, or
// only empties its write-ahead log.
type CompactDatabase struct {
	Session string
	Vacuum  bool
}

// OpenList goes to the list and types a query into it, in all scopes.
type OpenList struct{ Query string }

// OpenComparison compares the conversations of two sessions, or with Branch the one of B with
// the one that it left.
type OpenComparison struct {
	A, B   string
	Branch bool
}

// CloseScreen goes back to the screen below.
type CloseScreen struct{}

// SelectConversation goes to the list and makes a conversation its current
// row, however far down it is.
type SelectConversation struct{ Conversation model.Conversation }

// ReadNextConversation reads on in the list's row before (-1) or after (1) the
// conversation of the transcript on top; with Matching, in the nearest that has
// a matching message.
type ReadNextConversation struct {
	From     model.Conversation
	Dir      int
	Matching bool
}

// EndProgram ends the program without a decision.
type EndProgram struct{}

// AskSaveQuery asks for the name under which a query is saved, or what else is to become
// of the named query in force.
type AskSaveQuery struct {
	Query query.Named   // what is shown, with the name of the query in force
	All   []query.Named // the named queries that there are
}

// EditQuery changes the named queries, as [Outside] does it. The answer is
// [QueriesEdited].
type EditQuery struct {
	Was string
	New *query.Named
}

// QueriesEdited has the named queries after a change, and the change.
type QueriesEdited struct {
	EditQuery
	All []query.Named
	Err error
}

// Choose is what Enter does to a conversation: it is resumed, or its id given
// to the script that waits for it.
type Choose struct{ ID string }

// ResumeConversation resumes a conversation, after a check for reasons not to.
type ResumeConversation struct {
	ID    string
	TUI   bool // in Hermes's other interface
	After After
}

// AskRename asks for a conversation's title.
type AskRename struct{ Conversation model.Conversation }

// SetTitle gives a conversation a title. Name is what it was called when the dialog
// opened.
type SetTitle struct {
	Conversation model.Conversation
	Name, Title  string
}

// Flag is a state of whole conversations.
type Flag int

// The flags.
const (
	FlagPinned   Flag = iota // at the top of the list
	FlagArchived             // out of the way
)

// ToggleFlag sets a flag on all subjects, or takes it away where all have it.
type ToggleFlag struct {
	Flag Flag
	Of   Subjects
}

// AskDelete asks whether conversations are to be deleted.
type AskDelete struct{ Of Subjects }

// DeleteConversations deletes the conversations of a confirmed plan, or one
// segment alone where that is named.
type DeleteConversations struct {
	Of      Subjects
	Plan    model.Deletion
	Segment string
}

// AskExport asks in which form conversations are to be written, and where.
type AskExport struct{ Of Subjects }

// ExportConversations writes conversations to a file.
type ExportConversations struct {
	Of     Subjects
	Export ExportOptions
}

// InspectConversation shows all that is known of a conversation.
type InspectConversation struct{ Conversation model.Conversation }

// RunProgram gives the terminal to another program until it ends.
type RunProgram struct {
	Name    string // what it is called where it fails
	Program func(ctx context.Context, id string) tea.ExecCommand
	ID      string // of a session
}

// CopyText puts a text into the clipboard; What says what it is.
type CopyText struct {
	Text, What string
	Exact      bool // nothing in it is masked: an id, a command or a folder
}

// OpenCopyMenu offers what can be copied: the entries, and what there is to
// copy of every conversation.
type OpenCopyMenu struct {
	Toggle       Action // its own key closes it again
	Entries      []Entry
	Conversation model.Conversation
}

// OpenMenu offers things to do, each with a letter.
type OpenMenu struct {
	Title   string
	Text    string // over the entries, "" for none
	Toggle  Action // its own key closes it again, "" for none
	Entries []Entry
	Hidden  []Entry // that answer to their letters and are not shown
	Hint    string  // what else can be done there, "" for nothing
	// Again returns the entries and those hidden as they are now, for a menu in which some become
	// possible when an answer comes; nil where they stay.
	Again func() (shown, hidden []Entry)
}

// OpenPalette offers commands that are looked for by typing.
type OpenPalette struct {
	Title    string
	Commands func() []Command
}

// OpenFacets offers parts of the list in columns, which are switched on and off while the
// box stays open.
type OpenFacets struct {
	Title   string
	Toggle  Action // its own key closes it again
	Columns func() []FacetColumn
	Status  func() string // how many rows there are now
	Moves   func() int    // how often the bar of a long count has moved, 0 for no bar
}

// RefillDialogs makes the open palette and the open facets ask for their contents again,
// because a screen has counted more.
type RefillDialogs struct{}

// RunAction runs an action of the screen, if it is still the one that takes
// keys.
type RunAction struct {
	Screen Screen
	Action Action
}

// PressKey handles a key as if it was pressed now: one that ended an input and keeps its
// own meaning.
type PressKey struct{ Key tea.KeyPressMsg }

func (OpenTranscript) request()       {}
func (OpenLineage) request()          {}
func (OpenScreen) request()           {}
func (OpenSpace) request()            {}
func (CompactDatabase) request()      {}
func (OpenList) request()             {}
func (OpenComparison) request()       {}
func (CloseScreen) request()          {}
func (SelectConversation) request()   {}
func (ReadNextConversation) request() {}
func (EndProgram) request()           {}
func (AskSaveQuery) request()         {}
func (EditQuery) request()            {}
func (Choose) request()               {}
func (ResumeConversation) request()   {}
func (AskRename) request()            {}
func (SetTitle) request()             {}
func (ToggleFlag) request()           {}
func (AskDelete) request()            {}
func (DeleteConversations) request()  {}
func (AskExport) request()            {}
func (ExportConversations) request()  {}
func (InspectConversation) request()  {}
func (RunProgram) request()           {}
func (CopyText) request()             {}
func (OpenCopyMenu) request()         {}
func (OpenMenu) request()             {}
func (OpenPalette) request()          {}
func (OpenFacets) request()           {}
func (RefillDialogs) request()        {}
func (RunAction) request()            {}
func (PressKey) request()             {}

// Polled tells every screen the version of the database, which the list reads all the
// time.
type Polled struct {
	Version int64 // changes when another process has changed the database
	Err     error
	Notice  string             // what has happened to its file, "" for nothing
	Notes   []model.HealthNote // what is wrong with it
}

// ConversationsEdited has the changes of conversations, for screens to show before
// they read them again. A nil field has not changed.
type ConversationsEdited struct {
	Roots            []string
	Title            *string
	Pinned, Archived *bool
}

// Change makes the same change to what a screen knows of a conversation.
func (e ConversationsEdited) Change(c *model.Session) {
	if e.Title != nil {
		c.Title = *e.Title
	}
	if e.Pinned != nil {
		c.Pinned = *e.Pinned
	}
	if e.Archived != nil {
		c.Archived = *e.Archived
	}
}

// Neighbor is the result before or after a conversation in the list.
type Neighbor struct {
	model.Conversation
	Query         query.Query
	Hit           model.Hit
	AtHit         bool // it is read from the hit, not from its first or last matching message
	Number, Count int  // its place, and how many there are
}
