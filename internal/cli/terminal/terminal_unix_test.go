//go:build unix

package terminal

import (
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
