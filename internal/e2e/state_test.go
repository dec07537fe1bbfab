//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was set and looked for is there again at the next start, unless flags
// say otherwise; a damaged file is told and replaced; pickers and the demo
// leave none.
func TestTheBrowserRemembers(t *testing.T) {
	db := lives(t, "")
	folder := t.TempDir()
	file := filepath.Join(folder, "hermes-sessions", "state.json")
	own := []string{"XDG_STATE_HOME=" + folder}
	start := func(args ...string) *stand {
		t.Helper()
		return open(t, 100, 30, own, append(args, "--db="+db)...)
	}
	for _, args := range [][]string{{"--print-id"}, {"--multi"}} {
		s := start(args...)
		s.Sees("Quarry survey")
		s.Press("Ctrl+O")
		s.Press("Ctrl+C")
		s.exits(130)
	}
	demo := open(t, 100, 30, own, "--demo")
	demo.until("the list is there", func(text string) bool { return demo.onScreen() && strings.Contains(text, "conversations") })
	demo.Press("Ctrl+C")
	demo.exits(130)
	if _, err := os.Stat(file); err == nil {
		t.Fatal("a picker or the demo has left something behind")
	}

	s := start()
	s.Sees("Quarry survey")
	s.Types(":")
	s.Sees("Commands")
	s.Types("sort title")
	s.Sees("sort title")
	s.Press("Enter")
	s.Sees("By title")
	s.Types("quarry")
	s.Sees(one)
	s.Press("Enter")
	s.resumed()
	if text := contents(t, file); !strings.Contains(text, `"quarry"`) || !strings.Contains(text, `"title"`) {
		t.Fatalf("remembered %s", text)
	}

	s = start()
	s.Sees("By title")
	s.Press("Ctrl+X")
	s.Types("h")
	s.Sees("Earlier queries")
	s.Sees("quarry")
	s.Press("Ctrl+C")
	s.exits(130)

	s = start("--sort=cost")
	s.Sees("By cost")
	s.Press("Ctrl+C")
	s.exits(130)
	if text := contents(t, file); !strings.Contains(text, `"title"`) {
		t.Errorf("a flag was remembered: %s", text)
	}

	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start()
	s.Sees("is damaged and was left aside")
	s.Press("Ctrl+O")
	s.Sees("automation")
	s.Press("Ctrl+C")
	s.exits(130)
	if text := contents(t, file); !strings.Contains(text, `"automation"`) {
		t.Errorf("not replaced: %s", text)
	}
}
