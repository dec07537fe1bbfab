// Sbom writes the list of modules in a program, as its build information has them, as
// CycloneDX JSON:
//
//	go run ./internal/release/sbom BINARY OUT.json VERSION
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY OUT.json VERSION")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(binary, out, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read the build information of %s: %w", binary, err)
	}
	info.Main.Version = version
	text, err := json.MarshalIndent(materials(info), "", "  ")
	if err != nil {
		return fmt.Errorf("list the modules of %s: %w", binary, err)
	}
	if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("list the modules of %s: %w", binary, err)
	}
	return nil
}

// bill is a CycloneDX document.
type bill struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// materials lists the modules of a build.
func materials(info *debug.BuildInfo) bill {
	b := bill{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata:   metadata{componentOf("application", info.Main)},
		Components: []component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, componentOf("library", *m))
	}
	return b
}

// componentOf describes a module. Its hash is the one of go.sum, which is taken over
// the names and contents of all files.
func componentOf(kind string, m debug.Module) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path}
	if m.Version != "" {
		c.PURL += "@" + m.Version
	}
	sum, ok := strings.CutPrefix(m.Sum, "h1:")
	if raw, err := base64.StdEncoding.DecodeString(sum); ok && err == nil {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
	}
	return c
}
