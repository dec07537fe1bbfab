package model

import (
	"errors"
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

// Get gives the value of a name, nil if there is none.
func (o Object) Get(name string) any {
	for _, f := range o {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// MarshalJSON writes the object for encoding/json, which then removes the
// spaces. Numbers that JSON does not have become null; [AppendJSON] keeps them.
func (o Object) MarshalJSON() ([]byte, error) {
	return AppendJSON(nil, finite(o)), nil
}

// finite replaces NaN and the infinities by null.
func finite(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = finite(e)
		}
		return out
	case Object:
		out := make(Object, len(v))
		for i, f := range v {
			out[i] = Field{f.Name, finite(f.Value)}
		}
		return out
	}
	return v
}

// Whole is an integer of any size, in decimal.
type Whole string

// maxJSONDepth keeps a hostile text from exhausting the stack.
const maxJSONDepth = 500

var errJSON = errors.New("not JSON")

// ParseJSON reads what Python's json.loads reads, NaN and the infinities
// included: [Object], []any, string, [Whole], float64, bool or nil. Halves of
// surrogate pairs that stand alone become U+FFFD.
func ParseJSON(s string) (any, error) {
	p := jsonParser{s: s}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.i != len(s) {
		return nil, errJSON
	}
	return v, nil
}

type jsonParser struct {
	s string
	i int
}

func (p *jsonParser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// take skips a byte if it comes next.
func (p *jsonParser) take(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *jsonParser) value(depth int) (any, error) {
	if depth > maxJSONDepth || p.i >= len(p.s) {
		return nil, errJSON
	}
	switch p.s[p.i] {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		return p.text()
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
		if strings.HasPrefix(p.s[p.i:], w.word) {
			p.i += len(w.word)
			return w.value, nil
		}
	}
	return p.number()
}

func (p *jsonParser) object(depth int) (any, error) {
	p.i++
	o := Object{}
	at := map[string]int{}
	p.space()
	if p.take('}') {
		return o, nil
	}
	for {
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != '"' {
			return nil, errJSON
		}
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		p.space()
		if !p.take(':') {
			return nil, errJSON
		}
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if i, ok := at[name]; ok {
			o[i].Value = v
		} else {
			at[name] = len(o)
			o = append(o, Field{name, v})
		}
		p.space()
		if p.take('}') {
			return o, nil
		}
		if !p.take(',') {
			return nil, errJSON
		}
	}
}

func (p *jsonParser) array(depth int) (any, error) {
	p.i++
	a := []any{}
	p.space()
	if p.take(']') {
		return a, nil
	}
	for {
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
		p.space()
		if p.take(']') {
			return a, nil
		}
		if !p.take(',') {
			return nil, errJSON
		}
	}
}

func (p *jsonParser) text() (string, error) {
	p.i++
	start := p.i
	for p.i < len(p.s) && p.s[p.i] != '"' && p.s[p.i] != '\\' && p.s[p.i] >= 0x20 {
		p.i++
	}
	if p.take('"') {
		return p.s[start : p.i-1], nil
	}
	var b strings.Builder
	b.WriteString(p.s[start:p.i])
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch {
		case c == '"':
			return b.String(), nil
		case c < 0x20:
			return "", errJSON
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if p.i >= len(p.s) {
			return "", errJSON
		}
		c = p.s[p.i]
		p.i++
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
			r, ok := p.hex()
			if !ok {
				return "", errJSON
			}
			if utf16.IsSurrogate(r) {
				// The second half counts only if both make a character.
				whole := rune(utf8.RuneError)
				if strings.HasPrefix(p.s[p.i:], `\u`) {
					back := p.i
					p.i += 2
					low, ok := p.hex()
					if whole = utf16.DecodeRune(r, low); !ok || whole == utf8.RuneError {
						whole, p.i = utf8.RuneError, back
					}
				}
				r = whole
			}
			b.WriteRune(r)
		default:
			return "", errJSON
		}
	}
	return "", errJSON
}

func (p *jsonParser) hex() (rune, bool) {
	if p.i+4 > len(p.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.i += 4
	return rune(n), true
}

func (p *jsonParser) digits() int {
	from := p.i
	for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
		p.i++
	}
	return p.i - from
}

func (p *jsonParser) number() (any, error) {
	from := p.i
	p.take('-')
	lead := p.i
	if n := p.digits(); n == 0 || n > 1 && p.s[lead] == '0' {
		return nil, errJSON
	}
	whole := true
	if p.take('.') {
		whole = false
		if p.digits() == 0 {
			return nil, errJSON
		}
	}
	if p.take('e') || p.take('E') {
		whole = false
		if !p.take('+') {
			p.take('-')
		}
		if p.digits() == 0 {
			return nil, errJSON
		}
	}
	if whole {
		return Whole(p.s[from:p.i]), nil
	}
	// Out of range gives an infinity, as in Python.
	f, err := strconv.ParseFloat(p.s[from:p.i], 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, errJSON
	}
	return f, nil
}

// AppendJSON writes a value as Python's json.dumps(v, ensure_ascii=False)
// does: ", " and ": " between, floats with a point (1.0), NaN and the
// infinities bare. It takes what [ParseJSON] gives, int64, and []byte (as
// text). Invalid UTF-8 becomes U+FFFD.
func AppendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case Whole:
		return append(dst, v...)
	case float64:
		return appendFloat(dst, v)
	case string:
		return appendText(dst, v)
	case []byte:
		return appendText(dst, string(v))
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = AppendJSON(dst, e)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, f := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendText(dst, f.Name), ": "...)
			dst = AppendJSON(dst, f.Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
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

func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
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
	return append(dst, '"')
}

// AppendStoredJSON writes a value as Hermes stores it in the database, which
// is json.dumps(v): everything outside printable ASCII as \uXXXX, beyond the
// basic plane in surrogate pairs (store/README.md#stored-json).
func AppendStoredJSON(dst []byte, v any) []byte {
	const hex = "0123456789abcdef"
	unit := func(u rune) {
		dst = append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	// Only text has other characters, and all of them may be escaped there.
	for _, r := range string(AppendJSON(nil, v)) {
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
