package model

import (
	"runtime"
	"strings"
)

// ShellWord quotes a word for the shell of this system, if it needs quotes. Control
// characters in it are quoted too, but not made safe to print.
func ShellWord(word string) string { return shellWord(word, runtime.GOOS == "windows") }

func shellWord(word string, windows bool) string {
	marks := "-_./:@%+,="
	if windows {
		marks += `\` // the path separator
	}
	special := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0xa0
		return !letter && !strings.ContainsRune(marks, r)
	}
	switch {
	case word != "" && word[0] != '=' && !strings.ContainsFunc(word, special): // zsh expands =word to the path of a command
		return word
	case windows:
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
