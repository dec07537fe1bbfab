package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

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
				return a.out.JSON(struct {
					Version string `json:"version"`
					Commit  any    `json:"commit"`
					Date    any    `json:"date"`
					Go      string `json:"go"`
					OS      string `json:"os"`
					Arch    string `json:"arch"`
				}{b.Version, output.OrNull(b.Commit), output.OrNull(b.Date), runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			words := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if b.Commit != "" {
				words = append(words, "commit "+b.Commit[:min(len(b.Commit), 12)])
			}
			if b.Date != "" {
				words = append(words, b.Date)
			}
			fmt.Fprintf(a.out, "hermes-sessions %s (%s)\n", b.Version, strings.Join(words, ", "))
			return nil
		},
	}
}
