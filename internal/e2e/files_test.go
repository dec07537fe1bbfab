//go:build !windows

package e2e

import (
	"strings"
	"testing"
)

// The filter file: finds the conversation of a file, the inspector lists what was done to
// it, and enter opens the message; the command prints the same.
func TestAConversationIsFoundByAFileThatItEdited(t *testing.T) {
	t.Parallel()
	s := open(t, 120, 40, nil, "--demo", "browse", "file:consumer.go") // no row comes under the cursor later
	s.Sees(" 1 conversation")
	s.Sees("▸ patch consumer.go")
	s.Press("Ctrl+X")
	s.Sees("storage")
	s.Types("i")
	s.Sees("files     1 changed")
	s.Press("Enter")
	s.Sees("Files: 1 changed (tab chooses one, enter opens it)")
	s.Press("Tab")
	s.Sees("▸ edited")
	s.Press("Enter")
	s.Loses("Files: 1 changed")
	s.Sees("patch")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
	r := run(t, "--demo", "files", "kafka consumer")
	if r.code != 0 || !strings.Contains(r.stdout, "~/src/orders/consumer.go") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := run(t, "--demo", "list", "failed:patch"); r.code != 1 {
		t.Errorf("exit %d: a patch failed: %s", r.code, r.stdout)
	}
	if r := run(t, "--demo", "list", "failed:terminal"); r.code != 0 || !strings.Contains(r.stdout, "Race in the price cache") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
