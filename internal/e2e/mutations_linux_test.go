package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// mutatedRuns is how many commands TestCommandsOnMutatedFiles runs.
var mutatedRuns = flag.Int("mutations", campaign.Length(4, 200), "commands to run on mutated files")

// What a command may take on a mutated file.
const (
	mutatedTime   = 10 * time.Second
	mutatedMemory = 200 << 10 // in kilobytes
)

// On a real file that was damaged at random every command ends in time and with little
// memory, its exit code is 0 or 1, and each line on standard error begins with the name
// of the program and has a remedy.
func TestCommandsOnMutatedFiles(t *testing.T) {
	t.Parallel()
	commands := []string{
		"list --all", "list --json", "search the", "search --json docker", "export -", "export - --format md", "stats", "stats --json",
		"doctor", "doctor --full --json", "doctor --salvage saved.db", "resume --print", "lineage --json 2026", "show 2026", "--plain",
	}
	names := fixtures.Names(t, "v*.db", 25)
	var longest time.Duration
	var most int64
	for n := range *mutatedRuns {
		seed := uint64(50_000 + n)
		name, args := names[n%len(names)], commands[n%len(commands)]
		path := fixtures.Database(t, name)
		what := name + ", " + fixtures.Mutate(t, path, seed) + ": " + args
		ctx, cancel := context.WithTimeout(t.Context(), mutatedTime)
		cmd := exec.CommandContext(ctx, program, append([]string{"--db", path}, strings.Fields(args)...)...)
		cmd.Dir, cmd.Env = filepath.Dir(path), environment(t)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if ctx.Err() != nil {
			t.Errorf("%s: does not end", what)
		}
		cancel()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != 0 && code != 1 || strings.Contains(stderr.String(), "goroutine ") {
			t.Errorf("%s: exit code %d\n%s", what, code, stderr.String())
		}
		for line := range strings.Lines(stderr.String()) {
			plain := strings.HasPrefix(line, "hermes-sessions: ") && strings.HasSuffix(line, ")\n") || strings.HasPrefix(line, "  ") // a command
			var object map[string]struct{ Kind, Message, Remedy string }                                                             // an error or a note
			if err := json.Unmarshal([]byte(line), &object); err == nil {
				for _, o := range object {
					plain = o.Kind != "" && o.Message != "" && o.Remedy != ""
				}
			}
			// A search reads around damage, and may find nothing in what is left: a note says that. What is
			// hidden is no damage.
			if line == "No matches. Try another word.\n" && strings.Contains(stderr.String(), "hermes-sessions: ") || strings.HasPrefix(line, "No matches here; ") {
				plain = true
			}
			if !plain {
				t.Errorf("%s: no prefix or no remedy: %q", what, line)
			}
		}
		used, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		// A process begins with the memory of the one that starts it.
		if own := (syscall.Rusage{}); used.Maxrss > mutatedMemory && syscall.Getrusage(syscall.RUSAGE_SELF, &own) == nil && used.Maxrss > own.Maxrss {
			t.Errorf("%s: %d MB", what, used.Maxrss>>10)
		}
		longest = max(longest, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		most = max(most, used.Maxrss)
	}
	t.Logf("trust: %d commands on mutated files, at most %v and %d MB, 0 hangs, 0 panics", *mutatedRuns, longest.Round(time.Millisecond), most>>10)
}
