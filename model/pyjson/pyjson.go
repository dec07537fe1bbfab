// Package pyjson reads and writes JSON as Python does, so that what is written into the
// database or an export has the bytes that Hermes would write: the order of keys, integers
// of any size and the spelling of floats are kept (store/README.md#stored-json).
//
//	pyjson.go          values: parse, append
//	scan.go            fields and elements of stored JSON, without decoding the rest
//	unicodeescapes.go  the \uXXXX escapes of text that is searched
package pyjson

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Object is a JSON object in the order in which it was written. A name occurs
// once; a repeated one keeps its first place and its last value, as in Python.
type Object []Field

// Field is one entry of an [Object].
type Field struct {
	Name  string
	Value any
}

// Get returns the value of a name, nil if there is none.
func (o Object) Get(name string) any {
	for _, f := range o {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// MarshalJSON writes the object for encoding/json, which then removes the
// spaces. Numbers that JSON does not have become null; [Append] keeps them.
func (o Object) MarshalJSON() ([]byte, error) {
	return Append(nil, NullNonFinite(o)), nil
}

// NullNonFinite returns a value with null in place of NaN and the infinities.
func NullNonFinite(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = NullNonFinite(e)
		}
		return out
	case Object:
		out := make(Object, len(v))
		for i, f := range v {
			out[i] = Field{f.Name, NullNonFinite(f.Value)}
		}
		return out
	}
	return v
}

// Int is an integer of any size, in decimal.
type Int string

// maxDepth keeps a hostile text from exhausting the stack.
const maxDepth = 500

var errSyntax = errors.New("not JSON")

// Parse reads what Python's json.loads reads, NaN and the infinities
// included: [Object], []any, string, [Int], float64, bool or nil. Halves of
// surrogate pairs that stand alone become U+FFFD.
func Parse(s string) (any, error) {
	p := parser{text: s}
	p.skipSpace()
	v, err := p.parseValue(0)
	if err != nil {
		return nil, err
	}
	p.skipSpace()
	if p.pos != len(s) {
		return nil, errSyntax
	}
	return v, nil
}

type parser struct {
	text string
	pos  int
}

func (p *parser) skipSpace() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// accept skips a byte if it comes next.
func (p *parser) accept(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) parseValue(depth int) (any, error) {
	if depth > maxDepth || p.pos >= len(p.text) {
		return nil, errSyntax
	}
	switch p.text[p.pos] {
	case '{':
		return p.parseObject(depth)
	case '[':
		return p.parseArray(depth)
	case '"':
		return p.parseString()
	}
	for _, w := range [...]struct {
		word  string
		value any
	}{
		{"null", nil},
		{"true", true},
		{"false", false},
		{"NaN", math.NaN()},
		{"Infinity", math.Inf(1)},
		{"-Infinity", math.Inf(-1)},
	} {
		if strings.HasPrefix(p.text[p.pos:], w.word) {
			p.pos += len(w.word)
			return w.value, nil
		}
	}
	return p.parseNumber()
}

func (p *parser) parseObject(depth int) (any, error) {
	p.pos++
	o := Object{}
	at := map[string]int{}
	p.skipSpace()
	if p.accept('}') {
		return o, nil
	}
	for {
		p.skipSpace()
		if p.pos >= len(p.text) || p.text[p.pos] != '"' {
			return nil, errSyntax
		}
		name, err := p.parseString()
		if err != nil {
			return nil, err
		}
		p.skipSpace()
		if !p.accept(':') {
			return nil, errSyntax
		}
		p.skipSpace()
		v, err := p.parseValue(depth + 1)
		if err != nil {
			return nil, err
		}
		if i, ok := at[name]; ok {
			o[i].Value = v
		} else {
			at[name] = len(o)
			o = append(o, Field{name, v})
		}
		p.skipSpace()
		if p.accept('}') {
			return o, nil
		}
		if !p.accept(',') {
			return nil, errSyntax
		}
	}
}

func (p *parser) parseArray(depth int) (any, error) {
	p.pos++
	a := []any{}
	p.skipSpace()
	if p.accept(']') {
		return a, nil
	}
	for {
		p.skipSpace()
		v, err := p.parseValue(depth + 1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
		p.skipSpace()
		if p.accept(']') {
			return a, nil
		}
		if !p.accept(',') {
			return nil, errSyntax
		}
	}
}

func (p *parser) parseString() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.text) && p.text[p.pos] != '"' && p.text[p.pos] != '\\' && p.text[p.pos] >= 0x20 {
		p.pos++
	}
	if p.accept('"') {
		return p.text[start : p.pos-1], nil
	}
	var b strings.Builder
	b.Grow(closingQuote(p.text[p.pos:]) + p.pos - start)
	b.WriteString(p.text[start:p.pos])
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == '"':
			return b.String(), nil
		case c < 0x20:
			return "", errSyntax
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if p.pos >= len(p.text) {
			return "", errSyntax
		}
		c = p.text[p.pos]
		p.pos++
		switch c {
		case '"', '\\', '/':
			b.WriteByte(c)
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, ok := p.parseHex()
			if !ok {
				return "", errSyntax
			}
			if utf16.IsSurrogate(r) {
				// The second half counts only if both make a character.
				whole := rune(utf8.RuneError)
				if strings.HasPrefix(p.text[p.pos:], `\u`) {
					back := p.pos
					p.pos += 2
					low, ok := p.parseHex()
					if whole = utf16.DecodeRune(r, low); !ok || whole == utf8.RuneError {
						whole, p.pos = utf8.RuneError, back
					}
				}
				r = whole
			}
			b.WriteRune(r)
		default:
			return "", errSyntax
		}
	}
	return "", errSyntax
}

// closingQuote returns the place of the quotation mark that ends a string, or the length of a
// text without one.
func closingQuote(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(s)
}

func (p *parser) parseHex() (rune, bool) {
	if p.pos+4 > len(p.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.pos:p.pos+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.pos += 4
	return rune(n), true
}

func (p *parser) skipDigits() int {
	from := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - from
}

func (p *parser) parseNumber() (any, error) {
	from := p.pos
	p.accept('-')
	lead := p.pos
	if n := p.skipDigits(); n == 0 || n > 1 && p.text[lead] == '0' {
		return nil, errSyntax
	}
	whole := true
	if p.accept('.') {
		whole = false
		if p.skipDigits() == 0 {
			return nil, errSyntax
		}
	}
	if p.accept('e') || p.accept('E') {
		whole = false
		if !p.accept('+') {
			p.accept('-')
		}
		if p.skipDigits() == 0 {
			return nil, errSyntax
		}
	}
	if whole {
		return Int(p.text[from:p.pos]), nil
	}
	// Out of range gives an infinity, as in Python.
	f, err := strconv.ParseFloat(p.text[from:p.pos], 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, errSyntax
	}
	return f, nil
}

// Append writes a value as Python's json.dumps(v, ensure_ascii=False)
// does: ", " and ": " between, floats with a point (1.0), NaN and the
// infinities bare. It takes what [Parse] gives, int64, and []byte (as
// text). Invalid UTF-8 becomes U+FFFD.
func Append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case Int:
		return append(dst, v...)
	case float64:
		return appendFloat(dst, v)
	case string:
		return appendString(dst, v)
	case []byte:
		return appendString(dst, string(v))
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = Append(dst, e)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, f := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendString(dst, f.Name), ": "...)
			dst = Append(dst, f.Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// pieceSize is how much of a long text [Write] encodes at a time.
const pieceSize = 64 << 10

// Write writes a value as [Append] does, but a long text in pieces, so that there is no
// second copy of it. w is best buffered.
func Write(w io.Writer, v any) error {
	switch v := v.(type) {
	case string:
		if len(v) > pieceSize {
			return writeLongString(w, v)
		}
	case []any:
		return writeList(w, '[', ']', len(v), func(i int) error { return Write(w, v[i]) })
	case Object:
		return writeList(w, '{', '}', len(v), func(i int) error {
			if _, err := w.Write(append(appendString(nil, v[i].Name), ": "...)); err != nil {
				return err
			}
			return Write(w, v[i].Value)
		})
	}
	_, err := w.Write(Append(nil, v))
	return err
}

func writeList(w io.Writer, open, end byte, n int, write func(i int) error) error {
	if _, err := w.Write([]byte{open}); err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			if _, err := w.Write([]byte(", ")); err != nil {
				return err
			}
		}
		if err := write(i); err != nil {
			return err
		}
	}
	_, err := w.Write([]byte{end})
	return err
}

func writeLongString(w io.Writer, s string) error {
	piece := []byte{'"'}
	for s != "" {
		n := min(pieceSize, len(s))
		for back := 0; back < utf8.UTFMax-1 && n < len(s) && !utf8.RuneStart(s[n]); back++ {
			n-- // a character stays whole
		}
		piece = appendQuoted(piece, s[:n])
		if s = s[n:]; s == "" {
			piece = append(piece, '"')
		}
		if _, err := w.Write(piece); err != nil {
			return err
		}
		piece = piece[:0]
	}
	return nil
}

func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	// Python writes an exponent from 1e16 up and below 1e-4.
	if a := math.Abs(f); a != 0 && (a >= 1e16 || a < 1e-4) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !strings.Contains(string(dst[from:]), ".") {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(appendQuoted(append(dst, '"'), s), '"')
}

// appendQuoted appends what stands between the quotation marks of a text.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c < 0x20:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendASCII writes a value as Hermes stores it in the database, which
// is json.dumps(v): everything outside printable ASCII as \uXXXX, beyond the
// basic plane in surrogate pairs (store/README.md#stored-json).
func AppendASCII(dst []byte, v any) []byte {
	const hex = "0123456789abcdef"
	unit := func(u rune) {
		dst = append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	// Only text has other characters, and all of them may be escaped there.
	for _, r := range string(Append(nil, v)) {
		switch {
		case r < 0x7F:
			dst = append(dst, byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			unit(high)
			unit(low)
		default:
			unit(r)
		}
	}
	return dst
}
