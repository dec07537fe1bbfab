//go:build !windows

package cli

// The terminal of this process, by name.
const (
	terminalInput  = "/dev/tty"
	terminalOutput = "/dev/tty"
)
