// Package redact masks secrets in text: API keys and tokens by their documented prefixes,
// private keys, JSON Web Tokens, passwords in URLs, headers, command lines and
// assignments; and on request e-mail addresses, home folders and what the user's own
// patterns find. Each is replaced by a mask with its kind, such as [redacted: GitHub token].
//
// It finds what has a known form or a telling name, and no more: a secret in plain prose
// stays. The forms are those that vendors document and that the rules of gitleaks and
// detect-secrets look for; tokens.go names them.
//
// A text is read once, from left to right. A table by byte says where anything can
// begin (scan.go): at the first letter of a token's prefix (tokens.go), at the sign between
// a name and its value (assignments.go), at dashes (options.go), and at the signs of
// addresses and paths (places.go). Each looks back and ahead a bounded number of bytes, so
// that the time is linear in the length of the text.
//
// Texts are often JSON within JSON. A mask has no character that JSON escapes, and what it
// replaces neither begins nor ends inside an escape sequence, so that JSON stays JSON.
package redact
