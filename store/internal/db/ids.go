package db

import (
	"iter"
	"strconv"
)

// JsonList makes one argument of many ids, for json_each.
func JsonList(ids iter.Seq[int64]) string {
	b := []byte{'['}
	for id := range ids {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}
