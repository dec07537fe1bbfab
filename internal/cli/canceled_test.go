package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
)

// An interrupted command says in plain words what is done and how to go on.
func TestCanceledCommandsSayWhatIsDone(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		args  string
		calls int // of the clock, after which the run is canceled; 0: while the input is read
		says  string
	}{
		{"doctor --full", 6, "stopped; a check changes nothing"},
		{"doctor --migrate --yes", 6, "stopped; the database is unchanged"},
		{"doctor --salvage " + filepath.Join(folder, "saved.db"), 4, "stopped; nothing was written, and the database is unchanged"},
		{"export " + filepath.Join(folder, "all.md"), 5, "stopped; nothing was written"},
		{"export - --format md", 5, "stopped; nothing was written"},
		{"import -", 0, "import the file again to continue: existing sessions are skipped"},
	} {
		db := fixtures.Database(t, "v07.db")
		ctx, cancel := context.WithCancel(t.Context())
		in := io.Reader(strings.NewReader(""))
		if c.calls == 0 {
			in = &cancelingReader{line: `{"id": "new", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "content": "one", "timestamp": 1.5}]}` + "\n", cancel: cancel}
		}
		calls := 0
		var out, errs bytes.Buffer
		code := Run(ctx, Process{
			Args: append([]string{"--db", db}, strings.Fields(c.args)...), Stdin: in, Stdout: &out, Stderr: &errs,
			Now: func() time.Time {
				if calls++; calls == c.calls {
					cancel()
				}
				return time.Unix(1_790_000_000, 0)
			},
		})
		cancel()
		if code != 130 || !strings.Contains(errs.String(), "hermes-sessions: stopped") || !strings.Contains(errs.String(), c.says) ||
			strings.Contains(errs.String(), "context canceled") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: %d, %q, %q", c.args, code, out.String(), errs.String())
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}

// cancelingReader gives the same line for ever, and cancels the run on the way.
type cancelingReader struct {
	line   string
	given  int
	cancel func()
}

func (r *cancelingReader) Read(p []byte) (int, error) {
	if r.given++; r.given == 300 {
		r.cancel()
	}
	return copy(p, strings.Replace(r.line, `"new"`, `"new`+strconv.Itoa(r.given)+`"`, 1)), nil
}
