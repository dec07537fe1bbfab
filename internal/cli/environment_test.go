package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/ui/shell"
)

// broken is a stream that has been closed.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error)  { return 0, b.err }
func (b broken) Write([]byte) (int, error) { return 0, b.err }

// Closed streams, and an environment that says little or nonsense, stop no command
// without a line that says why.
func TestBadEnvironment(t *testing.T) {
	dir := home(t)
	closed := errors.New("file already closed")
	here := func(args ...string) []string { return append([]string{"--home", dir}, args...) }
	none := env.Vars{}
	for _, c := range []struct {
		what    string
		args    []string
		environ env.Vars
		in      io.Reader
		out     io.Writer
		code    int
		errs    string // on standard error, "" for nothing
	}{
		{"a reader that stops", here("list"), none, nil, broken{syscall.EPIPE}, 0, ""},
		{"closed output", here("list"), none, nil, broken{closed}, 1, "file already closed"},
		{"closed output, JSON", here("list", "--json"), none, nil, broken{closed}, 1, "file already closed"},
		{"closed input", here("import", "-"), none, broken{closed}, nil, 1, "file already closed"},
		{"closed input, question", here("delete", "second"), none, broken{closed}, nil, 2, "(use --yes)"},
		{"no input", here("delete", "second"), none, strings.NewReader(""), nil, 2, "(use --yes)"},
		{"no HOME", []string{"list"}, none, nil, nil, 1, "HOME"},
		{"no HOME, but a database", here("list"), none, nil, nil, 0, ""},
		{"HOME that is nothing", []string{"list"}, env.Vars{"HOME="}, nil, nil, 1, "HOME"},
		{"HOME that is not there", []string{"list"}, env.Vars{"HOME=/nonexistent"}, nil, nil, 1, "state.db"},
		{"a home that is a file", []string{"list", "--home", filepath.Join(dir, "state.db")}, none, nil, nil, 1, "is not a folder (--home DIR names a folder, --db FILE a database)"},
		{"no TERM", here("browse"), env.Vars{"HOME=" + dir}, nil, nil, 0, ""},
		{"odd TERM", here("browse"), env.Vars{"HOME=" + dir, "TERM=\xff"}, nil, nil, 0, ""},
		{"odd TZ and locale", here("list"), env.Vars{"TZ=No/Where", "LC_ALL=xx_YY.nosuch", "LANG="}, nil, nil, 0, ""},
		{"odd width", here("list"), env.Vars{"COLUMNS=-7", "LINES=many", "COLORFGBG=;;;"}, nil, nil, 0, ""},
	} {
		in, out := c.in, c.out
		var printed, errs bytes.Buffer
		if in == nil {
			in = strings.NewReader("")
		}
		if out == nil {
			out = &printed
		}
		code := Run(context.WithoutCancel(t.Context()), Process{
			Args: c.args, Environ: c.environ, Stdin: in, Stdout: out, Stderr: &errs, Now: func() time.Time { return time.Unix(1_790_000_000, 0) },
		})
		if code != c.code || !strings.Contains(errs.String(), c.errs) || (errs.Len() > 0) != isDiagnostic(errs.String()) || c.errs == "" && errs.Len() > 0 {
			t.Errorf("%s: %d, want %d: %q", c.what, code, c.code, errs.String())
		}
	}
}

// A settings file that cannot be used is named in one line, which says how to go on.
func TestBadSettingsFiles(t *testing.T) {
	dir := home(t)
	for _, c := range []struct {
		what, text string // no text: a folder
		code       int
		errs       string
	}{
		{"a folder", "", 2, "--config=none"},
		{"a byte order mark", "\ufefftheme = \"dark\"\n", 0, ""},
		{"a key twice", "theme = \"dark\"\ntheme = \"light\"\n", 2, "--config=none"},
		{"no TOML", "{]", 2, "--config=none"},
		{"not UTF-8", "theme = \"\xff\"\n", 2, "--config=none"},
		{"UTF-16", "\xff\xfet\x00h\x00", 2, "--config=none"},
		{"empty", "\n", 0, ""},
	} {
		folder := filepath.Join(t.TempDir(), "hermes-sessions")
		file := filepath.Join(folder, "config.toml")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		err := os.Mkdir(file, 0o700)
		if c.text != "" {
			err = errors.Join(os.Remove(file), os.WriteFile(file, []byte(c.text), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := Run(context.WithoutCancel(t.Context()), Process{
			Args: []string{"--home", dir, "browse"}, Environ: env.Vars{"XDG_CONFIG_HOME=" + filepath.Dir(folder), "APPDATA=" + filepath.Dir(folder)},
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Now: time.Now,
			Keys: func(string, bool, shell.Overrides, []shell.Binding) (shell.Keys, error) { return shell.Keys{}, nil },
		})
		if c.errs != "" { // list reads them for a named query
			var errs bytes.Buffer
			code := Run(context.WithoutCancel(t.Context()), Process{
				Args: []string{"--home", dir, "list", "@work"}, Environ: env.Vars{"XDG_CONFIG_HOME=" + filepath.Dir(folder), "APPDATA=" + filepath.Dir(folder)},
				Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Now: time.Now,
			})
			if code != 2 || !strings.Contains(errs.String(), "(correct it, or ignore it with --config=none)") || !isDiagnostic(errs.String()) || strings.Contains(errs.String(), "read "+file) {
				t.Errorf("%s, list: %d %q", c.what, code, errs.String())
			}
		}
		if code != c.code || !strings.Contains(errs.String(), c.errs) || c.errs != "" && !(isDiagnostic(errs.String()) && strings.Contains(errs.String(), "config.toml")) || c.errs == "" && errs.Len() > 0 {
			t.Errorf("%s: %d, want %d: %q", c.what, code, c.code, errs.String())
		}
	}
}
