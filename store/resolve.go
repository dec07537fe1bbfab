package store

import "fmt"

// notFound says that no session has an id or a title.
func (s *Store) notFound(what string) *Error {
	return &Error{
		Kind: KindNotFound, Path: s.path,
		Message: fmt.Sprintf("Session '%s' not found.", what), Remedy: "hermes-sessions list --all",
	}
}
