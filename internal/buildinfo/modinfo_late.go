//go:build go1.28

package buildinfo

import "runtime/debug"

// modinfo returns the go command's build information, "" without modules.
func modinfo() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.String()
	}
	return ""
}
