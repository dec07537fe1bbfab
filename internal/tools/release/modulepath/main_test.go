package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Renaming changes the module, the imports and the documents, and leaves other words
// of the same letters alone.
func TestRename(t *testing.T) {
	root := t.TempDir()
	files := map[string][2]string{
		"go.mod": {"module hermes-sessions\n\ngo 1.26.0\n", "module example.com/me/hermes-sessions\n\ngo 1.26.0\n"},
		"internal/tools/go.mod": {
			"module hermes-sessions/internal/tools\n\nrequire hermes-sessions v0.0.0\n\nreplace hermes-sessions => ../..\n",
			"module example.com/me/hermes-sessions/internal/tools\n\nrequire example.com/me/hermes-sessions v0.0.0\n\nreplace example.com/me/hermes-sessions => ../..\n",
		},
		".golangci.yml":  {"module-path: hermes-sessions\n", "module-path: example.com/me/hermes-sessions\n"},
		"README.md":      {"hermes-sessions list\ngo install <host>/<owner>/hermes-sessions@latest\n", "hermes-sessions list\ngo install example.com/me/hermes-sessions@latest\n"},
		"docs/embed.md":  {"import \"hermes-sessions/store\"\n", "import \"example.com/me/hermes-sessions/store\"\n"},
		"flake.nix":      {"\"-X hermes-sessions/a.b=c\"\n", "\"-X example.com/me/hermes-sessions/a.b=c\"\n"},
		"sub/testdata/x": {"hermes-sessions/store", "hermes-sessions/store"},
		"sub/a.go": {
			"package a\n\nimport (\n\t\"fmt\"\n\n\tm \"hermes-sessions/model\"\n)\n\nvar _ = fmt.Sprint(m.X, \"hermes-sessions/model\")\n",
			"package a\n\nimport (\n\t\"fmt\"\n\n\tm \"example.com/me/hermes-sessions/model\"\n)\n\nvar _ = fmt.Sprint(m.X, \"hermes-sessions/model\")\n",
		},
		"sub/b.go": {"package a\n\nimport _ \"hermes-sessionsx/model\"\n", "package a\n\nimport _ \"hermes-sessionsx/model\"\n"},
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text[0]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []string{"", "hermes-sessions", "https://example.com/x", "example.com", "example.com/a b", "example.com/x/"} {
		if err := rename(root, bad); err == nil {
			t.Errorf("%q was taken as a path", bad)
		}
	}
	for range 2 { // again changes nothing
		if err := rename(root, "example.com/me/hermes-sessions"); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(got) != text[1] {
			t.Errorf("%s: %v\n%s", name, err, strings.TrimSpace(string(got)))
		}
	}
}
