package shell

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
)

// Shell is all that screens and dialogs know of the program around them. The
// root model implements it. Its methods are called in Update and View only;
// what a command needs it captures first, from the [Env].
type Shell interface {
	// Env returns what stays the same while the browser runs.
	Env() *Env
	// Styles returns the styles in force, which change with the terminal's
	// background.
	Styles() *theme.Styles
	// Say shows a line for a few seconds.
	Say(text string) tea.Cmd
	// Refuse says why a key does nothing, until the next one.
	Refuse(text string) tea.Cmd
	// Fail shows what went wrong until a key is pressed.
	Fail(err error)
	// Open puts a dialog over the screen.
	Open(d Dialog) tea.Cmd
	// Do carries out a request at once, before the next key is handled.
	Do(r Request) tea.Cmd
	// Held reports whether the key being handled repeats because it is held
	// down. Going round the end of a list needs a fresh press.
	Held() bool
	// Shown reports whether a screen is the one on top.
	Shown(s Screen) bool
	// HasFooter reports whether a line below the screen is left for hints.
	HasFooter() bool
}

// Env is what a screen needs beside the shell: it is set before the first
// screen opens and never changes, so commands may read it.
type Env struct {
	Context     context.Context // ends with the program
	Library     Library
	Changes     Changes // nil where nothing may be changed
	Outside     Outside
	Keys        Keys
	Clock       func() time.Time       // its time zone is the one that dates are told in
	Query       string                 // text to start with
	List        query.ListOptions      // scope, sources, order, folder and limit to start with
	Where       string                 // what is open: a path, or "demo"
	Badge       string                 // a name for it, "" for the default database
	Several     bool                   // it is several databases, and conversations name their profile
	Queries     []query.Named          // the named queries at the start
	Columns     []string               // of the list, some of [Columns]; nil for all that there is room for
	Commands    []OwnCommand           // that the settings add
	Memory      Memory                 // nil where nothing is remembered
	Annotations Annotations            // nil where nothing can be noted
	Command     func(id string) string // the shell command that resumes a session, safe to show
	Choose      bool                   // Enter picks an id for a script instead of resuming
	Multi       bool                   // or the ids of all marked conversations
	After       After
	Returns     bool   // Hermes can run as a child process and come back
	UndoKept    string // for how long later runs can undo a delete, "7 days"; "" for not at all
}

// Screen is one full view. Screens are plain structs with verbs, not Bubble
// Tea models: the root owns the loop, and the line at the bottom of the
// terminal (hints, or a toast).
type Screen interface {
	// Context is the part of the key map whose keys hold on the screen.
	Context() Context
	// Start is called once, when the screen comes onto the stack.
	Start() tea.Cmd
	// Resize is called before the first lines and after each change of size, which Update
	// gets after it, to read what there is room for now.
	Resize(w, h int)
	// Refresh reads again what the screen shows, after a change of this program; nil
	// where no such change concerns it.
	Refresh() tea.Cmd
	// Restyle is called when the styles have changed.
	Restyle()
	// Claims reports whether a key belongs to the screen's text input just
	// now, although the key map names it.
	Claims(tea.KeyPressMsg) bool
	// Update takes answers, and the input that no action took.
	Update(tea.Msg) tea.Cmd
	// Handlers says what can be done here and now. Cheap: no layout.
	Handlers() []Handler
	// Lines returns the finished screen, at most h lines of at most w columns.
	Lines() []string
	// Cursor is where text goes in, or nil.
	Cursor() *tea.Cursor
	// Heading names the screen for the window title.
	Heading() string
}

// Commander is a screen with commands in the palette beside its actions. LoadCommands reads
// what their texts need and then requests [RefillDialogs].
type Commander interface {
	Commands() []Command
	LoadCommands() tea.Cmd
}

// Pane is a screen that is shown inside another one: the transcript of
// the current session beside its tree.
type Pane interface {
	Screen
	// Scroll moves the text by lines.
	Scroll(by int) tea.Cmd
	// Poll asks whether the conversation has new messages.
	Poll() tea.Cmd
}

// Passage is a part of a conversation for a pane, safe to draw.
type Passage struct {
	Of       model.Conversation
	Messages []model.Message
	Earlier  string      // what comes before them, "" for nothing
	At       int64       // the message that is shown, 0 for the last ones
	Query    query.Query // whose words are marked
}

// Excerpt is a passage in a pane, drawn as its transcript.
type Excerpt interface {
	// Resize lays it out for w columns and h lines. The same size costs nothing.
	Resize(w, h int)
	// Restyle is called when the styles have changed.
	Restyle()
	// Scroll moves the text by lines.
	Scroll(by int)
	// Lines returns at most h lines of at most w columns.
	Lines() []string
}

// Dialog is a box over the screen that takes all keys until it is done.
type Dialog interface {
	// Update returns done when the box is to go; then runs after that.
	Update(tea.Msg) (done bool, then tea.Cmd)
	// Box draws it within w by h.
	Box(w, h int) string
}

// Clickable is a dialog with places to click on: x is the column of its text, y the line,
// the first below its title being 0.
type Clickable interface {
	Click(x, y int) (done bool, then tea.Cmd)
}

// Handler is an action with what it does now, or the reason why it is not possible.
type Handler struct {
	Action Action
	Why    string // why it cannot be done now, "" where it can
	Do     func() tea.Cmd
}

// NewHandler makes a handler of an action; why is "" where it can be done.
func NewHandler(a Action, why string, do func() tea.Cmd) Handler {
	return Handler{Action: a, Why: why, Do: do}
}

// Command is a thing to do by its words: "sort cost".
type Command struct {
	Words string
	Help  string
	Also  string // other words for it
	Note  string // its keys
	Why   string // why it cannot be done, "" where it can
	On    bool   // already in force: the scope that is shown
	Do    func() tea.Cmd
	// Try shows what Do would do while the command is selected, and with false takes that
	// back; nil for commands that only act.
	Try func(on bool) tea.Cmd
}

// FacetColumn is one way to divide the list.
type FacetColumn struct {
	Title    string
	Values   []Facet
	Counting bool // the values are not known yet
}

// Facet is a value of a column, with the number of its conversations.
type Facet struct {
	Label  string
	Note   string // the whole value where the label is short for it
	Count  int    // -1 while it is unknown
	On     bool
	Toggle func() tea.Cmd
}

// Entry is a line of a menu.
type Entry struct {
	Letter string
	Label  string
	Group  string // the column that it belongs to, "" for a menu without columns
	Note   string // beside it: its key, or why it cannot be done
	Why    string // why it cannot be done, "" where it can
	Do     func() tea.Cmd
}
