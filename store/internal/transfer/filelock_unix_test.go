//go:build unix && !solaris && !aix

package transfer

import (
	"path/filepath"
	"syscall"
	"testing"
)

// What was released can be taken, also while a program that is being started still has a
// copy of the open file.
func TestReleasedSpoolIsFree(t *testing.T) {
	t.Parallel()
	p := NewSurvivingSpool(t.TempDir(), "deleted-")
	if _, err := p.Write([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(); err != nil {
		t.Fatal(err)
	}
	path := p.Path()
	if _, ok, err := OpenSpool(path); ok || err != nil {
		t.Errorf("what is in use can be taken: %v %v", ok, err)
	}
	inherited, err := syscall.Dup(int(p.File.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited) //nolint:errcheck // the end of the test
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	q, ok, err := OpenSpool(path)
	if err != nil || !ok {
		t.Fatalf("%s is still in use: %v", filepath.Base(path), err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}
