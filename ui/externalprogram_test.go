package ui

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// endsAtOnce is a program that cannot begin.
type endsAtOnce struct{ err error }

func (p endsAtOnce) Run() error        { return p.err }
func (endsAtOnce) SetStdin(io.Reader)  {}
func (endsAtOnce) SetStdout(io.Writer) {}
func (endsAtOnce) SetStderr(io.Writer) {}

// Who takes the screen and gives it back in the same moment leaves it dark for
// good, under load: no program may.
func TestAProgramThatEndsAtOnceKeepsTheScreenForAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, why := time.Now(), errors.New("no program")
		if err := (slowExec{endsAtOnce{why}}).Run(); !errors.Is(err, why) {
			t.Errorf("its error is %v", err)
		}
		if took := time.Since(began); took < leastTime {
			t.Errorf("the screen was back after %v", took)
		}
	})
}
