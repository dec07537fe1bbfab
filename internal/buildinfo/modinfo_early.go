//go:build !go1.28

package buildinfo

import _ "unsafe" // for go:linkname

// modinfo returns the go command's build information. The package runtime/debug, which
// hands it out, is initialized only after the highlighter; the runtime has it from the
// start. Releases of Go that this was not tried with go the slower way.
//
//go:linkname modinfo runtime/debug.modinfo
func modinfo() string
