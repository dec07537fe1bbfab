package terminal

// The console of this process, by name.
const (
	inputName  = "CONIN$"
	outputName = "CONOUT$"
)

// Unread would report whether the reader of a pipe has ended; here only a write tells.
func Unread(any) bool { return false }
