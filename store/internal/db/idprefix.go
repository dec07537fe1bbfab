package db

// CaseVariants gives both cases of an ASCII letter, in order, and anything else alone.
func CaseVariants(c byte) string {
	switch {
	case 'a' <= c && c <= 'z':
		return string([]byte{c - 'a' + 'A', c})
	case 'A' <= c && c <= 'Z':
		return string([]byte{c, c - 'A' + 'a'})
	}
	return string([]byte{c})
}
