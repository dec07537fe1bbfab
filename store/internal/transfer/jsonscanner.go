package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"hermes-sessions/model/pyjson"
)

// scanLine reads the JSON object of one session. It calls field with each field
// except the messages, and message with each of these, one at a time.
func scanLine(r io.Reader, field func(string, any), message func(pyjson.Object) error) error {
	sc := &jsonScanner{in: bufio.NewReaderSize(r, 64<<10)}
	if err := sc.expect('{'); err != nil {
		return err
	}
	seen := false
	for first := true; ; first = false {
		c, err := sc.peek()
		if err != nil {
			return err
		}
		if c == '}' && first {
			break
		}
		name, err := sc.value()
		if err != nil {
			return err
		}
		key, ok := name.(string)
		if !ok {
			return errors.New("not a JSON object")
		}
		if err := sc.expect(':'); err != nil {
			return err
		}
		if c, err = sc.peek(); err != nil {
			return err
		}
		if key == "messages" && c == '[' {
			if seen {
				return errors.New("messages twice")
			}
			seen = true
			if err := sc.messages(message); err != nil {
				return err
			}
		} else {
			v, err := sc.value()
			if err != nil {
				return err
			}
			if key == "messages" && v != nil {
				return errors.New("messages is not a list")
			}
			field(key, v)
		}
		if c, err = sc.peek(); err != nil {
			return err
		}
		if c == '}' {
			break
		}
		if err := sc.expect(','); err != nil {
			return err
		}
	}
	if err := sc.expect('}'); err != nil {
		return err
	}
	if _, err := sc.peek(); err != errCutOff { //nolint:errorlint // peek returns it bare
		return errors.New("more than one JSON value in a line")
	}
	return nil
}

// errCutOff is the error of a line that ends inside a JSON value.
var errCutOff = errors.New("the line is cut off")

// jsonScanner reads JSON value by value, so that a line of any length is never in
// memory as a whole.
type jsonScanner struct {
	in  *bufio.Reader
	raw []byte // the text of one value
}

// peek returns the next byte that is no white space, without taking it.
func (sc *jsonScanner) peek() (byte, error) {
	for {
		c, err := sc.in.ReadByte()
		if err == io.EOF {
			return 0, errCutOff
		}
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c, sc.in.UnreadByte()
	}
}

// expect reads the next byte that is no white space, which must be this one.
func (sc *jsonScanner) expect(want byte) error {
	c, err := sc.peek()
	if err != nil {
		return err
	}
	if c != want {
		return fmt.Errorf("not JSON: %q where %q should be", c, want)
	}
	_, err = sc.in.ReadByte()
	return err
}

// messages reads a list of objects and calls each with every one.
func (sc *jsonScanner) messages(each func(pyjson.Object) error) error {
	if err := sc.expect('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := sc.peek()
		if err != nil {
			return err
		}
		if c == ']' && first {
			break
		}
		v, err := sc.value()
		if err != nil {
			return err
		}
		m, ok := v.(pyjson.Object)
		if !ok {
			return errors.New("a message that is not a JSON object")
		}
		if err := each(m); err != nil {
			return err
		}
		if c, err = sc.peek(); err != nil {
			return err
		}
		if c == ']' {
			break
		}
		if err := sc.expect(','); err != nil {
			return err
		}
	}
	return sc.expect(']')
}

func (sc *jsonScanner) value() (any, error) {
	if _, err := sc.peek(); err != nil {
		return nil, err
	}
	sc.raw = sc.raw[:0]
	depth := 0
	var inString, escaped bool
	for {
		c, err := sc.in.ReadByte()
		if err == io.EOF {
			if depth > 0 || inString {
				return nil, errCutOff
			}
			break
		}
		if err != nil {
			return nil, err
		}
		if len(sc.raw) >= largestValue {
			return nil, fmt.Errorf("a value of more than %d MB", largestValue>>20)
		}
		if !inString && depth == 0 && len(sc.raw) > 0 && strings.IndexByte(",:]} \t\r\n", c) >= 0 {
			if err := sc.in.UnreadByte(); err != nil {
				return nil, err
			}
			break
		}
		sc.raw = append(sc.raw, c)
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth < 0 {
			return nil, errors.New("not JSON")
		}
		if !inString && depth == 0 && strings.IndexByte(`"]}`, c) >= 0 {
			break
		}
	}
	v, err := pyjson.Parse(string(sc.raw))
	if cap(sc.raw) > 1<<20 {
		sc.raw = nil
	}
	return v, err
}
