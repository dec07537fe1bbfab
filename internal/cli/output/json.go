package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"
	"unicode/utf8"

	"hermes-sessions/ui/kit"
)

// JSON writes a value as indented JSON. Strings have their raw values; see
// [Escaping] for the characters that are escaped.
func (w *Writer) JSON(v any) error {
	if err := indented(Escaping(w.Writer), "").Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// indented returns an encoder that indents, by a margin and two spaces for each level.
func indented(w io.Writer, margin string) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent(margin, "  ")
	return enc
}

// JSONStream writes what [Writer.JSON] would write of an answer with these items in its list,
// which is empty, one item after the other. An item comes with the error of reading it.
func (w *Writer) JSONStream(answer any, items iter.Seq2[any, error]) error {
	var frame bytes.Buffer
	if err := indented(&frame, "").Encode(answer); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	head, tail, _ := bytes.Cut(frame.Bytes(), []byte("[]"))
	out := Escaping(w.Writer)
	enc, first := indented(trimmed{out}, "    "), true
	for item, err := range items {
		if err != nil {
			return err
		}
		before := ",\n    "
		if first {
			before, first = string(head)+"[\n    ", false
		}
		if _, err = io.WriteString(out, before); err == nil {
			err = enc.Encode(item)
		}
		if err != nil {
			return fmt.Errorf("write JSON: %w", err)
		}
	}
	end := "\n  ]" + string(tail)
	if first {
		end = frame.String()
	}
	if _, err := io.WriteString(out, end); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// trimmed leaves out the line break at the end of each value.
type trimmed struct{ w io.Writer }

func (t trimmed) Write(p []byte) (int, error) {
	_, err := t.w.Write(bytes.TrimSuffix(p, []byte("\n")))
	return len(p), err
}

// JSONLine writes a value as JSON on one line.
func (w *Writer) JSONLine(v any) error {
	enc := json.NewEncoder(Escaping(w.Writer))
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// Escaping returns a writer for JSON that escapes the characters that a terminal
// could obey or that change the direction of text. JSON has them only inside
// strings, where \u001b and the character mean the same. A character that a call of Write
// ends in is written by the next one: JSON never ends with such a part.
func Escaping(w io.Writer) io.Writer { return &escaping{w: w} }

type escaping struct {
	w    io.Writer
	part []byte       // of a character
	out  bytes.Buffer // what is written, whose memory the next call uses again
}

func (e *escaping) Write(p []byte) (int, error) {
	n := len(p)
	if len(e.part) > 0 {
		p = append(e.part, p...)
		e.part = nil
	}
	e.out.Reset()
	e.out.Grow(len(p) + len(p)/16)
	for i := 0; i < len(p); {
		if !utf8.FullRune(p[i:]) {
			e.part = bytes.Clone(p[i:])
			break
		}
		r, size := utf8.DecodeRune(p[i:])
		if r == 0x7f || r >= 0x80 && r < 0xa0 || kit.IsBidiControl(r) {
			fmt.Fprintf(&e.out, `\u%04x`, r)
		} else {
			e.out.Write(p[i : i+size])
		}
		i += size
	}
	if _, err := e.w.Write(e.out.Bytes()); err != nil {
		return 0, err
	}
	return n, nil
}

// Seconds returns a time as the database stores it, in seconds since 1970; nil,
// which is JSON's null, for the zero time.
func Seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	// The nanoseconds make the same float again that the time was read from.
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9
}

// OrNull returns a value for JSON, null for the zero value.
func OrNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// List returns a slice for JSON, which is [] and not null when it is empty.
func List[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}
