//go:build !windows

package terminal

// The terminal of this process, by name.
const (
	inputName  = "/dev/tty"
	outputName = "/dev/tty"
)
