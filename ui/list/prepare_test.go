package list

import (
	"testing"

	"hermes-sessions/ui/uitest"
)

// The first look at the version, when it comes after the first answer, is no
// write of another process: nothing is read or asked twice.
func TestTheFirstVersionIsNoChange(t *testing.T) {
	lib := &uitest.Fake{Version: 1}
	l := open(t, lib)
	l.preparation = preparation{begun: true} // before the version was known
	l.Update(readVersion(t.Context(), lib)())
	if l.Version() == 0 {
		t.Fatal("the version was not read")
	}
	if cmd := l.prepare(); cmd != nil || l.preparation.again {
		t.Error("it reads ahead once more")
	}
}
