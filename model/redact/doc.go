// Package redact masks secrets in text: each is replaced by a mask with its kind, such as
// [redacted: GitHub token].
//
// What it finds is one table (rules.go): for each kind, words that it begins with or that stand beside it,
// RE2 of what is around them, and how random that must be. One rule of names and values (names.go) serves
// all telling names, as in PASSWORD=value. A secret in plain prose stays.
//
// A text is read once, from left to right (scan.go), so that the time is linear in its length. Texts are often
// JSON within JSON: a mask has no character that JSON escapes, and what it replaces neither begins nor ends
// inside an escape sequence, so that JSON stays JSON.
package redact
