package shell

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
)

// Outside is what can be done beyond the screen, with files and other
// programs. The command line does it; what is nil is not possible.
type Outside struct {
	// Export writes conversations to a file; progress is told in messages.
	// Where the file is there and not to be replaced, the error is [ErrExists].
	Export func(ctx context.Context, e ExportOptions, progress func(done, total int)) (Exported, error)
	// FileName proposes the name of a file for a conversation, without ending.
	FileName func(model.Conversation) string
	// Pager and Editor are programs that show the conversation of a session.
	// They get the terminal until they end.
	Pager, Editor func(ctx context.Context, id string) tea.ExecCommand
	// Command is a command of the user's own. Its output goes to out, and it gets no terminal;
	// with nil it gets the terminal until it ends.
	Command func(ctx context.Context, q RunCommand, out io.Writer) tea.ExecCommand
	// Settings opens the settings file; nil where there is none. Look reads it again, for what
	// can change while the browser runs.
	Settings func(context.Context) tea.ExecCommand
	Look     func() (Look, error)
	// EditQuery replaces the named query was in the settings by another, adds that where
	// there is none, or removes it with nil. It returns the queries that there are then.
	EditQuery func(was string, n *query.Named) ([]query.Named, error)
	// QueriesEnd says that its changes are gone when the browser ends.
	QueriesEnd bool
	// Redact masks secrets in a text that is copied, and says what it has masked, "" for
	// nothing. It is nil unless the settings ask for it; then exports offer it first.
	Redact func(text string) (masked, what string)
	// Clipboard puts text where it can be pasted from, in a terminal where
	// asking the terminal itself is not enough.
	Clipboard func(context.Context, string) error
}

// Columns returns the names of the columns of the list beside the title, from the left.
func Columns() []string {
	return []string{"messages", "age", "profile", "source", "cost", "model", "folder", "id"}
}

// Look is what the settings say about how the screens look.
type Look struct {
	Theme   string        // "" for the default
	Themes  []theme.Theme // of the user's own
	Columns []string      // of the list, nil for all that there is room for
}

// ExportOptions say which conversations to export, and to which file.
type ExportOptions struct {
	IDs     []string // of any sessions of the conversations
	Format  string   // one of Formats
	File    string   // as it was typed
	Replace bool     // write over a file that is there
	Redact  bool     // mask secrets
}

// Formats are the forms of an export, by the endings of their files.
func Formats() []string { return []string{"md", "html", "jsonl"} }

// Exported describes the file that was written.
type Exported struct {
	File     string // its whole path
	Bytes    int64
	Redacted string // how many secrets of which kinds were masked, "" without redaction
}

// ErrExists is why an export was not written.
var ErrExists = errors.New("a file with that name exists")
