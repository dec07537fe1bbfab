package shell

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Annotation is what the user has noted on a conversation, or on one message of it. It is
// kept beside the database, which knows nothing of it.
type Annotation struct {
	Root     string // of the conversation
	Message  int64  // 0 for the conversation itself
	Bookmark bool   // of a message
	Note     string
	Tags     []string // of a conversation
	Title    string   // of the conversation when this was written: it may be gone since
}

// Annotations are the notes, tags and bookmarks of the user.
type Annotations interface {
	// On returns what is noted on a message of a conversation, or with 0 on itself.
	On(root string, message int64) Annotation
	// Bookmarks returns the messages of a conversation that have a bookmark or a note.
	Bookmarks(root string) []int64
	// Tags returns the tags with the number of their conversations, the most frequent first.
	Tags() []query.FieldValue
	// Known returns the conversations that a filter on notes asks for.
	Known(f query.Filter) *query.Known
	// Put replaces what is noted on a conversation or a message. It may block.
	Put(a Annotation) error
}

// ParseTags returns the tags of a text, each once: words, with or without #.
func ParseTags(text string) (tags []string) {
	for _, t := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '"' || r == '*' }) {
		if t = strings.TrimLeft(t, "#"); t != "" && !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// AskNote asks for the note, or with Tags for the tags, of a conversation or a message.
type AskNote struct {
	On   Annotation
	Tags bool
}

// Annotate replaces what is noted; the answer is [Annotated].
type Annotate struct{ Annotation }

// Annotated says that something was noted, or could not be.
type Annotated struct {
	Annotation
	Before Annotation
	Err    error
}

func (AskNote) request()  {}
func (Annotate) request() {}

// NoteHandlers are the actions that note something on a conversation.
func NoteHandlers(sh Shell, why string, c model.Conversation) []Handler {
	book := sh.Env().Annotations
	if book == nil && why == "" {
		why = "notes are not kept here"
	}
	ask := func(tags bool) func() tea.Cmd {
		return func() tea.Cmd {
			on := book.On(c.RootID, 0)
			on.Title = ConversationName(c)
			return sh.Do(AskNote{On: on, Tags: tags})
		}
	}
	return []Handler{NewHandler(Note, why, ask(false)), NewHandler(Tags, why, ask(true))}
}

// Noted returns the tags and the first words of the note on a conversation in one line, ""
// for none.
func (e *Env) Noted(root string) string {
	if e.Annotations == nil {
		return ""
	}
	on := e.Annotations.On(root, 0)
	words := slices.Clone(on.Tags)
	for i := range words {
		words[i] = "#" + words[i]
	}
	if on.Note != "" {
		words = append(words, on.Note)
	}
	return strings.Join(words, " ")
}

// Annotated reports whether something is noted on a conversation or its messages.
func (e *Env) Annotated(root string) bool {
	return e.Noted(root) != "" || e.Bookmarked(root)
}

// Bookmarked reports whether messages of a conversation have bookmarks or notes.
func (e *Env) Bookmarked(root string) bool {
	return e.Annotations != nil && len(e.Annotations.Bookmarks(root)) > 0
}
