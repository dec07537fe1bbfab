//go:build unix

package federation

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/faultvfs"
)

// Where the drive of one database hangs while it is open, the others are listed without
// it, and it joins again when the drive answers.
func TestADriveThatHangs(t *testing.T) {
	faultvfs.Register()
	drive := t.TempDir()
	near, far := filepath.Join(t.TempDir(), "near.db"), filepath.Join(drive, "far.db")
	fixtures.Unpack(t, "v11.db", near)
	fixtures.Unpack(t, "v25.db", far)
	disk, err := faultvfs.Watch(drive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(disk.End)
	f, err := Open(t.Context(), []Member{opener("near", near), opener("far", far)}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	listed := func() (near, far int) {
		page, err := f.Conversations(t.Context(), query.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Conversations {
			if c.Profile == "far" {
				far++
			} else {
				near++
			}
		}
		return near, far
	}
	allNear, allFar := listed()
	if allNear == 0 || allFar == 0 {
		t.Fatal(allNear, allFar)
	}

	answers := make(chan struct{})
	disk.StopAt(1, func() { <-answers })
	f.patience = 200 * time.Millisecond
	for n, m := listed(); n != allNear; n, m = listed() { // the machine may be as slow
		if m != 0 {
			t.Fatalf("%d conversations of a drive that hangs", m)
		}
	}
	if notes := f.Notes(); len(notes) == 0 || !strings.HasPrefix(notes[len(notes)-1].Message, "far does not answer") {
		t.Errorf("notes %+v", notes)
	}
	close(answers)
	for n, m := listed(); n != allNear || m != allFar; n, m = listed() {
		if _, err := f.DataVersion(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
