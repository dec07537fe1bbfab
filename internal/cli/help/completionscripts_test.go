package help

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every patched line is in the script that cobra makes, once.
func TestPatchedLinesAreInTheScripts(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "hermes-sessions"}
	for shell, generate := range map[string]func(io.Writer) error{
		"bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":  root.GenZshCompletion,
		"fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
	} {
		var script strings.Builder
		if err := generate(&script); err != nil {
			t.Fatal(err)
		}
		lines := patches[shell]
		if len(lines) == 0 {
			t.Errorf("%s: nothing is patched", shell)
		}
		for i := 0; i < len(lines); i += 2 {
			if n := strings.Count(script.String(), lines[i]); n != 1 {
				t.Errorf("%s: %d times %q", shell, n, lines[i])
			}
			if !strings.Contains(patch(shell, script.String()), lines[i+1]) {
				t.Errorf("%s: no %q", shell, lines[i+1])
			}
		}
	}
}
