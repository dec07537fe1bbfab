// Package docs holds the tests of the documents in docs/ that are generated:
//
//	go test ./internal/docs -update
//
// rewrites them. The other pages are written by hand.
package docs
