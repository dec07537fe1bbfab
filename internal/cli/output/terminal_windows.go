package output

// The console of this process, by name.
const (
	inputName  = "CONIN$"
	outputName = "CONOUT$"
)

// HasShell always returns false: Windows suspends no programs.
func HasShell() bool { return false }

// Unread always returns false: on Windows, only a write shows that a stream has lost its reader.
func Unread(any) bool { return false }
