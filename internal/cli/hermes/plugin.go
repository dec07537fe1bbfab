package hermes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hermes-sessions/internal/cli/state"
)

//go:embed plugin/plugin.yaml plugin/__init__.py
var pluginFiles embed.FS

var pluginNames = []string{"plugin.yaml", "__init__.py"}

// PluginName is the name of the plugin and of its folder.
const PluginName = "hermes-sessions"

// WritePlugin writes the plugin for a program into the plugins of a Hermes home, and returns
// its folder. Without replace the error is [fs.ErrExist] where it is there already.
func WritePlugin(home, program string, replace bool) (folder string, err error) {
	folder = filepath.Join(home, "plugins", PluginName)
	if _, err := os.Stat(folder); err == nil && !replace {
		return folder, fmt.Errorf("write the plugin to %s: %w", folder, fs.ErrExist)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folder, fmt.Errorf("write the plugin: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return folder, fmt.Errorf("write the plugin: %w", err)
	}
	for _, name := range pluginNames {
		text, err := pluginFiles.ReadFile("plugin/" + name)
		if err != nil {
			return folder, fmt.Errorf("write the plugin: %w", err)
		}
		// Go's quotes are Python's, too, for the path of a program.
		filled := strings.ReplaceAll(string(text), `"HERMES_SESSIONS"`, strconv.Quote(program))
		if err := state.ReplaceFile(filepath.Join(folder, name), []byte(filled), false); err != nil {
			return folder, fmt.Errorf("write the plugin: %w", err)
		}
	}
	return folder, nil
}
