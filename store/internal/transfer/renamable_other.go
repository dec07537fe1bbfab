//go:build !windows

package transfer

import "os"

// openRenamable opens a file that is there. It can get another name while it is open.
func openRenamable(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }
