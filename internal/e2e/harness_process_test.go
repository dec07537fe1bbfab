package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// result is what a run without a terminal gave.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// run runs the program without a terminal, in an empty home.
func run(t *testing.T, args ...string) result {
	t.Helper()
	return runIn(t, environment(t), args...)
}

func runIn(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = environ
	cmd.Dir = t.TempDir()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	err := cmd.Run()
	r := result{stdout: stdout.String(), stderr: stderr.String(), took: time.Since(begun)}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return r
}

// ask runs a command for its JSON.
func ask(t *testing.T, into any, args ...string) {
	t.Helper()
	r := run(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil && r.code != 1 {
		t.Fatalf("%q: %v\n%s%s", args, err, r.stdout, r.stderr)
	}
}
