//go:build unix

package output

import (
	"io"
	"os"
	"testing"

	"github.com/charmbracelet/x/xpty"
)

// A terminal that no longer exists ends the run, and one that exists does not.
func TestWhileThere(t *testing.T) {
	t.Parallel()
	p, err := xpty.NewUnixPty(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := Terminal{Out: p.Slave()}.WhileThere(t.Context())
	defer cancel()
	if ctx.Err() != nil {
		t.Fatal("canceled while the terminal exists")
	}
	if err := p.Master().Close(); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done() // or the test does not end
}

// A pipe whose reader has ended is unread.
func TestUnread(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if Unread(w) || Unread(nil) || Unread(io.Discard) {
		t.Error("unread while it can be read")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if !Unread(w) {
		t.Error("not unread after its reader has ended")
	}
}
