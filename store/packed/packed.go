// Package packed unpacks the recorded databases of store/testdata. It is for
// tests only.
package packed

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"testing"
)

// Read gives what a file holds that gzip has packed.
func Read(t testing.TB, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(file, err)
	}
	data, err := io.ReadAll(z)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(file, err)
	}
	return data
}

// Unpack makes a file of one that gzip has packed, readable for its owner only.
func Unpack(t testing.TB, from, to string) {
	t.Helper()
	if err := os.WriteFile(to, Read(t, from), 0o600); err != nil {
		t.Fatal(err)
	}
}
