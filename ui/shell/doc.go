// Package shell is what the root of the browser and its screens know of each
// other. The root is ui.Root; each screen is a package below ui, and dialogs are in
// ui/dialog.
//
// # The rule
//
// The root decides. Screens and dialogs are structs with verbs; they know the
// shell that they are given, not the root and not each other. I/O is done in
// commands only, and nothing in a command's goroutine reads a model.
//
//	keys, mouse, answers of commands
//	    │
//	┌───▼──────────────────────────────────────────────┐
//	│ root: the stack of screens, dialogs, key map,    │
//	│ jobs, undo, the line at the bottom               │
//	└───┬──────────────────────────────────────▲───────┘
//	    │ Update, Handlers, Lines              │ Shell: Say, Open,
//	    │                                      │ Do(OpenTranscript{…}), …
//	┌───▼──────────────────┐   ┌───────────────┴───────┐
//	│ the screen on top    │   │ dialogs over it       │
//	└───┬──────────────────┘   └───────┬───────────────┘
//	    │ commands, with values that   │
//	    │ were captured in Update      │
//	┌───▼──────────────────────────────▼───────────────┐
//	│ Library and Changes: the session database        │
//	└──────────────────────────────────────────────────┘
//
// # What things are
//
// A [Screen] is one full view with its own keys (its [Context]). It keeps what
// it shows, and draws from that: Lines runs after every message and does no
// I/O. Screens are on a stack; the root sends keys to the one on top, and the
// answers of commands to all of them. An answer names the kit.Latest that asked
// for it, and a screen takes only its own.
//
// A [Dialog] is a box over the screen. It takes all keys until its Update
// returns done.
//
// An [Action] is what a key, a letter of the menu or a command of the palette
// means: "delete". Its keys and texts are one row of keymap.go.
// What it does is a [Handler], which a screen gives for what is current now;
// Why is the reason why it is not possible now, and is shown where the action is
// refused.
//
// A [Request] is what a screen or a dialog wants and only the root can do,
// because it concerns another screen, the database or the program: it is
// carried out by Do before the next message.
//
// A command (tea.Cmd) runs in a goroutine of its own. Update captures what it
// needs: ids, a query, functions of the [Env], which never changes. What it
// returns is a message, and only Update changes the model for it.
//
// Optional interfaces say what the root asks of some screens only:
// [Commander], [Clickable], [Pane]. The root never needs to know
// which screen it asks, apart from the list, which is always at the bottom of
// the stack, and the transcript and the lineage where it goes from one to
// another.
//
// CONTRIBUTING.md tells, step by step, how to add an action, a screen or a dialog.
package shell
