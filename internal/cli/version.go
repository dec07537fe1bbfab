package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noWords,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.out.JSON(struct {
					Version string `json:"version"`
					Go      string `json:"go"`
					OS      string `json:"os"`
					Arch    string `json:"arch"`
				}{a.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			fmt.Fprintf(a.out, "hermes-sessions %s (%s, %s/%s)\n", a.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
