package main

import (
	"runtime/debug"
	"slices"
	"testing"
)

// The list has the program, Go and every module, with the hash of go.sum.
func TestTheListHasEveryModule(t *testing.T) {
	b := materials(&debug.BuildInfo{
		GoVersion: "go1.26.0",
		Main:      debug.Module{Path: "example.com/me/hermes-sessions", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
			{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v2.0.0"}},
		},
	})
	if b.Metadata.Component.PURL != "pkg:golang/example.com/me/hermes-sessions@v1.2.3" {
		t.Errorf("%+v", b.Metadata)
	}
	var got []string
	for _, c := range b.Components {
		got = append(got, c.PURL)
	}
	want := []string{"pkg:golang/std@1.26.0", "pkg:golang/example.com/a@v1.0.0", "pkg:golang/example.com/c@v2.0.0"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if h := b.Components[1].Hashes; len(h) != 1 || h[0].Content != "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" {
		t.Errorf("%+v", h)
	}
}
