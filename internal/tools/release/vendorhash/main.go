// Vendorhash writes the hash of vendored modules into a Nix description, where Nix
// expects it to build the program from source:
//
//	go mod vendor -o FOLDER && go run -C internal/tools ./release/vendorhash FOLDER flake.nix
//
// It is the SHA-256 of the folder as a Nix archive (NAR).
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: vendorhash FOLDER FILE.nix")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "vendorhash:", err)
		os.Exit(1)
	}
}

// recorded matches the hash in a Nix description.
var recorded = regexp.MustCompile(`vendorHash = "[^"]*"`)

// write writes the hash of a folder into a Nix description.
func write(folder, description string) error {
	hash, err := hashOf(folder)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(description)
	if err != nil {
		return err
	}
	if !recorded.Match(text) {
		return fmt.Errorf("%s has no vendorHash", description)
	}
	text = recorded.ReplaceAll(text, []byte(`vendorHash = "`+hash+`"`))
	return os.WriteFile(description, text, 0o644)
}

// hashOf returns the hash of a folder, as Nix writes it.
func hashOf(folder string) (string, error) {
	h := sha256.New()
	writeStrings(h, "nix-archive-1")
	if err := writeNode(h, folder); err != nil {
		return "", err
	}
	return "sha256-" + base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}

// writeStrings writes each text as its length and its bytes, padded to a multiple of eight.
func writeStrings(w io.Writer, texts ...string) {
	for _, s := range texts {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
		_, _ = w.Write(length[:]) // a hash never fails
		_, _ = io.WriteString(w, s)
		_, _ = w.Write(make([]byte, (8-len(s)%8)%8))
	}
}

// writeNode writes a file, or a folder with all that is in it.
func writeNode(w io.Writer, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	writeStrings(w, "(", "type")
	switch {
	case info.IsDir():
		writeStrings(w, "directory")
		entries, err := os.ReadDir(path) // by name, as Nix has them
		if err != nil {
			return err
		}
		for _, e := range entries {
			writeStrings(w, "entry", "(", "name", e.Name(), "node")
			if err := writeNode(w, filepath.Join(path, e.Name())); err != nil {
				return err
			}
			writeStrings(w, ")")
		}
	case info.Mode().IsRegular():
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		writeStrings(w, "regular")
		if info.Mode()&0o100 != 0 {
			writeStrings(w, "executable", "")
		}
		writeStrings(w, "contents", string(text))
	default:
		return fmt.Errorf("%s is neither a file nor a folder", path)
	}
	writeStrings(w, ")")
	return nil
}
