//go:build !unix

package store

import "errors"

func fifo(string) error { return errors.ErrUnsupported }
