package e2e

import (
	"bytes"
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
	cpu            time.Duration // CPU time that the process took
}

// ended runs a command to its end, or ends it when the test has no time left.
func ended(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	late, stop := deadline(t)
	defer stop()
	select {
	case err := <-exited:
		return err
	case <-late:
		_ = cmd.Process.Kill()
		<-exited
		t.Fatalf("%q does not end", cmd.Args)
		return nil
	}
}

// run runs the program without a terminal, in an empty home.
func run(t *testing.T, args ...string) result {
	t.Helper()
	return runIn(t, environment(t), args...)
}

func runIn(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = environ
	cmd.Dir = t.TempDir()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := ended(t, cmd)
	r := result{stdout: stdout.String(), stderr: stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
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
