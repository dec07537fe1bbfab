package model

import (
	"runtime"
	"strings"
)

// ShellWord writes a word so that the shell of this system takes it as it is.
// A word with control bytes stays one word, but is not fit to be shown.
func ShellWord(word string) string { return shellWord(word, runtime.GOOS == "windows") }

func shellWord(word string, windows bool) string {
	marks := "-_./:@%+,="
	if windows {
		marks += `\` // it parts folders there
	}
	special := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0xa0
		return !letter && !strings.ContainsRune(marks, r)
	}
	switch {
	case word != "" && word[0] != '=' && !strings.ContainsFunc(word, special): // zsh looks for a command after =
		return word
	case windows:
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
