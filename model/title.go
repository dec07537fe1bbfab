package model

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
)

// MaxTitle is the maximum length of a title in characters (code points).
const MaxTitle = 100

// TitleTooLong is the error for a title with more than [MaxTitle] characters.
type TitleTooLong struct{ Length int }

// Error returns the message that Hermes uses.
func (t TitleTooLong) Error() string {
	return fmt.Sprintf("Title too long (%d chars, max %d)", t.Length, MaxTitle)
}

// TitleTaken is the error for a title that another session has.
type TitleTaken struct{ Title, Owner string }

// Error returns the message that Hermes uses.
func (t TitleTaken) Error() string {
	return fmt.Sprintf("Title '%s' is already in use by session %s", t.Title, t.Owner)
}

// TitleRefused is the error for what a person may not give as a title, in words.
type TitleRefused string

// Error says what a title needs.
func (t TitleRefused) Error() string { return string(t) }

// TypedTitle returns a title that a person has typed as it is stored, and how many invisible
// characters were left out of it: Hermes removes them, so that words which only they keep apart
// become one. As Hermes's own rename it refuses, with [TitleRefused], a title with line breaks and
// one without a visible character. Other errors are those of [SanitizeTitle].
func TypedTitle(typed string) (title string, dropped int, err error) {
	if strings.ContainsAny(typed, "\n\r\v\f\u0085\u2028\u2029") {
		return "", 0, TitleRefused("a title has no line breaks")
	}
	if title, err = SanitizeTitle(typed); err != nil {
		return "", 0, err
	}
	if strings.IndexFunc(title, isVisible) < 0 {
		return "", 0, TitleRefused("a title needs a visible character")
	}
	for _, r := range typed {
		if droppedFromTitle(r) {
			dropped++
		}
	}
	return title, dropped, nil
}

// isVisible reports whether a character takes any space with something in it.
func isVisible(r rune) bool {
	return !unicode.In(r, unicode.C, unicode.M, unicode.Z, unicode.Other_Default_Ignorable_Code_Point) && r != '\u2800' // a Braille cell without dots
}

// SanitizeTitle returns a title as Hermes stores it (store/README.md#titles): without
// control and invisible formatting characters, with each run of white space
// replaced by one space, and trimmed. "" means no title. Bytes that are not UTF-8
// become U+FFFD. The only error is [TitleTooLong], for the sanitized title.
func SanitizeTitle(title string) (string, error) {
	var b strings.Builder
	space := false
	n := 0
	for _, r := range title {
		switch {
		case droppedFromTitle(r):
		case isTitleSpace(r):
			space = n > 0
		default:
			if space {
				b.WriteByte(' ')
				n++
			}
			space = false
			b.WriteRune(r)
			n++
		}
	}
	if n > MaxTitle {
		return "", TitleTooLong{n}
	}
	return b.String(), nil
}

// droppedFromTitle reports whether a character is removed from titles. Some of these
// are white space elsewhere (U+000B, U+001C, U+2028).
func droppedFromTitle(r rune) bool {
	switch {
	case r <= 0x1f && r != '\t' && r != '\n' && r != '\r', r == 0x7f,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x2069,
		r == 0xfeff, r >= 0xfff9 && r <= 0xfffc:
		return true
	}
	return false
}

// isTitleSpace reports whether a character that is not dropped is white space.
func isTitleSpace(r rune) bool {
	switch {
	case r == ' ', r == '\t', r == '\n', r == '\r', r == 0x85, r == 0xa0, r == 0x1680,
		r >= 0x2000 && r <= 0x200a, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}

// TitleBase returns a title without the number that Hermes appends within a lineage:
// "deploy" for "deploy #3" and for "deploy".
func TitleBase(title string) string {
	base, _ := splitTitle(title)
	return base
}

// splitTitle splits " #<digits>" off the end of a title; number is nil if there is
// none. As in Python, the digits may be of any script.
func splitTitle(title string) (base string, number *big.Int) {
	rest := strings.TrimRightFunc(title, unicode.IsDigit)
	base, ok := strings.CutSuffix(rest, " #")
	if !ok || len(rest) == len(title) || strings.Contains(base, "\n") {
		return title, nil
	}
	digits := strings.Map(asDecimalDigit, title[len(rest):])
	number, _ = new(big.Int).SetString(digits, 10)
	return base, number
}

// asDecimalDigit returns the ASCII digit for a digit of any script. In Unicode, the
// ten digits of a script are consecutive, from zero up.
func asDecimalDigit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// NextTitle returns the title of the next session of a lineage: base if taken is
// empty, else base with one more than the highest number in taken. A title without
// a number counts as 1. taken are the titles in use within the lineage. The result
// may be longer than [MaxTitle].
func NextTitle(base string, taken []string) string {
	if len(taken) == 0 {
		return base
	}
	highest := big.NewInt(1)
	for _, title := range taken {
		if _, n := splitTitle(title); n != nil && n.Cmp(highest) > 0 {
			highest = n
		}
	}
	return base + " #" + highest.Add(highest, big.NewInt(1)).String()
}

// SuggestTitle derives a title from the first message of a user: its first sentence,
// or as many words as fit 60 characters. It is "" if the message has no text.
func SuggestTitle(message string) string {
	const most = 60
	text, _ := SanitizeTitle(firstRunes(message, MaxTitle)) // it refuses only what is longer
	text = strings.TrimSpace(strings.TrimSuffix(text, "..."))
	runes := []rune(text)
	for i, r := range runes {
		ends := strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?:", r) && (i+1 == len(runes) || runes[i+1] == ' ')
		if ends && i >= 8 && i <= most {
			if r == '?' || r == '？' {
				i++
			}
			return strings.TrimSpace(string(runes[:i]))
		}
	}
	if len(runes) <= most {
		return strings.TrimRight(text, " .,;:–-")
	}
	cut := string(runes[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " .,;:–-")
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// TitleOwner is the session that has a title.
type TitleOwner struct {
	Session        string       // its id
	Conversation   Conversation // of the session
	EarlierSegment bool         // it is an earlier segment of the conversation to be renamed, which can take the title over
	NextFree       string       // the next free title with a number: "deploy #4"
}
