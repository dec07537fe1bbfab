package terminal

// The console of this process, by name.
const (
	inputName  = "CONIN$"
	outputName = "CONOUT$"
)
