package fts

// varint decodes a SQLite varint of up to nine bytes. size is 0 where b ends
// within it.
func varint(b []byte) (v uint64, size int) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// varint1 is [varint] with a fast path for one byte.
func varint1(b []byte) (v uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return varint(b)
}

// varint2 is [varint] with fast paths for one and two bytes.
func varint2(b []byte) (v uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f)<<7 | uint64(b[1]), 2
	}
	return varint(b)
}
