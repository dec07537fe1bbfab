//go:build !unix

package db

// FileID tells the file that is open from another one that is put in its place; "" where
// the system has no such thing.
func (d *DB) FileID() string { return "" }
