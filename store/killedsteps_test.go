//go:build unix

package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/faultvfs"
)

// killedStep is the step of the file system before which the child kills itself, 0 for none.
const killedStep = "STORE_TEST_KILLED_STEP"

// killedMessages is how many messages the conversation has. With their text they are more
// than one transaction removes.
const killedMessages = 100

// The process that TestKillAtEveryStep kills.
func TestKilledAtAStepChild(t *testing.T) {
	step, err := strconv.Atoi(os.Getenv(killedStep))
	if err != nil {
		t.Skip("runs inside TestKillAtEveryStep")
	}
	faultvfs.Register()
	file, backup := os.Getenv(killedFile), os.Getenv(killedWith)
	disk, err := faultvfs.Watch(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	does, opts, o := os.Getenv(killedDoes), []Option{WithClock(clock)}, model.DeleteOptions{Backup: backup}
	if strings.HasSuffix(does, "undoable") {
		opts, o = append(opts, WithUndoFolder(backup)), model.DeleteOptions{}
	}
	s, err := Open(ctx, file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	remove := func() model.Undo {
		u, err := s.Delete(ctx, []string{"kill"}, o)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	do := func() { remove() }
	if strings.HasPrefix(does, "restore") {
		u := remove()
		do = func() {
			if err := s.Restore(ctx, u, model.RestoreOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	disk.StopAt(step, func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until it arrives
	})
	do()
	fmt.Println("steps", disk.StepCount())
	fmt.Println("changes", strings.Trim(fmt.Sprint(disk.Steps(faultvfs.PowerCut)), "[]"))
	fmt.Println("writes", strings.Trim(fmt.Sprint(disk.Steps(faultvfs.DiskFull)), "[]"))
}

// stepsToKill returns the steps before which a child is killed in a campaign, of the output of
// one that was not: with -faults all, else those that leave another state behind. A file
// changes only by writes, removals and the like. Between two others, one write more or less
// differs by a page at most: of such a run it gives the first, the last, and every sixth
// from some on.
func stepsToKill(t *testing.T, out string) (steps []int) {
	t.Helper()
	numbers := func(name string) (all []int) {
		_, after, _ := strings.Cut(out, "\n"+name+" ")
		line, _, _ := strings.Cut(after, "\n")
		for _, word := range strings.Fields(line) {
			n, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
		}
		return all
	}
	if *allFaults {
		for step := 1; step <= numbers("steps")[0]; step++ {
			steps = append(steps, step)
		}
		return steps
	}
	changes, writes := numbers("changes"), numbers("writes")
	in := 0 // the run
	for i, step := range changes {
		write := slices.Contains(writes, step)
		last := i+1 == len(changes) || !slices.Contains(writes, changes[i+1])
		if in++; !write {
			in = rand.IntN(6)
		}
		if first := i == 0 || !slices.Contains(writes, changes[i-1]); !write || first || last || in%6 == 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// A process that is killed before a step of a delete or of a restore leaves a sound
// database; what it has removed, or not yet restored, is in the backup, or in the file of
// the undo, which the next process finishes.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	whole, _ := toBeKilled(t, killedMessages)
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	db := otherConnection(t, path)
	Must(t, db, `PRAGMA journal_mode = delete`, `UPDATE messages SET content = content || replace(hex(zeroblob(800)), '00', ' ab') WHERE session_id = 'kill'`)
	before := dump(t, db)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, does := range someOf([]string{"delete, undoable", "delete", "restore", "restore, undoable"}, 2) {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			out, _ := killedAt(t, does, whole, before, 0)
			steps := stepsToKill(t, out)
			tried := steps
			if !campaign.On() {
				tried = []int{steps[rand.IntN(len(steps))]}
			}
			parts := 0
			for _, step := range tried {
				if _, part := killedAt(t, does, whole, before, step); part {
					parts++
				}
			}
			t.Logf("trust: %d kills before the steps of a %s of %d messages: %d left a part, which was completed; 0 rows lost", len(tried), does, killedMessages, parts)
		})
	}
}

// killedAt kills a child before a step, 0 for none, and takes back what it did. It gives what
// the child printed, and whether a part of the conversation was left.
func killedAt(t *testing.T, does string, whole []byte, before []string, step int) (printed string, part bool) {
	t.Helper()
	dir, err := os.MkdirTemp("", "killed")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, backup := filepath.Join(dir, "state.db"), filepath.Join(dir, "backup.jsonl")
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := child(t.Context(), "TestKilledAtAStepChild", killedDoes+"="+does, killedFile+"="+file, killedWith+"="+backup, killedStep+"="+strconv.Itoa(step)).CombinedOutput()
	if err != nil && (step == 0 || strings.Contains(string(out), "FAIL")) {
		t.Fatalf("%s: %v\n%s", does, err, out)
	}
	s, err := Open(t.Context(), file, WithClock(clock), WithUndoFolder(backup))
	if err != nil {
		t.Fatal(err)
	}
	left := see(t, s.db.Pool).messages["kill"]
	if strings.HasSuffix(does, "undoable") {
		undos, err := s.InterruptedUndos(t.Context())
		if err != nil || len(undos) > 1 {
			t.Error(undos, err)
		}
		for _, u := range undos {
			if err := s.FinishUndo(t.Context(), u, model.RestoreOptions{}); err != nil {
				t.Error(err)
			}
		}
		if names := spooled(t, backup); len(names) > 0 {
			t.Errorf("%s, step %d: %q is left", does, step, names)
		}
	} else if b, err := os.ReadFile(backup); err == nil && len(b) > 0 {
		// The last line may be half a line where nothing was removed yet.
		if _, err := s.Import(t.Context(), strings.NewReader(string(b)), model.ImportOptions{}); err != nil {
			t.Error(err)
		}
	}
	if now := dump(t, s.db.Pool); !slices.Equal(now, before) {
		same(t, fmt.Sprint(does, ", step ", step), before, now)
	}
	if step%20 == 0 {
		indexed(t, s.db.Pool, true)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return "\n" + string(out), left > 0 && left < killedMessages
}
