package transcriptfiles

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// checkEvery is how many messages are read between two looks at the context.
const checkEvery = 1 << 10

// maxMessage is how many bytes one message may have, or another value of a session. A test
// lowers it.
var maxMessage = 64 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

// file is one transcript file.
type file struct{ name, path string }

// lines reports whether the file has one message a line; otherwise it is one object.
func (f file) lines() bool { return strings.HasSuffix(f.name, ".jsonl") }

// entry is a message as a file has it, or what stands in its place.
type entry struct {
	line int
	at   int64  // where it begins
	size int    // bytes
	text []byte // valid until the next entry; nil where it is too long to be read
	err  error  // why it is no message
}

// Broken says what is wrong at a line of a file.
type Broken struct {
	File string
	Line int
	Err  error
}

// Error names the file and the line.
func (b Broken) Error() string { return fmt.Sprintf("%s, line %d: %v", b.File, b.Line, b.Err) }

// errStop ends a walk.
var errStop = errors.New("enough")

// errNoTranscript is for a JSON file without messages.
var errNoTranscript = errors.New("no messages in it")

// walk reads a file from its beginning. It calls field with each field of a session, as
// stored, and each with every message until that returns [errStop]. A broken line, and the
// place where an object is cut off, are entries with an error; what follows a broken line is
// read.
func (f file) walk(ctx context.Context, field func(name string, value []byte), each func(entry) error) error {
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	s := &scanner{in: bufio.NewReaderSize(in, 64<<10), line: 1}
	n := 0
	checked := func(e entry) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return each(e)
	}
	if f.lines() {
		err = s.eachLine(checked)
	} else {
		err = s.object(field, checked)
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// scanner reads a file value by value.
type scanner struct {
	in   *bufio.Reader
	at   int64 // of the next byte
	line int
	raw  []byte
}

// eachLine reads one value a line. White space alone is none.
func (s *scanner) eachLine(each func(entry) error) error {
	for ended := false; !ended; s.line++ {
		e := entry{line: s.line, at: s.at}
		s.raw = s.raw[:0]
		for {
			part, err := s.in.ReadSlice('\n')
			s.at += int64(len(part))
			if e.size += len(part); e.size <= maxMessage {
				s.raw = append(s.raw, part...)
			}
			if err == bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
				continue
			}
			if ended = err == io.EOF; err != nil && !ended { //nolint:errorlint // bufio returns it bare
				return err
			}
			break
		}
		e.text = bytes.TrimSpace(bytes.TrimPrefix(s.raw, byteOrderMark))
		switch {
		case e.size > maxMessage:
			e.text, e.err = nil, tooLong()
		case len(e.text) == 0:
			continue
		}
		if err := each(e); err != nil {
			return err
		}
		s.release()
	}
	return nil
}

func tooLong() error { return fmt.Errorf("longer than %s", model.ByteSize(int64(maxMessage))) }

// release gives the memory of a long value back.
func (s *scanner) release() {
	if cap(s.raw) > 1<<20 {
		s.raw = nil
	}
}

// object reads a session with its messages.
func (s *scanner) object(field func(string, []byte), each func(entry) error) error {
	if c, err := s.peek(); err != nil || c != '{' {
		return errNoTranscript
	}
	found, complete := false, false
	for {
		c, err := s.next() // the brace, or the comma behind a field
		if complete = err == nil && c == '}'; err != nil || c != '{' && c != ',' {
			break
		}
		if s.value().err != nil {
			break
		}
		name := pyjson.String(string(s.raw), len(s.raw))
		if c, err := s.next(); err != nil || c != ':' {
			break
		}
		if c, err = s.peek(); name == "messages" && err == nil && c == '[' {
			found = true
			if whole, err := s.messages(each); err != nil || !whole {
				return err
			}
			continue
		}
		v := s.value()
		if v.err != nil && v.size <= maxMessage {
			break
		}
		field(name, v.text)
	}
	switch {
	case found:
		return nil
	case complete:
		return errNoTranscript
	}
	return errors.New("the file is cut off before its messages")
}

// messages reads the list of messages. whole is false where it is cut off, which is an entry.
func (s *scanner) messages(each func(entry) error) (whole bool, err error) {
	cut := func(why string) error { return each(entry{line: s.line, at: s.at, err: errors.New(why)}) }
	for {
		c, err := s.next() // the bracket, or the comma behind a message
		switch {
		case err != nil:
			return false, cut("the file is cut off here")
		case c == ']':
			return true, nil
		case c != '[' && c != ',':
			return false, cut("not JSON from here on")
		}
		if c, err := s.peek(); err == nil && c == ']' {
			continue
		}
		e := s.value()
		if err := each(e); err != nil {
			return false, err
		}
		if e.err != nil && e.size <= maxMessage {
			return false, nil
		}
		s.release()
	}
}

// byte reads the next byte.
func (s *scanner) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if err == nil {
		s.at++
		if c == '\n' {
			s.line++
		}
	}
	return c, err
}

// peek returns the next byte that is no white space, without taking it.
func (s *scanner) peek() (byte, error) {
	for {
		c, err := s.in.Peek(1)
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n", c[0]) < 0 {
			return c[0], nil
		}
		if _, err := s.byte(); err != nil {
			return 0, err
		}
	}
}

// next takes the next byte that is no white space.
func (s *scanner) next() (byte, error) {
	if _, err := s.peek(); err != nil {
		return 0, err
	}
	return s.byte()
}

// value reads one JSON value, by its brackets and quotation marks.
func (s *scanner) value() (e entry) {
	if _, err := s.peek(); err != nil {
		return entry{line: s.line, at: s.at, err: errors.New("the file is cut off here")}
	}
	e = entry{line: s.line, at: s.at}
	s.raw = s.raw[:0]
	depth := 0
	var inString, escaped bool
	for {
		next, err := s.in.Peek(1)
		if err != nil && (depth > 0 || inString) {
			e.err = errors.New("the file is cut off here")
		}
		if err != nil || !inString && depth == 0 && e.size > 0 && strings.IndexByte(",:]} \t\r\n", next[0]) >= 0 {
			break
		}
		c, _ := s.byte() // it was peeked at
		if e.size++; e.size <= maxMessage {
			s.raw = append(s.raw, c)
		}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if !inString && depth <= 0 && strings.IndexByte(`"]}`, c) >= 0 {
			break
		}
	}
	switch {
	case e.size > maxMessage:
		e.err = tooLong()
	case e.err == nil:
		e.text = s.raw
	}
	return e
}

// parse returns the message of an entry. What is no object is its content, as Hermes writes
// a message that is none.
func (e entry) parse() (pyjson.Object, error) {
	if e.err != nil {
		return nil, e.err
	}
	v, err := pyjson.Parse(string(e.text))
	if err != nil {
		return nil, err
	}
	if o, ok := v.(pyjson.Object); ok {
		return o, nil
	}
	return pyjson.Object{{Name: "content", Value: v}}, nil
}

// timeOf reads a time of a file: seconds since the epoch, or text as Python's isoformat
// writes it, which without a zone is local time.
func timeOf(v any) time.Time {
	switch v := v.(type) {
	case pyjson.Int:
		return db.AsTime(string(v))
	case float64:
		return db.AsTime(v)
	case string:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
			if at, err := time.ParseInLocation(layout, v, time.Local); err == nil {
				return at
			}
		}
		return db.AsTime(v)
	}
	return time.Time{}
}
