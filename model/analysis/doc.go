// Package analysis derives, from a word that a person typed, the other words that
// a text may have in its place: inflections, correctly spelled neighbors of a
// typing error, the parts of an identifier, and pairs of characters in scripts
// without spaces. It knows no index: which of these words occur is for its caller
// to look up.
//
//	stem.go           inflections: build, builds, built, building
//	functionwords.go  words that say little of what a text is about: the, how, did
//	edits.go          words one typing error away
//	english.go        which words are no typing error, by a list of English words
//	dates.go          the time that words name: september, two weeks ago, 上周
//	segments.go       a run of mixed scripts in words and runs; pairs of characters
//	korean.go         Korean words without particles and endings
//	width.go          full-width letters as those of ASCII
package analysis
