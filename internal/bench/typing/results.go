package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// result is one thing that was found out; its Step says what.
type result struct {
	Step   string  `json:"step"`             // checked, differs, ready, timed, typed, canceled, raced, recorded or done
	Text   string  `json:"text,omitempty"`   // of the search line
	Kind   string  `json:"kind,omitempty"`   // of the key
	Length int     `json:"length,omitempty"` // of the key
	Word   int     `json:"word,omitempty"`   // of the key
	Digest string  `json:"digest,omitempty"` // of the answer
	Hits   int     `json:"hits,omitempty"`
	Wall   float64 `json:"wall,omitempty"` // milliseconds, all of them
	CPU    float64 `json:"cpu,omitempty"`  // of the process
	Thread float64 `json:"thread,omitempty"`

	Close       float64 `json:"close,omitempty"` // of the second question, for the closest conversations
	CloseCPU    float64 `json:"close_cpu,omitempty"`
	CloseThread float64 `json:"close_thread,omitempty"`

	Theirs float64 `json:"theirs,omitempty"`
	Open   float64 `json:"open,omitempty"`
	Memory float64 `json:"memory,omitempty"` // megabytes resident
	Peak   float64 `json:"peak,omitempty"`
	Load   string  `json:"load,omitempty"` // of the machine, where it says so
	Note   string  `json:"note,omitempty"`
}

// results are the lines of a file, one for each.
type results struct {
	file *os.File
	path string
	all  []result
}

// openResults opens what this program found out about this file.
func openResults(o options, path string) (*results, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := copyFile(sum, program); err != nil {
		return nil, fmt.Errorf("know this program again: %w", err)
	}
	// compare may change between two runs: comparisons that were made stay.
	fmt.Fprintf(sum, "%s %d %d %d %d", path, info.Size(), info.ModTime().UnixNano(), o.words, o.seed)
	if err := os.MkdirAll(o.cache, 0o755); err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(path), ".db")
	r := &results{path: filepath.Join(o.cache, fmt.Sprintf("%s-%x.jsonl", base, sum.Sum(nil)[:6]))}
	if r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, err
	}
	return r, r.reload()
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// reload reads what is in the file. A line that an interruption cut off says
// nothing.
func (r *results) reload() error {
	f, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer f.Close()
	r.all = nil
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			if line == "" {
				return nil
			}
			_, err = r.file.WriteString("\n") // so that the next line starts afresh
			return err
		}
		if err != nil {
			return err
		}
		var one result
		if json.Unmarshal([]byte(line), &one) == nil {
			r.all = append(r.all, one)
		}
	}
}

// add writes results at once: after an interruption all of them are there, or
// none.
func (r *results) add(some ...result) error {
	var lines []byte
	for _, one := range some {
		b, err := json.Marshal(one)
		if err != nil {
			return err
		}
		lines = append(append(lines, b...), '\n')
	}
	r.all = append(r.all, some...)
	_, err := r.file.Write(lines)
	return err
}

func (r *results) close() error { return r.file.Close() }

func (r *results) of(step string) (out []result) {
	for _, one := range r.all {
		if one.Step == step {
			out = append(out, one)
		}
	}
	return out
}

// done reports whether a step was ended before, and end says that it is.
func (r *results) done(step string) bool {
	for _, one := range r.of("done") {
		if one.Text == step {
			return true
		}
	}
	return false
}

func (r *results) end(step string) error { return r.add(result{Step: "done", Text: step}) }
