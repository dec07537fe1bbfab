package cli

// The console of this process, by name.
const (
	terminalInput  = "CONIN$"
	terminalOutput = "CONOUT$"
)
