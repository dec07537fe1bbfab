package cputime

import (
	"runtime"
	"testing"
	"time"
)

// A wait takes no CPU time, and work does.
func TestOnlyWorkTakesCPUTime(t *testing.T) {
	began := time.Now()
	worked := Of(func() {
		for time.Since(began) < 20*time.Millisecond {
		}
	})
	if worked <= 0 {
		t.Errorf("work took %v", worked)
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system counts no CPU time of threads")
	}
	took := time.Duration(0)
	waited := Of(func() {
		began := time.Now()
		time.Sleep(20 * time.Millisecond)
		took = time.Since(began)
	})
	if waited >= took {
		t.Errorf("a wait of %v took %v of CPU time", took, waited)
	}
}
