package compare

import "errors"

// The reasons why two conversations are not compared.
var (
	ErrSame     = errors.New("these are the same conversation; compare it with another one")
	ErrNoParent = errors.New("this session has no parent to compare it with")
)
