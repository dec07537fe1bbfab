package analysis

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"
)

// IsEnglish reports whether a word in lower case is one of the English language, in any
// inflection, with names such as nobel. Words of less than four letters are not looked up.
//
// A word that is one is not a typing error, however near another one is: swore is not store.
func IsEnglish(word string) bool {
	if word == "" {
		return false
	}
	var entry []byte
	words := dictionary()
	i := bytes.Index(words, []byte{'A', word[0]}) // the first word with this letter has none in common with the one before
	for i >= 0 && i < len(words) {
		entry = entry[:words[i]-'A']
		for i++; i < len(words) && words[i] >= 'a'; i++ {
			entry = append(entry, words[i])
		}
		if string(entry) >= word {
			return string(entry) == word
		}
	}
	return false
}

// englishWords are the words of SCOWL (english.LICENSE.txt) up to size 60, American
// and British, in ASCII and lower case, sorted and compressed. Of each, the letters that it
// begins with as the one before does are a count, A for none. Debian has the list in the
// packages wamerican and wbritish.
//
//go:embed english.gz
var englishWords []byte

// dictionary returns englishWords uncompressed. That takes a millisecond, of which most
// searches need none: they have no word that occurs nowhere.
var dictionary = sync.OnceValue(func() []byte {
	r, err := gzip.NewReader(bytes.NewReader(englishWords))
	if err != nil {
		panic(err) // it is a part of the program
	}
	words, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return words
})
