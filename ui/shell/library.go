package shell

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
)

// Library is what the screens read of the session database, in three nouns; the fourth is
// [Changes]. Every call may block and is made from a command, never from Update or View; all
// of them may be called at once from several goroutines.
type Library interface {
	Lists
	Reading
	Maintenance
}

// Lists are answers about all conversations.
type Lists interface {
	// Conversations answers the list.
	Conversations(context.Context, query.ListOptions) (model.ConversationPage, error)
	// Search answers the list while something is typed.
	Search(context.Context, query.Query, query.ListOptions) (model.SearchResults, error)
	// FieldValues returns the values that a filter word can have, the most frequent first.
	FieldValues(context.Context, query.Field) ([]query.FieldValue, error)
	// UsageReport returns what every session has consumed.
	UsageReport(context.Context) (usage.Report, error)
	// ToolCounts counts how sessions have called tools. It reads their messages.
	ToolCounts(ctx context.Context, sessions []string) ([]usage.ToolCount, error)
	// CleanupFindings finds conversations of no use: empty ones, ghosts, duplicates.
	CleanupFindings(context.Context) ([]model.CleanupFinding, error)
	// Prunable returns the conversations that are old enough to be pruned, and counts those
	// that stay all the same.
	Prunable(context.Context, model.PruneOptions) (model.Prunable, error)
}

// Reading is answers about one conversation.
type Reading interface {
	// Conversation returns the one that a session belongs to, texts as stored.
	Conversation(ctx context.Context, id string) (model.Conversation, error)
	// HitIDs returns the ids of the messages of one conversation that match.
	HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error)
	// Outline returns the skeleton of the conversation that session id belongs to.
	Outline(ctx context.Context, id string) (model.Outline, error)
	// MessagesNear reads up to n messages around message at, or the last n when at is
	// 0, without the outline. It gives none where only the outline tells what is shown.
	MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error)
	// MessagesOf reads messages of the conversation of a session, in the order of ids;
	// those gone are left out.
	MessagesOf(ctx context.Context, id string, ids []int64) ([]model.Message, error)
	// Tail reads the last n visible messages of a conversation.
	Tail(ctx context.Context, id string, n int) ([]model.Message, error)
	// Lineage returns the tree of all sessions tied to one. QuickLineage gives it sooner;
	// partial is true where Lineage may give more.
	Lineage(ctx context.Context, id string) (*model.Node, error)
	QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error)
	// Fork finds where a session left the one above it.
	Fork(ctx context.Context, id string) (model.Fork, error)
	// Details returns all that is known of the conversation of a session.
	Details(ctx context.Context, id string) (model.Details, error)
	// Files returns the files that a conversation has read, written or edited.
	Files(ctx context.Context, id string) ([]files.File, error)
	// ResumeCheck returns the reasons not to resume the conversation of a session.
	ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error)
	// TitleOwner returns the session that has a title, with its conversation; nil
	// where the title is free. conversation is the one that is to get it.
	TitleOwner(ctx context.Context, title, conversation string) (*model.TitleOwner, error)
}

// Maintenance is how the files of the database are.
type Maintenance interface {
	// Prepare reads ahead what makes searches quick. It may take seconds.
	Prepare(context.Context) error
	// DataVersion changes when another process has changed the database.
	DataVersion(context.Context) (int64, error)
	// Notes says what is wrong with the database, if anything.
	Notes() []model.HealthNote
	// MeasureStorage makes a step of counting bytes, from a message id down, and
	// ForecastVacuum returns the sizes of the files and what a vacuum needs: those of the
	// database of a session, whose id does not matter where there is only one.
	MeasureStorage(ctx context.Context, session string, from int64) (model.StorageStep, error)
	ForecastVacuum(ctx context.Context, session string) (model.VacuumForecast, error)
}

// FileWatcher is a Library that notices when the file of the database is replaced.
type FileWatcher interface {
	// FileNotice says in one line what has happened to the file since it was last asked,
	// "" for nothing: it was replaced, removed, is back.
	FileNotice() string
}
