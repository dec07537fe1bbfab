package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noWords,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.out.JSON(a.build())
			}
			fmt.Fprintln(a.out, a.Build)
			return nil
		},
	}
}

// build returns the origin of this program for JSON.
func (a *app) build() answer.Build {
	b := a.Build
	return answer.Build{
		Version: b.Version, Commit: output.OrNull(b.Commit), Date: output.OrNull(b.Date),
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, JSON: answer.Version,
	}
}
