package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/buildinfo"
	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noWords,
		RunE: func(*cobra.Command, []string) error {
			b := a.Build
			if a.json {
				return a.out.JSON(answer.Build{
					Version: b.Version, Commit: output.OrNull(b.Commit), Date: output.OrNull(b.Date),
					Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, JSON: answer.Version,
				})
			}
			fmt.Fprintln(a.out, versionLine(a.Build))
			return nil
		},
	}
}

// versionLine describes this build in one line.
func versionLine(b buildinfo.Info) string {
	words := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if b.Commit != "" {
		words = append(words, "commit "+b.Commit[:min(len(b.Commit), 12)])
	}
	if b.Date != "" {
		words = append(words, b.Date)
	}
	return fmt.Sprintf("hermes-sessions %s (%s)", b.Version, strings.Join(words, ", "))
}
