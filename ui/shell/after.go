package shell

// After says what becomes of the browser when a conversation is resumed.
type After int

// The values of After.
const (
	Leave  After = iota // Hermes takes its place
	Return              // it comes back when Hermes has ended
	Print               // it ends, and the command is printed
	Window              // it stays, and Hermes runs in a window of tmux
)
