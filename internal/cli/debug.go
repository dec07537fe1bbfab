package cli

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
)

// startLog opens the file of --debug, which says what the program does and holds
// neither message text nor titles.
func (a *app) startLog() error {
	if a.debug == "" {
		return nil
	}
	if err := a.notDatabase(a.debug); err != nil {
		return err
	}
	f, err := os.OpenFile(a.debug, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("the file of --debug: %w", err)
	}
	a.logFile, a.log = f, slog.New(slog.NewTextHandler(f, nil))
	a.log.Info("start", "version", a.Build.Version, "go", runtime.Version(), "os", runtime.GOOS, "args", len(a.Args))
	return nil
}
